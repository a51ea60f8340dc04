//! Rounds of calls: segments, workers, limits, order of results (`spec/turn-loop.md` §6).

use agent_core::behaviour::Version;
use agent_core::values::{Fact, Role, SimTime};
use serde_json::{Value, json};

use crate::rig::START;
use crate::scene::{Scene, calls, say, settings, texts, with};

/// When each call began and was answered, in milliseconds since the round's start at 1 s.
fn times(scene: &Scene) -> Vec<(String, u64, u64)> {
    let since = |at: SimTime| at.since(START).as_millis() - 1000;
    let mut times: Vec<(String, String, u64, u64)> = Vec::new();
    for (at, note) in &scene.rig.notes {
        match &note.fact {
            Fact::ToolCall { id, tool, .. } => times.push((id.to_string(), tool.to_string(), since(*at), 0)),
            Fact::ToolAnswer { id, took, .. } => {
                let one =
                    times.iter_mut().find(|(known, ..)| **known == **id).expect("a call before its answer");
                one.3 = one.2 + took.as_millis();
            }
            _ => {}
        }
    }
    times.into_iter().map(|(_, tool, began, ended)| (tool, began, ended)).collect()
}

fn play(version: Version, round: &[(&str, Value)]) -> Scene {
    let mut scene = Scene::new(settings(version));
    scene.answers(Role::Main, [calls(round), say("done")]);
    scene.turn("s", "go");
    scene
}

fn probe(n: u64, ms: u64) -> (&'static str, Value) {
    ("probe", json!({"n": n, "out": format!("p{n}"), "ms": ms}))
}

#[test]
fn segments_run_in_order_and_beside_each_other_within() {
    let round = [probe(1, 300), probe(2, 100), ("terminal", json!({"ms": 50})), probe(3, 100)];
    let scene = play(Version::V0_19, &round);
    let expected = [("probe", 0, 300), ("probe", 0, 100), ("terminal", 300, 350), ("probe", 350, 450)];
    let expected: Vec<_> = expected.map(|(tool, began, ended)| (tool.to_owned(), began, ended)).into();
    assert_eq!(times(&scene), expected);
    // Results stand in call order, whoever was first.
    let said = texts(&scene.got(Role::Main)[1].request);
    assert_eq!(said[2..], ["p1", "p2", "done", "p3"]);
}

#[test]
fn before_july_one_barrier_makes_the_whole_batch_sequential() {
    let round = [probe(1, 300), probe(2, 100), ("terminal", json!({"ms": 50}))];
    let began: Vec<u64> = times(&play(Version::V0_16, &round)).iter().map(|(_, began, _)| *began).collect();
    assert_eq!(began, [0, 300, 400]);
    let all_safe = [probe(1, 300), probe(2, 100)];
    let began: Vec<u64> =
        times(&play(Version::V0_16, &all_safe)).iter().map(|(_, began, _)| *began).collect();
    assert_eq!(began, [0, 0]);
}

#[test]
fn files_run_beside_each_other_unless_their_paths_overlap() {
    let write = |path: &str| ("write_file", json!({"path": path, "content": "x"}));
    let round = [write("a/one"), write("b/two"), write("a"), ("read_file", json!({"path": "c"}))];
    let scene = play(Version::V0_19, &round);
    let segments: Vec<u32> = scene
        .facts()
        .filter_map(|fact| match fact {
            Fact::ToolCall { segment, .. } => Some(*segment),
            _ => None,
        })
        .collect();
    assert_eq!(segments, [0, 0, 1, 1]);
}

#[test]
fn eight_workers_take_the_calls_of_a_segment() {
    let round: Vec<_> = (0..10).map(|n| probe(n, 100)).collect();
    let began: Vec<u64> = times(&play(Version::V0_19, &round)).iter().map(|(_, began, _)| *began).collect();
    assert_eq!(began, [0, 0, 0, 0, 0, 0, 0, 0, 100, 100]);
}

#[test]
fn what_is_not_answered_at_the_limit_is_given_up_started_or_not() {
    let round: Vec<_> = (0..8).map(|n| probe(n, 500_000)).chain([probe(8, 10)]).collect();
    let mut scene = play(Version::V0_19, &round);
    let ends: Vec<_> = scene
        .facts()
        .filter_map(|fact| match fact {
            Fact::ToolAnswer { end, took, .. } => Some((end.timed_out, took.as_millis())),
            _ => None,
        })
        .collect();
    assert_eq!(ends[..8], [(true, 420_000); 8]);
    assert_eq!(ends[8], (true, 0));
    let results = scene.results();
    assert!(results[0].contains("not known") && results[8].contains("no effect"), "{results:?}");
    assert!(scene.rig.ended[0].2.completed);
    // Their answers still come, and are late: nothing of them reaches the conversation.
    scene.rest(600);
    scene.turn("s", "next");
    let said = texts(&scene.got(Role::Main).pop().unwrap().request);
    assert!(!said.contains(&"p0".to_owned()), "{said:?}");
    let mut endless = Scene::new(with(Version::V0_19, &[("loop.batch_limit_s", json!(0))]));
    endless.answers(Role::Main, [calls(&[probe(1, 500_000), probe(2, 1)]), say("done")]);
    endless.turn("s", "go");
    assert_eq!(endless.results(), ["p1", "p2"]);
}

#[test]
fn a_late_answer_never_stands_in_for_a_call_of_a_later_round() {
    let mut scene = Scene::new(with(Version::V0_19, &[("loop.batch_limit_s", json!(10))]));
    // The rig stops what is given up, so the late answer is made here: the limit passes, the world answers anyway.
    scene.answers(
        Role::Main,
        [
            calls(&[probe(1, 60_000), probe(2, 1)]),
            calls(&[("terminal", json!({"out": "new", "ms": 90_000}))]),
            say("done"),
        ],
    );
    scene.turn("s", "go");
    scene.rest(300);
    assert_eq!(scene.results().last().map(String::as_str), Some("new"));
}

#[test]
fn a_single_call_is_not_limited() {
    let scene = play(Version::V0_19, &[("terminal", json!({"ms": 500_000, "out": "slow"}))]);
    assert_eq!(scene.results(), ["slow"]);
}
