//! Compression in the life of a session (`spec/compression.md`).

use std::collections::BTreeSet;

use agent_core::behaviour::{Origin, Settings, Version};
use agent_core::machine::{Command, ModelFault};
use agent_core::values::{AgentObject, Fact, Message, Role};
use serde_json::{Value, json};

use crate::rig::Said;
use crate::scene::{Scene, call, failed, fault, messages, name, remember, say, settings, texts, with};

/// A window so small that a session of some turns fills it: threshold at 85 % of 20,000 tokens.
fn small(version: Version) -> Settings {
    with(
        version,
        &[
            ("model.context_tokens", json!(20_000)),
            ("memory.nudge_interval", json!(0)),
            ("skills.creation_nudge_interval", json!(0)),
        ],
    )
}

/// A turn of a tool round with a long result.
fn work(scene: &mut Scene, turn: usize) {
    let out = format!("{turn} {}", "result ".repeat(250));
    scene.answers(Role::Main, [call("terminal", json!({"out": out})), say(&format!("answer {turn}"))]);
    scene.turn("s", &format!("question {turn}"));
}

fn compressions(scene: &Scene) -> Vec<(usize, usize, String)> {
    scene
        .facts()
        .filter_map(|fact| match fact {
            Fact::Compression { before, after, how, .. } => Some((*before, *after, how.to_string())),
            _ => None,
        })
        .collect()
}

