//! One message as it is stored.
//!
//! A stored message shares its texts with the conversation ([`Arc`]), so that storing costs no copy; the JSON of
//! tool calls and of structured content is made when somebody asks for it.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::ids::MessageId;
use super::json;
use crate::values::{AssistantText, Message, ToolCall};

/// What marks content that is no plain text (`spec/sessions.md` §1.2).
const STRUCTURED: &str = "\0json:";

/// Who speaks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MessageRole {
    /// The user, or the client in the user's place.
    #[default]
    User,
    /// The model.
    Assistant,
    /// A tool's result.
    Tool,
    /// A system message.
    System,
    /// Whatever else an imported database holds.
    Other(Arc<str>),
}

impl MessageRole {
    /// The role of this name.
    pub fn new(name: &str) -> Self {
        match name {
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "tool" => Self::Tool,
            "system" => Self::System,
            other => Self::Other(other.into()),
        }
    }

    /// The name in the database.
    pub fn as_str(&self) -> &str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::System => "system",
            Self::Other(name) => name,
        }
    }

    /// Whether the windows of a search show it.
    pub(super) fn is_talk(&self) -> bool {
        matches!(self, Self::User | Self::Assistant)
    }
}

/// The tool calls of a message.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum StoredCalls {
    /// None.
    #[default]
    None,
    /// Calls of this agent.
    Made(Arc<[ToolCall]>),
    /// The JSON text of a database.
    Json(Arc<str>),
}

impl StoredCalls {
    /// The column's text.
    pub fn to_json(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::None => None,
            Self::Made(calls) => {
                let wire: Vec<WireCall<'_>> = calls.iter().map(WireCall::new).collect();
                Some(Cow::Owned(json::to_text(&wire)))
            }
            Self::Json(text) => Some(Cow::Borrowed(text)),
        }
    }

    /// The calls as a JSON value; none where there are none or the text is broken.
    pub(super) fn to_value(&self) -> Option<Value> {
        json::parse(&self.to_json()?)
    }

    /// How much the message adds to its session's number of tool calls: a value that is no list counts one.
    pub(super) fn count(&self) -> u32 {
        let items = match self {
            Self::None => 0,
            Self::Made(calls) => calls.len(),
            Self::Json(text) => match json::parse(text) {
                Some(Value::Array(items)) => items.len(),
                Some(Value::Null) => 0,
                _ => 1,
            },
        };
        u32::try_from(items).unwrap_or(u32::MAX)
    }
}

/// A call in the form that the wire and the database share.
#[derive(Serialize)]
struct WireCall<'a> {
    id: &'a str,
    r#type: &'static str,
    function: WireFunction<'a>,
}

#[derive(Serialize)]
struct WireFunction<'a> {
    name: &'a str,
    arguments: &'a str,
}

impl<'a> WireCall<'a> {
    fn new(call: &'a ToolCall) -> Self {
        let function = WireFunction { name: &call.name, arguments: &call.arguments };
        Self { id: &call.id, r#type: "function", function }
    }
}

/// The columns that few messages fill.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RareColumns {
    /// Tokens of the message.
    pub token_count: Option<i64>,
    /// Why the model stopped.
    pub finish_reason: Option<Arc<str>>,
    /// What a reasoning model sent beside its words.
    pub reasoning: Option<Arc<str>>,
    /// The same, as some providers want it back.
    pub reasoning_content: Option<Arc<str>>,
    /// The same, structured (JSON text).
    pub reasoning_details: Option<Arc<str>>,
    /// The id that a chat platform gave the message.
    pub platform_message_id: Option<Arc<str>>,
    /// Whether the agent only overheard it.
    pub observed: bool,
    /// The content as it went to the provider, where it differs.
    pub api_content: Option<Arc<str>>,
}

