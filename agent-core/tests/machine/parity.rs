//! A review's first request is its session's last request byte for byte, up to the end of the shared history
//! (`spec/background-review.md` §2), where the version hands prompt and tools on.

use std::sync::Arc;

use agent_core::behaviour::{Origin, Version};
use agent_core::machine::ModelRequest;
use agent_core::values::{Role, ToolList};
use serde_json::json;

use crate::scene::{Scene, call, messages, plan, remember, say, settings, with};

/// The session's last request and its review's first one.
fn requests(scene: &mut Scene) -> (ModelRequest, ModelRequest) {
    scene.answers(
        Role::Main,
        [call("terminal", json!({"ms": 90_000})), remember("the user likes tea"), say("done")],
    );
    scene.turn("s", "one");
    let (main, review) = (scene.got(Role::Main), scene.got(Role::Review));
    (main.last().expect("a turn").request.clone(), review.first().expect("a review").request.clone())
}

fn bytes(tools: &ToolList) -> Vec<String> {
    tools.iter().map(|tool| format!("{} {} {}", tool.name, tool.description, tool.parameters)).collect()
}

fn scene(version: Version) -> Scene {
    Scene::new(with(version, &[("skills.creation_nudge_interval", json!(1))]))
}

#[test]
fn the_first_request_shares_prompt_tools_and_history() {
    for version in [Version::V0_13, Version::V0_16, Version::V0_19, Version::September2026] {
        let (main, review) = requests(&mut scene(version));
        assert_eq!(main.system, review.system, "{version}");
        assert_eq!(bytes(&main.tools), bytes(&review.tools), "{version}");
        let (session, fork) = (messages(&main), messages(&review));
        assert_eq!(session, fork[..session.len()], "{version}");
        assert!(
            session.iter().zip(&fork).all(|(one, two)| Arc::ptr_eq(one, two)),
            "{version}: shared, not copied"
        );
        // The final answer and the instruction are all that is new.
        assert_eq!(fork.len(), session.len() + 2, "{version}");
        assert!(review.cached.0 > 0 && review.cached <= main.cached + review.cached, "{version}");
    }
}

#[test]
fn in_april_the_prompt_is_built_anew_and_the_cache_is_cold() {
    // Its date line names the minute, so that a minute's work is enough.
    let (main, review) = requests(&mut scene(Version::April2026));
    assert_ne!(main.system, review.system);
    assert_eq!(review.cached.0, 0);
    let mut fixed = with(Version::April2026, &[("skills.creation_nudge_interval", json!(1))]);
    fixed.set("faults.review_prompt_rebuilt", false.into(), Origin::CommandLine).unwrap();
    let (main, review) = requests(&mut Scene::new(fixed));
    assert_eq!(main.system, review.system);
    assert!(review.cached.0 > 0);
}

#[test]
fn default_tools_differ_where_the_session_is_offered_fewer() {
    for (fault, same) in [(true, false), (false, true)] {
        let mut settings = with(Version::V0_13, &[("skills.creation_nudge_interval", json!(1))]);
        settings.set("faults.review_tools_default", fault.into(), Origin::CommandLine).unwrap();
        let mut plan = plan(settings);
        plan.withheld_tools.push("session_search".to_owned());
        let (main, review) = requests(&mut Scene::of(plan));
        assert_eq!(bytes(&main.tools) == bytes(&review.tools), same);
        assert_eq!(review.tools.has("session_search"), fault);
        assert_eq!(review.cached.0 > 0, same);
    }
}

#[test]
fn a_routed_review_reads_a_digest_under_a_prompt_of_its_own() {
    let keys = [
        ("memory.nudge_interval", json!(0)),
        ("skills.creation_nudge_interval", json!(20)),
        ("auxiliary.background_review.provider", json!("other")),
        ("auxiliary.background_review.model", json!("small")),
    ];
    let mut scene = Scene::new(with(Version::V0_19, &keys));
    for turn in 0..20 {
        scene.turn("s", &format!("question {turn}"));
    }
    let review = &scene.got(Role::Review)[0].request;
    assert_eq!((&*review.model, review.cached.0), ("small", 0), "another model shares no cache");
    let history = messages(review);
    assert!(history[0].text().starts_with("[System: digest of the earlier conversation]"));
    assert_eq!(history.len(), 1 + 24 + 1);
    assert_eq!(history[1].text(), "question 8");
}

#[test]
fn an_unset_or_equal_route_is_the_sessions_own_model() {
    for (provider, model) in [("auto", "small"), ("other", ""), ("mock", "scripted")] {
        let keys = [
            ("memory.nudge_interval", json!(1)),
            ("auxiliary.background_review.provider", json!(provider)),
            ("auxiliary.background_review.model", json!(model)),
        ];
        let mut scene = Scene::new(with(Version::V0_19, &keys));
        scene.turn("s", "one");
        let review = &scene.got(Role::Review)[0].request;
        assert_eq!(&*review.model, "scripted", "{provider} {model}");
    }
    let mut plain = Scene::new(settings(Version::V0_19));
    plain.turn("s", "one");
    assert!(plain.got(Role::Review).is_empty());
}
