//! An answer as the client reads it.

use std::sync::Arc;

use serde_json::{Value, json};

use super::request::tokens_of;

/// How an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The model was done.
    Stop,
    /// It asks for tools.
    ToolCalls,
    /// The output limit cut it.
    Length,
}

impl Finish {
    /// The word of the protocol.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::ToolCalls => "tool_calls",
            Self::Length => "length",
        }
    }
}

/// Tokens of a request and its answer, estimated from characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Of the request.
    pub prompt: u64,
    /// Of the answer.
    pub completion: u64,
}

/// One call that an answer asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyCall {
    /// Unique in its conversation; it carries the position in the script.
    pub id: Arc<str>,
    /// The tool's name.
    pub name: Arc<str>,
    /// The arguments as text: JSON, unless the script broke it on purpose.
    pub arguments: Arc<str>,
}

/// A whole answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The answer's id.
    pub id: Arc<str>,
    /// Seconds since the Unix epoch, of simulated time.
    pub created: i64,
    /// The model that was asked for.
    pub model: Arc<str>,
    /// What the user sees; may be empty.
    pub text: Arc<str>,
    /// What a reasoning model sends beside it.
    pub reasoning: Option<Arc<str>>,
    /// Calls in order.
    pub calls: Vec<ReplyCall>,
    /// How it ended; none when the script leaves the reason out on purpose.
    pub finish: Option<Finish>,
    /// Token counts.
    pub usage: Usage,
}

impl Reply {
    /// The estimate of the answer's own tokens.
    pub fn completion_tokens(&self) -> u64 {
        let chars = |text: &str| text.chars().count();
        let calls: usize = self.calls.iter().map(|call| chars(&call.name) + chars(&call.arguments)).sum();
        tokens_of(chars(&self.text) + self.reasoning.as_deref().map_or(0, chars) + calls)
    }

    /// The body of an answer that is not streamed.
    pub fn to_json(&self) -> Value {
        let mut message = json!({ "role": "assistant" });
        message["content"] =
            if self.text.is_empty() && !self.calls.is_empty() { Value::Null } else { json!(&*self.text) };
        if let Some(reasoning) = &self.reasoning {
            message["reasoning_content"] = json!(&**reasoning);
        }
        if !self.calls.is_empty() {
            message["tool_calls"] = self.calls.iter().map(ReplyCall::to_json).collect();
        }
        json!({
            "id": &*self.id,
            "object": "chat.completion",
            "created": self.created,
            "model": &*self.model,
            "choices": [{ "index": 0, "message": message, "finish_reason": self.finish.map(Finish::as_str) }],
            "usage": self.usage.to_json(),
        })
    }
}

impl ReplyCall {
    fn to_json(&self) -> Value {
        json!({
            "id": &*self.id,
            "type": "function",
            "function": { "name": &*self.name, "arguments": &*self.arguments },
        })
    }
}

impl Usage {
    pub(super) fn to_json(self) -> Value {
        json!({
            "prompt_tokens": self.prompt,
            "completion_tokens": self.completion,
            "total_tokens": self.prompt + self.completion,
        })
    }
}
