//! A real server on a loopback port: plain and streamed answers, faults, probes, cells.

use std::sync::Arc;
use std::time::Duration;

use hyper::Method;
use mock_llm::engine::{Context, Engine};
use mock_llm::server::{Server, ServerHandle};
use mock_llm::wire::ChatRequest;
use serde_json::{Value, json};

use super::client::{Http, script};

const SCRIPT: &str = r#"
model: tester
main:
  - { when: "'call' in user", steps: [ { call: { terminal: { command: "ls -l" } }, say: "I look." }, { reply: "Found: {{ last.text }}" } ] }
  - { when: "'late' in user", reply: on my way, fault: { delay: 5s, attempts: always } }
  - { when: "'never' in user", reply: x, fault: stall }
  - { when: "'busy' in user", reply: x, fault: { status: 429, retry_after: 20s } }
  - { when: "'break' in user", reply: "0123456789", fault: { break_after: 4, attempts: always } }
  - { when: "'garbage' in user", reply: "0123456789", fault: { malformed_after: 4, attempts: always } }
  - { when: "'key' in user", reply: "{{ chance(0.5, 'a') }} {{ now }} {{ day }}" }
"#;

fn server() -> ServerHandle {
    let handle = Server::start("127.0.0.1:0".parse().unwrap()).unwrap();
    handle.register_default(Arc::new(Engine::new(script(SCRIPT), 1)));
    handle
}

fn body(user: &str, stream: bool) -> Value {
    json!({
        "model": "m", "stream": stream, "stream_options": {"include_usage": true},
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": user}],
    })
}

fn url(handle: &ServerHandle) -> String {
    format!("{}/chat/completions", handle.base_url(None))
}

const NOW: (&str, &str) = ("x-mock-now", "1767571200000");

#[test]
fn a_conversation_with_calls_plain_and_streamed() {
    let handle = server();
    let http = Http::new();
    let plain = http.post(&url(&handle), &[NOW], &body("please call", false));
    assert_eq!(plain.status, 200);
    let answer = plain.json();
    let message = &answer["choices"][0]["message"];
    assert_eq!(answer["choices"][0]["finish_reason"], "tool_calls");
    assert_eq!((&message["content"], answer["created"].as_i64()), (&json!("I look."), Some(1_767_571_200)));
    assert_eq!((plain.header("x-mock-rule"), plain.header("x-mock-step")), (Some("main#1"), Some("1")));
    assert_eq!((plain.header("x-mock-role"), plain.header("x-mock-took-ms")), (Some("main"), None));

    let streamed = http.post(&url(&handle), &[NOW], &body("please call", true));
    let events = streamed.events();
    assert_eq!(events.last(), Some(&"[DONE]"));
    let chunks: Vec<Value> = events.iter().filter_map(|event| serde_json::from_str(event).ok()).collect();
    let joined: String = chunks
        .iter()
        .flat_map(|chunk| chunk["choices"][0]["delta"]["tool_calls"].as_array().cloned().unwrap_or_default())
        .filter_map(|call| call["function"]["arguments"].as_str().map(str::to_owned))
        .collect();
    let call = &message["tool_calls"][0];
    assert_eq!(joined, call["function"]["arguments"].as_str().unwrap());
    let usage = chunks.last().unwrap();
    assert_eq!((&usage["choices"], &usage["usage"]), (&json!([]), &answer["usage"]));
    assert_eq!(chunks[chunks.len() - 2]["choices"][0]["finish_reason"], "tool_calls");

    let mut next = body("please call", false);
    let messages = next["messages"].as_array_mut().unwrap();
    messages.push(message.clone());
    messages.push(json!({"role": "tool", "tool_call_id": call["id"], "content": "a file"}));
    let end = http.post(&url(&handle), &[NOW], &next).json();
    assert_eq!(end["choices"][0]["message"]["content"], "Found: a file");
    assert_eq!(end["choices"][0]["finish_reason"], "stop");
}

#[test]
fn the_same_answer_in_process_and_over_http() {
    let handle = server();
    let text = body("please call", false).to_string();
    let direct = Engine::new(script(SCRIPT), 1)
        .answer(
            &Arc::new(ChatRequest::from_json(text.as_bytes()).unwrap()),
            &Context { key: Some("k"), now_ms: Some(0) },
        )
        .unwrap();
    let over = Http::new().send(
        Method::POST,
        &url(&handle),
        &[("x-mock-conversation", "k"), ("x-mock-now", "0")],
        &text,
    );
    assert_eq!(over.json(), direct.reply.to_json());
}

#[test]
fn simulated_requests_never_wait() {
    let handle = server();
    let http = Http::new();
    let ask = |user: &str, stream: bool| http.post(&url(&handle), &[NOW], &body(user, stream));
    let late = ask("late", true);
    assert_eq!((late.status, late.header("x-mock-took-ms")), (200, Some("5000")));
    let never = ask("never", false);
    assert_eq!((never.status, never.header("x-mock-took-ms")), (504, Some("never")));
    let busy = ask("busy", true);
    assert_eq!((busy.status, busy.header("retry-after")), (429, Some("20")));
    assert_eq!(busy.json()["error"]["message"], "too many requests");
    assert_eq!(ask("busy", true).status, 200);
}

