//! Laws of the engine, over scripts and conversations that nobody wrote.

use std::fmt::Write as _;
use std::sync::Arc;

use proptest::prelude::*;

use super::tests::script;
use super::{Context, Engine, Position};
use crate::wire::{Call, ChatRequest, Message};

/// A clause, mostly one that can be a guard.
fn clause() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => ("[abc]{1,3}", prop_oneof![Just("user"), Just("system"), Just("last.text"), Just("user|lower")])
            .prop_map(|(literal, name)| format!("'{literal}' in {name}")),
        1 => "[abc]{1,2}".prop_map(|literal| format!("seen('{literal}')")),
        1 => (1..4_u8).prop_map(|n| format!("iteration > {n}")),
        1 => Just("not last.failed".to_owned()),
        1 => Just("chance(0.5, 'x')".to_owned()),
    ]
}

/// A script of some rules; the last one answers everything when `closed`.
fn rules() -> impl Strategy<Value = String> {
    let rule = (proptest::collection::vec(clause(), 1..4), any::<bool>(), any::<bool>());
    (proptest::collection::vec(rule, 1..12), any::<bool>()).prop_map(|(rules, closed)| {
        let mut text = String::from("main:\n");
        for (index, (clauses, ends, retries)) in rules.iter().enumerate() {
            let when = clauses.join(" and ");
            let tail = if *ends { format!(", {{ reply: end {index} }}") } else { String::new() };
            let branch = if *retries {
                ", on_error: [{ match: a, times: 2, steps: [{ call: fix }, retry] }]"
            } else {
                ""
            };
            let call = format!("{{ call: {{ tool: {{ n: {index} }} }}{branch} }}");
            writeln!(text, "  - {{ when: \"{when}\", steps: [{call}{tail}] }}").unwrap();
        }
        if closed {
            text.push_str("  - reply: closed\n");
        }
        text
    })
}

/// A conversation in which every call of the engine gets the next of these results.
fn play(engine: &Engine, system: &str, user: &str, results: &[String]) -> Vec<String> {
    let mut messages = vec![Arc::new(Message::system(system)), Arc::new(Message::user(user))];
    let mut told = Vec::new();
    for result in results {
        let request = Arc::new(ChatRequest::new("m", messages.clone(), Arc::default()));
        match engine.answer(&request, &Context { key: Some("k"), now_ms: None }) {
            Err(miss) => {
                told.push(miss.to_string());
                break;
            }
            Ok(answer) => {
                told.push(format!("{answer:?}"));
                if answer.reply.calls.is_empty() {
                    break;
                }
                let call = &answer.reply.calls[0];
                messages.push(Arc::new(Message::assistant(
                    "",
                    [Call::new(call.id.clone(), "tool", &call.arguments)],
                )));
                messages.push(Arc::new(Message::tool(call.id.clone(), result.as_str())));
            }
        }
    }
    told
}

fn results() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(prop_oneof!["[abc]{0,4}", "Error [abc]{0,3}"], 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 4, ..ProptestConfig::default() })]

    /// The index of guards chooses what a look at every rule chooses.
    #[test]
    fn indexed_is_linear(text in rules(), system in "[abcC ]{0,12}", user in "[abcC ]{0,12}", results in results()) {
        let script = script(&text);
        let indexed = play(&Engine::new(script.clone(), 3), &system, &user, &results);
        let linear = play(&Engine::new(script, 3).without_index(), &system, &user, &results);
        prop_assert_eq!(indexed, linear);
    }

    /// Equal requests get equal answers, whatever an engine was asked before, but for what counts attempts.
    #[test]
    fn equal_requests_get_equal_answers(text in rules(), user in "[abc]{0,8}", results in results()) {
        let script = script(&text);
        let one = play(&Engine::new(script.clone(), 3), "a", &user, &results);
        let two = Engine::new(script, 3);
        play(&two, "b", "other", &results);
        prop_assert_eq!(one, play(&two, "a", &user, &results));
    }

    /// Ids of one conversation are unique and carry their position.
    #[test]
    fn ids_are_unique(text in rules(), user in "[abc]{0,8}", results in results()) {
        let engine = Engine::new(script(&text), 3);
        let mut ids = std::collections::BTreeSet::new();
        for told in play(&engine, "", &user, &results) {
            for id in told.split('"').filter(|part| part.starts_with("call_")) {
                prop_assert!(ids.insert(id.to_owned()), "{id} twice");
                prop_assert!(Position::from_id(id).is_some());
            }
        }
    }

    /// No request makes the engine panic.
    #[test]
    fn no_conversation_makes_it_panic(text in rules(), ids in proptest::collection::vec("call_[a-z2-7]{15,32}", 0..4),
                                      texts in proptest::collection::vec("\\PC{0,20}", 0..6)) {
        let engine = Engine::new(script(&text), 3);
        let calls: Vec<Call> = ids.iter().map(|id| Call::new(id.as_str(), "t", "{")).collect();
        let mut messages = vec![Arc::new(Message::user("a")), Arc::new(Message::assistant("", calls))];
        for (index, text) in texts.iter().enumerate() {
            messages.push(Arc::new(match index % 3 {
                0 => Message::tool(ids.first().cloned().unwrap_or_default(), text.as_str()),
                1 => Message::assistant(text.as_str(), []),
                _ => Message::user(text.as_str()),
            }));
        }
        let _ = engine.answer(&Arc::new(ChatRequest::new("m", messages, Arc::default())), &Context::default());
    }
}
