//! The next turn arrives at every instant of a review under way, and before, with and after every event of it.

use std::sync::Arc;

use agent_core::behaviour::{Settings, Version};
use agent_core::machine::ServerPlan;
use agent_core::values::{
    Fact, Message, ReviewEnd, Role, SimDuration, SimTime, Store, WriteEnd, WriteOrigin,
};
use serde_json::json;

use crate::rig::{START, Said};
use crate::scene::{Scene, calls, create_skill, remember, say, user, with};

/// Reading in parallel, two writes, a retry of the model's and a last word: every phase that a review has.
fn review() -> Vec<Said> {
    vec![
        calls(&[("skills_list", json!({})), ("skill_view", json!({"name": "none"}))]),
        remember("the user likes tea"),
        crate::scene::failed(500, "oops"),
        create_skill("brew"),
        say("Saved."),
    ]
}

fn settings(version: Version) -> Settings {
    with(version, &[("memory.nudge_interval", json!(2)), ("skills.creation_nudge_interval", json!(2))])
}

struct Played {
    scene: Scene,
    /// When the second of the user's later turns arrived, and when it began.
    arrived: SimTime,
    began: SimTime,
    /// Applied writes of the review, with their time.
    writes: Vec<SimTime>,
    end: (SimTime, ReviewEnd),
    summary: Arc<str>,
}

/// Two turns arm a combined review; the third turn arrives at this instant.
fn play(version: Version, arrival: Option<SimTime>) -> Played {
    let mut scene = Scene::new(settings(version));
    scene.answers(Role::Review, review());
    scene.open_kept("s");
    scene.turn_only("s", "one");
    scene.turn_only("s", "two");
    let armed = scene.rig.now;
    let arrived = arrival.unwrap_or(armed + SimDuration::from_hours(1));
    scene.rig.at(arrived, user("s", "three"));
    scene.rest(2 * 3600);
    let began = scene.rig.notes.iter().find_map(|(at, note)| match &note.fact {
        Fact::TurnStart { text } if &**text == "three" => Some(*at),
        _ => None,
    });
    let writes = scene.rig.notes.iter().filter_map(|(at, note)| match &note.fact {
        Fact::Write { origin: WriteOrigin::Review, end: WriteEnd::Applied, .. } => Some(*at),
        _ => None,
    });
    let writes = writes.collect();
    let ends: Vec<_> = scene
        .rig
        .notes
        .iter()
        .filter_map(|(at, note)| match &note.fact {
            Fact::ReviewEnd { end, summary, .. } => Some(((*at, end.clone()), Arc::clone(summary))),
            _ => None,
        })
        .collect();
    assert_eq!(ends.len(), 1, "one review ends once: {ends:?}");
    let (end, summary) = ends[0].clone();
    Played { began: began.expect("the third turn begins"), scene, arrived, writes, end, summary }
}

/// Every instant at which something happens while the review runs, and those beside it.
fn instants(version: Version) -> Vec<SimTime> {
    let played = play(version, None);
    let step = SimDuration::from_millis(1);
    let mut instants: Vec<SimTime> = played
        .scene
        .rig
        .notes
        .iter()
        .map(|(at, _)| *at)
        .filter(|at| *at > START && *at <= played.end.0)
        .flat_map(|at| [at - step, at, at + step])
        .collect();
    instants.extend((0..60).map(|tick| START + SimDuration::from_millis(2000 + tick * 150)));
    instants.sort_unstable();
    instants.dedup();
    let armed = played.scene.rig.ended[1].0;
    instants.retain(|at| *at >= armed);
    instants
}

/// What the session said, as its third turn's request shows it.
fn main_history(scene: &Scene) -> Vec<Arc<Message>> {
    let got = scene.got(Role::Main);
    crate::scene::messages(&got.last().expect("three requests").request)
}

fn check_common(version: Version, at: SimTime, played: &Played) {
    let history = main_history(&played.scene);
    let said: Vec<&str> = history.iter().map(|message| message.text()).collect();
    assert_eq!(said, ["one", "ok", "two", "ok", "three"], "{version} {at:?}: a review never shows");
    let wait = played.began.since(played.arrived);
    assert!(wait <= SimDuration::from_secs(2), "{version} {at:?}: waited {wait}");
    // What was written before the end stays written, whatever became of the review.
    let (memory, skill) =
        (played.scene.home_text("memories/MEMORY.md"), played.scene.home_text("skills/brew/SKILL.md"));
    assert_eq!(memory.contains("likes tea"), !played.writes.is_empty(), "{version} {at:?}");
    assert_eq!(!skill.is_empty(), played.writes.len() > 1, "{version} {at:?}");
    assert!(
        played.writes.iter().all(|write| *write <= played.end.0),
        "{version} {at:?}: nothing is written after the end"
    );
    let told = played.end.1 == ReviewEnd::Cancelled && !played.summary.is_empty();
    assert!(!told, "{version} {at:?}: cancelled and summarised");
    // Memory: armed in the second turn and cleared there, counted again in the third. Skills: three passes, the second
    // of which was due.
    assert_eq!(played.scene.counters("s"), (1, 1, 3), "{version} {at:?}");
}

