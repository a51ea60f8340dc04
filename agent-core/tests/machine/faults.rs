//! Each fault of the loop, the nudges and the reviews shows both of its behaviours (`spec/known-faults.md` 1–30). Those
//! whose two sides stand elsewhere: cut-off and old results in `replies`, digests, prompts and tools in `parity`, the
//! second count and the forked session in `compression`, children in `delegates`, the queue of one in `reviews`.

use agent_core::behaviour::{Origin, Settings, Version, faults};
use agent_core::machine::Command;
use agent_core::values::{Fact, NudgeEvent, NudgeKind, ReviewEnd, Role};
use serde_json::{Value, json};

use crate::rig::Said;
use crate::scene::{Scene, call, calls, create_skill, failed, interrupt, name, remember, say, with};

/// A scene of this version with keys, and one fault set.
fn scene(version: Version, fault: &str, on: bool, keys: &[(&str, Value)]) -> Scene {
    let mut settings: Settings = with(version, keys);
    settings.set(&format!("faults.{fault}"), on.into(), Origin::CommandLine).expect("a known fault");
    let mut scene = Scene::new(settings);
    scene.open_kept("s");
    scene
}

fn memory_every(turns: i64) -> [(&'static str, Value); 2] {
    [("memory.nudge_interval", json!(turns)), ("skills.creation_nudge_interval", json!(0))]
}

fn skills_every(passes: i64) -> [(&'static str, Value); 2] {
    [("memory.nudge_interval", json!(0)), ("skills.creation_nudge_interval", json!(passes))]
}

fn round() -> Said {
    call("terminal", json!({}))
}

#[test]
fn nudge_cleared_when_due_loses_it_to_an_interruption() {
    for (on, event, reviews) in [(true, NudgeEvent::Lost, 0), (false, NudgeEvent::Kept, 1)] {
        let mut scene = scene(Version::V0_19, "nudge_cleared_when_due", on, &memory_every(2));
        scene.turn("s", "one");
        scene.answers(Role::Main, [say("slow").after(5000).while_(interrupt("s"))]);
        assert!(scene.turn("s", "two").interrupted);
        assert_eq!(scene.nudges(NudgeKind::Memory), [NudgeEvent::Due, event]);
        scene.turn("s", "three");
        assert_eq!(scene.got(Role::Review).len(), reviews);
        assert_eq!(scene.counters("s").0, i64::from(on));
    }
    for (on, counted) in [(true, 0), (false, 3)] {
        let mut scene = scene(Version::V0_19, "nudge_cleared_when_due", on, &skills_every(3));
        scene.answers(Role::Main, [round(), round(), say("slow").after(5000).while_(interrupt("s"))]);
        scene.turn("s", "one");
        assert_eq!(scene.counters("s").1, counted);
    }
}

#[test]
fn nudge_survives_memory_write_and_the_same_fact_is_looked_for_twice() {
    for (on, reviews) in [(true, 1), (false, 0)] {
        let mut scene = scene(Version::V0_19, "nudge_survives_memory_write", on, &memory_every(1));
        scene.answers(Role::Main, [remember("likes tea"), say("noted")]);
        scene.turn("s", "one");
        assert_eq!(scene.got(Role::Review).len(), reviews);
        // A call that wrote nothing calls nothing off.
        scene.answers(
            Role::Main,
            [call("memory", json!({"action": "remove", "target": "memory", "old_text": "none"})), say("no")],
        );
        scene.turn("s", "two");
        assert_eq!(scene.got(Role::Review).len(), reviews + 1);
    }
}

#[test]
fn early_return_loses_memory_nudge_while_the_skill_counter_keeps_its_count() {
    for (on, event, reviews) in [(true, NudgeEvent::Lost, 0), (false, NudgeEvent::Kept, 1)] {
        let keys = [("memory.nudge_interval", json!(2)), ("skills.creation_nudge_interval", json!(50))];
        let mut scene = scene(Version::V0_19, "early_return_loses_memory_nudge", on, &keys);
        scene.turn("s", "one");
        scene.answers(Role::Main, [round(), failed(401, "no")]);
        scene.turn("s", "two");
        assert_eq!(scene.nudges(NudgeKind::Memory), [NudgeEvent::Due, event]);
        assert_eq!(scene.counters("s"), (if on { 0 } else { 2 }, 3, 2));
        scene.turn("s", "three");
        assert_eq!(scene.got(Role::Review).len(), reviews);
    }
    // A call of the tool in that turn cleared the counter for good.
    let mut scene = scene(Version::V0_19, "early_return_loses_memory_nudge", false, &memory_every(2));
    scene.turn("s", "one");
    scene.answers(Role::Main, [remember("likes tea"), failed(401, "no")]);
    scene.turn("s", "two");
    assert_eq!(scene.counters("s").0, 0);
}

#[test]
fn skill_counter_counts_chat_although_nothing_was_done() {
    for (on, after_chat, after_work) in [(true, 3, 6), (false, 0, 2)] {
        let mut scene = scene(Version::V0_19, "skill_counter_counts_chat", on, &skills_every(50));
        for turn in ["one", "two", "three"] {
            scene.turn("s", turn);
        }
        assert_eq!(scene.counters("s").1, after_chat);
        scene.answers(
            Role::Main,
            [calls(&[("probe", json!({"n": 1})), ("probe", json!({"n": 2}))]), round(), say("done")],
        );
        scene.turn("s", "four");
        assert_eq!(scene.counters("s").1, after_work);
    }
}

#[test]
fn review_outlives_turn_and_runs_on_beside_it() {
    for (on, ends) in [(true, ReviewEnd::Done), (false, ReviewEnd::Cancelled)] {
        for version in [Version::V0_19, Version::September2026] {
            let mut scene = scene(version, "review_outlives_turn", on, &memory_every(2));
            scene.turn_only("s", "one");
            scene.answers(Role::Review, [say("slow").after(9000)]);
            scene.turn_only("s", "two");
            scene.turn("s", "three");
            assert_eq!(scene.review_ends()[0], ends, "{version}");
            let waited = scene
                .facts()
                .any(|fact| matches!(fact, Fact::TurnEnd { wait_cause, .. } if &**wait_cause == "review"));
            assert_eq!(waited, !on, "{version}");
        }
    }
}

#[test]
fn review_cannot_be_disabled_where_nothing_reads_the_key() {
    for (on, reviews) in [(true, 1), (false, 0)] {
        let mut scene = scene(Version::V0_19, "review_cannot_be_disabled", on, &memory_every(1));
        let key = "auxiliary.background_review.enabled".to_owned();
        scene.command(Command::Set { key, value: json!(false) });
        scene.turn("s", "one");
        assert_eq!(scene.got(Role::Review).len(), reviews);
    }
}

#[test]
fn review_usage_unbooked_leaves_the_sessions_row_short() {
    for (on, prompt) in [(true, 1000), (false, 6000)] {
        let mut scene = scene(Version::September2026, "review_usage_unbooked", on, &memory_every(1));
        scene.answers(Role::Main, [say("yes").tokens(1000)]);
        scene.answers(Role::Review, [say("Nothing to save.").tokens(5000)]);
        scene.turn("s", "one");
        let tokens = scene.rig.store.sessions().next().expect("a session").tokens;
        assert_eq!(tokens.input + tokens.cache_read, prompt);
    }
}

#[test]
fn review_input_unbounded_reads_on() {
    for (on, requests) in [(true, 6), (false, 3)] {
        let mut scene = scene(Version::V0_19, "review_input_unbounded", on, &memory_every(1));
        let reads = (0..5).map(|n| call("skill_view", json!({"name": format!("s{n}")})).tokens(60_000));
        scene.answers(Role::Review, reads.chain([say("Nothing to save.").tokens(60_000)]));
        scene.turn("s", "one");
        assert_eq!(scene.got(Role::Review).len(), requests);
    }
}

#[test]
fn review_cannot_read_files_so_its_patches_are_blind() {
    for (on, refused) in [(true, true), (false, false)] {
        let mut scene = scene(Version::V0_19, "review_cannot_read_files", on, &skills_every(1));
        scene.answers(Role::Review, [call("read_file", json!({"path": "a.txt"})), say("Nothing to save.")]);
        scene.turn("s", "one");
        let found = scene.facts().any(|fact| matches!(fact, Fact::ToolAnswer { end, .. } if end.refused));
        assert_eq!(found, refused);
    }
}

#[test]
fn review_ignores_memory_switch_and_writes_what_is_off() {
    for (on, written) in [(true, true), (false, false)] {
        let off = [
            ("memory.memory_enabled", json!(false)),
            ("memory.user_profile_enabled", json!(false)),
            ("skills.creation_nudge_interval", json!(1)),
        ];
        let mut scene = scene(Version::V0_16, "review_ignores_memory_switch", on, &off);
        scene.answers(Role::Review, [remember("likes tea"), say("Saved.")]);
        scene.turn("s", "one");
        assert_eq!(scene.home_text("memories/MEMORY.md").contains("tea"), written);
    }
}

#[test]
fn review_notice_lost_and_hidden_and_repeated() {
    let shown = |version: Version, fault: &str, on: bool| {
        let mut scene = scene(version, fault, on, &memory_every(1));
        scene.answers(Role::Main, [create_skill("mine"), say("made")]);
        scene.answers(Role::Review, [remember("likes tea"), say("Saved.")]);
        scene.turn("s", "one");
        scene.notices().into_iter().find(|text| text.contains("Self-improvement review")).unwrap_or_default()
    };
    assert_eq!(shown(Version::V0_13, "review_notice_lost", true), "");
    assert!(shown(Version::V0_13, "review_notice_lost", false).contains("Memory updated"));
    let mine = |text: &str| text.contains("mine");
    assert!(mine(&shown(Version::April2026, "old_results_shown_as_fresh", true)));
    assert!(!mine(&shown(Version::April2026, "old_results_shown_as_fresh", false)));
}

#[test]
fn review_writes_any_store_until_it_may_not() {
    for (on, written) in [(true, true), (false, false)] {
        for version in [Version::V0_13, Version::V0_19] {
            let mut scene = scene(version, "review_writes_any_store", on, &skills_every(1));
            scene.answers(Role::Review, [remember("likes tea"), say("Saved.")]);
            scene.turn("s", "one");
            assert_eq!(scene.home_text("memories/MEMORY.md").contains("tea"), written, "{version}");
        }
    }
}

#[test]
fn review_instruction_stored_is_obeyed_later() {
    for (on, read) in [(true, true), (false, false)] {
        let mut scene = scene(Version::V0_16, "review_instruction_stored", on, &memory_every(1));
        scene.turn("s", "one");
        scene.turn("s", "two");
        let second = scene.got(Role::Main).pop().expect("two turns").request;
        assert_eq!(
            second
                .messages
                .iter()
                .any(|message| message.is_real_user() && message.text().starts_with("[Background review")),
            read
        );
    }
}

#[test]
fn verbose_summary_shows_staged_as_if_it_were_saved() {
    for (on, pretends) in [(true, true), (false, false)] {
        let keys = [
            ("memory.nudge_interval", json!(1)),
            ("memory.write_approval", json!(true)),
            ("display.memory_notifications", json!("verbose")),
        ];
        let mut scene = scene(Version::V0_19, "verbose_summary_shows_staged", on, &keys);
        scene.answers(Role::Review, [remember("likes tea"), say("Saved.")]);
        scene.turn("s", "one");
        let notice =
            scene.notices().into_iter().rfind(|text| text.contains("Self-improvement")).expect("a notice");
        assert_eq!(notice.contains("Memory + likes tea"), pretends, "{notice}");
        assert_eq!(notice.contains("proposal"), !pretends, "{notice}");
    }
}

#[test]
fn with_all_faults_off_the_k8s_figures_change_as_they_should() {
    // Twelve rounds of tools reach an interval of ten; nine chat turns do not.
    let mut settings = with(Version::September2026, &skills_every(10));
    settings.faults_off(&Origin::CommandLine);
    let mut scene = Scene::new(settings);
    scene.answers(Role::Main, (0..9).map(|n| call("terminal", json!({ "n": n }))).chain([say("done")]));
    scene.turn("a", "deploy");
    assert_eq!(scene.counters("a").1, 9, "nine rounds, ten passes");
    assert!(scene.got(Role::Review).is_empty());
    scene.command(Command::CloseSession { session: name("a"), reason: "done".into() });
    scene.answers(Role::Main, [round(), say("done")]);
    scene.turn("b", "deploy");
    assert_eq!(scene.got(Role::Review).len(), 1, "counted with the profile");
}

#[test]
fn every_fault_can_be_switched_in_every_version() {
    for fault in faults() {
        for version in Version::ALL {
            for on in [true, false] {
                let mut scene = scene(version, fault.name, on, &memory_every(1));
                assert!(scene.turn("s", "hello").completed, "{} {version}", fault.name);
            }
        }
    }
}
