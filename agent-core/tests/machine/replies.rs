//! Reading replies: cut-off output, malformed and unknown calls, empty replies, the iteration limit
//! (`spec/turn-loop.md` §4, §5, §7, §8).

use agent_core::behaviour::{Origin, Version};
use agent_core::machine::ModelOutcome;
use agent_core::values::{Fact, Finish, Message, Role, Synthetic, Usage};
use serde_json::json;

use crate::rig::Said;
use crate::scene::{Scene, call, calls, failed, raw_calls, remember, say, settings, texts, with};

fn scene() -> Scene {
    Scene::new(settings(Version::V0_19))
}

fn play(answers: Vec<Said>) -> (Scene, agent_core::machine::TurnEnd) {
    let mut scene = scene();
    scene.answers(Role::Main, answers);
    let end = scene.turn("s", "go");
    (scene, end)
}

fn cut(text: &str) -> Said {
    say(text).finish(Finish::Length)
}

fn raw(tool: &str, arguments: &str) -> Said {
    raw_calls(&[(tool, arguments.to_owned())])
}

#[test]
fn cut_text_is_continued_three_times_under_a_raised_limit_and_joined() {
    let (scene, end) = play(vec![cut("a"), cut("b"), cut("c"), say("d")]);
    assert_eq!(end.answer.as_deref(), Some("abcd"));
    let limits: Vec<_> =
        scene.got(Role::Main).iter().map(|got| got.request.max_tokens.map(|max| max.0)).collect();
    assert_eq!(limits, [None, Some(8192), Some(16_384), Some(32_768)]);
    let (scene, end) = play(vec![cut("a"), cut("b"), cut("c"), cut("d"), say("never asked")]);
    assert_eq!(&*end.exit, "early_return(length_continuations_exhausted)");
    assert_eq!((end.answer.as_deref(), scene.unasked(Role::Main)), (Some("abcd"), 1));
    // The next turn sees one answer and none of what kept the loop going.
    let mut scene = scene;
    scene.turn("s", "next");
    assert_eq!(texts(&scene.got(Role::Main).pop().unwrap().request), ["go", "abcd", "next"]);
}

#[test]
fn cut_calls_are_asked_for_again_four_times_and_never_run() {
    let cut_call = || raw("terminal", "{\"out\": ").finish(Finish::Length);
    let (scene, end) =
        play(vec![cut_call(), cut_call(), cut_call(), call("terminal", json!({})), say("done")]);
    assert!(end.completed);
    assert_eq!(end.api_calls, 2, "the same pass");
    assert_eq!(scene.results(), ["done"]);
    let (scene, end) = play(vec![cut_call(), cut_call(), cut_call(), cut_call()]);
    assert_eq!(&*end.exit, "early_return(truncated_tool_calls)");
    assert!(scene.results().is_empty());
}

#[test]
fn output_that_was_all_reasoning_ends_early() {
    let (_, end) = play(vec![cut("")]);
    assert_eq!(&*end.exit, "early_return(reasoning_exhausted_output)");
}

#[test]
fn unknown_tools_are_named_and_three_replies_of_them_end_the_turn() {
    let unknown = || raw("qqxzzy", "{}");
    let (scene, end) = play(vec![
        unknown(),
        raw("", "{}"),
        calls(&[("qqxzzy", json!({})), ("terminal", json!({}))]),
        say("done"),
    ]);
    assert!(end.completed);
    let results = scene.results();
    assert!(
        results[0].contains("no tool named 'qqxzzy'") && results[0].contains("terminal"),
        "{}",
        results[0]
    );
    assert!(!results[1].contains("terminal"), "{}", results[1]);
    assert_eq!(results[3], "done", "the valid one runs");
    let (_, end) = play(vec![unknown(), unknown(), unknown()]);
    assert_eq!(&*end.exit, "early_return(unknown_tools)");
}

