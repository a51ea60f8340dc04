//! A reply put together from the chunks of a stream, or read from one whole answer.
//!
//! It accepts what the official client accepts (`spec/wire.md`, the table of answers): calls whole or split, with or
//! without an index, usage in any chunk or nowhere. What a client could not use is told apart in [`StreamFault`].

use std::sync::Arc;

use agent_core::machine::{ModelFault, ModelOutcome};
use agent_core::values::{AssistantText, Finish, Reply, Tokens, ToolCall, Usage};
use serde::Deserialize;

use super::fault::{broken_connection, malformed_chunk};

/// A reply in the making.
#[derive(Debug, Default)]
pub(crate) struct ReplyBuilder {
    text: String,
    reasoning: Option<String>,
    calls: Vec<PartialCall>,
    finish: Option<Finish>,
    usage: Usage,
    done: bool,
}

#[derive(Debug, Default)]
struct PartialCall {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

/// Why a stream could not be taken as a reply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StreamFault {
    /// A chunk is not the JSON that a client expects.
    #[error("malformed chunk")]
    Malformed,
    /// An error object in the middle of the stream.
    #[error("{message}")]
    Error {
        /// The code, if there is one.
        code: Option<String>,
        /// The words.
        message: String,
    },
}

impl ReplyBuilder {
    /// Takes the data of one event.
    pub(crate) fn chunk(&mut self, data: &str) -> Result<(), StreamFault> {
        if data.trim() == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        let chunk: Chunk = serde_json::from_str(data).map_err(|_| StreamFault::Malformed)?;
        if let Some(error) = chunk.error {
            return Err(error.into());
        }
        self.take_usage(chunk.usage);
        if let Some(choice) = chunk.choices.into_iter().flatten().next() {
            self.take_choice(choice.delta, choice.finish_reason.as_deref());
        }
        Ok(())
    }

    /// Reads a whole answer (`stream` absent or false).
    pub(crate) fn whole(body: &[u8]) -> Result<ModelOutcome, StreamFault> {
        let answer: Whole = serde_json::from_slice(body).map_err(|_| StreamFault::Malformed)?;
        if let Some(error) = answer.error {
            return Err(error.into());
        }
        let mut builder = Self { done: true, ..Self::default() };
        builder.take_usage(answer.usage);
        if let Some(choice) = answer.choices.into_iter().flatten().next() {
            builder.take_choice(choice.message, choice.finish_reason.as_deref());
        }
        Ok(builder.end())
    }

    /// Whether anything of an answer has arrived.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.reasoning.is_none() && self.calls.is_empty() && self.finish.is_none()
    }

    /// The stream ended in good order: a whole reply. Without a finish reason it counts as cut by the output limit,
    /// as the real client takes it.
    fn end(self) -> ModelOutcome {
        let finish = self.finish.unwrap_or(Finish::Length);
        let text = AssistantText { visible: self.text.into(), reasoning: self.reasoning.map(Into::into) };
        let calls = self.calls.into_iter().map(PartialCall::finish).collect();
        ModelOutcome::Reply(Reply { text, calls, finish, usage: self.usage })
    }

    /// The connection ended. With a finish reason or the end mark the reply is whole, otherwise it was cut.
    pub(crate) fn closed(self) -> ModelOutcome {
        if self.done || self.finish.is_some() { self.end() } else { self.cut() }
    }

    fn cut(self) -> ModelOutcome {
        ModelOutcome::Cut { partial: self.text, usage: self.usage }
    }

    fn take_usage(&mut self, usage: Option<UsageFile>) {
        if let Some(usage) = usage {
            self.usage.prompt = Tokens(usage.prompt_tokens);
            self.usage.completion = Tokens(usage.completion_tokens);
        }
    }

    fn take_choice(&mut self, delta: Option<Delta>, finish: Option<&str>) {
        if let Some(delta) = delta {
            self.text.push_str(delta.content.as_deref().unwrap_or(""));
            if let Some(reasoning) = delta.reasoning_content {
                self.reasoning.get_or_insert_default().push_str(&reasoning);
            }
            for part in delta.tool_calls.into_iter().flatten() {
                self.take_call(part);
            }
        }
        if let Some(finish) = finish {
            self.finish = Some(match finish {
                "tool_calls" | "function_call" => Finish::ToolCalls,
                "length" => Finish::Length,
                "content_filter" => Finish::ContentFilter,
                _ => Finish::Stop,
            });
        }
    }

    /// A part of a call belongs to the call of its index; without one a new id or a name opens a call.
    fn take_call(&mut self, part: CallPart) {
        let at = match part.index {
            Some(index) => self.calls.iter().position(|call| call.index == Some(index)),
            None if part.id.as_deref().is_some_and(|id| !id.is_empty()) => {
                self.calls.iter().position(|call| part.id.as_deref() == Some(&call.id))
            }
            None if part.function.name.is_some() => None,
            None => self.calls.len().checked_sub(1),
        };
        let at = at.unwrap_or_else(|| {
            self.calls.push(PartialCall { index: part.index, ..PartialCall::default() });
            self.calls.len() - 1
        });
        let call = &mut self.calls[at];
        if let Some(id) = part.id.filter(|id| !id.is_empty()) {
            call.id = id;
        }
        call.name.push_str(part.function.name.as_deref().unwrap_or(""));
        call.arguments.push_str(part.function.arguments.as_deref().unwrap_or(""));
    }
}

