//! What the agent makes of a server that misbehaves, over real sockets and in simulated time (`spec/turn-loop.md` §3).

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use agent_core::values::Seed;
use reports::trace::{Event, Kind, TraceReader};
use tokio::runtime::Runtime;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::http::{HttpClient, HttpTransport};
use crate::sim::Ending;
use crate::sim::testing::{self, loaded};

const SCENARIO: &str = "\
name: demo
start: 2026-01-05T09:00:00Z
arms: { july: { version: hermes-0.19 } }
world: { tools: [] }
script: s.yaml
timeline: [{ session: a, turns: [Hello.] }]
";

/// A stream that says `Hello to you.`, in good order.
const GOOD: &str = "\
data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"Hello \"}}]}\n
data: {\"choices\":[{\"delta\":{\"content\":\"to you.\"}}]}\n
data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n
data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4}}\n
data: [DONE]\n
";

const RULE: &str = "x-mock-rule";

/// One turn against the server at this address: what was tried, how long it took in simulated time, how it ended.
fn played(address: &str, limit: Duration) -> String {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("demo.yaml"), SCENARIO).unwrap();
    fs::write(dir.path().join("s.yaml"), "main: [{ reply: never asked }]\n").unwrap();
    let scenario = loaded(&dir.path().join("demo.yaml"));
    let client = HttpClient::new(limit).unwrap();
    let mut transport = HttpTransport::new(client, format!("{address}/v1/chat/completions"));
    let (trace, ended) = testing::play_cell(&scenario, &scenario.arms[0], Seed(1), &mut transport);
    let ended = match ended {
        Ok(ended) => ended,
        Err(error) => return format!("the run breaks: {error:#}"),
    };
    assert_eq!(ended.ending, Ending::Finished);
    let events = TraceReader::new(&trace[..]).collect::<Result<Vec<Event>, _>>().unwrap();
    events.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

fn line(event: &Event) -> Option<String> {
    let what = match &event.kind {
        Kind::ModelAnswer { outcome, class, took_ms, .. } => {
            let class = class.as_deref().map_or(String::new(), |class| format!(", {class}"));
            format!("{outcome}{class}, after {took_ms} ms")
        }
        Kind::Retry { class, wait_ms } => format!("waits {wait_ms} ms: {class}"),
        Kind::TurnEnd { exit, answer, .. } => {
            format!("turn ends: {exit}: {}", answer.as_deref().unwrap_or("(no answer)"))
        }
        _ => return None,
    };
    Some(format!("{:>9} {what}", event.at_ms))
}

/// A wiremock server that gives these answers in this order, then good ones.
struct Wired {
    server: MockServer,
    _runtime: Runtime,
}

impl Wired {
    fn new(answers: Vec<ResponseTemplate>) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let server = runtime.block_on(async {
            let server = MockServer::start().await;
            let asked = || Mock::given(method("POST")).and(path("/v1/chat/completions"));
            for (priority, answer) in (1..).zip(answers) {
                asked().respond_with(answer).up_to_n_times(1).with_priority(priority).mount(&server).await;
            }
            asked().respond_with(stream(GOOD)).with_priority(100).mount(&server).await;
            server
        });
        Self { server, _runtime: runtime }
    }

    fn played(&self) -> String {
        played(&self.server.uri(), Duration::from_secs(20))
    }
}

fn stream(text: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).insert_header(RULE, "main#1").set_body_raw(text, "text/event-stream")
}

fn refusal(status: u16, kind: &str) -> ResponseTemplate {
    let body = serde_json::json!({"error": {"message": "not now", "type": kind, "code": kind}});
    ResponseTemplate::new(status).insert_header(RULE, "main#1").set_body_json(body)
}

/// A server that sends these bytes for each connection in turn, then breaks it off; the last answer is good.
fn raw(answers: Vec<Vec<u8>>, wait: Duration) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for answer in answers.into_iter().chain([whole(GOOD)]) {
            let Ok((mut connection, _)) = listener.accept() else { return };
            read_request(&connection);
            std::thread::sleep(wait);
            let _client_left = connection.write_all(&answer);
        }
    });
    address
}

fn read_request(connection: &TcpStream) {
    let mut reader = BufReader::new(connection);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    reader.read_exact(&mut vec![0; length]).unwrap();
}

const HEAD: &str = "HTTP/1.1 200 OK\r\nx-mock-rule: main#1\r\ncontent-type: text/event-stream\r\n";

