//! Gate and idle test.

use agent_core::behaviour::Version;
use agent_core::curator::{Poll, poll};
use serde_json::{Value, json};

use super::world::{World, stamp};
use crate::common::{run, same};

const FILE: &str = "skills/.curator_state";

#[test]
fn curator_schedule() {
    run("curator_schedule", |case| {
        let config = case.get("root_config").cloned().unwrap_or_else(|| match &case["config"] {
            Value::Null => json!({}),
            section => json!({"curator": section}),
        });
        let mut world = World::new(&config, true);
        assert_eq!(world.settings.version(), Version::V0_19);
        match &case["state_file"] {
            Value::Null => {}
            state => {
                let text =
                    state.get("raw").and_then(Value::as_str).map_or_else(|| state.to_string(), str::to_owned);
                world.put(FILE, &text);
            }
        }
        let before = world.text(FILE);
        let idle = match &case["idle_seconds"] {
            Value::Null => None,
            Value::String(_) => Some(f64::INFINITY),
            number => Some(number.as_f64().expect("a number")),
        };
        let rules = world.behaviour.curator.clone();
        let answer = poll(&mut world.state.gate, &mut world.home, &rules, stamp(&case["now"]), idle);
        let expect = &case["expect"];
        same("run", &json!(answer == Poll::Due), &expect["run"])?;
        let after = world.text(FILE);
        same("state_file_changed", &json!(before != after), &expect["state_file_changed"])?;
        same("state_after", &shown(after.as_deref()), &expect["state_after"])?;
        // Asked again at once, the gate answers from memory what the file says.
        let again = poll(&mut world.state.gate, &mut world.home, &rules, stamp(&case["now"]), idle);
        same("run again", &json!(again == Poll::Due), &json!(is_due_again(answer, &rules)))
    });
}

/// Whether the same question gets a yes right after: as before, but a first look has started the clock.
fn is_due_again(answer: Poll, rules: &agent_core::behaviour::CuratorRules) -> bool {
    match answer {
        Poll::Due => true,
        Poll::Idle(agent_core::curator::IdleReason::Seeded) => rules.interval_hours <= 0,
        Poll::Idle(_) => false,
    }
}

fn shown(text: Option<&str>) -> Value {
    let Some(text) = text else { return Value::Null };
    let Ok(mut state) = serde_json::from_str::<Value>(text) else { return json!({"unparseable": true}) };
    let summary = state.get("last_run_summary").and_then(Value::as_str);
    if summary.is_some_and(|words| words.starts_with("The first run is put off")) {
        state["last_run_summary"] = json!({"kind": "seeded_first_run"});
    }
    state
}
