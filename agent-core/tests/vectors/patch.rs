//! Fuzzy find-and-replace.

use agent_core::behaviour::{Behaviour, Settings, Version};
use agent_core::patch::{closest, replace};
use serde_json::Value;

use super::common::{run, same, text_of};

#[test]
fn fuzzy_patch() {
    let rules = Behaviour::resolve(&Settings::new(Version::V0_19)).patch;
    run("fuzzy_patch", |case| {
        let (content, old, new) = (text_of(&case["content"]), text_of(&case["old"]), text_of(&case["new"]));
        let expect = &case["expect"];
        let replace_all = case["replace_all"].as_bool().ok_or("replace_all")?;
        let (mut kind, mut found, mut result, mut matches, mut strategy, mut near) =
            (Value::Null, Value::Null, Value::Null, 0, Value::Null, Value::Null);
        match replace(&content, &old, &new, replace_all, &rules) {
            Ok(patched) => {
                matches = patched.matches;
                strategy = patched.strategy.name().into();
                result = patched.text.into();
            }
            Err(error) => {
                kind = error.kind().into();
                found = error.found().into();
                if error.kind() == "no-match" {
                    near = closest(&old, &content).into();
                }
            }
        }
        same("ok", &kind.is_null().into(), &expect["ok"])?;
        same("kind", &kind, &expect["kind"])?;
        same("strategy", &strategy, &expect["strategy"])?;
        let expected = &expect["result"];
        let expected = if expected.is_object() { text_of(expected).into() } else { expected.clone() };
        same("result", &result, &expected)?;
        same("matches", &matches.into(), &expect["matches"])?;
        same("found", &found, &expect["found"])?;
        same("closest", &near, &expect["closest"])
    });
}
