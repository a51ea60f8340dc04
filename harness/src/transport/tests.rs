//! Both ways give the same answer to the same request, whatever goes wrong.

use std::sync::Arc;

use agent_core::machine::{ModelOutcome, ModelRequest};
use agent_core::values::{
    Message, Parallel, Role, SimTime, Tokens, ToolList, ToolOwner, ToolSpec, Transcript,
};
use mock_llm::diagnose::Source;
use mock_llm::engine::Engine;
use mock_llm::script::Script;
use serde_json::json;

use super::direct::DirectTransport;
use super::http::HttpHost;
use super::{Answer, Ask, Took, Transport};

const SCRIPT: &str = r#"
main:
  - { when: "'plain' in user", reply: "A whole answer, with ümlauts." }
  - when: "'call' in user"
    steps:
      - { say: I look., calls: [{ terminal: { command: "ls \"a b\"" } }, { terminal: { command: pwd } }] }
      - reply: Done.
  - { when: "'nofinish' in user", reply: half, fault: { no_finish: true } }
  - { when: "'thinking' in user", reply: deep, fault: { thinking_only: true } }
  - { when: "'empty' in user", reply: gone, fault: empty }
  - { when: "'short' in user", reply: "a longer text", fault: { length: 4 } }
  - { when: "'badargs' in user", call: { terminal: { command: ls } }, fault: bad_arguments }
  - { when: "'cutargs' in user", call: { terminal: { command: ls } }, fault: truncated_arguments }
  - { when: "'break0' in user", reply: "never seen", fault: { break_after: 0 } }
  - { when: "'break5' in user", reply: "seen by half", fault: { break_after: 5 } }
  - { when: "'splitargs' in user", call: { terminal: { command: ls } }, fault: { break_after: 3 } }
  - { when: "'malformed' in user", reply: "seen by half", fault: { malformed_after: 5 } }
  - { when: "'stall' in user", reply: x, fault: stall }
  - { when: "'late' in user", reply: x, fault: { delay: 1500ms } }
  - { when: "'busy' in user", reply: x, fault: { status: 429, retry_after: 1500ms, message: too many } }
  - { when: "'down' in user", reply: x, fault: { status: 500 } }
  - { when: "'key' in user", reply: x, fault: { status: 401, message: no key } }
title:
  - { when: "'break' in instruction", reply: "A title", fault: { break_after: 5 } }
  - { when: "'malformed' in instruction", reply: "A title", fault: { malformed_after: 5 } }
  - { reply: A title. }
"#;

fn script() -> Arc<Script> {
    let loading = Script::load(&Source::new("s.yaml", SCRIPT), &|_| Err("no files".to_owned()));
    let shown = mock_llm::diagnose::render(
        &loading.diagnostics,
        &loading.sources,
        mock_llm::diagnose::Look::default(),
    );
    Arc::new(loading.script.unwrap_or_else(|| panic!("{shown}")))
}

fn request(role: Role, messages: Vec<Message>) -> ModelRequest {
    let tool = ToolSpec {
        name: "terminal".into(),
        description: "Runs a command.".into(),
        parameters: json!({"type": "object", "properties": {"command": {"type": "string"}}}),
        parallel: Parallel::Never,
        owner: ToolOwner::World,
    };
    let tools = if role == Role::Title { Vec::new() } else { vec![tool] };
    ModelRequest {
        role,
        model: "model".into(),
        system: "You help.".into(),
        tools: Arc::new(ToolList::new(tools)),
        messages: messages.into_iter().collect::<Transcript>(),
        max_tokens: None,
        cached: Tokens(0),
        retry: 0,
    }
}

/// The answers of both ways, which are the same.
fn both(http: &mut dyn Transport, direct: &mut dyn Transport, request: &ModelRequest) -> Answer {
    let ask = Ask { request, key: "user/s#1", now: SimTime::from_millis(1_767_603_600_000) };
    let (http, direct) = (http.ask(&ask).unwrap(), direct.ask(&ask).unwrap());
    assert_eq!(http, direct);
    http
}

fn ways() -> (Arc<HttpHost>, Box<dyn Transport>, Box<dyn Transport>) {
    let engine = || Engine::new(script(), 7);
    let host = HttpHost::start().unwrap();
    let http = Box::new(host.transport(engine()));
    (host, http, Box::new(DirectTransport::new(engine())))
}

