//! A request as the engine reads it.
//!
//! Messages are shared and carry their own digest and length, so that a caller which keeps them pays for each one once,
//! however many requests it stands in.

use std::sync::Arc;

use serde_json::Value;

use super::canonical::canonical_json;

/// Sixteen bytes that stand for a message or a request.
pub type Digest = [u8; 16];

/// Who a message is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// The system prompt.
    System,
    /// The user, or the client in the user's place.
    User,
    /// The model.
    Assistant,
    /// The result of a call.
    Tool,
}

/// One call of an assistant's message.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Its id.
    pub id: Arc<str>,
    /// The tool's name.
    pub name: Arc<str>,
    /// The arguments as a value; a text when they are not JSON.
    pub args: Arc<Value>,
}

impl Call {
    /// A call whose arguments are this text, JSON or not.
    pub fn new(id: impl Into<Arc<str>>, name: impl Into<Arc<str>>, arguments: &str) -> Self {
        let args = if arguments.trim().is_empty() {
            Value::Object(serde_json::Map::new())
        } else {
            serde_json::from_str(arguments).unwrap_or_else(|_| Value::from(arguments))
        };
        Self { id: id.into(), name: name.into(), args: Arc::new(args) }
    }
}

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Who it is from.
    pub author: Author,
    /// Its text, parts joined.
    pub text: Arc<str>,
    /// The calls of an assistant's message.
    pub calls: Box<[Call]>,
    /// The id of the call whose result it is.
    pub call_id: Option<Arc<str>>,
    chars: usize,
    digest: Digest,
}

impl Message {
    fn new(author: Author, text: Arc<str>, calls: Box<[Call]>, call_id: Option<Arc<str>>) -> Self {
        let mut chars = text.chars().count();
        let mut hasher = blake3::Hasher::new();
        let mut part = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        part(match author {
            Author::System => "system",
            Author::User => "user",
            Author::Assistant => "assistant",
            Author::Tool => "tool",
        });
        part(&text);
        part(call_id.as_deref().unwrap_or(""));
        for call in &calls {
            let args = canonical_json(&call.args);
            chars += call.name.chars().count() + args.chars().count();
            part(&call.id);
            part(&call.name);
            part(&args);
        }
        Self { author, text, calls, call_id, chars, digest: short(&hasher) }
    }

    /// A system prompt.
    pub fn system(text: impl Into<Arc<str>>) -> Self {
        Self::new(Author::System, text.into(), Box::default(), None)
    }

    /// A message in the user's place.
    pub fn user(text: impl Into<Arc<str>>) -> Self {
        Self::new(Author::User, text.into(), Box::default(), None)
    }

    /// A model's words and calls.
    pub fn assistant(text: impl Into<Arc<str>>, calls: impl Into<Box<[Call]>>) -> Self {
        Self::new(Author::Assistant, text.into(), calls.into(), None)
    }

    /// The result of a call.
    pub fn tool(call_id: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self::new(Author::Tool, text.into(), Box::default(), Some(call_id.into()))
    }

    /// Characters of its text, and of names and arguments of its calls.
    pub fn chars(&self) -> usize {
        self.chars
    }

    /// What stands for it.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }
}

/// The tools that a request offers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tools {
    names: Vec<Arc<str>>,
    /// The names of each tool's arguments.
    arguments: Vec<Box<[Arc<str>]>>,
    chars: usize,
    digest: Digest,
}