impl PartialCall {
    fn finish(self) -> ToolCall {
        ToolCall { id: Arc::from(self.id), name: Arc::from(self.name), arguments: Arc::from(self.arguments) }
    }
}

impl StreamFault {
    /// What the agent hears of it.
    pub(super) fn outcome(self) -> ModelOutcome {
        ModelOutcome::Failed(match self {
            Self::Malformed => malformed_chunk(),
            Self::Error { code, message } => ModelFault { code, message, ..ModelFault::default() },
        })
    }
}

/// The stream is over: in good order, or because the connection broke.
pub(super) fn end_of_stream(builder: ReplyBuilder, in_order: bool) -> ModelOutcome {
    if !in_order && builder.is_empty() {
        return ModelOutcome::Failed(broken_connection());
    }
    builder.closed()
}

#[derive(Debug, Deserialize)]
struct Chunk {
    choices: Option<Vec<ChunkChoice>>,
    usage: Option<UsageFile>,
    error: Option<ErrorFile>,
}

#[derive(Debug, Deserialize)]
struct ChunkChoice {
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Whole {
    choices: Option<Vec<WholeChoice>>,
    usage: Option<UsageFile>,
    error: Option<ErrorFile>,
}

#[derive(Debug, Deserialize)]
struct WholeChoice {
    message: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Delta {
    content: Option<String>,
    reasoning_content: Option<String>,
    tool_calls: Option<Vec<CallPart>>,
}

#[derive(Debug, Deserialize)]
struct CallPart {
    index: Option<u64>,
    id: Option<String>,
    #[serde(default)]
    function: FunctionPart,
}

#[derive(Debug, Default, Deserialize)]
struct FunctionPart {
    name: Option<String>,
    arguments: Option<String>,
}

#[derive(Debug, Deserialize)]
struct UsageFile {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

/// The error object of an answer's body.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct ErrorFile {
    #[serde(default)]
    pub(crate) message: String,
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    pub(crate) code: Option<serde_json::Value>,
    /// Of the mock server's own misses: the nearest rules, each with the clause that failed.
    #[serde(default)]
    pub(crate) nearest: Vec<(String, String)>,
}

impl ErrorFile {
    /// The code as text, or the type where there is no code.
    pub(crate) fn code_text(&self) -> Option<String> {
        match &self.code {
            Some(serde_json::Value::String(code)) => Some(code.clone()),
            Some(serde_json::Value::Null) | None => self.kind.clone(),
            Some(other) => Some(other.to_string()),
        }
    }
}

impl From<ErrorFile> for StreamFault {
    fn from(error: ErrorFile) -> Self {
        Self::Error { code: error.code_text(), message: error.message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(chunks: &[&str]) -> Reply {
        let mut builder = ReplyBuilder::default();
        for chunk in chunks {
            builder.chunk(chunk).unwrap();
        }
        match builder.closed() {
            ModelOutcome::Reply(reply) => reply,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn calls_may_be_split_or_whole_and_lack_an_index() {
        let split = reply(&[
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"so "}}]}"#,
            r#"{"choices":[{"delta":{"content":"be it","tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"k\""}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"y","arguments":"{}"}},{"index":0,"function":{"arguments":":1}"}}]}}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
            r#"{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}"#,
            "[DONE]",
        ]);
        let bare = reply(&[
            r#"{"choices":[{"delta":{"content":"so be it","tool_calls":[{"id":"a","function":{"name":"x","arguments":"{\"k\""}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":":1}"}},{"id":"b","function":{"name":"y","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}"#,
        ]);
        assert_eq!(split, bare);
        assert_eq!(&*split.calls[0].arguments, r#"{"k":1}"#);
        assert_eq!(split.usage.prompt, Tokens(7));
    }

    #[test]
    fn an_end_without_a_finish_reason_counts_as_cut_by_the_limit_and_a_break_as_a_break() {
        let text = r#"{"choices":[{"delta":{"content":"half"}}]}"#;
        assert_eq!(reply(&[text, "[DONE]"]).finish, Finish::Length);
        let mut builder = ReplyBuilder::default();
        builder.chunk(text).unwrap();
        let cut = ModelOutcome::Cut { partial: "half".to_owned(), usage: Usage::default() };
        assert_eq!(builder.closed(), cut);
    }

    #[test]
    fn errors_and_nonsense_in_the_stream_are_told_apart() {
        let mut builder = ReplyBuilder::default();
        assert!(matches!(builder.chunk("{nonsense"), Err(StreamFault::Malformed)));
        let error = builder.chunk(r#"{"error":{"message":"too long","type":"invalid","code":null}}"#);
        let expected =
            StreamFault::Error { code: Some("invalid".to_owned()), message: "too long".to_owned() };
        assert_eq!(error, Err(expected));
        assert!(builder.is_empty());
    }
}
