//! Cells, sessions and turns.

use std::sync::Arc;

use crate::records::record::record;
use crate::words::{AgentObject, CellOutcome, Evidence, TurnOutcome};

record! {
    /// One row a cell: scenario × arm × seed, with the sums over all its users.
    #[derive(Default)]
    CellRow, "cells", cell {
        /// The version whose behaviour the agent has.
        version: Arc<str>,
        /// The named world that the rates come from; empty without one.
        world: Arc<str>,
        /// What a sweep varies, as `key=value`, joined by blanks in the order of its command line.
        settings: Arc<str>,
        /// Digest of all inputs of the cell.
        digest: Arc<str>,
        /// The scenario's first instant.
        started_at: Arc<str>,
        /// How the simulation ended; empty if the trace has no end.
        outcome: Option<CellOutcome>,
        /// Why, where it did not reach its end.
        reason: Arc<str>,
        /// Days that ended: the number of different days with a state.
        days: u64,
        /// Users: the number of different users in events.
        users: u64,
        /// Sessions opened.
        sessions: u64,
        /// Turns begun.
        turns: u64,
        /// Of those, the ones in which the user asked for something, and did not only correct how an earlier task was done.
        tasks: u64,
        /// Turns judged solved or solved after a correction.
        solved: u64,
        /// Turns judged at all.
        judged: u64,
        /// Iterations: passes of the loop in all turns, closing summaries not counted.
        iterations: u64,
        /// Tool calls of role main, after name repair, refused ones included.
        tool_calls: u64,
        /// Answers to those that the loop's own test calls failed.
        tool_errors: u64,
        /// Requests of role main, each attempt counted.
        main_calls: u64,
        /// Requests of role review, each attempt counted.
        review_calls: u64,
        /// Requests of role curator, each attempt counted.
        curator_calls: u64,
        /// Requests of all other roles, each attempt counted.
        other_calls: u64,
        /// Tokens of all requests of all roles.
        prompt_tokens: u64,
        /// Of those, the ones that the prefix cache served.
        cached_tokens: u64,
        /// Tokens of all answers of all roles.
        completion_tokens: u64,
        /// Tokens of requests and answers of role review.
        review_tokens: u64,
        /// Tokens of requests of role main.
        main_prompt_tokens: u64,
        /// Index tokens in requests of role main: Σ over these requests of their session's index block
        /// (`spec/metrics.md`, index tax).
        index_tokens: u64,
        /// Nudges that became due.
        nudges_due: u64,
        /// Nudges that started a review.
        nudges_run: u64,
        /// Nudges that will start nothing.
        nudges_lost: u64,
        /// Reviews begun.
        reviews: u64,
        /// Memory and skill changes that reviews applied.
        review_writes: u64,
        /// Applied writes to notes and profile, by anyone.
        memory_writes: u64,
        /// Applied writes to the library, by anyone.
        skill_writes: u64,
        /// Texts of skills that entered conversations, by any route.
        loads: u64,
        /// Exposures to a hazard.
        hazards: u64,
        /// Exposures in which the agent ran into it.
        hazard_hits: u64,
        /// Corrections that a user had to give again.
        user_repeats: u64,
        /// Time that background work kept users waiting.
        waited_ms: u64,
        /// Curator runs.
        curator_runs: u64,
        /// Requests that no rule of the script fits.
        misses: u64,
        /// Events of the trace.
        events: u64,
        /// Money for all requests, by the price table; empty without one.
        cost_nanos: Option<u64>,
        /// What the figures rest on, at best.
        evidence: Evidence,
    }
}

