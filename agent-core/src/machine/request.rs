//! What the machine asks of the outside, and what comes back.

use std::sync::Arc;

use crate::values::{Reply, Role, SimDuration, Tokens, ToolList, Transcript, Usage};

/// One request to a model.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// What it serves.
    pub role: Role,
    /// The model's name.
    pub model: Arc<str>,
    /// The system prompt.
    pub system: Arc<str>,
    /// The tools offered; empty for one-call conversations and the closing summary.
    pub tools: Arc<ToolList>,
    /// The messages after the system prompt.
    pub messages: Transcript,
    /// Limit of the answer's length, if one was raised for it.
    pub max_tokens: Option<Tokens>,
    /// Tokens of this request that a prefix cache holds (agent-core's own cache model over its requests).
    pub cached: Tokens,
    /// How often this conversation asked this pass before, from 0.
    pub retry: u32,
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelOutcome {
    /// A whole reply.
    Reply(Reply),
    /// The stream broke off; the text that had arrived.
    Cut {
        /// That text.
        partial: String,
        /// Token counts, as far as known.
        usage: Usage,
    },
    /// No reply.
    Failed(ModelFault),
    /// It was aborted; the text that had arrived by then.
    Aborted {
        /// That text.
        partial: String,
    },
}

/// Why a request failed, as the client saw it; the loop classifies it (`spec/turn-loop.md` §3).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelFault {
    /// HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// The error's code in the body, if there was one.
    pub code: Option<String>,
    /// The error's words.
    pub message: String,
    /// What a `Retry-After` header asked for.
    pub retry_after: Option<SimDuration>,
    /// Whether the connection failed or timed out before any status.
    pub transport: bool,
}

/// What became of a run of a world's tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolOutcome {
    /// It answered.
    Answered(ToolAnswer),
    /// It did not answer in time; its effect is unknown.
    TimedOut,
    /// It was stopped.
    Stopped,
}

/// A tool's answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolAnswer {
    /// What the model reads.
    pub text: String,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnEnd {
    /// The exit reason: `text_response`, `max_iterations_reached`, `interrupted_by_user` …, or `early_return`.
    pub exit: Arc<str>,
    /// The final answer, if there was one.
    pub answer: Option<Arc<str>>,
    /// Whether the turn counts as completed.
    pub completed: bool,
    /// Whether an interrupt ended it.
    pub interrupted: bool,
    /// Passes of the loop; the closing summary is not counted.
    pub api_calls: u32,
    /// Whether the client opened the turn, with results of delegated work, and not the user.
    pub by_client: bool,
}
