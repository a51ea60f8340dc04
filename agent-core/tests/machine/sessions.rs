//! Sessions on their agent objects: hydration, resuming, closing, steering between turns, queued messages
//! (`spec/nudges.md` §3).

use agent_core::behaviour::{Origin, Version};
use agent_core::machine::{Command, Event};
use agent_core::values::{AgentObject, Fact, Message, Role};
use serde_json::json;

use crate::scene::{Scene, call, create_skill, name, remember, say, settings, texts, user, with};

fn close(scene: &mut Scene, session: &str) {
    scene.command(Command::CloseSession { session: name(session), reason: "done".into() });
}

#[test]
fn a_closed_session_resumed_by_a_fresh_object_hydrates_from_its_history() {
    for (version, hydrated) in [(Version::April2026, 1), (Version::V0_19, 3), (Version::September2026, 3)] {
        let mut scene = Scene::new(with(version, &[("memory.nudge_interval", json!(5))]));
        for turn in 0..7 {
            scene.turn("s", &format!("turn {turn}"));
        }
        assert_eq!(scene.counters("s").0, 2, "{version}: one review at five");
        close(&mut scene, "s");
        scene.turn("s", "eighth");
        // Seven user messages: 7 mod 5, and one more.
        let (memory, skills, turns) = scene.counters("s");
        assert_eq!((memory, turns), (hydrated, if hydrated == 1 { 1 } else { 8 }), "{version}");
        assert_eq!(skills, 1, "{version}: never hydrated");
        let prompts: Vec<_> = scene.got(Role::Main).iter().map(|got| got.request.system.clone()).collect();
        assert!(prompts.windows(2).all(|pair| pair[0] == pair[1]), "the prompt stays frozen");
        let rows: Vec<_> = scene.rig.store.sessions().collect();
        assert_eq!((rows.len(), rows[0].ended_at), (1, None), "the row is open again");
    }
}

#[test]
fn on_a_kept_object_the_counters_carry_over_and_the_history_does_not_count() {
    let mut scene = Scene::new(with(Version::V0_19, &[("memory.nudge_interval", json!(5))]));
    scene.open_kept("a");
    scene.turn("a", "one");
    scene.turn("a", "two");
    scene.open_kept("b");
    scene.turn("b", "three");
    assert_eq!(scene.counters("b"), (3, 3, 1));
    close(&mut scene, "a");
    scene.turn("a", "four");
    assert_eq!(scene.counters("a"), (4, 4, 3), "no hydration while the counter is not zero");
}

#[test]
fn synthetic_messages_of_a_given_history_count_for_hydration() {
    let mut scene = Scene::new(with(Version::V0_19, &[("memory.nudge_interval", json!(10))]));
    let made = Message::client("[System: empty reply] …", agent_core::values::Synthetic::EmptyNudge);
    let history = vec![Message::user("a"), Message::assistant("b"), made, Message::assistant("c")];
    let session = name("s");
    scene.command(Command::OpenSession {
        session,
        object: AgentObject::Fresh,
        source: "cli".into(),
        history,
    });
    scene.turn("s", "now");
    assert_eq!(scene.counters("s"), (3, 1, 3));
}

#[test]
fn with_counters_kept_in_the_profile_fresh_sessions_reach_the_interval() {
    let reviews = |fault: bool| {
        let mut settings = with(
            Version::V0_19,
            &[("memory.nudge_interval", json!(3)), ("skills.creation_nudge_interval", json!(0))],
        );
        settings.set("faults.nudge_counters_in_object", fault.into(), Origin::CommandLine).unwrap();
        let mut scene = Scene::new(settings);
        for session in ["a", "b", "c", "d"] {
            scene.turn(session, "hello");
            close(&mut scene, session);
        }
        scene.got(Role::Review).len()
    };
    assert_eq!((reviews(true), reviews(false)), (0, 1));
}

