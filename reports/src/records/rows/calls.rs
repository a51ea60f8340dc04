//! Model calls and tool calls.

use std::sync::Arc;

use crate::records::record::record;
use crate::words::{Evidence, Finish, ModelOutcome, Origin, Role};

record! {
    /// One row a request to a model, each attempt its own, in order of sending.
    #[derive(Default)]
    ModelCallRow, "model_calls", session {
        /// The conversation.
        conversation: u64,
        /// What it serves; empty where the trace does not say.
        role: Option<Role>,
        /// The turn of the session.
        turn: u32,
        /// The iteration of the conversation's turn.
        iteration: u32,
        /// The call's number within its user.
        call: u64,
        /// Number of this attempt, from 1.
        attempt: u32,
        /// The model asked for.
        model: Arc<str>,
        /// When it was sent, since the scenario's start.
        at_ms: i64,
        /// From request to answer; empty if it has none.
        took_ms: Option<u64>,
        /// Messages in the request.
        messages: u64,
        /// Tokens that it shares with an earlier request from its beginning on.
        shared_tokens: u64,
        /// Tokens of the request.
        prompt_tokens: u64,
        /// Of those, the ones that the prefix cache served.
        cached_tokens: u64,
        /// Tokens of the answer.
        completion_tokens: u64,
        /// Tokens of the session's index block, in requests of role main; else 0.
        index_tokens: u64,
        /// How it ended; empty if it has no answer.
        outcome: Option<ModelOutcome>,
        /// How the reply ended.
        finish: Option<Finish>,
        /// Class of the failure.
        class: Option<Arc<str>>,
        /// The script's rule that answered.
        rule: Option<Arc<str>>,
        /// The step of that rule.
        step: Option<Arc<str>>,
        /// Money, by the price table; empty without one.
        cost_nanos: Option<u64>,
        /// What the figures rest on, at best.
        evidence: Evidence,
    }
}

record! {
    /// One row a tool call of any role, after name repair, refused and unknown ones included, in order of dispatch.
    ToolCallRow, "tool_calls", session {
        /// The conversation.
        conversation: u64,
        /// What it serves; empty where the trace does not say.
        role: Option<Role>,
        /// The turn of the session.
        turn: u32,
        /// The iteration of the conversation's turn.
        iteration: u32,
        /// The call's id.
        id: Arc<str>,
        /// The tool.
        tool: Arc<str>,
        /// Who calls.
        origin: Origin,
        /// The segment of the reply, from 0.
        segment: u32,
        /// When it was taken up, since the scenario's start.
        at_ms: i64,
        /// From dispatch to answer; empty if it has none.
        took_ms: Option<u64>,
        /// The loop's own failure test calls the result failed.
        failed: bool,
        /// A whitelist, guard or guardrail refused it.
        refused: bool,
        /// An interrupt cancelled it before it began.
        cancelled: bool,
        /// The batch limit passed before it answered.
        timed_out: bool,
        /// No such tool.
        unknown: bool,
        /// The error kind, where there is one.
        error: Option<Arc<str>>,
        /// Length of what the model reads.
        text_chars: u64,
        /// What the figures rest on, at best.
        evidence: Evidence,
    }
}
