//! From the body of a request. Unknown fields are normal; what is missing gets the protocol's default.

use std::fmt;
use std::sync::Arc;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::request::{Call, ChatRequest, Message, Tools};

/// Why a body is no request.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// Not JSON, or not of the protocol's shape.
    #[error("the body is no chat completion request: {0}")]
    Json(#[from] serde_json::Error),
    /// A message by nobody that the protocol knows.
    #[error("message {index} has the unknown role `{role}`")]
    Role {
        /// Which message, from 0.
        index: usize,
        /// Its role.
        role: String,
    },
    /// Nothing was said.
    #[error("the request has no messages")]
    Empty,
}

impl ChatRequest {
    /// Reads the body of `POST …/chat/completions`.
    ///
    /// # Errors
    /// The body is not JSON of the right shape, a message has an unknown role, or there is no message.
    pub fn from_json(body: &[u8]) -> Result<Self, RequestError> {
        let file: RequestFile = serde_json::from_slice(body)?;
        let mut messages = Vec::with_capacity(file.messages.len());
        for (index, message) in file.messages.into_iter().enumerate() {
            messages.push(Arc::new(message.into_message(index)?));
        }
        if messages.is_empty() {
            return Err(RequestError::Empty);
        }
        let tools = file.tools.unwrap_or_default();
        let tools = tools.iter().filter_map(|tool| {
            let function = tool.function.as_ref()?;
            Some((&*function.name, function.description.as_deref().unwrap_or(""), &function.parameters))
        });
        Ok(Self {
            model: file.model.unwrap_or_else(|| "mock".into()),
            messages,
            tools: Arc::new(Tools::new(tools)),
            stream: file.stream.unwrap_or(false),
            include_usage: file.stream_options.and_then(|options| options.include_usage).unwrap_or(false),
        })
    }
}

#[derive(Debug, Deserialize)]
struct RequestFile {
    model: Option<Arc<str>>,
    messages: Vec<MessageFile>,
    tools: Option<Vec<ToolFile>>,
    stream: Option<bool>,
    stream_options: Option<StreamOptionsFile>,
}

#[derive(Debug, Deserialize)]
struct StreamOptionsFile {
    include_usage: Option<bool>,
}

#[derive(Debug, Deserialize)]
struct MessageFile {
    role: String,
    content: Option<ContentFile>,
    tool_calls: Option<Vec<CallFile>>,
    tool_call_id: Option<Arc<str>>,
}

/// Content is text or a list of parts.
#[derive(Debug)]
struct ContentFile(String);

