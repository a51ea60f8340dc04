//! The queue of reviews that wait for a quiet server (`spec/background-review.md` §8).

use agent_core::behaviour::{Settings, Version};
use agent_core::machine::{AgentPlan, Command, ServerPlan};
use agent_core::values::{Fact, NudgeEvent, NudgeKind, ReviewEnd, Role, SimDuration, SimTime};
use serde_json::{Value, json};

use crate::rig::START;
use crate::scene::{Scene, name, plan, say, texts, user, with};

fn managed(settings: Settings) -> AgentPlan {
    let mut plan = plan(settings);
    plan.server = ServerPlan { managed: true, slots: 1 };
    plan
}

fn scene_with(keys: &[(&str, Value)]) -> Scene {
    let mut settings = with(Version::September2026, &[("memory.nudge_interval", json!(1))]);
    for (key, value) in keys {
        settings.set(key, value.clone(), agent_core::behaviour::Origin::CommandLine).expect("a known key");
    }
    let mut scene = Scene::of(managed(settings));
    scene.open_kept("s");
    scene
}

fn scene() -> Scene {
    scene_with(&[])
}

/// When the reviews began, in seconds since the start.
fn starts(scene: &Scene) -> Vec<f64> {
    let is_start = |fact: &Fact| matches!(fact, Fact::ReviewStart { .. });
    let starts = scene.rig.notes.iter().filter(|(_, note)| is_start(&note.fact));
    starts.map(|(at, _)| at.since(START).as_secs_f64()).collect()
}

fn seconds(seconds: u64) -> SimTime {
    START + SimDuration::from_secs(seconds)
}

#[test]
fn a_review_waits_for_fifteen_quiet_seconds_and_is_looked_for_every_five() {
    let mut scene = scene();
    scene.turn_only("s", "one");
    // The turn ended after one second; polls come at 6, 11, 16, 21.
    scene.rest(60);
    assert_eq!(starts(&scene), [16.0]);
    assert_eq!(scene.nudges(NudgeKind::Memory), [NudgeEvent::Due, NudgeEvent::Deferred, NudgeEvent::Fired]);
}

#[test]
fn a_server_that_others_keep_busy_is_not_quiet_and_one_that_is_not_managed_is_not_asked() {
    let mut scene = scene();
    scene.turn_only("s", "one");
    scene.command(Command::ServerBusy { busy: true });
    scene.rest(100);
    assert_eq!(starts(&scene), Vec::<f64>::new());
    scene.command(Command::ServerBusy { busy: false });
    scene.rest(10);
    assert_eq!(starts(&scene).len(), 1);
    let mut plain = Scene::new(with(Version::September2026, &[("memory.nudge_interval", json!(1))]));
    plain.turn_only("s", "one");
    assert_eq!(starts(&plain), [1.0]);
    let mut never = scene_with(&[("auxiliary.background_review.defer", json!("never"))]);
    never.turn_only("s", "one");
    assert_eq!(starts(&never), [1.0]);
}

#[test]
fn after_half_an_hour_nothing_is_waited_for() {
    for (age, first) in
        [(json!(1800), 1801.0), (json!("soon"), 1801.0), (json!(-1), 1801.0), (json!(60), 61.0)]
    {
        let mut scene = scene_with(&[("auxiliary.background_review.defer_max_age_s", age.clone())]);
        scene.turn_only("s", "one");
        scene.command(Command::ServerBusy { busy: true });
        scene.rest(2000);
        assert_eq!(starts(&scene), [first], "{age}");
    }
}

#[test]
fn the_newest_snapshot_waits_with_the_first_time_of_entry() {
    let mut scene = scene_with(&[("auxiliary.background_review.defer_max_age_s", json!(30))]);
    for turn in 0..6 {
        // A turn every eight seconds: never quiet.
        scene.rig.at(seconds(turn * 8), user("s", &format!("turn {turn}")));
    }
    scene.rig.run_until(seconds(37));
    // The first entered at 1 s, so it is over age at 31; the turn of 32 s cancels it in its first request.
    assert_eq!(starts(&scene), [31.0]);
    let first = &scene.got(Role::Review)[0].request;
    assert!(texts(first).contains(&"turn 3".to_owned()), "the newest snapshot");
    let dropped = ReviewEnd::Dropped("a newer snapshot took its place".into());
    assert_eq!(scene.review_ends().iter().filter(|end| **end == dropped).count(), 3);
    let lost = scene.nudges(NudgeKind::Memory).into_iter().filter(|event| *event == NudgeEvent::Lost).count();
    assert_eq!(lost, 3);
}

