//! A model request as the bytes that go over the wire (`spec/wire.md`).
//!
//! Every message, system prompt and tool list is encoded once: a request of a long conversation is put together
//! from pieces that earlier requests made. Pieces are found by the identity of what they encode; the cache holds
//! what it encodes, so an address is never used twice.

use std::collections::HashMap;
use std::sync::Arc;

use agent_core::machine::ModelRequest;
use agent_core::values::{Message, Role, ToolCall, ToolList};
use serde::Serialize;
use serde_json::Value;

/// So many pieces are kept before the cache starts over; a bound on memory, not on correctness.
const PIECES_MAX: usize = 1 << 14;

/// An encoder with its pieces.
#[derive(Debug, Default)]
pub(crate) struct Encoder {
    // Looked up only, never iterated: its order reaches nothing.
    messages: HashMap<usize, (Arc<Message>, Box<[u8]>)>,
    systems: HashMap<usize, (Arc<str>, Box<[u8]>)>,
    tools: HashMap<usize, (Arc<ToolList>, Box<[u8]>)>,
}

impl Encoder {
    /// The body of a request.
    pub(crate) fn body(&mut self, request: &ModelRequest) -> Vec<u8> {
        if self.messages.len() > PIECES_MAX {
            *self = Self::default();
        }
        let mut body = Vec::with_capacity(4096);
        body.extend_from_slice(b"{\"model\":");
        put(&mut body, &*request.model);
        body.extend_from_slice(b",\"messages\":[");
        body.extend_from_slice(self.system(&request.system));
        for message in request.messages.iter() {
            body.push(b',');
            body.extend_from_slice(self.message(message));
        }
        body.push(b']');
        if !request.tools.is_empty() {
            body.extend_from_slice(b",\"tools\":");
            body.extend_from_slice(self.tools(&request.tools));
        }
        if let Some(limit) = request.max_tokens {
            body.extend_from_slice(b",\"max_tokens\":");
            put(&mut body, &limit.0);
        }
        if streams(request.role) {
            body.extend_from_slice(b",\"stream\":true,\"stream_options\":{\"include_usage\":true}");
        }
        body.push(b'}');
        body
    }

    fn message(&mut self, message: &Arc<Message>) -> &[u8] {
        let key = Arc::as_ptr(message).addr();
        let encode = || (Arc::clone(message), bytes(&WireMessage::of(message)));
        &self.messages.entry(key).or_insert_with(encode).1
    }

    fn system(&mut self, system: &Arc<str>) -> &[u8] {
        let key = system.as_ptr().addr();
        let encode = || {
            let message = WireMessage { role: "system", content: system, ..WireMessage::default() };
            (Arc::clone(system), bytes(&message))
        };
        &self.systems.entry(key).or_insert_with(encode).1
    }

    fn tools(&mut self, tools: &Arc<ToolList>) -> &[u8] {
        let key = Arc::as_ptr(tools).addr();
        let encode = || {
            let list: Vec<WireTool<'_>> = tools.iter().map(WireTool::of).collect();
            (Arc::clone(tools), bytes(&list))
        };
        &self.tools.entry(key).or_insert_with(encode).1
    }
}

/// Whether a role's requests stream: title, compression and summary calls do not.
pub(crate) const fn streams(role: Role) -> bool {
    match role {
        Role::Main | Role::Review | Role::Curator | Role::Delegate => true,
        Role::Compression | Role::Title | Role::Summary => false,
    }
}

fn put<T: Serialize + ?Sized>(body: &mut Vec<u8>, value: &T) {
    serde_json::to_writer(body, value).expect("text, numbers and JSON values always encode");
}

fn bytes<T: Serialize>(value: &T) -> Box<[u8]> {
    let mut bytes = Vec::new();
    put(&mut bytes, value);
    bytes.into_boxed_slice()
}

#[derive(Debug, Default, Serialize)]
struct WireMessage<'a> {
    role: &'static str,
    content: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<WireCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
}