#[test]
fn a_word_between_turns_opens_one_and_a_word_without_a_result_waits_for_the_next() {
    let mut scene = Scene::new(settings(Version::V0_19));
    let steer = |text: &str| Event::Steer { session: name("s"), text: text.to_owned() };
    scene.event(steer("begin"));
    scene.rest(10);
    assert_eq!(texts(&scene.got(Role::Main)[0].request), ["begin"]);
    // Said while the only request is on its way: no tool result takes it in.
    scene.answers(Role::Main, [say("done").while_(steer("by the way"))]);
    scene.turn("s", "second");
    scene.turn("s", "third");
    assert_eq!(texts(&scene.got(Role::Main)[2].request).last().unwrap(), "by the way\n\nthird");
}

#[test]
fn a_word_joins_the_newest_result_of_the_turn() {
    let mut scene = Scene::new(settings(Version::V0_19));
    let steer = |text: &str| Event::Steer { session: name("s"), text: text.to_owned() };
    scene.answers(
        Role::Main,
        [
            call("terminal", json!({"out": "first", "ms": 1000})),
            call("terminal", json!({"out": "second"})).while_(steer("use the other cluster")),
            say("").while_(steer("and be brief")),
            say("done"),
        ],
    );
    scene.turn("s", "go");
    let requests = scene.got(Role::Main);
    let third = texts(&requests[2].request);
    let marked = "second\n\n[User's word while you work]\nuse the other cluster\n[End of the user's word]";
    assert_eq!(third.last().unwrap(), marked);
    // The empty reply was answered with a nudge; the later word still finds the result before it.
    let fourth = texts(&requests[3].request);
    assert!(
        fourth[4].starts_with(marked) && fourth[4].ends_with("and be brief\n[End of the user's word]"),
        "{fourth:?}"
    );
    assert_eq!(fourth[4].matches("[User's word while you work]").count(), 2);
    assert_eq!(texts(&requests[1].request)[2], "first", "results before it stay as they were");
}

#[test]
fn messages_that_arrive_in_a_turn_wait_in_order() {
    let mut scene = Scene::new(settings(Version::V0_19));
    scene.answers(Role::Main, [say("one done").while_(user("s", "two")).while_(user("s", "three"))]);
    scene.say("s", "one");
    scene.rest(60);
    let turns: Vec<_> =
        scene.rig.ended.iter().map(|(_, _, end)| end.answer.as_deref().unwrap_or("").to_owned()).collect();
    assert_eq!(turns, ["one done", "ok", "ok"]);
    let last = scene.got(Role::Main).pop().unwrap().request;
    assert_eq!(texts(&last), ["one", "one done", "two", "ok", "three"]);
    // A wait for one's own turn is nobody's fault.
    assert!(
        scene.facts().all(|fact| !matches!(fact, Fact::TurnEnd { wait_cause, .. } if !wait_cause.is_empty()))
    );
}

#[test]
fn a_close_in_the_midst_of_a_turn_lets_it_end_and_the_next_message_reopens() {
    let mut scene = Scene::new(settings(Version::V0_19));
    let close = Event::Command(Command::CloseSession { session: name("s"), reason: "done".into() });
    scene.answers(Role::Main, [say("one done").while_(close)]);
    assert!(scene.turn("s", "one").completed);
    assert!(scene.turn("s", "two").completed);
    let starts = scene.facts().filter(|fact| matches!(fact, Fact::SessionStart { .. })).count();
    assert_eq!(starts, 2);
}

#[test]
fn a_write_is_visible_in_the_first_prompt_that_holds_it() {
    let mut scene = Scene::new(settings(Version::V0_19));
    scene.answers(Role::Main, [remember("likes tea"), create_skill("brew"), say("done")]);
    scene.turn("a", "one");
    let visible = |scene: &Scene| scene.facts().filter(|fact| matches!(fact, Fact::Visible { .. })).count();
    assert_eq!(visible(&scene), 0);
    scene.turn("b", "two");
    assert_eq!(visible(&scene), 2);
}