impl Tools {
    /// Tools by name, description and JSON Schema of their parameters, in the order of the request.
    pub fn new<'a>(tools: impl IntoIterator<Item = (&'a str, &'a str, &'a Value)>) -> Self {
        let mut list = Self::default();
        let mut hasher = blake3::Hasher::new();
        for (name, description, parameters) in tools {
            let arguments = parameters.get("properties").and_then(Value::as_object).into_iter().flatten();
            list.arguments.push(arguments.map(|(argument, _)| Arc::from(&**argument)).collect());
            let parameters = canonical_json(parameters);
            for text in [name, description, &parameters] {
                list.chars += text.chars().count();
                hasher.update(&(text.len() as u64).to_le_bytes());
                hasher.update(text.as_bytes());
            }
            list.names.push(name.into());
        }
        list.digest = short(&hasher);
        list
    }

    /// The names in order.
    pub fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    /// Whether a tool of this name is offered, and, if one is named, that its schema has this argument.
    pub fn offer(&self, name: &str, argument: Option<&str>) -> bool {
        let at = self.names.iter().position(|known| **known == *name);
        at.is_some_and(|at| {
            argument.is_none_or(|argument| self.arguments[at].iter().any(|known| **known == *argument))
        })
    }

    /// Whether no tool is offered.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

/// A whole request.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatRequest {
    /// The model that is asked for.
    pub model: Arc<str>,
    /// All messages, system prompts among them.
    pub messages: Vec<Arc<Message>>,
    /// The tools offered.
    pub tools: Arc<Tools>,
    /// Whether the answer comes as a stream of events.
    pub stream: bool,
    /// Whether a stream ends with a count of tokens.
    pub include_usage: bool,
}

impl ChatRequest {
    /// A request that wants a whole answer.
    pub fn new(model: impl Into<Arc<str>>, messages: Vec<Arc<Message>>, tools: Arc<Tools>) -> Self {
        Self { model: model.into(), messages, tools, stream: false, include_usage: false }
    }

    /// What stands for everything that the answer may depend on: model, messages, tools.
    pub fn digest(&self) -> Digest {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.model.as_bytes());
        hasher.update(&self.tools.digest);
        for message in &self.messages {
            hasher.update(&message.digest);
        }
        short(&hasher)
    }

    /// The estimate of the request's tokens: all its characters, four to a token.
    pub fn prompt_tokens(&self) -> u64 {
        let chars: usize = self.messages.iter().map(|message| message.chars).sum();
        tokens_of(chars + self.tools.chars)
    }
}

/// The stated estimator: four characters a token, rounded up.
pub fn tokens_of(chars: usize) -> u64 {
    chars.div_ceil(4) as u64
}

fn short(hasher: &blake3::Hasher) -> Digest {
    let mut digest = Digest::default();
    digest.copy_from_slice(&hasher.finalize().as_bytes()[..size_of::<Digest>()]);
    digest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_text_of_arguments_does_not_matter() {
        let one = Message::assistant("", [Call::new("c", "t", r#"{"b": 1, "a": 2}"#)]);
        let two = Message::assistant("", [Call::new("c", "t", r#"{"a":2,"b":1}"#)]);
        assert_eq!(one, two);
        assert_eq!(*Call::new("c", "t", "").args, json!({}));
        assert_eq!(*Call::new("c", "t", "{bad").args, json!("{bad"));
    }

    #[test]
    fn tools_are_offered_with_their_arguments() {
        let parameters = json!({"properties": {"path": {}, "limit": {}}});
        let tools = Tools::new([("read", "", &parameters), ("bare", "", &Value::Null)]);
        let offers =
            [("read", None), ("read", Some("limit")), ("read", Some("lines")), ("bare", Some("path"))];
        let offered = offers.map(|(name, argument)| tools.offer(name, argument));
        assert_eq!((offered, tools.offer("write", None)), ([true, true, false, false], false));
    }

    #[test]
    fn digests_tell_apart_what_is_said_by_whom() {
        let all =
            [Message::user("x"), Message::system("x"), Message::assistant("x", []), Message::tool("", "x")];
        for (index, one) in all.iter().enumerate() {
            assert!(all[index + 1..].iter().all(|other| other.digest() != one.digest()));
        }
    }

    #[test]
    fn tokens_are_characters_by_four() {
        let messages = vec![Arc::new(Message::system("äöüß")), Arc::new(Message::user("a"))];
        let request = ChatRequest::new("m", messages, Arc::default());
        assert_eq!(request.prompt_tokens(), 2);
    }
}
