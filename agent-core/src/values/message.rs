//! Messages, replies and transcripts as the core knows them. The wire has its own types, at the client's edge.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::units::{Chars, Tokens};

/// What a model call serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The user's session.
    Main,
    /// A background review.
    Review,
    /// The curator's consolidation pass.
    Curator,
    /// A delegated child.
    Delegate,
    /// The summary that replaces the middle of a long conversation.
    Compression,
    /// A session's title.
    Title,
    /// The summary of a search result.
    Summary,
}

impl Role {
    /// The word for it in traces, scripts and records.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Review => "review",
            Self::Curator => "curator",
            Self::Delegate => "delegate",
            Self::Compression => "compression",
            Self::Title => "title",
            Self::Summary => "summary",
        }
    }
}

/// One call that a reply asks for, as the model sent it: the arguments are text and may be broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The id that the result must carry.
    pub id: Arc<str>,
    /// The tool's name, possibly unknown.
    pub name: Arc<str>,
    /// The arguments as sent, possibly not JSON.
    pub arguments: Arc<str>,
}

/// Why a message with the role `user` or `assistant` is not the words of a user or a model
/// (`spec/turn-loop.md` §4, §7, §8; `spec/wire.md` on client-made messages).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Synthetic {
    /// Asks for words after an empty reply to tool results.
    EmptyNudge,
    /// The assistant's place before an empty-reply nudge.
    EmptyPlaceholder,
    /// Asks to go on after a reply cut by the output limit.
    LengthContinuation,
    /// The summary of a compressed middle.
    Compaction,
    /// Results of delegated children.
    DelegateResult,
    /// The list of things to do, kept over a compression.
    KeptTodo,
    /// Asks for a closing summary at the iteration limit.
    ClosingRequest,
    /// The instruction of a review, curator, delegate or one-call conversation.
    Instruction,
    /// An older history in one message, for a routed review.
    Digest,
    /// Closes a tail that an interrupt or a halt left open.
    Closing,
}

/// The visible text of an assistant message and, apart from it, its reasoning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssistantText {
    /// What the user sees.
    pub visible: Arc<str>,
    /// What a reasoning model sent beside it.
    pub reasoning: Option<Arc<str>>,
}

/// One message of a conversation. The system prompt is not one: it travels beside the messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// The user's words, or a message that the client made in the user's place.
    User {
        /// The text.
        text: Arc<str>,
        /// Set when the client made it.
        synthetic: Option<Synthetic>,
    },
    /// The model's words and calls.
    Assistant {
        /// Words and reasoning.
        text: AssistantText,
        /// Calls, in order.
        calls: Arc<[ToolCall]>,
        /// Set when the client made it.
        synthetic: Option<Synthetic>,
    },
    /// The result of one call.
    Tool {
        /// The id of the call.
        call: Arc<str>,
        /// The tool's name.
        tool: Arc<str>,
        /// What the model reads.
        text: Arc<str>,
    },
}

impl Message {
    /// A user's message.
    pub fn user(text: impl Into<Arc<str>>) -> Self {
        Self::User { text: text.into(), synthetic: None }
    }

    /// A message of the client in the user's place.
    pub fn client(text: impl Into<Arc<str>>, synthetic: Synthetic) -> Self {
        Self::User { text: text.into(), synthetic: Some(synthetic) }
    }

    /// A model's words without calls.
    pub fn assistant(text: impl Into<Arc<str>>) -> Self {
        let text = AssistantText { visible: text.into(), reasoning: None };
        Self::Assistant { text, calls: Arc::from([]), synthetic: None }
    }

    /// Whether the role is `user`, client-made ones included.
    pub fn is_user(&self) -> bool {
        matches!(self, Self::User { .. })
    }

    /// Whether the role is `user` and the words are the user's own.
    pub fn is_real_user(&self) -> bool {
        matches!(self, Self::User { synthetic: None, .. })
    }

    /// The text that it carries.
    pub fn text(&self) -> &str {
        match self {
            Self::User { text, .. } | Self::Tool { text, .. } => text,
            Self::Assistant { text, .. } => &text.visible,
        }
    }

    /// The calls that it asks for.
    pub fn calls(&self) -> &[ToolCall] {
        match self {
            Self::Assistant { calls, .. } => calls,
            Self::User { .. } | Self::Tool { .. } => &[],
        }
    }

    /// Characters of text and of serialised calls, for token estimates.
    pub fn chars(&self) -> Chars {
        let calls: Chars =
            self.calls().iter().map(|call| Chars::of(&call.name) + Chars::of(&call.arguments)).sum();
        Chars::of(self.text()) + calls
    }
}

/// How a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// The model was done.
    Stop,
    /// It asks for tools.
    ToolCalls,
    /// The output limit cut it.
    Length,
    /// The provider refused.
    ContentFilter,
}

/// Tokens of one request and its answer, as the server counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Of the request.
    pub prompt: Tokens,
    /// Of those, the ones a prefix cache served.
    pub cached: Tokens,
    /// Of the answer.
    pub completion: Tokens,
}