#[test]
fn a_cancelled_review_is_put_back_three_times() {
    let mut scene = scene_with(&[("memory.nudge_interval", json!(10))]);
    scene.answers(Role::Review, (0..9).map(|_| say("slow").after(50_000)));
    for turn in 0..10 {
        scene.turn_only("s", &format!("turn {turn}"));
    }
    for attempt in 1..=6 {
        // Long enough for the review to start, too short for it to end.
        scene.rest(30);
        scene.turn_only("s", &format!("again {attempt}"));
    }
    scene.rest(100);
    let expected = vec![ReviewEnd::Cancelled; 4];
    assert_eq!(scene.review_ends(), expected, "the first run and three more");
    assert_eq!(starts(&scene).len(), 4);
}

#[test]
fn what_was_cancelled_does_not_push_a_newer_snapshot_out() {
    let mut scene = scene();
    scene.answers(Role::Review, [say("slow").after(50_000)]);
    scene.turn_only("s", "one");
    scene.rest(20);
    assert_eq!(starts(&scene), [16.0]);
    // The next turn cancels it; the cancelled one is put back, the newer one takes its place.
    scene.turn_only("s", "two");
    scene.rest(60);
    assert_eq!(starts(&scene).len(), 2);
    let last = scene.got(Role::Review).pop().expect("two reviews").request;
    assert!(texts(&last).contains(&"two".to_owned()));
    assert_eq!(scene.review_ends().last(), Some(&ReviewEnd::Done));
}

#[test]
fn the_enabled_flag_is_read_once_more_and_the_user_never_waits() {
    let mut scene = scene();
    scene.turn_only("s", "one");
    let key = "auxiliary.background_review.enabled".to_owned();
    scene.command(Command::Set { key, value: json!(false) });
    scene.rest(60);
    let dropped = ReviewEnd::Dropped("reviews were switched off while it waited".into());
    assert_eq!(scene.review_ends(), [dropped]);
    assert_eq!(scene.nudges(NudgeKind::Memory).last(), Some(&NudgeEvent::Lost));
    scene.command(Command::Refine { session: name("s"), focus: "all".to_owned() });
    scene.rest(0);
    assert_eq!(starts(&scene), [61.0]);
}

#[test]
fn a_process_exit_loses_the_queue() {
    let mut scene = scene();
    scene.turn_only("s", "one");
    scene.rest(5);
    scene.command(Command::ProcessExit);
    scene.rest(100);
    assert_eq!(starts(&scene), Vec::<f64>::new());
    assert_eq!(scene.review_ends(), [ReviewEnd::LostAtExit]);
    assert_eq!(scene.nudges(NudgeKind::Memory), [NudgeEvent::Due, NudgeEvent::Deferred, NudgeEvent::Lost]);
}

#[test]
fn with_counters_cleared_on_spawn_a_lost_review_is_due_again() {
    let mut settings = with(Version::September2026, &[("memory.nudge_interval", json!(2))]);
    settings.faults_off(&agent_core::behaviour::Origin::CommandLine);
    let mut scene = Scene::of(managed(settings));
    scene.open_kept("s");
    scene.turn_only("s", "one");
    scene.turn_only("s", "two");
    assert_eq!(scene.counters("s").0, 2, "not cleared before the review starts");
    scene.command(Command::ProcessExit);
    scene.rest(1);
    assert_eq!(scene.nudges(NudgeKind::Memory), [NudgeEvent::Due, NudgeEvent::Deferred, NudgeEvent::Kept]);
    scene.turn_only("s", "three");
    scene.rest(60);
    assert_eq!(scene.review_ends().last(), Some(&ReviewEnd::Done));
    assert_eq!(scene.counters("s").0, 0);
}

#[test]
fn the_oldest_of_several_sessions_comes_first() {
    let mut scene = scene();
    scene.open_kept("t");
    scene.turn_only("s", "one");
    scene.rest(2);
    scene.turn_only("t", "two");
    scene.rest(60);
    let reviewed: Vec<String> =
        scene.got(Role::Review).iter().map(|got| texts(&got.request)[0].clone()).collect();
    assert_eq!(reviewed, ["one", "two"]);
}