#[test]
fn in_september_the_turn_cancels_the_review_and_waits_for_it() {
    let version = Version::September2026;
    let (mut cancelled, mut done) = (0, 0);
    for at in instants(version) {
        let played = play(version, Some(at));
        check_common(version, at, &played);
        match played.end.1 {
            ReviewEnd::Cancelled => {
                cancelled += 1;
                assert!(played.end.0 >= played.arrived && played.began >= played.end.0, "{at:?}");
            }
            ReviewEnd::Done => {
                done += 1;
                assert_eq!(played.writes.len(), 2, "{at:?}");
                assert!(!played.summary.is_empty());
            }
            ref other => panic!("{at:?}: {other:?}"),
        }
    }
    assert!(cancelled > 20 && done > 0, "both ends occur: {cancelled} {done}");
}

#[test]
fn in_july_the_review_runs_on_beside_the_turn() {
    let version = Version::V0_19;
    for at in instants(version) {
        let played = play(version, Some(at));
        check_common(version, at, &played);
        assert_eq!(played.end.1, ReviewEnd::Done, "{at:?}");
        assert_eq!(played.began, played.arrived, "{at:?}: nobody waits");
        assert_eq!(played.writes.len(), 2, "{at:?}");
    }
}

/// On a server that the agent manages itself the review waits for quiet: the third turn also arrives while it waits, and
/// one that is cancelled is put back.
fn play_deferred(arrival: Option<SimTime>) -> Scene {
    let mut plan = crate::scene::plan(settings(Version::September2026));
    plan.server = ServerPlan { managed: true, slots: 1 };
    let mut scene = Scene::of(plan);
    scene.answers(Role::Review, review());
    scene.open_kept("s");
    scene.turn_only("s", "one");
    scene.turn_only("s", "two");
    let arrived = arrival.unwrap_or(scene.rig.now + SimDuration::from_hours(1));
    scene.rig.at(arrived, user("s", "three"));
    scene.rest(2 * 3600);
    scene
}

#[test]
fn on_a_managed_server_what_is_cancelled_comes_again() {
    let quiet = play_deferred(None);
    let step = SimDuration::from_millis(1);
    let armed = quiet.rig.ended[1].0;
    let times = quiet.rig.notes.iter().map(|(at, _)| *at).filter(|at| *at >= armed);
    let times = times.take_while(|at| at.since(armed) < SimDuration::from_secs(1800));
    let mut instants: Vec<SimTime> = times.flat_map(|at| [at, at + step, at + step + step]).collect();
    instants.extend((0..60).map(|tick| armed + SimDuration::from_millis(tick * 490)));
    instants.sort_unstable();
    instants.dedup();
    let (mut again, mut undisturbed) = (0, 0);
    for at in instants {
        let scene = play_deferred(Some(at));
        let history = main_history(&scene);
        let said: Vec<&str> = history.iter().map(|message| message.text()).collect();
        assert_eq!(said, ["one", "ok", "two", "ok", "three"], "{at:?}");
        assert_eq!(scene.counters("s"), (1, 1, 3), "{at:?}");
        let mut begun = Vec::new();
        let mut ended = Vec::new();
        for fact in scene.facts() {
            match fact {
                Fact::ReviewStart { review, .. } => begun.push(*review),
                Fact::ReviewEnd { review, end, summary, .. } => {
                    assert!(
                        *end != ReviewEnd::Cancelled || summary.is_empty(),
                        "{at:?}: cancelled and summarised"
                    );
                    ended.push((*review, end.clone()));
                }
                _ => {}
            }
        }
        assert!(
            begun.iter().all(|review| ended.iter().filter(|(one, _)| one == review).count() == 1),
            "{at:?}"
        );
        // The job that was cancelled runs again; what its first run wrote stands, once.
        assert_eq!(ended.last().map(|(_, end)| end), Some(&ReviewEnd::Done), "{at:?}");
        let applied = |store: Store| {
            let is = |fact: &&Fact| matches!(fact, Fact::Write { store: one, end: WriteEnd::Applied, .. } if *one == store);
            scene.facts().filter(is).count()
        };
        let memory = scene.home_text("memories/MEMORY.md");
        assert_eq!(memory.matches("likes tea").count(), applied(Store::Memory), "{at:?}");
        assert_eq!(!scene.home_text("skills/brew/SKILL.md").is_empty(), applied(Store::Skill) == 1, "{at:?}");
        match ended.len() {
            1 => undisturbed += 1,
            2 => again += 1,
            more => panic!("{at:?}: {more} reviews"),
        }
    }
    assert!(again > 5 && undisturbed > 5, "both occur: {again} {undisturbed}");
}