/// A message to be stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredMessage {
    /// Who speaks.
    pub role: MessageRole,
    /// The content column: plain text, or structured content in its stored form.
    pub content: Option<Arc<str>>,
    /// The call that a tool's result answers.
    pub tool_call_id: Option<Arc<str>>,
    /// Calls that an assistant's message asks for.
    pub calls: StoredCalls,
    /// The tool that a result comes from.
    pub tool_name: Option<Arc<str>>,
    /// When it was said, in seconds since the Unix epoch; none takes the time of storing.
    pub timestamp: Option<f64>,
    /// Columns that few messages fill.
    pub rare: Option<Box<RareColumns>>,
}

impl StoredMessage {
    /// A plain message.
    pub fn text(role: MessageRole, text: impl Into<Arc<str>>) -> Self {
        Self { role, content: Some(text.into()), ..Self::default() }
    }

    /// A message with structured content (a list of parts, or an object), given as a value or anything that
    /// serialises in the order that the text should have.
    pub fn structured(role: MessageRole, content: &impl Serialize) -> Self {
        let text = format!("{STRUCTURED}{}", json::to_text(content));
        Self { role, content: Some(text.into()), ..Self::default() }
    }

    /// The message of a conversation that it stands for. The database does not know which messages a client made.
    pub fn to_message(&self) -> Message {
        let text = self.content_text();
        match &self.role {
            MessageRole::Assistant => {
                let reasoning = self.rare.as_ref().and_then(|rare| rare.reasoning.clone());
                let text = AssistantText { visible: text, reasoning };
                Message::Assistant { text, calls: self.made_calls(), synthetic: None }
            }
            MessageRole::Tool => {
                let name = |text: &Option<Arc<str>>| text.clone().unwrap_or_else(|| Arc::from(""));
                Message::Tool { call: name(&self.tool_call_id), tool: name(&self.tool_name), text }
            }
            MessageRole::User | MessageRole::System | MessageRole::Other(_) => Message::user(text),
        }
    }

    /// The calls as the core knows them; what is no call in a database's text is left out.
    fn made_calls(&self) -> Arc<[ToolCall]> {
        if let StoredCalls::Made(calls) = &self.calls {
            return Arc::clone(calls);
        }
        let Some(Value::Array(items)) = self.calls.to_value() else { return Arc::from([]) };
        let text = |value: &Value| -> Option<Arc<str>> { value.as_str().map(Arc::from) };
        items
            .iter()
            .filter_map(|item| {
                let function = &item["function"];
                let arguments =
                    text(&function["arguments"]).unwrap_or_else(|| function["arguments"].to_string().into());
                Some(ToolCall { id: text(&item["id"])?, name: text(&function["name"])?, arguments })
            })
            .collect()
    }

    /// The words of the content; of structured content the text parts, joined by a blank.
    pub fn content_text(&self) -> Arc<str> {
        match self.decoded() {
            Decoded::Empty => Arc::from(""),
            Decoded::Text(_) => self.content.clone().unwrap_or_else(|| Arc::from("")),
            Decoded::Structured(value) => parts_text(&value).into(),
        }
    }

    /// The content, decoded; text that cannot be decoded is taken as it stands.
    pub(super) fn decoded(&self) -> Decoded<'_> {
        let Some(text) = self.content.as_deref() else { return Decoded::Empty };
        match text.strip_prefix(STRUCTURED).and_then(json::parse) {
            Some(value) => Decoded::Structured(value),
            None => Decoded::Text(text),
        }
    }

    /// What a C string shows of the content: SQL's `length`, `substr` and `LIKE` stop at a NUL, so they see nothing
    /// of structured content (`spec/sessions.md` §3).
    pub(super) fn content_before_nul(&self) -> &str {
        self.content.as_deref().map_or("", before_nul)
    }

    /// What the full-text indexes hold of the message (`spec/sessions.md` §1.3).
    pub(super) fn indexed_text(&self) -> String {
        let calls = self.calls.to_json();
        let parts = [
            self.content.as_deref().unwrap_or(""),
            self.tool_name.as_deref().unwrap_or(""),
            calls.as_deref().unwrap_or(""),
        ];
        parts.join(" ")
    }
}

