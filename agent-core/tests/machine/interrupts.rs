//! An interrupt at every phase of a turn (`spec/turn-loop.md` §2, §6; machine: time).

use agent_core::behaviour::Version;
use agent_core::values::{Fact, Message, Role};
use serde_json::{Value, json};

use crate::rig::{START, Said};
use crate::scene::{Scene, call, calls, failed, interrupt, messages, say, settings, with};

/// A turn with these answers, interrupted so many milliseconds after its start.
fn interrupted(answers: Vec<Said>, after: u64) -> Scene {
    scene_interrupted(Scene::new(settings(Version::V0_19)), answers, after)
}

fn scene_interrupted(mut scene: Scene, answers: Vec<Said>, after: u64) -> Scene {
    scene.answers(Role::Main, answers);
    scene.say("s", "go");
    scene.event_at(after, interrupt("s"));
    scene.rest(3600);
    scene
}

/// Exit, and when the turn ended, in milliseconds.
fn end(scene: &Scene) -> (String, u64) {
    let (at, _, end) = &scene.rig.ended[0];
    assert!(end.interrupted, "{}", scene.log());
    (end.exit.to_string(), at.since(START).as_millis())
}

/// Marks of the tool answers: cancelled, timed out, kind.
fn marks(scene: &Scene) -> Vec<(bool, String)> {
    scene
        .facts()
        .filter_map(|fact| match fact {
            Fact::ToolAnswer { end, .. } => {
                Some((end.cancelled, end.kind.as_deref().unwrap_or("").to_owned()))
            }
            _ => None,
        })
        .collect()
}

/// The next turn finds every call answered and an assistant's word at the end of the interrupted one.
fn next_is_sound(scene: &mut Scene) {
    scene.turn("s", "next");
    let request = scene.got(Role::Main).pop().expect("a turn").request;
    let said = messages(&request);
    let before = &said[said.len() - 2];
    assert!(!matches!(**before, Message::Tool { .. }), "{before:?}");
    assert!(scene.rig.ended[1].2.completed);
}

#[test]
fn while_asking_the_request_is_aborted_at_the_next_look() {
    for (after, noticed) in [(0, 200), (1, 200), (200, 200), (201, 400), (950, 1000)] {
        let mut scene = interrupted(vec![say("never").after(5000)], after);
        assert_eq!(end(&scene), ("interrupted_during_api_call".to_owned(), noticed), "{after}");
        next_is_sound(&mut scene);
    }
    // A reply that arrives before the look is read; then the turn ends before another pass.
    let mut scene = interrupted(vec![call("terminal", json!({})).after(1150)], 1100);
    assert_eq!(end(&scene), ("interrupted_by_user".to_owned(), 1150));
    assert_eq!(marks(&scene), [(true, "cancelled".to_owned())]);
    next_is_sound(&mut scene);
    let mut words = Scene::new(settings(Version::V0_19));
    words.answers(Role::Main, [say("done").after(1150)]);
    words.say("s", "go");
    words.event_at(1100, interrupt("s"));
    words.rest(60);
    assert!(!words.rig.ended[0].2.interrupted, "a last word still counts");
}

#[test]
fn while_waiting_for_another_attempt_the_turn_ends_early() {
    let mut scene = interrupted(vec![failed(500, "oops"), say("never")], 1500);
    let (exit, at) = end(&scene);
    assert_eq!((exit.as_str(), at), ("early_return(interrupted_while_waiting)", 1600));
    assert_eq!(scene.unasked(Role::Main), 1);
    scene.answers(Role::Main, []);
    scene.turn("s", "next");
    assert!(scene.rig.ended[1].2.completed);
}

#[test]
fn an_interrupt_before_a_failure_is_noticed_in_the_wait_after_it() {
    let scene = interrupted(vec![failed(500, "oops").after(1150), say("never")], 1100);
    assert_eq!(end(&scene), ("early_return(interrupted_while_waiting)".to_owned(), 1350));
}

#[test]
fn a_call_that_runs_alone_is_waited_for_and_the_rest_is_cancelled() {
    let round = calls(&[
        ("terminal", json!({"ms": 5000})),
        ("terminal", json!({"n": 2})),
        ("terminal", json!({"n": 3})),
    ]);
    let mut scene = interrupted(vec![round, say("never")], 2000);
    assert_eq!(end(&scene), ("interrupted_by_user".to_owned(), 6000));
    let cancelled = (true, "cancelled".to_owned());
    assert_eq!(marks(&scene), [(false, String::new()), cancelled.clone(), cancelled]);
    assert!(scene.results()[1].contains("\"effect_disposition\":\"none\""));
    next_is_sound(&mut scene);
}

#[test]
fn calls_beside_each_other_get_three_seconds() {
    let probe = |n: u64, ms: u64| ("probe", json!({"n": n, "ms": ms}));
    let pending: Vec<(&str, Value)> =
        [probe(1, 2000), probe(2, 60_000)].into_iter().chain((3..10).map(|n| probe(n, 60_000))).collect();
    let mut scene = interrupted(vec![calls(&pending), say("never")], 2000);
    // Within the grace one answers; the ninth had not begun and is cancelled then; the others are given up.
    assert_eq!(end(&scene), ("interrupted_by_user".to_owned(), 5000));
    let marks = marks(&scene);
    assert_eq!(marks[0], (false, String::new()));
    assert_eq!(marks[1], (true, "interrupted".to_owned()));
    assert_eq!(marks[8], (true, "cancelled".to_owned()));
    next_is_sound(&mut scene);
    scene.rest(600);
}

#[test]
fn the_closing_summary_can_be_interrupted() {
    let keys = [("agent.max_turns", json!(1))];
    let scene = Scene::new(with(Version::V0_19, &keys));
    let answers = vec![call("terminal", json!({"ms": 0})), say("never").after(5000)];
    let mut scene = scene_interrupted(scene, answers, 1500);
    assert_eq!(end(&scene), ("interrupted_during_api_call".to_owned(), 1600));
    next_is_sound(&mut scene);
}

#[test]
fn an_interrupt_before_the_turn_or_during_a_compression_counts() {
    let mut scene = Scene::new(settings(Version::V0_19));
    scene.turn("s", "one");
    scene.event(interrupt("s"));
    let end = scene.turn("s", "two");
    assert_eq!((&*end.exit, end.api_calls), ("interrupted_by_user", 0));
    scene.turn("s", "three");
    let said = crate::scene::texts(&scene.got(Role::Main).pop().unwrap().request);
    assert_eq!(said, ["one", "ok", "two", "three"]);
}

#[test]
fn a_second_interrupt_changes_nothing() {
    let mut scene = Scene::new(settings(Version::V0_19));
    scene.answers(Role::Main, [calls(&[("terminal", json!({"ms": 5000})), ("terminal", json!({"n": 1}))])]);
    scene.say("s", "go");
    for after in [1500, 1600, 2500, 5500] {
        scene.event_at(after, interrupt("s"));
    }
    scene.rest(60);
    assert_eq!(end(&scene), ("interrupted_by_user".to_owned(), 6000));
    assert!(scene.turn("s", "next").completed);
}

#[test]
fn an_interrupt_of_an_unknown_session_meets_its_first_turn() {
    let mut scene = Scene::new(settings(Version::V0_19));
    scene.event(interrupt("nobody"));
    scene.rest(1);
    assert!(scene.rig.notes.is_empty());
    scene.open_kept("s");
    scene.event(interrupt("s"));
    assert_eq!(&*scene.turn("s", "one").exit, "interrupted_by_user");
}
