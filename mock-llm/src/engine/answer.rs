//! What the engine is asked and what it gives back.

use std::sync::Arc;
use std::time::Duration;

use crate::preset::Role;
use crate::wire::Reply;

/// What is said of a request beside it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Context<'a> {
    /// The conversation's key (`user/session#turn[/review n]`), equal over arms. Without one a digest of the message that
    /// starts the turn and its number in view stands in.
    pub key: Option<&'a str>,
    /// Simulated time, in milliseconds since the Unix epoch; a fixed instant without one.
    pub now_ms: Option<i64>,
}

/// An answer and how it reaches the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The answer, with faults in its content already applied.
    pub reply: Reply,
    /// What the request was taken to serve.
    pub role: Role,
    /// The rule that answered.
    pub rule: Arc<str>,
    /// The step of that rule: `3`, `2/e1/1` within the first `on_error` branch of step 2, `2~1` when repeated once.
    pub step: Arc<str>,
    /// Time before the first byte, beyond what an answer of its length takes anyway.
    pub delay: Option<Duration>,
    /// How it reaches the client.
    pub delivery: Delivery,
}

/// How an answer reaches the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Whole.
    Whole,
    /// Never.
    Stalled,
    /// As an HTTP error.
    Refused {
        /// The status code.
        code: u16,
        /// What the header `Retry-After` says.
        retry_after: Option<Duration>,
        /// The error's words.
        message: Arc<str>,
    },
    /// The connection breaks after so many characters of the answer.
    Broken {
        /// Characters of reasoning, text and arguments that arrive.
        after: usize,
    },
    /// An event that is not JSON follows after so many characters, and the connection breaks.
    Malformed {
        /// Characters of reasoning, text and arguments that arrive before it.
        after: usize,
    },
}