/// Calls and results of a request, by id.
fn pairs_are_whole(said: &[std::sync::Arc<Message>]) {
    let calls: BTreeSet<_> =
        said.iter().flat_map(|message| message.calls()).map(|call| call.id.clone()).collect();
    let results: BTreeSet<_> = said
        .iter()
        .filter_map(|message| match &**message {
            Message::Tool { call, .. } => Some(call.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(calls, results);
}

#[test]
fn two_hundred_turns_stay_within_the_window() {
    for version in [Version::V0_16, Version::V0_19, Version::September2026] {
        let mut scene = Scene::new(small(version));
        for turn in 0..200 {
            scene.answers(Role::Compression, [say(&format!("## Goal\nsummary at turn {turn}"))]);
            work(&mut scene, turn);
        }
        assert!(scene.rig.ended.iter().all(|(_, _, end)| end.completed), "{version}");
        let done = compressions(&scene);
        assert!(
            done.len() > 5 && done.iter().all(|(before, after, how)| after < before && how == "model"),
            "{version}: {done:?}"
        );
        let requests = scene.got(Role::Main);
        for got in &requests {
            let said = messages(&got.request);
            pairs_are_whole(&said);
            assert_eq!(got.request.system, requests[0].request.system, "the prompt stays byte for byte");
            let chars: usize = said.iter().map(|message| message.chars().0).sum();
            assert!(chars < 20_000 * 4, "{version}: within the window");
        }
        // The newest user message is in view, whatever was compressed before it.
        let last = texts(&requests.last().unwrap().request);
        assert!(last.contains(&"question 199".to_owned()));
        assert!(last.iter().any(|text| text.contains("[CONTEXT COMPACTION]")), "{version}");
        // Summaries are carried on.
        let asked = scene.got(Role::Compression).pop().unwrap().request;
        assert!(texts(&asked)[0].contains("summary at turn"), "{version}");
        let rows: Vec<_> = scene.rig.store.sessions().collect();
        if version == Version::V0_16 {
            assert_eq!(rows.len(), done.len() + 1, "a child session each time");
            let ends: BTreeSet<_> = rows.iter().filter_map(|row| row.end_reason.as_deref()).collect();
            assert_eq!(ends, BTreeSet::from(["compression"]));
            assert!(rows.windows(2).all(|pair| pair[1].parent.as_deref() == Some(&*pair[0].id)));
        } else {
            assert_eq!(rows.len(), 1, "{version}: in place");
            let live = scene.rig.store.history(&rows[0].id).count();
            assert!(
                live < 200 && scene.rig.store.message_count() > 800,
                "{live} live rows, the others archived"
            );
        }
    }
}

#[test]
fn memory_written_since_becomes_visible_with_a_compression() {
    let mut scene = Scene::new(small(Version::V0_19));
    scene.answers(Role::Main, [remember("likes tea"), say("noted")]);
    scene.turn("s", "note it");
    for turn in 0..40 {
        work(&mut scene, turn);
    }
    assert!(!compressions(&scene).is_empty());
    let requests = scene.got(Role::Main);
    assert!(!requests[0].request.system.contains("likes tea"));
    assert!(requests.last().unwrap().request.system.contains("likes tea"));
    assert!(scene.facts().any(|fact| matches!(fact, Fact::Visible { .. })));
}

#[test]
fn real_usage_counts_after_a_round_of_tools() {
    let mut scene = Scene::new(small(Version::V0_19));
    for turn in 0..4 {
        scene.turn("s", &format!("question {turn}"));
    }
    // The estimate is far below the threshold, the server's own count is not.
    scene.answers(Role::Main, [call("terminal", json!({})).tokens(18_000), say("done").tokens(3000)]);
    scene.turn("s", "go");
    assert_eq!(compressions(&scene).len(), 1);
    let mut early = Scene::new(small(Version::V0_16));
    for turn in 0..4 {
        early.turn("s", &format!("question {turn}"));
    }
    early.answers(Role::Main, [call("terminal", json!({})).tokens(18_000), say("done").tokens(3000)]);
    early.turn("s", "go");
    assert_eq!(compressions(&early).len(), 1);
}

#[test]
fn compressions_that_do_not_help_are_given_up() {
    let mut scene = Scene::new(small(Version::V0_19));
    for turn in 0..30 {
        // Whatever is summarised, the server counts over the threshold.
        scene.answers(Role::Main, [say(&format!("answer {turn}")).tokens(19_000)]);
        scene.turn("s", &format!("question {turn} {}", "word ".repeat(900)));
    }
    let done = compressions(&scene).into_iter().filter(|(_, _, how)| how == "model").count();
    assert_eq!(done, 2);
    assert!(scene.rig.ended.iter().all(|(_, _, end)| end.completed));
}

#[test]
fn an_overflow_is_compressed_three_times_and_then_ends_the_turn() {
    let overflow = || failed(400, "maximum context length exceeded");
    let start = |settings: Settings| {
        let mut scene = Scene::new(settings);
        for turn in 0..6 {
            scene.turn("s", &format!("question {turn} {}", "word ".repeat(400)));
        }
        scene
    };
    let mut scene = start(settings(Version::V0_19));
    scene.answers(Role::Main, [overflow(), say("done")]);
    let end = scene.turn("s", "go");
    assert_eq!((end.answer.as_deref(), end.api_calls), (Some("done"), 1), "the pass is given back");
    assert_eq!(compressions(&scene).len(), 1);
    let mut scene = start(settings(Version::V0_19));
    scene.answers(Role::Main, (0..5).map(|_| overflow()));
    let end = scene.turn("s", "go");
    assert_eq!(&*end.exit, "early_return(compression_exhausted)");
    let mut off = settings(Version::V0_19);
    off.set("compression.enabled", json!(false), Origin::CommandLine).unwrap();
    let mut scene = start(off);
    scene.answers(Role::Main, [overflow()]);
    assert_eq!(&*scene.turn("s", "go").exit, "early_return(compression_exhausted)");
    assert!(scene.got(Role::Compression).is_empty());
}

/// A session on the edge of its window, whose next turn is compressed with this answer.
fn summarised(keys: &[(&str, Value)], answer: Said) -> Scene {
    let mut settings = small(Version::V0_19);
    for (key, value) in keys {
        settings.set(key, value.clone(), Origin::CommandLine).expect("a known key");
    }
    let mut scene = Scene::new(settings);
    scene.answers(Role::Compression, [answer]);
    for turn in 0..40 {
        work(&mut scene, turn);
        if !compressions(&scene).is_empty() {
            break;
        }
    }
    scene
}

#[test]
fn without_a_summary_there_is_one_without_a_model_or_none() {
    let how = |scene: &Scene| compressions(scene)[0].2.clone();
    assert_eq!(how(&summarised(&[], say("## Goal"))), "model");
    assert_eq!(how(&summarised(&[], say(" "))), "fallback");
    assert_eq!(how(&summarised(&[], failed(500, "oops"))), "fallback");
    assert_eq!(how(&summarised(&[], failed(401, "who"))), "aborted");
    let timeout =
        fault(ModelFault { transport: true, message: "timed out".to_owned(), ..ModelFault::default() });
    assert_eq!(how(&summarised(&[], timeout)), "aborted");
    let keys = [("compression.abort_on_summary_failure", json!(true))];
    assert_eq!(how(&summarised(&keys, failed(500, "oops"))), "aborted");
    assert_eq!(how(&summarised(&keys, say(""))), "aborted");
    let fallback = summarised(&[], failed(500, "oops"));
    let said = texts(&fallback.got(Role::Main).pop().unwrap().request);
    assert!(said.iter().any(|text| text.contains("The user said: question 2")), "{said:?}");
}

#[test]
fn the_open_list_of_things_to_do_is_kept_once() {
    let mut scene = Scene::new(small(Version::V0_19));
    let todo = json!({"todos": [
        {"id": "1", "content": "push the image", "status": "in_progress"},
        {"id": "2", "content": "look", "status": "completed"},
    ]});
    scene.answers(Role::Main, [call("todo", todo), say("planned")]);
    scene.turn("s", "plan it");
    for turn in 0..40 {
        work(&mut scene, turn);
    }
    assert!(compressions(&scene).len() > 1);
    let said = texts(&scene.got(Role::Main).pop().unwrap().request);
    let kept: Vec<_> =
        said.iter().filter(|text| text.starts_with("[System: kept list of things to do]")).collect();
    assert_eq!(kept.len(), 1);
    assert!(kept[0].contains("- [>] push the image") && !kept[0].contains("look"), "{}", kept[0]);
}

#[test]
fn from_the_second_on_the_user_is_told() {
    let mut scene = Scene::new(small(Version::V0_19));
    for turn in 0..40 {
        work(&mut scene, turn);
    }
    let warned = scene.notices().iter().filter(|text| text.contains("was compressed")).count();
    assert_eq!(warned, compressions(&scene).len() - 1);
}

#[test]
fn on_demand_it_happens_before_the_next_request_and_the_pass_counts_twice_by_a_fault() {
    for (fault, counted) in [(true, 2), (false, 1)] {
        let mut settings = settings(Version::V0_19);
        settings.set("faults.restarted_pass_counts_twice", fault.into(), Origin::CommandLine).unwrap();
        let mut scene = Scene::new(settings);
        for turn in 0..6 {
            scene.turn("s", &format!("question {turn}"));
        }
        let before = scene.counters("s").1;
        scene.command(Command::Compress { session: name("s") });
        let end = scene.turn("s", "go");
        assert_eq!((end.api_calls, scene.counters("s").1 - before), (1, counted));
        assert_eq!(compressions(&scene).len(), 1);
    }
}

#[test]
fn a_gateways_session_of_very_many_messages_is_compressed_whatever_its_length() {
    let played = |version: Version, source: &str| {
        let keys = [
            ("memory.nudge_interval", json!(0)),
            ("skills.creation_nudge_interval", json!(0)),
            ("model.context_tokens", json!(40_000)),
        ];
        let mut scene = Scene::new(with(version, &keys));
        scene.open("s", AgentObject::Fresh, source);
        for turn in 0..205 {
            scene.turn("s", &format!("question {turn} {}", "word ".repeat(30)));
        }
        compressions(&scene).iter().filter(|(_, _, how)| how == "model").count()
    };
    assert_eq!(played(Version::V0_16, "telegram"), 1);
    assert_eq!(played(Version::V0_16, "cli"), 0);
    assert_eq!(played(Version::V0_19, "telegram"), 0);
}

#[test]
fn a_review_is_compressed_as_its_version_says() {
    // A review that reads much: its requests outgrow the window.
    let played = |version: Version, fault: bool| {
        let mut settings = with(
            version,
            &[
                ("model.context_tokens", json!(20_000)),
                ("memory.nudge_interval", json!(1)),
                ("auxiliary.background_review.max_input_tokens", json!(0)),
            ],
        );
        settings.set("faults.review_compression_forks_session", fault.into(), Origin::CommandLine).unwrap();
        let mut scene = Scene::new(settings);
        for turn in 0..6 {
            scene.answers(Role::Review, [say("Nothing to save.")]);
            scene.turn("s", &format!("question {turn} {}", "word ".repeat(700)));
        }
        let list = || call("skills_list", json!({}));
        scene.answers(Role::Review, [list().tokens(19_000), list().tokens(5000), say("Nothing to save.")]);
        scene.turn("s", "last");
        let done = scene
            .rig
            .notes
            .iter()
            .filter(|(_, note)| {
                note.place.role == Role::Review && matches!(note.fact, Fact::Compression { .. })
            })
            .count();
        (done, scene.rig.store.sessions().count())
    };
    assert_eq!(played(Version::V0_13, true), (1, 2), "the fork ends its session's row");
    assert_eq!(played(Version::V0_13, false), (1, 1));
    assert_eq!(played(Version::V0_19, false), (0, 1), "off");
    assert_eq!(played(Version::September2026, false), (1, 1), "in memory only");
}
