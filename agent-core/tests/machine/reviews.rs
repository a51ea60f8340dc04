//! What a review may do, what it costs, how it ends (`spec/background-review.md`).

use agent_core::behaviour::{Origin, Version};
use agent_core::machine::Command;
use agent_core::values::{
    AgentObject, Fact, NudgeEvent, NudgeKind, ReviewEnd, Role, Store, WriteEnd, WriteOrigin,
};
use serde_json::{Value, json};

use crate::rig::Said;
use crate::scene::{Scene, call, calls, create_skill, failed, name, remember, say, texts, with};

/// A scene whose every turn arms a review of memory, of skills, or of both.
fn scene(version: Version, memory: i64, skills: i64) -> Scene {
    let keys = [("memory.nudge_interval", json!(memory)), ("skills.creation_nudge_interval", json!(skills))];
    let mut scene = Scene::new(with(version, &keys));
    scene.open_kept("s");
    scene
}

fn set(scene: &mut Scene, key: &str, value: Value) {
    scene.command(Command::Set { key: key.to_owned(), value });
}

fn kinds(scene: &Scene) -> Vec<Option<String>> {
    scene
        .facts()
        .filter_map(|fact| match fact {
            Fact::ToolAnswer { end, .. } => Some(end.kind.as_ref().map(ToString::to_string)),
            _ => None,
        })
        .collect()
}

fn writes(scene: &Scene) -> Vec<(Store, String, WriteEnd)> {
    scene
        .facts()
        .filter_map(|fact| match fact {
            Fact::Write { store, action, end, origin: WriteOrigin::Review, .. } => {
                Some((*store, action.to_string(), *end))
            }
            _ => None,
        })
        .collect()
}

#[test]
fn a_refused_call_is_answered_and_uses_up_an_iteration() {
    let mut main = scene(Version::September2026, 0, 1);
    main.answers(Role::Review, [call("terminal", json!({})), remember("a fact"), say("Nothing to save.")]);
    main.turn("s", "one");
    assert_eq!(kinds(&main), [Some("not-allowed".to_owned()), Some("not-allowed".to_owned())]);
    let refusal = &main.results()[0];
    assert!(
        refusal.contains("Allowed: skills_list, skill_view, skill_manage, read_file, search_files"),
        "{refusal}"
    );
    assert!(main.facts().any(|fact| matches!(fact, Fact::ReviewEnd { iterations: 3, .. })));
    assert_eq!(main.home_text("memories/MEMORY.md"), "");
    let mut july = scene(Version::V0_19, 0, 1);
    july.answers(Role::Review, [call("terminal", json!({})), remember("a fact"), say("Nothing to save.")]);
    july.turn("s", "one");
    assert_eq!(kinds(&july), [Some("not-allowed".to_owned()), None]);
    assert!(!july.results()[0].contains("Allowed"));
    assert!(july.home_text("memories/MEMORY.md").contains("a fact"), "a skill review may write memory there");
}

#[test]
fn in_april_a_review_may_call_what_the_session_may() {
    let mut april = scene(Version::April2026, 1, 0);
    april.answers(Role::Review, [call("terminal", json!({"out": "ran"})), say("Nothing to save.")]);
    april.turn("s", "one");
    assert_eq!(april.results(), ["ran"]);
}

/// A review that makes a skill, and a later one that says this. Whether the skill was patched then.
fn patched(version: Version, marks_lost: bool, answers: Vec<Said>) -> bool {
    let mut settings =
        with(version, &[("memory.nudge_interval", json!(0)), ("skills.creation_nudge_interval", json!(1))]);
    settings
        .set("faults.read_marks_per_context", marks_lost.into(), Origin::CommandLine)
        .expect("a known fault");
    let mut scene = Scene::new(settings);
    scene.answers(Role::Review, [create_skill("brew"), create_skill("other"), say("Saved.")]);
    scene.turn("s", "one");
    assert!(scene.home_text("skills/brew/SKILL.md").contains("Do it well."));
    scene.answers(Role::Review, answers);
    scene.turn("s", "two");
    scene.home_text("skills/brew/SKILL.md").contains("Do it hot.")
}