/// A model's whole reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// Words and reasoning.
    pub text: AssistantText,
    /// Calls, in order.
    pub calls: Vec<ToolCall>,
    /// How it ended.
    pub finish: Finish,
    /// Token counts.
    pub usage: Usage,
}

/// Messages of a transcript's own part from which [`Transcript::settle`] shares them: half of what a copy costs then
/// against what sharing costs.
const OWN_MAX: usize = 128;

/// The messages of a conversation: a shared beginning and what came after. A review shares its session's history
/// and never copies it.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    shared: Arc<[Arc<Message>]>,
    own: Vec<Arc<Message>>,
}

impl Transcript {
    /// A transcript that continues this shared beginning.
    pub fn sharing(shared: Arc<[Arc<Message>]>) -> Self {
        Self { shared, own: Vec::new() }
    }

    /// Adds a message at the end.
    pub fn push(&mut self, message: Message) {
        self.own.push(Arc::new(message));
    }

    /// Exchanges the message at this place; an exchange in the shared beginning copies its pointers.
    ///
    /// # Panics
    /// There is no such place.
    pub fn replace(&mut self, index: usize, message: Message) {
        match index.checked_sub(self.shared.len()) {
            Some(own) => self.own[own] = Arc::new(message),
            None => {
                let mut shared = self.shared.to_vec();
                shared[index] = Arc::new(message);
                self.shared = shared.into();
            }
        }
    }

    /// Number of messages.
    pub fn len(&self) -> usize {
        self.shared.len() + self.own.len()
    }

    /// Whether there is no message.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of messages in the shared beginning.
    pub fn shared_len(&self) -> usize {
        self.shared.len()
    }

    /// The messages in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<Message>> + ExactSizeIterator {
        Joined { front: self.shared.iter(), back: self.own.iter() }
    }

    /// The message at this place.
    pub fn get(&self, index: usize) -> Option<&Arc<Message>> {
        match index.checked_sub(self.shared.len()) {
            None => self.shared.get(index),
            Some(own) => self.own.get(own),
        }
    }

    /// The last message.
    pub fn last(&self) -> Option<&Arc<Message>> {
        self.own.last().or_else(|| self.shared.last())
    }

    /// Cuts the transcript to so many messages; a cut into the shared beginning copies what stays.
    pub fn truncate(&mut self, len: usize) {
        if let Some(own) = len.checked_sub(self.shared.len()) {
            self.own.truncate(own);
        } else {
            self.own.clear();
            self.shared = self.shared[..len].into();
        }
    }

    /// Moves a long own part into the shared one, so that the copy that each request takes stays small.
    pub fn settle(&mut self) {
        if self.own.len() >= OWN_MAX {
            self.share();
        }
    }

    /// Moves everything into the shared part, so that a copy costs nothing, and returns it.
    pub fn share(&mut self) -> Arc<[Arc<Message>]> {
        if !self.own.is_empty() {
            self.shared = self.shared.iter().cloned().chain(self.own.drain(..)).collect();
        }
        Arc::clone(&self.shared)
    }
}

impl FromIterator<Message> for Transcript {
    fn from_iter<I: IntoIterator<Item = Message>>(messages: I) -> Self {
        Self { shared: Arc::from([]), own: messages.into_iter().map(Arc::new).collect() }
    }
}

impl FromIterator<Arc<Message>> for Transcript {
    fn from_iter<I: IntoIterator<Item = Arc<Message>>>(messages: I) -> Self {
        Self { shared: Arc::from([]), own: messages.into_iter().collect() }
    }
}

/// Two slices one after the other, with a known length from both ends.
struct Joined<'a> {
    front: std::slice::Iter<'a, Arc<Message>>,
    back: std::slice::Iter<'a, Arc<Message>>,
}

impl<'a> Iterator for Joined<'a> {
    type Item = &'a Arc<Message>;

    fn next(&mut self) -> Option<Self::Item> {
        self.front.next().or_else(|| self.back.next())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.front.len() + self.back.len();
        (len, Some(len))
    }
}

impl DoubleEndedIterator for Joined<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.back.next_back().or_else(|| self.front.next_back())
    }
}

impl ExactSizeIterator for Joined<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_beginning_is_continued_and_cut() {
        let mut session: Transcript = ["a", "b", "c"].map(Message::user).into_iter().collect();
        let mut review = Transcript::sharing(session.share());
        review.push(Message::user("review"));
        session.push(Message::user("d"));
        let texts =
            |transcript: &Transcript| transcript.iter().map(|m| m.text().to_owned()).collect::<Vec<_>>();
        assert_eq!(texts(&review), ["a", "b", "c", "review"]);
        assert_eq!(texts(&session), ["a", "b", "c", "d"]);
        review.replace(1, Message::user("B"));
        review.replace(3, Message::user("look back"));
        assert_eq!(texts(&review), ["a", "B", "c", "look back"]);
        review.truncate(2);
        assert_eq!(texts(&review), ["a", "B"]);
        assert_eq!(session.iter().next_back().unwrap().text(), "d");
        assert_eq!(session.iter().len(), 4);
    }
}