record! {
    /// One row a session. A review's calls, writes and tokens are booked on the session that caused it; the
    /// curator's on `curator_runs` alone.
    #[derive(Default)]
    SessionRow, "sessions", session {
        /// When it was opened first.
        started_at: Arc<str>,
        /// Turns begun.
        turns: u64,
        /// Iterations: Σ over turns of the passes of the loop, the closing summary not counted.
        iterations: u64,
        /// Tool calls of role main, after name repair, refused ones included.
        tool_calls: u64,
        /// Answers to those that the loop's own failure test calls failed.
        tool_errors: u64,
        /// Requests of role main, each attempt and the closing summary counted.
        main_calls: u64,
        /// Requests of role review, each attempt counted.
        review_calls: u64,
        /// Reviews begun.
        reviews: u64,
        /// Memory and skill changes that its reviews applied; a staged write is none.
        review_writes: u64,
        /// Applied writes to notes and profile, by anyone: its turns, its reviews, its delegates.
        memory_writes: u64,
        /// Tokens of requests of role main.
        prompt_tokens: u64,
        /// Of those, the ones that the prefix cache served.
        cached_tokens: u64,
        /// Tokens of answers of role main.
        completion_tokens: u64,
        /// Tokens of requests of role review.
        review_prompt_tokens: u64,
        /// Of those, the ones that the prefix cache served.
        review_cached_tokens: u64,
        /// Tokens of answers of role review.
        review_completion_tokens: u64,
        /// Tokens of requests and answers, of whatever role, that the agent's own books do not show.
        unbooked_tokens: u64,
        /// Requests of roles delegate, compression, title and summary, each attempt counted.
        other_calls: u64,
        /// Tokens of those requests.
        other_prompt_tokens: u64,
        /// Of those, the ones that the prefix cache served.
        other_cached_tokens: u64,
        /// Tokens of their answers.
        other_completion_tokens: u64,
        /// Applied writes to the library, by anyone.
        skill_writes: u64,
        /// Writes that wait as proposals.
        staged_writes: u64,
        /// Writes that a guard refused.
        refused_writes: u64,
        /// Writes that failed on their content or target.
        failed_writes: u64,
        /// Texts of skills that entered its turns; those that its reviews read are not counted.
        loads: u64,
        /// Nudges that became due.
        nudges_due: u64,
        /// Nudges that will start nothing.
        nudges_lost: u64,
        /// Exposures to a hazard.
        hazards: u64,
        /// Exposures in which the agent ran into it.
        hazard_hits: u64,
        /// Skills listed in its first prompt.
        skills_listed: u64,
        /// Tokens of the index block of its first prompt.
        index_tokens: u64,
        /// Length of its first prompt.
        prompt_chars: u64,
        /// Times that it was opened, the first included.
        openings: u64,
        /// Turns that the user interrupted.
        interrupts: u64,
        /// Compressions of its conversation; those that found nothing to do are not counted.
        compressions: u64,
        /// Times that a compression ended its stored session, and a child of that went on (`spec/compression.md` §4).
        continued: u64,
        /// Times that the compression of a review did so: a child that nobody goes on with.
        forked: u64,
        /// Calls without a result and results without a call that compressions left.
        unpaired: u64,
        /// Time that background work kept the user waiting.
        waited_ms: u64,
        /// From its opening to its last event, reviews included.
        duration_ms: u64,
        /// New or kept agent object.
        agent: AgentObject,
        /// Why it was closed; empty if it was not.
        end_reason: Arc<str>,
        /// How its last judged turn came out; empty where nothing judges.
        outcome: Option<TurnOutcome>,
        /// Money for all requests booked on it, by the price table; empty without one.
        cost_nanos: Option<u64>,
        /// What the figures rest on, at best.
        evidence: Evidence,
    }
}

record! {
    /// One row a turn of a session, in the order of their beginnings.
    #[derive(Default)]
    TurnRow, "turns", session {
        /// The turn, from 1.
        turn: u32,
        /// When it began, since the scenario's start.
        started_ms: i64,
        /// From its beginning to its end; empty if it has none.
        duration_ms: Option<u64>,
        /// The day on which it began.
        day: i64,
        /// The family of recurring tasks; empty for none.
        family: Arc<str>,
        /// The occurrence of that family for this user, from 1.
        occurrence: Option<u32>,
        /// The hazard about which the user complains; empty where a task is asked for.
        corrects: Arc<str>,
        /// The exit reason; empty if it has no end.
        exit: Arc<str>,
        /// Iterations: passes of the loop, the closing summary not counted.
        iterations: u64,
        /// Requests of role main, each attempt counted.
        main_calls: u64,
        /// Tool calls of role main, after name repair, refused ones included.
        tool_calls: u64,
        /// Answers to those that the loop's own failure test calls failed.
        tool_errors: u64,
        /// Tokens of requests of role main.
        prompt_tokens: u64,
        /// Of those, the ones that the prefix cache served.
        cached_tokens: u64,
        /// Tokens of answers of role main.
        completion_tokens: u64,
        /// Time that background work kept the user waiting.
        waited_ms: u64,
        /// The cause of the wait; empty without one.
        wait_cause: Arc<str>,
        /// Interruptions by the user.
        interrupts: u64,
        /// Steering texts.
        steers: u64,
        /// Exposures to a hazard.
        hazards: u64,
        /// Exposures in which the agent ran into it.
        hazard_hits: u64,
        /// Corrections by the user.
        corrections: u64,
        /// Texts of skills that entered it.
        loads: u64,
        /// Memory counter after it.
        turns_since_memory: i64,
        /// Skill counter after it.
        iters_since_skill: i64,
        /// Whether the loop calls it completed.
        completed: bool,
        /// Whether the user was given an answer.
        answered: bool,
        /// How the scenario judges the work; empty where nothing judges.
        outcome: Option<TurnOutcome>,
        /// What the figures rest on, at best.
        evidence: Evidence,
    }
}