impl From<&Message> for StoredMessage {
    fn from(message: &Message) -> Self {
        match message {
            Message::User { text, .. } => Self::text(MessageRole::User, Arc::clone(text)),
            Message::Assistant { text, calls, .. } => Self {
                role: MessageRole::Assistant,
                content: Some(Arc::clone(&text.visible)),
                calls: if calls.is_empty() {
                    StoredCalls::None
                } else {
                    StoredCalls::Made(Arc::clone(calls))
                },
                rare: text.reasoning.as_ref().map(|reasoning| {
                    Box::new(RareColumns { reasoning: Some(Arc::clone(reasoning)), ..RareColumns::default() })
                }),
                ..Self::default()
            },
            Message::Tool { call, tool, text } => Self {
                role: MessageRole::Tool,
                content: Some(Arc::clone(text)),
                tool_call_id: Some(Arc::clone(call)),
                tool_name: Some(Arc::clone(tool)),
                ..Self::default()
            },
        }
    }
}

/// Content as a reader sees it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Decoded<'a> {
    /// Null.
    Empty,
    /// Plain text.
    Text(&'a str),
    /// A list of parts, or an object.
    Structured(Value),
}

/// The text parts of structured content, joined by a blank; a fixed marker if there are none.
pub(super) fn parts_text(content: &Value) -> String {
    let texts: Vec<&str> = content
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|part| part["text"].as_str())
        .filter(|text| !text.is_empty())
        .collect();
    if texts.is_empty() { "[content without text]".to_owned() } else { texts.join(" ") }
}

/// The part of a text before its first NUL.
pub(super) fn before_nul(text: &str) -> &str {
    text.find('\0').map_or(text, |at| &text[..at])
}

/// What became of a message (`spec/sessions.md` §1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowState {
    /// Part of the conversation.
    Live,
    /// Taken back by the user.
    Rewound,
    /// Replaced by a summary.
    Archived,
}

/// A message in the store.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageRow {
    /// Its number.
    pub id: MessageId,
    /// The message. Its `timestamp` is set.
    pub message: StoredMessage,
    /// What became of it.
    pub state: RowState,
    /// The place of its session in the store.
    pub(super) session: usize,
}

impl MessageRow {
    /// When it was said, in seconds since the Unix epoch.
    pub fn timestamp(&self) -> f64 {
        self.message.timestamp.unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(name: &str) -> ToolCall {
        ToolCall { id: "c1".into(), name: name.into(), arguments: "{\"path\": \"\u{e9}\"}".into() }
    }

    #[test]
    fn calls_are_stored_as_the_reference_stores_them() {
        let message = Message::Assistant {
            text: AssistantText { visible: "look".into(), reasoning: Some("hm".into()) },
            calls: Arc::from([call("read_file")]),
            synthetic: None,
        };
        let stored = StoredMessage::from(&message);
        assert_eq!(
            stored.indexed_text(),
            r#"look  [{"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": "{\"path\": \"\u00e9\"}"}}]"#
        );
        assert_eq!(stored.to_message(), message);
        let read_back = StoredMessage {
            calls: StoredCalls::Json(stored.calls.to_json().unwrap().into()),
            ..stored.clone()
        };
        assert_eq!(read_back.to_message(), message);
        assert_eq!(read_back.calls.count(), 1);
    }

    #[test]
    fn what_is_no_list_counts_as_one_call() {
        let count = |text: &str| StoredCalls::Json(text.into()).count();
        assert_eq!(
            [count("[1, 2]"), count("{}"), count("broken"), count("null"), count("[]")],
            [2, 1, 1, 0, 0]
        );
    }

    #[test]
    fn structured_content_comes_back() {
        let parts = json!([{"type": "text", "text": "a plum"}, {"type": "image_url"}]);
        let stored = StoredMessage::structured(MessageRole::User, &parts);
        assert_eq!(stored.decoded(), Decoded::Structured(parts));
        assert_eq!(&*stored.content_text(), "a plum");
        assert_eq!(stored.content_before_nul(), "");
        let broken = StoredMessage::text(MessageRole::User, "\0json:[");
        assert_eq!(broken.decoded(), Decoded::Text("\0json:["));
    }
}