#[test]
fn names_are_repaired_and_repeated_calls_dropped() {
    let (scene, _) = play(vec![
        calls(&[
            ("Terminal", json!({})),
            ("terminal", json!({})),
            ("ReadFileTool", json!({"path": "a"})),
            ("termnal\"x", json!({"b": 1})),
        ]),
        say("done"),
    ]);
    let names: Vec<_> = scene
        .facts()
        .filter_map(|fact| match fact {
            Fact::ToolCall { tool, .. } => Some(tool.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(names, ["terminal", "read_file", "terminal"]);
}

#[test]
fn malformed_arguments_are_asked_for_again_and_then_answered() {
    let bad = || raw_calls(&[("terminal", "{\"out\": [oops]}".to_owned()), ("probe", "{}".to_owned())]);
    let (scene, end) = play(vec![bad(), bad(), bad(), say("done")]);
    assert_eq!(end.api_calls, 4);
    let results = scene.results();
    assert!(results[0].contains("not valid JSON") && results[1].contains("skipped"), "{results:?}");
    let (scene, end) = play(vec![raw("terminal", "{\"out\": \"half")]);
    assert_eq!(&*end.exit, "early_return(truncated_arguments: terminal)");
    assert!(scene.results().is_empty());
    let (scene, _) = play(vec![raw("terminal", "   "), say("done")]);
    assert_eq!(scene.results(), ["done"], "blank arguments are an empty object");
}

#[test]
fn arguments_that_are_no_object_are_refused_since_july_and_empty_before() {
    for (version, kind) in [(Version::V0_16, None), (Version::V0_19, Some("non-object"))] {
        for arguments in ["[1]", "\"x\"", "7", "null", "true"] {
            let mut scene = Scene::new(settings(version));
            scene.answers(Role::Main, [raw("terminal", arguments), say("done")]);
            scene.turn("s", "go");
            let end = scene.facts().find_map(|fact| match fact {
                Fact::ToolAnswer { end, .. } => Some(end.clone()),
                _ => None,
            });
            assert_eq!(end.unwrap().kind.as_deref(), kind, "{version} {arguments}");
            assert_eq!(scene.results()[0] == "done", kind.is_none(), "{version} {arguments}");
        }
    }
    let mut scene = scene();
    scene.answers(Role::Main, [raw("terminal", "[1]"), say("done")]);
    scene.turn("s", "go");
    assert_eq!(scene.results(), ["Error: terminal takes a JSON object, found a list"]);
}

#[test]
fn an_empty_reply_after_results_is_nudged_once_then_repeated_then_explained() {
    let (scene, end) = play(vec![call("terminal", json!({})), say(""), say(""), say(""), say(""), say("")]);
    assert_eq!((&*end.exit, end.api_calls), ("empty_response_exhausted", 6));
    assert!(end.answer.as_deref().is_some_and(|answer| answer != "(empty)" && !answer.is_empty()));
    let nudged = &scene.got(Role::Main)[2].request;
    assert!(texts(nudged).last().unwrap().starts_with("[System: empty reply]"));
    let mut plain = Scene::new(with(Version::V0_19, &[("display.turn_completion_explainer", json!(false))]));
    plain.answers(Role::Main, (0..4).map(|_| say("")));
    assert_eq!(plain.turn("s", "go").answer.as_deref(), Some("(empty)"));
}

#[test]
fn words_beside_housekeeping_stand_for_an_empty_answer() {
    let (_, end) = play(vec![remember("tea").saying("I noted it."), say("")]);
    assert_eq!((&*end.exit, end.answer.as_deref()), ("fallback_prior_turn_content", Some("I noted it.")));
    let (_, end) = play(vec![call("terminal", json!({})).saying("Running."), say(""), say("done")]);
    assert_eq!(end.answer.as_deref(), Some("done"), "only rounds of housekeeping");
}

#[test]
fn a_refusal_ends_early_and_a_broken_stream_keeps_its_words() {
    let (_, end) = play(vec![say("no").finish(Finish::ContentFilter)]);
    assert_eq!(&*end.exit, "early_return(content_filter)");
    let partial = |text: &str| {
        let outcome = ModelOutcome::Cut { partial: text.to_owned(), usage: Usage::default() };
        Said { outcome, ..say("") }
    };
    let (_, end) = play(vec![partial("half an ans")]);
    assert_eq!((&*end.exit, end.answer.as_deref()), ("partial_stream_recovery", Some("half an ans")));
    let (_, end) = play(vec![partial(""), say("whole")]);
    assert_eq!(end.answer.as_deref(), Some("whole"));
}

#[test]
fn at_the_limit_a_summary_is_asked_for_twice_and_then_made_up() {
    let run = |answers: Vec<Said>| {
        let mut scene = Scene::new(with(Version::V0_19, &[("agent.max_turns", json!(2))]));
        let rounds = (0..2).map(|n| call("terminal", json!({"n": n})));
        scene.answers(Role::Main, rounds.chain(answers));
        let end = scene.turn("s", "go");
        (scene, end)
    };
    let (scene, end) = run(vec![say("so far")]);
    assert_eq!((&*end.exit, end.api_calls, end.completed), ("max_iterations_reached(2/2)", 2, false));
    assert_eq!(end.answer.as_deref(), Some("so far"));
    let asked = &scene.got(Role::Main)[2].request;
    assert!(asked.tools.is_empty());
    let last = asked.messages.last().unwrap();
    assert!(matches!(&**last, Message::User { synthetic: Some(Synthetic::ClosingRequest), .. }));
    let (scene, end) = run(vec![say(""), say("second try")]);
    assert_eq!((end.answer.as_deref(), scene.got(Role::Main).len()), (Some("second try"), 4));
    for answers in [vec![say(""), say("")], vec![failed(500, "oops")]] {
        let asked = answers.len();
        let (scene, end) = run(answers);
        assert!(end.answer.as_deref().is_some_and(|answer| !answer.is_empty()));
        assert_eq!(scene.got(Role::Main).len(), 2 + asked);
    }
    let (_, end) = play(vec![say("done")]);
    assert_eq!((end.completed, end.api_calls), (true, 1));
}

#[test]
fn guardrails_remark_by_default_and_halt_when_told_to() {
    let fail = || call("terminal", json!({"exit": 1, "out": "no"}));
    let (scene, end) = play((0..6).map(|_| fail()).chain([say("gave up")]).collect());
    assert!(end.completed);
    let results = scene.results();
    assert!(!results[0].contains("[Note") && results[1].contains("failed 2 times"), "{results:?}");
    let mut hard =
        Scene::new(with(Version::V0_19, &[("tool_loop_guardrails.hard_stop_enabled", json!(true))]));
    hard.answers(Role::Main, (0..9).map(|_| fail()));
    let end = hard.turn("s", "go");
    assert_eq!((&*end.exit, end.api_calls), ("guardrail_halt", 6));
    let kinds: Vec<_> = hard
        .facts()
        .filter_map(|fact| match fact {
            Fact::ToolAnswer { end, .. } => end.kind.clone(),
            _ => None,
        })
        .collect();
    assert_eq!(kinds, ["guardrail".into()], "the blocked call still gets a result");
    insta::assert_snapshot!(end.answer.unwrap(), @r"
    I stopped here because the same step kept failing in the same way. What happened so far stands above; tell me how to go on.

    What stopped it: This exact call of terminal has failed 5 times; it is not run again.
    ");
}

#[test]
fn only_this_turns_results_ask_for_words_once_the_fault_is_off() {
    for (fault, nudged) in [(true, true), (false, false)] {
        let mut settings = settings(Version::V0_19);
        settings.set("faults.old_tool_results_prompt_a_nudge", fault.into(), Origin::CommandLine).unwrap();
        let mut scene = Scene::new(settings);
        scene.answers(Role::Main, [call("terminal", json!({})), say("done"), say(""), say("hello")]);
        scene.turn("s", "one");
        scene.turn("s", "two");
        let last = scene.got(Role::Main).pop().unwrap().request;
        assert_eq!(texts(&last).last().unwrap().starts_with("[System: empty reply]"), nudged);
    }
}

#[test]
fn a_turn_that_fails_after_its_tools_is_silent_in_july_and_says_so_in_september() {
    for (version, says) in [(Version::V0_19, false), (Version::September2026, true)] {
        let mut scene = Scene::new(settings(version));
        scene.answers(Role::Main, [call("terminal", json!({})), failed(401, "no")]);
        let end = scene.turn("s", "one");
        assert_eq!(&*end.exit, "early_return(auth)", "{version}");
        assert_eq!(end.answer.is_some(), says, "{version}");
        scene.turn("s", "two");
        let said = scene.got(Role::Main).pop().unwrap().request;
        let before = &said.messages.iter().rev().nth(1).unwrap().clone();
        assert_eq!(matches!(&**before, Message::Tool { .. }), !says, "{version}");
    }
}
