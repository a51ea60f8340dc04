//! Failed requests: what is tried again, after what wait, and what ends the turn (`spec/turn-loop.md` §3).

use agent_core::behaviour::Version;
use agent_core::machine::ModelFault;
use agent_core::values::{Fact, Role, SimDuration};
use serde_json::json;

use crate::rig::Said;
use crate::scene::{Scene, call, failed, fault, say, settings, with};

fn play(answers: Vec<Said>) -> (Scene, agent_core::machine::TurnEnd) {
    let mut scene = Scene::new(settings(Version::V0_19));
    scene.answers(Role::Main, answers);
    let end = scene.turn_only("s", "go");
    (scene, end)
}

/// Class and wait of each retry, in milliseconds.
fn retries(scene: &Scene) -> Vec<(String, u64)> {
    scene
        .facts()
        .filter_map(|fact| match fact {
            Fact::Retry { class, wait } => Some((class.to_string(), wait.as_millis())),
            _ => None,
        })
        .collect()
}

fn broken() -> Said {
    fault(ModelFault { transport: true, message: "connection reset".to_owned(), ..ModelFault::default() })
}

#[test]
fn a_server_error_is_tried_three_times_with_growing_waits() {
    let (scene, end) = play(vec![failed(500, "a"), failed(500, "b"), say("done")]);
    assert_eq!((end.answer.as_deref(), end.api_calls), (Some("done"), 1), "one pass");
    let waits = retries(&scene);
    assert!((2000..=3000).contains(&waits[0].1) && (4000..=6000).contains(&waits[1].1), "{waits:?}");
    // Three answers of a second each, and the waits.
    let took = scene.rig.now.since(crate::rig::START).as_millis();
    assert_eq!(took, 3000 + waits[0].1 + waits[1].1);
    let (scene, end) = play(vec![failed(500, "a"), failed(500, "b"), failed(500, "c"), say("never")]);
    assert_eq!((&*end.exit, scene.unasked(Role::Main)), ("early_return(server_error)", 1));
    assert_eq!(end.answer, None);
}

#[test]
fn classes_that_waiting_does_not_help_end_at_once() {
    for (status, message, class) in [
        (401, "who", "auth"),
        (402, "pay", "billing"),
        (403, "no", "auth"),
        (404, "no such model", "model_not_found"),
        (400, "bad field", "format_error"),
        (400, "refused by the content policy", "content_policy_blocked"),
    ] {
        let (scene, end) = play(vec![failed(status, message), say("never")]);
        assert_eq!(&*end.exit, format!("early_return({class})"));
        assert_eq!(scene.unasked(Role::Main), 1);
    }
}

#[test]
fn the_server_may_ask_for_a_wait_of_at_most_ten_minutes() {
    let limited = |after: u64| {
        fault(ModelFault {
            status: Some(429),
            message: "slow down".to_owned(),
            retry_after: Some(SimDuration::from_secs(after)),
            ..ModelFault::default()
        })
    };
    for (asked, waited) in [(7, 7000), (599, 599_000), (4000, 600_000)] {
        let (scene, end) = play(vec![limited(asked), say("done")]);
        assert_eq!(retries(&scene), [("rate_limit".to_owned(), waited)]);
        assert!(end.completed);
    }
    let (scene, _) = play(vec![failed(429, "slow down"), say("done")]);
    assert!((2000..=3000).contains(&retries(&scene)[0].1));
    let (scene, _) = play(vec![
        fault(ModelFault {
            status: Some(503),
            message: "busy".to_owned(),
            retry_after: Some(SimDuration::from_secs(99)),
            ..ModelFault::default()
        }),
        say("done"),
    ]);
    assert!(retries(&scene)[0].1 <= 3000, "only rate limits listen to it");
}

#[test]
fn an_invalid_response_waits_longer() {
    let invalid =
        || fault(ModelFault { message: "invalid response: no choices".to_owned(), ..ModelFault::default() });
    let (scene, end) = play(vec![invalid(), invalid(), say("done")]);
    let waits = retries(&scene);
    assert!((5000..=7500).contains(&waits[0].1) && (10_000..=15_000).contains(&waits[1].1), "{waits:?}");
    assert!(end.completed);
}

#[test]
fn a_broken_connection_is_rebuilt_once() {
    let (scene, end) = play((0..5).map(|_| broken()).chain([say("done")]).collect());
    assert!(end.completed, "{}", scene.log());
    assert_eq!(retries(&scene).len(), 5);
    let (_, end) = play((0..9).map(|_| broken()).collect());
    assert_eq!(&*end.exit, "early_return(timeout)");
}

#[test]
fn each_pass_has_attempts_of_its_own_and_the_key_sets_their_number() {
    let (_, end) = play(vec![
        failed(500, "a"),
        failed(500, "b"),
        call("terminal", json!({})),
        failed(500, "c"),
        failed(500, "d"),
        say("done"),
    ]);
    assert_eq!((end.completed, end.api_calls), (true, 2));
    let mut scene = Scene::new(with(Version::V0_19, &[("agent.api_max_retries", json!(1))]));
    scene.answers(Role::Main, [failed(500, "a"), say("never")]);
    assert_eq!(&*scene.turn("s", "go").exit, "early_return(server_error)");
}

#[test]
fn jitter_follows_the_seed_and_the_turn() {
    let waits = || {
        let (mut scene, _) = play(vec![failed(500, "a"), say("done")]);
        scene.answers(Role::Main, [failed(500, "b"), say("done")]);
        scene.turn("s", "again");
        retries(&scene)
    };
    let first = waits();
    assert_eq!(first, waits());
    assert_ne!(first[0], first[1], "each wait draws for itself");
}
