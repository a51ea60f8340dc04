//! Nudges, reviews, writes and loads.

use std::sync::Arc;

use crate::records::record::record;
use crate::words::{Evidence, Nudge, NudgeEvent, Origin, ReviewOutcome, Role, Route, Store, WriteOutcome};

record! {
    /// One row a due nudge, from the moment that its counter reached its interval (`spec/metrics.md`, nudge
    /// service).
    NudgeRow, "nudges", session {
        /// Which.
        which: Nudge,
        /// The turn in which it became due.
        turn: u32,
        /// When it became due, since the scenario's start.
        due_ms: i64,
        /// What became of it last: `fired`, `lost`, `deferred`, `kept`, or `due` when nothing more was heard of it.
        outcome: NudgeEvent,
        /// Why.
        why: Arc<str>,
        /// Times that it was put off.
        deferred: u64,
        /// Times that it could not be used and stayed due.
        kept: u64,
        /// From due to run; empty if it did not run.
        delay_ms: Option<u64>,
        /// Turns begun by the user from due to run; empty if it did not run.
        delay_turns: Option<u64>,
        /// The review that it started.
        review: Option<u64>,
        /// What the figures rest on, at best.
        evidence: Evidence,
    }
}

record! {
    /// One row a review that began, or that was dropped before it did.
    #[derive(Default)]
    ReviewRow, "reviews", session {
        /// The review's number within its user.
        review: u64,
        /// The turn that caused it.
        turn: u32,
        /// The memory nudge armed it.
        cause_memory: bool,
        /// The skill nudge armed it.
        cause_skills: bool,
        /// The user asked for it.
        cause_explicit: bool,
        /// It read a digest instead of the whole history.
        digest: bool,
        /// When it began, since the scenario's start; empty if it was dropped before.
        started_ms: Option<i64>,
        /// From its beginning to its end; empty without both.
        duration_ms: Option<u64>,
        /// How it ended; empty if the trace has no end of it.
        outcome: Option<ReviewOutcome>,
        /// Why it was dropped, ended or failed.
        reason: Arc<str>,
        /// What the user was told of its writes; empty for nothing.
        notice: Arc<str>,
        /// Its iterations, as it reported them.
        iterations: u64,
        /// Its requests, each attempt counted.
        calls: u64,
        /// Its tool calls.
        tool_calls: u64,
        /// Those that were refused.
        refused_calls: u64,
        /// Tokens of its requests.
        prompt_tokens: u64,
        /// Of those, the ones that the prefix cache served.
        cached_tokens: u64,
        /// Tokens of its answers.
        completion_tokens: u64,
        /// Its applied writes to notes and profile.
        memory_writes: u64,
        /// Its applied writes to the library.
        skill_writes: u64,
        /// Its writes that wait as proposals.
        staged_writes: u64,
        /// Its writes that a guard refused.
        refused_writes: u64,
        /// Its writes that failed on their content or target.
        failed_writes: u64,
        /// Its applied writes that were of use before the horizon: a memory write that stood in a prompt, a skill
        /// write whose skill was loaded afterwards by index, user or job.
        used_writes: u64,
        /// Whether its tokens were wasted: no applied write was of use (`spec/metrics.md`, review tax and waste).
        wasted: bool,
        /// Money, by the price table; empty without one.
        cost_nanos: Option<u64>,
        /// What the figures rest on, at best.
        evidence: Evidence,
    }
}

record! {
    /// One row a write to notes, profile or library, applied or not, in order.
    WriteRow, "writes", session {
        /// The conversation.
        conversation: u64,
        /// What it serves; empty where the trace does not say.
        role: Option<Role>,
        /// The turn of the session.
        turn: u32,
        /// The review that wrote; empty for none.
        review: Option<u64>,
        /// When, since the scenario's start.
        at_ms: i64,
        /// Where it goes.
        store: Store,
        /// The tool's action.
        action: Arc<str>,
        /// The entry, skill or file meant; a long one is cut at 80 code points.
        target: Arc<str>,
        /// Who wrote.
        origin: Origin,
        /// What became of it.
        outcome: WriteOutcome,
        /// The error kind, where it was refused or failed.
        error: Option<Arc<str>>,
        /// Length of the text before.
        before_chars: u64,
        /// Length of the text after.
        after_chars: u64,
        /// Lessons gained, joined by `;`.
        gained: Arc<str>,
        /// Lessons lost, joined by `;`.
        lost: Arc<str>,
        /// When it first stood in a prompt, since the scenario's start; empty if it never did.
        visible_ms: Option<i64>,
        /// Loads of its skill afterwards by index, user or job; 0 for a memory write.
        loads_after: u64,
        /// What the figures rest on, at best.
        evidence: Evidence,
    }
}

record! {
    /// One row a skill's text that entered a conversation.
    LoadRow, "loads", session {
        /// The conversation.
        conversation: u64,
        /// What it serves; empty where the trace does not say.
        role: Option<Role>,
        /// The turn of the session.
        turn: u32,
        /// When, since the scenario's start.
        at_ms: i64,
        /// The skill.
        skill: Arc<str>,
        /// The supporting file; empty for the skill's own text.
        file: Option<Arc<str>>,
        /// By which route.
        route: Route,
        /// Whether the session's index lists it.
        listed: bool,
        /// Whether a trigger word of the task stands in what the index shows of it; empty where no task says.
        visible: Option<bool>,
        /// Whether its advice was followed; empty where nothing checks.
        followed: Option<bool>,
        /// What the figures rest on, at best.
        evidence: Evidence,
    }
}