#[test]
fn a_patch_needs_a_view_in_the_same_review() {
    let patch = || {
        let change = json!({
            "action": "patch", "name": "brew", "old_string": "Do it well.", "new_string": "Do it hot.",
        });
        call("skill_manage", change)
    };
    let view = |name: &str| ("skill_view", json!({ "name": name }));
    let both = || vec![calls(&[view("brew"), view("other")]), patch()];
    for version in [Version::V0_19, Version::September2026] {
        assert!(!patched(version, true, vec![patch()]), "{version}: unread");
        assert!(patched(version, true, vec![calls(&[view("brew")]), patch()]), "{version}: read");
        assert!(!patched(version, true, both()), "{version}: marks of a parallel batch are lost");
        assert!(patched(version, false, both()), "{version}: marks belong to the review");
    }
    assert!(patched(Version::V0_16, false, vec![patch()]), "no such guard yet");
}

#[test]
fn unattended_replacements_are_staged_in_september_and_an_asked_for_review_applies_them() {
    let replace = || {
        call(
            "memory",
            json!({"action": "replace", "target": "memory", "old_text": "tea", "content": "likes coffee"}),
        )
    };
    let start = |version: Version| {
        let mut scene = scene(version, 1, 0);
        scene.answers(Role::Main, [remember("likes tea"), say("noted")]);
        scene.answers(Role::Review, [replace(), say("Saved.")]);
        scene
    };
    let mut july = start(Version::V0_19);
    july.turn("s", "one");
    assert_eq!(writes(&july), [(Store::Memory, "replace".to_owned(), WriteEnd::Applied)]);
    let mut main = start(Version::September2026);
    main.turn("s", "one");
    assert_eq!(writes(&main), [(Store::Memory, "replace".to_owned(), WriteEnd::Staged)]);
    assert!(main.home_text("memories/MEMORY.md").contains("tea"));
    main.answers(Role::Review, [replace(), say("Saved.")]);
    main.command(Command::Refine { session: name("s"), focus: "drinks".to_owned() });
    main.rest(60);
    assert_eq!(writes(&main)[1].2, WriteEnd::Applied);
    assert!(main.home_text("memories/MEMORY.md").contains("coffee"));
    let asked = main.got(Role::Review).pop().expect("a review").request;
    let instruction = texts(&asked).into_iter().rfind(|text| text.contains("drinks")).expect("the focus");
    assert!(instruction.starts_with("[Background review: memory"), "{instruction}");
}

#[test]
fn a_review_ends_at_its_passes() {
    for (version, passes) in [(Version::April2026, 8), (Version::V0_13, 16), (Version::September2026, 16)] {
        let mut scene = scene(version, 1, 0);
        scene.answers(
            Role::Review,
            (0..passes + 4).map(|n| call("skill_view", json!({"name": format!("s{n}")}))),
        );
        scene.turn("s", "one");
        assert_eq!(scene.review_ends(), [ReviewEnd::Budget("iterations".into())], "{version}");
        let requests = scene.got(Role::Review);
        // The closing summary is asked for without tools, twice at most.
        let with_tools = requests.iter().filter(|got| !got.request.tools.is_empty()).count();
        assert_eq!(with_tools, passes, "{version}");
        assert!(requests.len() <= passes + 2, "{version}");
    }
}

#[test]
fn the_request_that_crosses_the_input_budget_completes() {
    let read = |tokens| call("skill_view", json!({"name": "none"})).tokens(tokens);
    let answers = || [read(60_000), read(60_000), read(60_000), read(60_000), say("done")];
    let mut main = scene(Version::September2026, 1, 0);
    main.answers(Role::Review, answers());
    main.turn("s", "one");
    // 75 % of 200,000.
    assert_eq!(main.review_ends(), [ReviewEnd::Budget("input tokens".into())]);
    assert_eq!(main.got(Role::Review).len(), 3);
    for (value, expected) in [(json!(60_000), 1), (json!(0), 5)] {
        let mut set_by_hand = scene(Version::September2026, 1, 0);
        set(&mut set_by_hand, "auxiliary.background_review.max_input_tokens", value);
        set_by_hand.answers(Role::Review, answers());
        set_by_hand.turn("s", "one");
        assert_eq!(set_by_hand.got(Role::Review).len(), expected);
    }
}