impl<'a> WireMessage<'a> {
    fn of(message: &'a Message) -> Self {
        match message {
            Message::User { text, .. } => Self { role: "user", content: text, ..Self::default() },
            Message::Assistant { text, calls, .. } => Self {
                role: "assistant",
                content: &text.visible,
                tool_calls: calls.iter().map(WireCall::of).collect(),
                ..Self::default()
            },
            Message::Tool { call, tool, text } => Self {
                role: "tool",
                content: text,
                tool_call_id: Some(call),
                name: Some(tool),
                ..Self::default()
            },
        }
    }
}

#[derive(Debug, Serialize)]
struct WireCall<'a> {
    id: &'a str,
    r#type: &'static str,
    function: WireCalled<'a>,
}

#[derive(Debug, Serialize)]
struct WireCalled<'a> {
    name: &'a str,
    arguments: &'a str,
}

impl<'a> WireCall<'a> {
    fn of(call: &'a ToolCall) -> Self {
        let function = WireCalled { name: &call.name, arguments: &call.arguments };
        Self { id: &call.id, r#type: "function", function }
    }
}

#[derive(Debug, Serialize)]
struct WireTool<'a> {
    r#type: &'static str,
    function: WireFunction<'a>,
}

#[derive(Debug, Serialize)]
struct WireFunction<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
}

impl<'a> WireTool<'a> {
    fn of(tool: &'a agent_core::values::ToolSpec) -> Self {
        let function =
            WireFunction { name: &tool.name, description: &tool.description, parameters: &tool.parameters };
        Self { r#type: "function", function }
    }
}

#[cfg(test)]
mod tests {
    use agent_core::values::{AssistantText, Parallel, Tokens, ToolOwner, ToolSpec, Transcript};
    use serde_json::json;

    use super::*;

    fn request(role: Role) -> ModelRequest {
        let call = ToolCall { id: "c1".into(), name: "terminal".into(), arguments: "{}".into() };
        let text = AssistantText { visible: "I look.".into(), reasoning: None };
        let messages: Transcript = [
            Message::user("go \"on\""),
            Message::Assistant { text, calls: Arc::from([call]), synthetic: None },
            Message::Tool { call: "c1".into(), tool: "terminal".into(), text: "done".into() },
        ]
        .into_iter()
        .collect();
        let tool = ToolSpec {
            name: "terminal".into(),
            description: "Runs a command.".into(),
            parameters: json!({"type": "object"}),
            parallel: Parallel::Never,
            owner: ToolOwner::World,
        };
        let tools = if streams(role) { vec![tool] } else { Vec::new() };
        ModelRequest {
            role,
            model: "model".into(),
            system: "You help.".into(),
            tools: Arc::new(ToolList::new(tools)),
            messages,
            max_tokens: Some(Tokens(4096)),
            cached: Tokens(0),
            retry: 0,
        }
    }

    #[test]
    fn a_request_holds_what_the_real_client_sends() {
        let mut encoder = Encoder::default();
        let request = request(Role::Main);
        let body = String::from_utf8(encoder.body(&request)).unwrap();
        insta::assert_snapshot!(body, @r#"{"model":"model","messages":[{"role":"system","content":"You help."},{"role":"user","content":"go \"on\""},{"role":"assistant","content":"I look.","tool_calls":[{"id":"c1","type":"function","function":{"name":"terminal","arguments":"{}"}}]},{"role":"tool","content":"done","tool_call_id":"c1","name":"terminal"}],"tools":[{"type":"function","function":{"name":"terminal","description":"Runs a command.","parameters":{"type":"object"}}}],"max_tokens":4096,"stream":true,"stream_options":{"include_usage":true}}"#);
        assert_eq!(body.as_bytes(), encoder.body(&request), "from pieces the same bytes");
    }

    #[test]
    fn one_call_conversations_offer_no_tools_and_do_not_stream() {
        let body = String::from_utf8(Encoder::default().body(&request(Role::Title))).unwrap();
        assert!(!body.contains("\"tools\"") && !body.contains("\"stream\""), "{body}");
    }
}