impl<'de> Deserialize<'de> for ContentFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // By hand: an untagged enum would hold every text twice.
        deserializer.deserialize_any(ContentVisitor).map(Self)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = String;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("text or a list of parts")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_string<E: serde::de::Error>(self, text: String) -> Result<String, E> {
        Ok(text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<String, A::Error> {
        let mut text = String::new();
        while let Some(part) = parts.next_element::<PartFile>()? {
            match part {
                PartFile::Text(part) => text.push_str(&part),
                PartFile::Part { text: part } => text.push_str(part.as_deref().unwrap_or("")),
            }
        }
        Ok(text)
    }
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum PartFile {
    Text(String),
    Part { text: Option<String> },
}

#[derive(Debug, Deserialize)]
struct CallFile {
    id: Option<Arc<str>>,
    function: Option<CalledFile>,
}

#[derive(Debug, Deserialize)]
struct CalledFile {
    name: Option<Arc<str>>,
    arguments: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct ToolFile {
    function: Option<FunctionFile>,
}

#[derive(Debug, Deserialize)]
struct FunctionFile {
    name: String,
    description: Option<String>,
    #[serde(default)]
    parameters: Value,
}

impl MessageFile {
    fn into_message(self, index: usize) -> Result<Message, RequestError> {
        let text: Arc<str> = self.content.map(|content| content.0).unwrap_or_default().into();
        match self.role.as_str() {
            "system" | "developer" => Ok(Message::system(text)),
            "user" => Ok(Message::user(text)),
            "assistant" => {
                let calls = self.tool_calls.unwrap_or_default();
                Ok(Message::assistant(
                    text,
                    calls.into_iter().map(CallFile::into_call).collect::<Box<[Call]>>(),
                ))
            }
            "tool" | "function" => Ok(Message::tool(self.tool_call_id.unwrap_or_default(), text)),
            _ => Err(RequestError::Role { index, role: self.role }),
        }
    }
}

impl CallFile {
    fn into_call(self) -> Call {
        let (name, arguments) = self.function.map_or((None, None), |called| (called.name, called.arguments));
        let arguments = match arguments {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text,
            Some(value) => value.to_string(),
        };
        Call::new(self.id.unwrap_or_default(), name.unwrap_or_default(), &arguments)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::request::Author;
    use super::*;

    fn parse(body: &Value) -> Result<ChatRequest, RequestError> {
        ChatRequest::from_json(body.to_string().as_bytes())
    }

    #[test]
    fn accepts_what_clients_send() {
        let body = json!({
            "model": "m", "temperature": 0.3, "stream": true, "stream_options": {"include_usage": true, "x": 1},
            "tools": [{"type": "function", "function": {"name": "t", "strict": true}}],
            "messages": [
                {"role": "developer", "content": "be brief"},
                {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {}}, {"type": "text", "text": "b"}]},
                {"role": "assistant", "content": null, "reasoning_content": "hm", "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "t", "arguments": "{\"x\":1}"}},
                    {"id": "c2", "type": "function", "function": {"name": "t", "arguments": {"x": 2}}},
                    {"id": null, "function": {"name": null}},
                ]},
                {"role": "tool", "tool_call_id": "c1", "name": "t", "content": ""},
            ],
        });
        let request = parse(&body).unwrap();
        assert!(request.stream && request.include_usage);
        assert_eq!(&*request.messages[1].text, "ab");
        assert_eq!(request.messages[2].author, Author::Assistant);
        assert_eq!(*request.messages[2].calls[1].args, json!({"x": 2}));
        assert_eq!(request.messages[2].calls[2], Call::new("", "", ""));
        assert_eq!(request.tools.names(), ["t".into()]);
    }

    #[test]
    fn refuses_what_is_no_request() {
        let error = |body: &Value| parse(body).unwrap_err().to_string();
        assert_eq!(error(&json!({"messages": []})), "the request has no messages");
        assert_eq!(
            error(&json!({"messages": [{"role": "narrator"}]})),
            "message 0 has the unknown role `narrator`"
        );
        assert!(error(&json!({"prompt": "x"})).contains("missing field `messages`"));
        assert!(ChatRequest::from_json(b"{").is_err());
    }

    #[test]
    fn a_request_made_in_process_equals_the_one_from_the_wire() {
        let body = json!({"model": "m", "messages": [
            {"role": "system", "content": "s"}, {"role": "user", "content": "u"},
            {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": {"name": "t", "arguments": "{\"b\":1,\"a\":2}"}}]},
            {"role": "tool", "tool_call_id": "c", "content": "r"}],
            "tools": [{"function": {"name": "t", "description": "d", "parameters": {"type": "object", "b": 1}}}]});
        let made = ChatRequest::new(
            "m",
            [
                Message::system("s"),
                Message::user("u"),
                Message::assistant("", [Call::new("c", "t", r#"{"a":2,"b":1}"#)]),
                Message::tool("c", "r"),
            ]
            .map(Arc::new)
            .to_vec(),
            Arc::new(Tools::new([("t", "d", &json!({"b": 1, "type": "object"}))])),
        );
        let parsed = parse(&body).unwrap();
        assert_eq!(parsed, made);
        assert_eq!((parsed.digest(), parsed.prompt_tokens()), (made.digest(), made.prompt_tokens()));
    }
}