fn whole(body: &str) -> Vec<u8> {
    format!("{HEAD}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len()).into_bytes()
}

/// An answer of which only the first event comes.
fn broken_off() -> Vec<u8> {
    let first = GOOD.split_inclusive("\n\n").next().unwrap();
    format!("{HEAD}transfer-encoding: chunked\r\n\r\n{:x}\r\n{first}\r\n", first.len()).into_bytes()
}

#[test]
fn too_many_requests_wait_as_long_as_the_server_says() {
    let wired = Wired::new(vec![refusal(429, "rate_limit").insert_header("retry-after", "7")]);
    insta::assert_snapshot!(wired.played(), @r"
     800 failed, 429 not now, after 800 ms
     800 waits 7000 ms: rate_limit
    8660 reply, after 860 ms
    8660 turn ends: text_response(finish_reason=stop): Hello to you.
    ");
    let wired = Wired::new(vec![refusal(429, "rate_limit").insert_header("retry-after", "86400")]);
    insta::assert_snapshot!(wired.played(), @r"
       800 failed, 429 not now, after 800 ms
       800 waits 600000 ms: rate_limit
    601660 reply, after 860 ms
    601660 turn ends: text_response(finish_reason=stop): Hello to you.
    ");
    let wired = Wired::new(vec![refusal(429, "rate_limit")]);
    insta::assert_snapshot!(wired.played(), @r"
     800 failed, 429 not now, after 800 ms
     800 waits 2786 ms: rate_limit
    4446 reply, after 860 ms
    4446 turn ends: text_response(finish_reason=stop): Hello to you.
    ");
}

#[test]
fn errors_of_the_server_are_tried_again_three_times() {
    insta::assert_snapshot!(Wired::new(vec![refusal(500, "server_error")]).played(), @r"
     800 failed, 500 not now, after 800 ms
     800 waits 2786 ms: server_error
    4446 reply, after 860 ms
    4446 turn ends: text_response(finish_reason=stop): Hello to you.
    ");
    let always = Wired::new((0..9).map(|_| refusal(500, "server_error")).collect());
    insta::assert_snapshot!(always.played(), @r"
     800 failed, 500 not now, after 800 ms
     800 waits 2786 ms: server_error
    4386 failed, 500 not now, after 800 ms
    4386 waits 4632 ms: server_error
    9818 failed, 500 not now, after 800 ms
    9818 turn ends: early_return(server_error): (no answer)
    ");
}

#[test]
fn a_wrong_key_ends_the_turn_at_once() {
    insta::assert_snapshot!(Wired::new(vec![refusal(401, "invalid_api_key")]).played(), @r"
    800 failed, 401 not now, after 800 ms
    800 turn ends: early_return(auth): (no answer)
    ");
}

#[test]
fn a_connection_closed_in_the_middle_keeps_what_had_arrived() {
    insta::assert_snapshot!(played(&raw(vec![broken_off()], Duration::ZERO), Duration::from_secs(20)), @r"
    830 cut, after 830 ms
    830 turn ends: partial_stream_recovery: Hello
    ");
}

#[test]
fn a_connection_closed_before_the_first_event_is_tried_again() {
    let headers_only = format!("{HEAD}transfer-encoding: chunked\r\n\r\n").into_bytes();
    insta::assert_snapshot!(played(&raw(vec![headers_only], Duration::ZERO), Duration::from_secs(20)), @r"
     800 failed, the connection broke before the answer, after 800 ms
     800 waits 2786 ms: timeout
    4446 reply, after 860 ms
    4446 turn ends: text_response(finish_reason=stop): Hello to you.
    ");
}

/// A server that closes before it says anything is none of the script's faults: nothing can be made of the cell.
#[test]
fn a_connection_closed_before_any_answer_breaks_the_run() {
    let said = played(&raw(vec![Vec::new()], Duration::ZERO), Duration::from_secs(20));
    assert!(said.starts_with("the run breaks: the mock server does not answer: "), "{said}");
}

#[test]
fn malformed_chunks_are_tried_again() {
    let event = Wired::new(vec![stream("data: {\"choices\": [{]}\n\n")]);
    insta::assert_snapshot!(event.played(), @r"
     800 failed, an event of the stream is not the JSON of the protocol, after 800 ms
     800 waits 2786 ms: timeout
    4446 reply, after 860 ms
    4446 turn ends: text_response(finish_reason=stop): Hello to you.
    ");
    let no_text = Wired::new(vec![
        ResponseTemplate::new(200)
            .insert_header(RULE, "main#1")
            .set_body_raw(&b"data: \xff\xfe\n\n"[..], "text/event-stream"),
    ]);
    insta::assert_snapshot!(no_text.played(), @r"
     800 failed, an event of the stream is not the JSON of the protocol, after 800 ms
     800 waits 2786 ms: timeout
    4446 reply, after 860 ms
    4446 turn ends: text_response(finish_reason=stop): Hello to you.
    ");
    let length = format!("{HEAD}transfer-encoding: chunked\r\n\r\nnonsense\r\n").into_bytes();
    insta::assert_snapshot!(played(&raw(vec![length], Duration::ZERO), Duration::from_secs(20)), @r"
     800 failed, the connection broke before the answer, after 800 ms
     800 waits 2786 ms: timeout
    4446 reply, after 860 ms
    4446 turn ends: text_response(finish_reason=stop): Hello to you.
    ");
}

#[test]
fn a_slow_first_byte_costs_no_simulated_time() {
    let slow = raw(Vec::new(), Duration::from_millis(150));
    let quick = raw(Vec::new(), Duration::ZERO);
    let played = |address: &str| played(address, Duration::from_secs(20));
    assert_eq!(played(&slow), played(&quick));
    insta::assert_snapshot!(played(&raw(Vec::new(), Duration::from_millis(50))), @r"
    860 reply, after 860 ms
    860 turn ends: text_response(finish_reason=stop): Hello to you.
    ");
}

#[test]
fn a_stall_that_the_server_announces_takes_simulated_time_up_to_the_limit() {
    let stall =
        || ResponseTemplate::new(200).insert_header(RULE, "main#1").insert_header("x-mock-took-ms", "never");
    insta::assert_snapshot!(Wired::new(vec![stall()]).played(), @r"
    600000 failed, no answer within the request's limit of 600 s, after 600000 ms
    600000 waits 2786 ms: timeout
    603646 reply, after 860 ms
    603646 turn ends: text_response(finish_reason=stop): Hello to you.
    ");
    insta::assert_snapshot!(Wired::new(vec![stall(), stall(), stall()]).played(), @r"
     600000 failed, no answer within the request's limit of 600 s, after 600000 ms
     600000 waits 2786 ms: timeout
    1202786 failed, no answer within the request's limit of 600 s, after 600000 ms
    1202786 waits 4632 ms: timeout
    1807418 failed, no answer within the request's limit of 600 s, after 600000 ms
    1807418 waits 2786 ms: timeout
    1811064 reply, after 860 ms
    1811064 turn ends: text_response(finish_reason=stop): Hello to you.
    ");
}

#[test]
fn a_server_that_hangs_in_real_time_breaks_the_run_and_names_the_limit() {
    let hanging = raw(Vec::new(), Duration::from_secs(30));
    insta::assert_snapshot!(played(&hanging, Duration::from_millis(100)), @"the run breaks: the mock server gave no whole answer within the 0.1 s that the client waits for one: deadline has elapsed");
}

#[test]
fn a_delay_that_the_server_announces_is_simulated() {
    let late = stream(GOOD).insert_header("x-mock-took-ms", "90000");
    insta::assert_snapshot!(Wired::new(vec![late]).played(), @r"
    90860 reply, after 90860 ms
    90860 turn ends: text_response(finish_reason=stop): Hello to you.
    ");
}

#[test]
fn a_refusal_that_no_rule_made_breaks_the_run() {
    let body = serde_json::json!({"error": {"message": "no such cell", "type": "not_found"}});
    let wired = Wired::new(vec![ResponseTemplate::new(404).set_body_json(body)]);
    insta::assert_snapshot!(wired.played(), @"the run breaks: the mock server refused the request: 404 Not Found no such cell");
    let proxy = Wired::new(vec![ResponseTemplate::new(502).set_body_string("<html>Bad gateway</html>")]);
    insta::assert_snapshot!(proxy.played(), @"the run breaks: the mock server answered 502 Bad Gateway without the protocol's error: expected value at line 1 column 1");
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let said = played(&format!("http://{nobody}"), Duration::from_secs(20));
    assert!(said.starts_with("the run breaks: the mock server does not answer"), "{said}");
}
