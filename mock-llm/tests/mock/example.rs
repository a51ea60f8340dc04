//! The example script, in conversation.

use std::sync::Arc;

use mock_llm::engine::{Context, Engine};
use mock_llm::wire::{Call, ChatRequest, Message};

use super::client::script_at;

pub(crate) const PATH: &str = "tests/example/operator.yaml";

/// Plays a conversation: every call gets the next of these results.
fn play(engine: &Engine, messages: &mut Vec<Arc<Message>>, results: &[&str]) -> String {
    let mut told = Vec::new();
    let mut results = results.iter();
    loop {
        let request = Arc::new(ChatRequest::new("m", messages.clone(), Arc::default()));
        let answer = engine.answer(&request, &Context::default()).unwrap_or_else(|miss| panic!("{miss}"));
        let calls: Vec<Call> = answer
            .reply
            .calls
            .iter()
            .map(|call| Call::new(&*call.id, &*call.name, &call.arguments))
            .collect();
        messages.push(Arc::new(Message::assistant(answer.reply.text.clone(), calls.clone())));
        let wanted: Vec<String> =
            answer.reply.calls.iter().map(|call| format!("{} {}", call.name, call.arguments)).collect();
        told.push(
            format!("{} {}: {} {}", answer.rule, answer.step, answer.reply.text, wanted.join(", "))
                .trim_end()
                .to_owned(),
        );
        if calls.is_empty() {
            return told.join("\n");
        }
        for call in calls {
            let result = results.next().expect("the script asks for no more calls than the test has results");
            messages.push(Arc::new(Message::tool(call.id, *result)));
        }
    }
}

#[test]
fn the_operator_stumbles_once() {
    let engine = Engine::new(script_at(PATH), 0);
    let mut messages =
        vec![Arc::new(Message::system("You help.")), Arc::new(Message::user("Update service mail, please."))];
    let busy = r#"{"output": "file is busy", "exit_code": 1}"#;
    let good = r#"{"output": "done", "exit_code": 0}"#;
    let first = play(&engine, &mut messages, &[busy, good, good]);
    messages.push(Arc::new(Message::user("[Background review: skills]\nLook over the conversation.")));
    let review = play(&engine, &mut messages, &["{\"success\": true}"]);
    let index =
        "You help.\n\n<available_skills>\n  ops:\n    - updates: Installs updates\n</available_skills>";
    let mut messages = vec![Arc::new(Message::system(index)), Arc::new(Message::user("Update it again."))];
    let skill = std::fs::read_to_string("tests/example/notes/updates.md").unwrap();
    let second = play(&engine, &mut messages, &[&skill, good, good]);
    insta::assert_snapshot!([first, review, second].join("\n\n"));
}