#[test]
fn the_notice_tells_what_was_written_in_the_mode_that_is_set() {
    let notice = |version: Version, mode: &str| {
        let mut scene = scene(version, 1, 0);
        set(&mut scene, "display.memory_notifications", mode.into());
        scene.answers(Role::Review, [remember("likes tea"), create_skill("brew"), say("Saved.")]);
        scene.turn("s", "one");
        assert_eq!(scene.review_ends(), [ReviewEnd::Done]);
        scene.notices().into_iter().rfind(|text| text.contains("review")).unwrap_or_default()
    };
    let july = notice(Version::V0_19, "on");
    assert!(july.starts_with("\u{1f4be} Self-improvement review: Memory updated \u{b7} "), "{july}");
    assert_eq!(notice(Version::V0_19, "off"), "");
    assert!(notice(Version::V0_19, "verbose").contains("Memory + likes tea"));
    assert_eq!(notice(Version::V0_13, "on"), "", "the fork is forgotten before its summary");
    assert!(notice(Version::V0_16, "off").contains("Memory updated"), "no modes yet");
}

#[test]
fn a_failed_review_is_a_figure_and_told_where_the_version_tells_it() {
    for (version, told) in [(Version::V0_16, 0), (Version::V0_19, 1), (Version::September2026, 1)] {
        let mut scene = scene(version, 1, 0);
        scene.answers(Role::Review, [failed(401, "no")]);
        let end = scene.turn("s", "one");
        assert!(end.completed, "the foreground never notices");
        assert_eq!(scene.review_ends(), [ReviewEnd::Failed("early_return(auth)".into())], "{version}");
        assert_eq!(scene.notices().len(), told, "{version}");
    }
}

#[test]
fn switched_off_the_counters_go_on_and_only_the_user_can_ask() {
    let mut scene = scene(Version::September2026, 2, 2);
    set(&mut scene, "auxiliary.background_review.enabled", json!(false));
    for turn in ["one", "two", "three"] {
        scene.turn("s", turn);
    }
    assert!(scene.got(Role::Review).is_empty());
    assert_eq!(scene.counters("s"), (1, 1, 3));
    assert_eq!(scene.nudges(NudgeKind::Memory), [NudgeEvent::Due, NudgeEvent::Lost]);
    refine(&mut scene, "");
    scene.rest(60);
    assert_eq!(scene.review_ends(), [ReviewEnd::Done]);
    let cause = scene.facts().find_map(|fact| match fact {
        Fact::ReviewStart { cause, .. } => Some(*cause),
        _ => None,
    });
    assert!(cause.is_some_and(|cause| cause.explicit && cause.memory && cause.skills));
}

#[test]
fn a_refinement_in_the_midst_of_a_turn_waits_for_its_end() {
    let mut scene = scene(Version::September2026, 0, 0);
    let refine =
        agent_core::machine::Event::Command(Command::Refine { session: name("s"), focus: "it".to_owned() });
    scene.answers(Role::Main, [call("terminal", json!({})).while_(refine), say("done")]);
    scene.turn("s", "one");
    let request = &scene.got(Role::Review)[0].request;
    let said = texts(request);
    assert_eq!(said[..4], ["one", "", "done", "done"], "the whole turn is in view");
    let mut unknown = self::scene(Version::September2026, 0, 0);
    unknown.command(Command::Refine { session: name("nobody"), focus: String::new() });
    unknown.rest(1);
    assert_eq!(unknown.notices(), ["there is no session nobody to look back on"]);
}

#[test]
fn before_september_reviews_overlap() {
    let mut scene = scene(Version::V0_19, 1, 0);
    scene.answers(Role::Review, [say("slow").after(30_000)]);
    for turn in ["one", "two", "three"] {
        scene.turn_only("s", turn);
    }
    let started =
        |scene: &Scene| scene.facts().filter(|fact| matches!(fact, Fact::ReviewStart { .. })).count();
    assert_eq!((started(&scene), scene.review_ends().len()), (3, 1), "the slow first one is still at work");
    scene.rest(100);
    assert_eq!(scene.review_ends(), vec![ReviewEnd::Done; 3]);
}

fn refine(scene: &mut Scene, focus: &str) {
    scene.command(Command::Refine { session: name("s"), focus: focus.to_owned() });
    scene.rest(1);
}

#[test]
fn beside_a_running_review_another_is_dropped_or_waits() {
    let busy = ReviewEnd::Dropped("another review is still running".into());
    for (drops, ends) in [(true, [busy, ReviewEnd::Done]), (false, [ReviewEnd::Done, ReviewEnd::Done])] {
        let mut scene = scene(Version::September2026, 0, 0);
        set(&mut scene, "faults.review_dropped_when_busy", json!(drops));
        scene.turn("s", "one");
        scene.answers(Role::Review, [say("slow").after(20_000)]);
        refine(&mut scene, "the first thing");
        refine(&mut scene, "the second thing");
        scene.rest(100);
        assert_eq!(scene.review_ends(), ends);
    }
}