#[test]
fn broken_streams_are_really_broken() {
    let handle = server();
    let http = Http::new();
    for simulated in [true, false] {
        let headers: &[(&str, &str)] = if simulated { &[NOW] } else { &[] };
        let broken = http.post(&url(&handle), headers, &body("break", true));
        assert!(
            broken.broken && broken.body.contains("\"0123\"") && !broken.body.contains("[DONE]"),
            "{}",
            broken.body
        );
        let garbage = http.post(&url(&handle), headers, &body("garbage", true));
        assert!(garbage.broken, "{}", garbage.body);
        let last = garbage.events().into_iter().last().unwrap().to_owned();
        assert!(serde_json::from_str::<Value>(&last).is_err(), "{last}");
        let plain = http.post(&url(&handle), headers, &body("break", false));
        assert!(plain.broken && plain.body == "{\"ch", "{}", plain.body);
    }
    assert_eq!(http.post(&url(&handle), &[NOW], &body("please call", false)).status, 200);
}

#[test]
fn without_simulated_time_a_delay_is_real_and_a_stall_holds() {
    let slow = "main:\n  - { when: \"'late' in user\", reply: x, fault: { delay: 120ms } }\n  - { reply: x, fault: stall }\n";
    let handle = Server::start("127.0.0.1:0".parse().unwrap()).unwrap();
    handle.register(4, Arc::new(Engine::new(script(slow), 1)));
    let url = format!("{}/chat/completions", handle.base_url(Some(4)));
    let (sender, receiver) = std::sync::mpsc::channel();
    let late = std::thread::spawn({
        let url = url.clone();
        move || Http::new().post(&url, &[], &body("late", false)).status
    });
    // The client of the stall is left to itself; it ends with the server.
    std::thread::spawn(move || {
        let result = std::panic::catch_unwind(|| Http::new().post(&url, &[], &body("stall", false)).status);
        let _ = sender.send(result.ok());
    });
    assert_eq!(late.join().unwrap(), 200);
    assert!(receiver.recv_timeout(Duration::from_millis(50)).is_err(), "a stalled request has no answer");
    handle.stop().unwrap();
    assert_eq!(receiver.recv_timeout(Duration::from_secs(5)).unwrap(), None, "the stop ends it");
}

#[test]
fn misses_are_final_and_say_why() {
    let handle = server();
    let miss = Http::new().post(&url(&handle), &[NOW], &body("cook", false));
    assert_eq!(miss.status, 422);
    let error = &miss.json()["error"];
    assert_eq!(
        (&error["type"], &error["code"], &error["role"]),
        (&json!("mock_miss"), &json!("no rule"), &json!("main"))
    );
    assert_eq!(error["nearest"][0], json!(["main#1", "'call' in user"]));
    assert!(
        error["message"].as_str().unwrap().contains("`main#1` (script.yaml:4) failed at `'call' in user`")
    );
}

#[test]
fn probes_and_mistakes_are_answered_at_once() {
    let handle = server();
    let http = Http::new();
    let host = format!("http://{}", handle.addr());
    let list = http.get(&format!("{host}/v1/models")).json();
    assert_eq!(list["data"][0]["id"], "tester");
    assert_eq!(http.get(&format!("{host}/v1/models/org/other")).json()["id"], "org/other");
    for path in [
        "/",
        "/api/v1/models",
        "/api/tags",
        "/v1/props",
        "/props",
        "/version",
        "/cells/9/v1/models",
        "/cells/x/v1/models",
    ] {
        let reply = http.get(&format!("{host}{path}"));
        assert!(matches!(reply.status, 400 | 404), "{path}: {}", reply.status);
    }
    assert_eq!(http.post(&format!("{host}/api/show"), &[], &json!({})).status, 404);
    let completions = url(&handle);
    assert_eq!(http.send(Method::POST, &completions, &[], "{").status, 400);
    assert_eq!(http.post(&completions, &[], &json!({"messages": []})).status, 400);
    assert_eq!(http.post(&completions, &[("x-mock-now", "soon")], &body("call", false)).status, 400);
    assert_eq!(http.get(&completions).status, 405);
}

#[test]
fn cells_have_their_own_seed_counts_and_journal() {
    let handle = server();
    let http = Http::new();
    let script = script(SCRIPT);
    let engines: Vec<Arc<Engine>> = (0..8)
        .map(|cell| {
            let start_ms = 1_767_571_200_000 - 86_400_000 * 3;
            let engine = Arc::new(Engine::new(script.clone(), cell).with_start(start_ms));
            handle.register(cell, engine.clone());
            engine
        })
        .collect();
    let said = |cell: u64| {
        let url = format!("{}/chat/completions", handle.base_url(Some(cell)));
        let headers = [("x-mock-now", "2026-01-05T00:00:00Z"), ("x-mock-conversation", "anna/s#1")];
        http.post(&url, &headers, &body("key", false)).json()["choices"][0]["message"]["content"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let answers: Vec<String> = (0..8).map(said).collect();
    assert!(answers.iter().all(|answer| answer.ends_with(" 2026-01-05T00:00:00Z 3")), "{answers:?}");
    assert!(answers.iter().any(|answer| answer != &answers[0]), "seeds differ: {answers:?}");
    assert_eq!(said(0), answers[0]);
    assert_eq!((engines[0].journal().answers(), engines[1].journal().answers()), (2, 1));
    assert!(handle.unregister(3).is_some());
    assert_eq!(http.get(&format!("{}/models", handle.base_url(Some(3)))).status, 404);
}
