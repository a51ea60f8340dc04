//! Delegated children (`spec/turn-loop.md` §10).

use agent_core::behaviour::{Settings, Version};
use agent_core::machine::{Command, TurnEnd};
use agent_core::stores::{TreePath, read_text};
use agent_core::values::{Fact, Message, NudgeKind, Role, SimDuration, Synthetic};
use serde_json::{Value, json};

use crate::rig::{START, Said};
use crate::scene::{
    Scene, call, calls, create_skill, interrupt, messages, name, plan, say, settings, texts, with,
};

fn task(goal: &str) -> Value {
    json!({"goal": goal})
}

fn delegate(tasks: &[&str]) -> Said {
    let tasks: Vec<Value> = tasks.iter().map(|goal| task(goal)).collect();
    call("delegate_task", json!({ "tasks": tasks }))
}

fn play(settings: Settings, main: Vec<Said>, children: Vec<Said>) -> (Scene, TurnEnd) {
    let mut scene = Scene::new(settings);
    scene.answers(Role::Main, main);
    scene.answers(Role::Delegate, children);
    let end = scene.turn("s", "go");
    (scene, end)
}

/// The results that a call of `delegate_task` was answered with.
fn results(text: &str) -> Vec<Value> {
    let value: Value = serde_json::from_str(text).expect("one JSON object");
    value["results"].as_array().expect("results").clone()
}

fn statuses(scene: &Scene) -> Vec<String> {
    scene
        .facts()
        .filter_map(|fact| match fact {
            Fact::Delegate { status, .. } => Some(status.to_string()),
            _ => None,
        })
        .collect()
}