#[test]
fn what_waits_is_one_review_that_starts_after_the_turn_which_cancels_the_other() {
    let mut scene = scene(Version::September2026, 0, 0);
    set(&mut scene, "faults.review_dropped_when_busy", json!(false));
    scene.turn("s", "one");
    scene.answers(Role::Review, [say("slow").after(20_000)]);
    for focus in ["alpha", "beta", "gamma"] {
        refine(&mut scene, focus);
    }
    scene.answers(Role::Main, [say("a long answer").after(5000)]);
    scene.turn_only("s", "two");
    assert_eq!(scene.review_ends(), [ReviewEnd::Cancelled], "none runs beside the turn");
    scene.rest(60);
    assert_eq!(scene.review_ends(), [ReviewEnd::Cancelled, ReviewEnd::Done]);
    let last = scene.got(Role::Review).pop().expect("two reviews").request;
    let instruction = texts(&last).pop().expect("an instruction");
    assert!(instruction.contains("beta\ngamma") && !instruction.contains("alpha"), "{instruction}");
}

#[test]
fn a_process_exit_ends_a_review_and_keeps_what_it_wrote() {
    let mut scene = scene(Version::September2026, 1, 0);
    scene.answers(Role::Review, [remember("likes tea"), say("never said").after(50_000)]);
    scene.turn_only("s", "one");
    scene.rest(3);
    scene.command(Command::ProcessExit);
    scene.rest(120);
    assert_eq!(scene.review_ends(), [ReviewEnd::LostAtExit]);
    assert!(scene.home_text("memories/MEMORY.md").contains("tea"));
    assert!(
        scene
            .facts()
            .any(|fact| matches!(fact, Fact::ModelAnswer { end: agent_core::values::ModelEnd::Late, .. }))
    );
    // The process is new: so is its agent object, and the session is opened once more.
    let starts =
        |scene: &Scene| scene.facts().filter(|fact| matches!(fact, Fact::SessionStart { .. })).count();
    assert_eq!(starts(&scene), 1);
    scene.turn("s", "two");
    assert_eq!(starts(&scene), 2);
    assert!(scene.rig.agent.is_idle());
}

#[test]
fn reviews_are_booked_on_their_session_since_september() {
    for (version, booked) in [(Version::V0_19, false), (Version::September2026, true)] {
        let mut scene = scene(version, 1, 0);
        scene.answers(Role::Main, [say("yes").tokens(1000)]);
        scene.answers(Role::Review, [say("Nothing to save.").tokens(5000)]);
        scene.turn("s", "one");
        let row = scene.rig.store.sessions().next().expect("a session").clone();
        let prompt = row.tokens.input + row.tokens.cache_read;
        assert_eq!(prompt, if booked { 6000 } else { 1000 }, "{version}");
    }
}

#[test]
fn a_review_that_leaks_is_read_by_the_next_turn_and_by_nothing_later() {
    for (version, leaks) in [(Version::V0_16, true), (Version::V0_19, false)] {
        let mut scene = scene(version, 1, 0);
        scene.answers(Role::Review, [remember("likes tea"), say("Saved.")]);
        scene.turn("s", "one");
        scene.turn("s", "two");
        let said = texts(&scene.got(Role::Main)[1].request);
        let instructions = said.iter().filter(|text| text.starts_with("[Background review")).count();
        assert_eq!(instructions, usize::from(leaks), "{version}");
        assert_eq!(said.contains(&"Saved.".to_owned()), leaks, "{version}");
        let rows =
            scene.rig.store.history(scene.rig.store.sessions().next().expect("one").id.as_str()).count();
        assert_eq!(rows > 4, leaks, "{version}: {rows}");
        assert_eq!(said.last().map(String::as_str), Some("two"));
    }
}

#[test]
fn the_objects_of_fresh_sessions_are_their_own() {
    let mut scene = scene(Version::V0_19, 2, 0);
    for session in ["a", "b", "c"] {
        scene.open(session, AgentObject::Fresh, "cli");
        scene.turn(session, "hello");
    }
    assert!(scene.got(Role::Review).is_empty(), "each starts at zero");
    scene.turn("a", "again");
    assert_eq!(scene.got(Role::Review).len(), 1);
}