#[test]
fn whatever_goes_wrong_goes_wrong_the_same_way() {
    let (_host, mut http, mut direct) = ways();
    let words = [
        "plain",
        "call",
        "nofinish",
        "thinking",
        "empty",
        "short",
        "badargs",
        "cutargs",
        "break0",
        "break5",
        "splitargs",
        "malformed",
        "stall",
        "late",
        "busy",
        "down",
        "key",
        "unheard of",
    ];
    let mut shown = Vec::new();
    for word in words {
        // The second attempt of the same request finds no fault any more.
        for attempt in 1..=2 {
            let answer = both(&mut *http, &mut *direct, &request(Role::Main, vec![Message::user(word)]));
            if attempt == 1 {
                shown.push(format!("{word}: {}", brief(&answer)));
            }
        }
    }
    for word in ["hello", "break", "malformed"] {
        let message = Message::User { text: format!("[Session title] {word}").into(), synthetic: None };
        let answer = both(&mut *http, &mut *direct, &request(Role::Title, vec![message]));
        shown.push(format!("title {word}: {}", brief(&answer)));
    }
    insta::assert_snapshot!(shown.join("\n"), @r#"
    plain: Stop `A whole answer, with ümlauts.` `` [] (25, 8)
    call: ToolCalls `I look.` `` ["{\"command\":\"ls \\\"a b\\\"\"}", "{\"command\":\"pwd\"}"] (24, 16)
    nofinish: Length `half` `` [] (25, 1)
    thinking: Stop `` `deep` [] (25, 1)
    empty: Stop `` `` [] (25, 0)
    short: Length `a lo` `` [] (25, 1)
    badargs: ToolCalls `` `` ["{not JSON}"] (25, 5)
    cutargs: ToolCalls `` `` ["{\"comman"] (25, 4)
    break0: None None the connection broke before the answer
    break5: cut after `seen `
    splitargs: cut after ``
    malformed: None None an event of the stream is not the JSON of the protocol
    stall: never
    late: after 1.500 s more, Stop `x` `` [] (24, 1)
    busy: Some(429) Some("mock_fault") too many retry after 2 s
    down: Some(500) Some("mock_fault") the server failed
    key: Some(401) Some("mock_fault") no key
    unheard of: miss, 3 near: no rule: none of `main` fits; asked: "unheard of"
    title hello: Stop `A title.` `` [] (8, 2)
    title break: None None the connection broke before the answer
    title malformed: None None the answer is not the JSON of the protocol
    "#);
}

#[test]
fn a_conversation_goes_on_over_both_ways() {
    let (_host, mut http, mut direct) = ways();
    let mut messages = vec![Message::user("call")];
    let answer = both(&mut *http, &mut *direct, &request(Role::Main, messages.clone()));
    let ModelOutcome::Reply(reply) = answer.outcome else { panic!("{answer:?}") };
    assert_eq!(&*reply.calls[0].arguments, r#"{"command":"ls \"a b\""}"#);
    messages.push(Message::Assistant {
        text: reply.text,
        calls: reply.calls.clone().into(),
        synthetic: None,
    });
    for call in &reply.calls {
        let text = r#"{"output": "x", "exit_code": 0}"#;
        messages.push(Message::Tool {
            call: Arc::clone(&call.id),
            tool: Arc::clone(&call.name),
            text: text.into(),
        });
    }
    let answer = both(&mut *http, &mut *direct, &request(Role::Main, messages));
    let ModelOutcome::Reply(reply) = answer.outcome else { panic!("{answer:?}") };
    assert_eq!((&*reply.text.visible, answer.step.as_deref()), ("Done.", Some("2")));
}

/// An answer on one line.
fn brief(answer: &Answer) -> String {
    if let Some(miss) = &answer.miss {
        let first = miss.message.lines().next().unwrap_or_default();
        return format!("miss, {} near: {first}", miss.nearest.len());
    }
    let took = match answer.took {
        Took::Paced => String::new(),
        Took::Later(span) => format!("after {span} more, "),
        Took::Never => return "never".to_owned(),
    };
    let outcome = match &answer.outcome {
        ModelOutcome::Reply(reply) => {
            let calls: Vec<&str> = reply.calls.iter().map(|call| &*call.arguments).collect();
            let usage = (reply.usage.prompt.0, reply.usage.completion.0);
            let reasoning = reply.text.reasoning.as_deref().unwrap_or("");
            format!("{:?} `{}` `{reasoning}` {calls:?} {usage:?}", reply.finish, reply.text.visible)
        }
        ModelOutcome::Cut { partial, .. } => format!("cut after `{partial}`"),
        ModelOutcome::Failed(fault) => {
            let retry = fault.retry_after.map_or(String::new(), |span| format!(" retry after {span}"));
            format!("{:?} {:?} {}{retry}", fault.status, fault.code, fault.message)
        }
        ModelOutcome::Aborted { .. } => "aborted".to_owned(),
    };
    format!("{took}{outcome}")
}