#[test]
fn three_children_beside_each_other_answer_together() {
    let children = vec![
        say("slow answer").after(9000),
        call("terminal", json!({})),
        say("third").after(500),
        say("second"),
    ];
    let (scene, end) =
        play(settings(Version::V0_16), vec![delegate(&["a", "b", "c"]), say("all done")], children);
    assert_eq!(end.answer.as_deref(), Some("all done"));
    let found = results(&scene.results()[1]);
    let summaries: Vec<_> = found.iter().map(|part| part["summary"].as_str().unwrap()).collect();
    assert_eq!(summaries, ["slow answer", "second", "third"], "sorted by task");
    insta::assert_snapshot!(serde_json::to_string_pretty(&found[1]).unwrap(), @r#"
    {
      "api_calls": 2,
      "duration_seconds": 2.4,
      "exit_reason": "completed",
      "model": "scripted",
      "status": "completed",
      "summary": "second",
      "task_index": 1,
      "tokens": {
        "input": 5439,
        "output": 2
      },
      "tool_trace": [
        {
          "args_chars": 2,
          "ok": true,
          "result_chars": 4,
          "tool": "terminal"
        }
      ]
    }
    "#);
    // The call took as long as the slowest.
    let took = scene.facts().find_map(|fact| match fact {
        Fact::ToolAnswer { tool, took, .. } if &**tool == "delegate_task" => Some(took.as_millis()),
        _ => None,
    });
    assert_eq!(took, Some(9005));
    assert_eq!(statuses(&scene), ["completed"; 3]);
}

#[test]
fn a_child_has_its_own_prompt_tools_and_session() {
    let main = vec![
        call("delegate_task", json!({"goal": "find it", "context": "in /work", "max_iterations": 1})),
        say("done"),
    ];
    let (scene, _) = play(settings(Version::V0_16), main, vec![say("found")]);
    let request = &scene.got(Role::Delegate)[0].request;
    assert!(
        request.system.starts_with("[Delegated task]") && request.system.contains("in /work"),
        "{}",
        request.system
    );
    assert_eq!(texts(request), ["find it"]);
    let parent = &scene.got(Role::Main)[0].request;
    let missing: Vec<_> = parent.tools.names().filter(|name| !request.tools.has(name)).collect();
    assert_eq!(missing, ["memory", "delegate_task"]);
    let rows: Vec<_> = scene.rig.store.sessions().collect();
    assert_eq!((rows.len(), &*rows[1].source), (2, "subagent"));
    assert_eq!(rows[1].parent.as_deref(), Some(&*rows[0].id));
    assert_eq!((rows[1].message_count, rows[1].end_reason.as_deref()), (2, Some("completed")));
    let place = scene.rig.notes.iter().find_map(|(_, note)| match note.fact {
        Fact::Delegate { .. } => Some(note.place.clone()),
        _ => None,
    });
    let place = place.expect("a child ended");
    assert_eq!((place.session, place.turn, place.role), (Some(name("s")), 1, Role::Delegate));
}

#[test]
fn in_the_background_the_session_goes_on_and_is_told_once() {
    let children = vec![say("slow answer").after(9000), say("fast answer")];
    let (mut scene, end) =
        play(settings(Version::V0_19), vec![delegate(&["a", "b"]), say("they work")], children);
    assert_eq!(end.answer.as_deref(), Some("they work"));
    let handle = &scene.results()[0];
    assert!(handle.contains("\"status\":\"started\""), "{handle}");
    // The second answer opened a turn of its own, ten seconds after the first message.
    let turns: Vec<_> =
        scene.rig.ended.iter().map(|(at, _, end)| (at.since(START).as_millis(), end.by_client)).collect();
    assert_eq!(turns, [(2005, false), (11_000, true)]);
    let told = scene.got(Role::Main).pop().unwrap().request;
    let last = messages(&told).pop().unwrap();
    assert!(matches!(&*last, Message::User { synthetic: Some(Synthetic::DelegateResult), .. }));
    assert!(last.text().starts_with("[System: delegated work is done]\n{"), "{}", last.text());
    let found = results(last.text().split_once('\n').unwrap().1);
    assert_eq!(found.len(), 2);
    // To the counters it is a message of the role user like any other.
    assert_eq!(scene.counters("s").2, 2);
    assert!(!scene.rig.agent.awaits_children(&name("s")));
    scene.turn("s", "thanks");
    assert!(scene.rig.agent.is_idle());
}

#[test]
fn late_results_wait_for_the_turn_in_progress_and_the_user_waits_for_theirs() {
    let (mut scene, _) = play(
        settings(Version::V0_19),
        vec![delegate(&["a"]), say("it works")],
        vec![say("found").after(70_000)],
    );
    assert!(scene.rig.agent.awaits_children(&name("s")));
    // They arrive in the midst of a turn of the user's.
    scene.answers(Role::Main, [say("a long answer").after(20_000), say("so that is it").after(5000)]);
    scene.turn_only("s", "meanwhile");
    assert_eq!(scene.rig.ended.last().unwrap().2.answer.as_deref(), Some("a long answer"));
    // Now the turn of the results runs; the user's next message waits for it.
    scene.rest(2);
    scene.turn("s", "next");
    let waits: Vec<_> = scene
        .facts()
        .filter_map(|fact| match fact {
            Fact::TurnEnd { waited, wait_cause, .. } => Some((waited.as_millis(), wait_cause.to_string())),
            _ => None,
        })
        .collect();
    assert_eq!(
        waits,
        [(0, String::new()), (0, String::new()), (0, String::new()), (3000, "delegate".to_owned())]
    );
}

#[test]
fn results_for_a_closed_session_are_nobodys() {
    let (mut scene, _) = play(
        settings(Version::V0_19),
        vec![delegate(&["a"]), say("it works")],
        vec![say("found").after(90_000)],
    );
    scene.command(Command::CloseSession { session: name("s"), reason: "done".into() });
    scene.rest(100);
    assert_eq!(statuses(&scene), ["completed"]);
    assert_eq!(scene.rig.ended.len(), 1);
    assert!(scene.notices()[0].contains("closed"));
}

#[test]
fn a_full_pool_or_nobody_to_tell_makes_the_parent_wait() {
    let main = (0..4).map(|n| delegate(&[&format!("task {n}")])).chain([say("done")]).collect();
    let children = (0..4).map(|_| say("found").after(5000)).collect();
    let (scene, _) = play(settings(Version::V0_19), main, children);
    let answers = scene.results();
    assert!(answers[..3].iter().all(|text| text.contains("started")), "{answers:?}");
    assert!(
        answers[3].contains("results")
            && answers[3].contains("too much work") | answers[3].contains("Too much work"),
        "{}",
        answers[3]
    );
    let mut cron = Scene::new(settings(Version::V0_19));
    cron.open("s", agent_core::values::AgentObject::Fresh, "cron");
    cron.answers(Role::Main, [delegate(&["a"]), say("done")]);
    cron.turn("s", "go");
    assert!(cron.results()[0].contains("Nobody could be told"), "{:?}", cron.results());
}

#[test]
fn too_many_tasks_start_nothing_and_too_many_calls_are_dropped() {
    let (scene, _) =
        play(settings(Version::V0_16), vec![delegate(&["a", "b", "c", "d"]), say("done")], vec![]);
    assert!(scene.results()[0].contains("4 tasks") && scene.got(Role::Delegate).is_empty());
    let many: Vec<_> = (0..5).map(|n| ("delegate_task", task(&format!("task {n}")))).collect();
    let (scene, _) = play(settings(Version::V0_16), vec![calls(&many), say("done")], vec![]);
    assert_eq!(scene.got(Role::Delegate).len(), 3);
    assert_eq!(scene.results().len(), 3);
}

#[test]
fn a_leaf_cannot_delegate_and_an_orchestrator_only_where_the_depth_allows_it() {
    let main = || vec![call("delegate_task", json!({"goal": "lead", "role": "orchestrator"})), say("done")];
    let (scene, _) = play(settings(Version::V0_16), main(), vec![delegate(&["x"]), say("alone")]);
    assert!(!scene.got(Role::Delegate)[0].request.tools.has("delegate_task"));
    assert!(scene.results()[0].contains("no tool named 'delegate_task'"), "{:?}", scene.results());
    let deep = with(
        Version::V0_19,
        &[("delegation.max_spawn_depth", json!(2)), ("delegation.background", json!(true))],
    );
    let children = vec![delegate(&["x", "y"]), say("x done").after(4000), say("y done"), say("both done")];
    let (scene, _) = play(deep, main(), children);
    let requests = scene.got(Role::Delegate);
    assert!(
        requests[0].request.tools.has("delegate_task")
            && requests[0].request.system.contains("delegate_task")
    );
    assert!(!requests[1].request.tools.has("delegate_task"));
    // A child's own call is awaited, also where the session's is not.
    assert_eq!(results(&scene.results()[1]).len(), 2);
    assert_eq!(statuses(&scene), ["completed"; 3]);
    let off = with(
        Version::V0_16,
        &[("delegation.max_spawn_depth", json!(2)), ("delegation.orchestrator_enabled", json!(false))],
    );
    let (scene, _) = play(off, main(), vec![]);
    assert!(!scene.got(Role::Delegate)[0].request.tools.has("delegate_task"));
}

#[test]
fn a_child_has_its_time_and_its_passes() {
    for (version, seconds, status) in [
        (Version::V0_16, 700, "timeout"),
        (Version::V0_16, 500, "completed"),
        (Version::V0_19, 700, "completed"),
    ] {
        let settings =
            with(version, &[("delegation.background", json!(false)), ("memory.nudge_interval", json!(0))]);
        let slow = call("terminal", json!({"ms": seconds * 1000}));
        let mut scene = Scene::new(settings);
        scene.answers(Role::Main, [delegate(&["a"]), say("done")]);
        scene.answers(Role::Delegate, [slow, say("found")]);
        let end = scene.turn("s", "go");
        assert_eq!(end.answer.as_deref(), Some("done"));
        assert_eq!(statuses(&scene), [status], "{version} {seconds}");
        let found = results(scene.results().last().unwrap()).remove(0);
        assert_eq!(found["exit_reason"], status);
        scene.rest(1000);
        assert!(scene.rig.agent.is_idle());
    }
    let rounds = (0..50).map(|n| call("terminal", json!({"n": n, "ms": 0}))).chain([say("so far")]).collect();
    let (scene, _) = play(with(Version::V0_16, &[]), vec![delegate(&["a"]), say("done")], rounds);
    let found = results(scene.results().last().unwrap()).remove(0);
    assert_eq!(
        (&found["status"], &found["exit_reason"], &found["api_calls"]),
        (&json!("completed"), &json!("max_iterations"), &json!(50))
    );
}

#[test]
fn an_interrupt_of_the_parent_reaches_the_children_that_it_waits_for() {
    let mut scene = Scene::new(settings(Version::V0_16));
    scene.answers(Role::Main, [delegate(&["a", "b"]), say("never")]);
    scene.answers(Role::Delegate, [say("slow").after(60_000), call("terminal", json!({"ms": 4000}))]);
    scene.say("s", "go");
    scene.event_at(3000, interrupt("s"));
    scene.rest(100);
    assert_eq!(statuses(&scene), ["interrupted"; 2]);
    let (at, _, end) = &scene.rig.ended[0];
    // The second child waits for its tool, which began at 2 s.
    assert_eq!((&*end.exit, at.since(START)), ("interrupted_by_user", SimDuration::from_millis(6005)));
    let mut behind = Scene::new(settings(Version::V0_19));
    behind.answers(Role::Main, [delegate(&["a"]), say("slow").after(20_000)]);
    behind.answers(Role::Delegate, [say("found").after(9000)]);
    behind.say("s", "go");
    behind.event_at(3000, interrupt("s"));
    behind.rest(100);
    assert_eq!(statuses(&behind), ["completed"], "children in the background work on");
}

#[test]
fn a_long_answer_is_cut_and_left_whole_in_a_file() {
    let long = "word ".repeat(10_000);
    let (scene, _) = play(
        settings(Version::V0_16),
        vec![delegate(&["a", "b"]), say("done")],
        vec![say(&long), say("short")],
    );
    let found = results(&scene.results()[0]);
    let summary = found[0]["summary"].as_str().unwrap();
    assert!(
        summary.ends_with("[24000 of 50000 characters; the whole answer is in /work/.delegates/1-0.md]"),
        "{}",
        &summary[23_990..]
    );
    assert_eq!(read_text(&scene.rig.workspace, &TreePath::new(".delegates/1-0.md")).unwrap(), long);
    assert_eq!(found[1]["summary"], "short");
    // A parent whose window is nearly full gets less: half of what is left, shared.
    let tight = with(
        Version::V0_16,
        &[("model.context_tokens", json!(200_000)), ("compression.enabled", json!(false))],
    );
    let (scene, _) =
        play(tight, vec![delegate(&["a", "b"]).tokens(199_000), say("done")], vec![say(&long), say("short")]);
    assert!(
        results(&scene.results()[0])[0]["summary"].as_str().unwrap().contains("[1000 of 50000"),
        "{:?}",
        scene.results()
    );
}

#[test]
fn a_child_of_another_model_and_one_that_fails() {
    let other = with(Version::V0_16, &[("delegation.model", json!("small"))]);
    let (scene, _) = play(other, vec![delegate(&["a"]), say("done")], vec![crate::scene::failed(401, "no")]);
    assert_eq!(&*scene.got(Role::Delegate)[0].request.model, "small");
    let found = results(&scene.results()[0]).remove(0);
    assert_eq!(
        (&found["status"], &found["exit_reason"], &found["error"]),
        (&json!("failed"), &json!("error"), &json!("early_return(auth)"))
    );
    assert_eq!(found["summary"], Value::Null);
}

#[test]
fn a_long_child_starts_a_review_of_skills_until_september() {
    let played = |version: Version| {
        let keys = [
            ("skills.creation_nudge_interval", json!(3)),
            ("memory.nudge_interval", json!(0)),
            ("delegation.background", json!(false)),
        ];
        let mut scene = Scene::new(with(version, &keys));
        scene.answers(Role::Main, [delegate(&["a"]), say("done")]);
        let rounds = (0..3).map(|n| call("terminal", json!({ "n": n })));
        scene.answers(Role::Delegate, rounds.chain([say("found")]));
        scene.answers(Role::Review, [create_skill("brew"), say("Saved.")]);
        scene.turn("s", "go");
        scene
    };
    let july = played(Version::V0_19);
    let review = &july.got(Role::Review)[0].request;
    assert_eq!(texts(review)[0], "a", "it looks back on the child");
    assert_eq!(review.system, july.got(Role::Delegate)[0].request.system);
    assert!(july.home_text("skills/brew/SKILL.md").contains("brew"));
    assert_eq!(july.counters("s").1, 2, "the parent counts its own passes");
    let september = played(Version::September2026);
    assert!(september.got(Role::Review).is_empty());
    assert_eq!(september.nudges(NudgeKind::Skill).len(), 2, "due and lost");
}

#[test]
fn the_tool_stands_after_the_homes_own_and_can_be_withheld() {
    let mut scene = Scene::new(settings(Version::V0_19));
    scene.turn("s", "go");
    let names: Vec<_> = scene.got(Role::Main)[0].request.tools.names().map(ToOwned::to_owned).collect();
    let at = names.iter().position(|name| name == "delegate_task").unwrap();
    assert_eq!(names[at + 1..], ["terminal", "probe"]);
    let mut plan = plan(settings(Version::V0_19));
    plan.withheld_tools.push("delegate_task".to_owned());
    let mut without = Scene::of(plan);
    without.turn("s", "go");
    assert!(!without.got(Role::Main)[0].request.tools.has("delegate_task"));
}

#[test]
fn children_in_the_background_die_with_the_process() {
    let (mut scene, _) = play(
        settings(Version::V0_19),
        vec![delegate(&["a", "b"]), say("they work")],
        vec![say("slow").after(500_000), call("terminal", json!({"ms": 400_000}))],
    );
    scene.command(Command::ProcessExit);
    scene.rest(600);
    assert_eq!(statuses(&scene), ["interrupted"; 2]);
    assert_eq!(scene.rig.ended.len(), 1, "nobody is told");
    assert!(scene.rig.agent.is_idle());
}
