//! Model calls and tool calls, and where their tokens and money are booked.

use std::sync::Arc;

use super::Measure;
use super::sessions::{count, is_main, role_of};
use crate::records::{ModelCallRow, ToolCallRow};
use crate::trace::{Event, Kind, TokenCounts};
use crate::words::Role;

/// What one request adds to the rows that it is booked on.
#[derive(Clone, Copy, Default)]
struct Booking {
    calls: u64,
    tokens: TokenCounts,
    cost_nanos: Option<u64>,
}

/// Adds money where there is any.
pub(super) fn add_cost(total: &mut Option<u64>, cost: Option<u64>) {
    if let Some(cost) = cost {
        *total = Some(total.unwrap_or(0).saturating_add(cost));
    }
}

impl Measure {
    pub(super) fn call_event(&mut self, event: &Event) {
        match &event.kind {
            Kind::ModelCall { .. } => self.model_call(event),
            Kind::ModelAnswer { .. } => self.model_answer(event),
            Kind::ToolCall { .. } => self.tool_call(event),
            Kind::ToolAnswer { .. } => self.tool_answer(event),
            _ => {}
        }
    }

    fn model_call(&mut self, event: &Event) {
        let Kind::ModelCall { call, model, attempt, messages, shared_tokens } = &event.kind else { return };
        let key = self.key_of(event);
        let index_tokens = self.index_tokens_of(event);
        let row = self.records.model_calls.len();
        self.records.model_calls.push(ModelCallRow {
            scenario: key.scenario,
            arm: key.arm,
            seed: key.seed,
            user: key.user,
            session: event.session.clone().unwrap_or_default(),
            evidence: key.evidence,
            conversation: event.conversation.unwrap_or(0),
            role: role_of(event),
            turn: event.turn,
            iteration: event.iteration,
            call: *call,
            attempt: *attempt,
            model: Arc::clone(model),
            at_ms: event.at_ms,
            messages: *messages,
            shared_tokens: *shared_tokens,
            index_tokens,
            ..ModelCallRow::default()
        });
        self.user(event).open_calls.insert(*call, row);
        self.cell.index_tokens += index_tokens;
        self.book(event, Booking { calls: 1, ..Booking::default() });
    }

    fn model_answer(&mut self, event: &Event) {
        let Kind::ModelAnswer { call, outcome, finish, class, tokens, rule, step, took_ms, booked } =
            &event.kind
        else {
            return;
        };
        let Some(row) = self.user(event).open_calls.remove(call) else { return };
        let row = &mut self.records.model_calls[row];
        let prices = self.prices.as_ref();
        let cost_nanos = prices.and_then(|prices| prices.cost_nanos(row.role, &row.model, *tokens));
        row.took_ms = Some(*took_ms);
        row.prompt_tokens = tokens.prompt;
        row.cached_tokens = tokens.cached;
        row.completion_tokens = tokens.completion;
        row.outcome = Some(*outcome);
        row.finish = *finish;
        row.class.clone_from(class);
        row.rule.clone_from(rule);
        row.step.clone_from(step);
        row.cost_nanos = cost_nanos;
        self.book(event, Booking { calls: 0, tokens: *tokens, cost_nanos });
        if let (false, Some(session)) = (*booked, self.session_row(event)) {
            session.unbooked_tokens += tokens.prompt + tokens.completion;
        }
    }

    /// Books a request on its session (a review's on the one that caused it), its turn, its review or its curator
    /// run, and on the cell.
    fn book(&mut self, event: &Event, booking: Booking) {
        self.book_on_cell(event, booking);
        match role_of(event) {
            Some(Role::Curator) => {
                let pass = &mut self.user(event).curator;
                pass.calls += booking.calls;
                pass.prompt_tokens += booking.tokens.prompt;
                pass.cached_tokens += booking.tokens.cached;
                pass.completion_tokens += booking.tokens.completion;
                add_cost(&mut pass.cost_nanos, booking.cost_nanos);
            }
            _ => self.book_on_session(event, booking),
        }
        if let Some(review) = self.review_row(event) {
            review.calls += booking.calls;
            review.prompt_tokens += booking.tokens.prompt;
            review.cached_tokens += booking.tokens.cached;
            review.completion_tokens += booking.tokens.completion;
            add_cost(&mut review.cost_nanos, booking.cost_nanos);
        }
        if let Some(turn) = self.turn_row(event) {
            turn.main_calls += booking.calls;
            turn.prompt_tokens += booking.tokens.prompt;
            turn.cached_tokens += booking.tokens.cached;
            turn.completion_tokens += booking.tokens.completion;
        }
    }

    fn book_on_cell(&mut self, event: &Event, Booking { calls, tokens, cost_nanos }: Booking) {
        let cell = &mut self.cell;
        cell.prompt_tokens += tokens.prompt;
        cell.cached_tokens += tokens.cached;
        cell.completion_tokens += tokens.completion;
        add_cost(&mut cell.cost_nanos, cost_nanos);
        match role_of(event) {
            Some(Role::Main) => {
                cell.main_calls += calls;
                cell.main_prompt_tokens += tokens.prompt;
            }
            Some(Role::Review) => {
                cell.review_calls += calls;
                cell.review_tokens += tokens.prompt + tokens.completion;
            }
            Some(Role::Curator) => cell.curator_calls += calls,
            _ => cell.other_calls += calls,
        }
    }

    fn book_on_session(&mut self, event: &Event, Booking { calls, tokens, cost_nanos }: Booking) {
        let role = role_of(event);
        let Some(row) = self.session_row(event) else { return };
        add_cost(&mut row.cost_nanos, cost_nanos);
        let (booked_calls, prompt, cached, completion) = match role {
            Some(Role::Main) => (
                &mut row.main_calls,
                &mut row.prompt_tokens,
                &mut row.cached_tokens,
                &mut row.completion_tokens,
            ),
            Some(Role::Review) => (
                &mut row.review_calls,
                &mut row.review_prompt_tokens,
                &mut row.review_cached_tokens,
                &mut row.review_completion_tokens,
            ),
            _ => (
                &mut row.other_calls,
                &mut row.other_prompt_tokens,
                &mut row.other_cached_tokens,
                &mut row.other_completion_tokens,
            ),
        };
        *booked_calls += calls;
        *prompt += tokens.prompt;
        *cached += tokens.cached;
        *completion += tokens.completion;
    }

    fn tool_call(&mut self, event: &Event) {
        let Kind::ToolCall { id, tool, origin, segment, .. } = &event.kind else { return };
        let key = self.key_of(event);
        let row = self.records.tool_calls.len();
        self.records.tool_calls.push(ToolCallRow {
            scenario: key.scenario,
            arm: key.arm,
            seed: key.seed,
            user: key.user,
            session: event.session.clone().unwrap_or_default(),
            evidence: key.evidence,
            conversation: event.conversation.unwrap_or(0),
            role: role_of(event),
            turn: event.turn,
            iteration: event.iteration,
            id: Arc::clone(id),
            tool: Arc::clone(tool),
            origin: *origin,
            segment: *segment,
            at_ms: event.at_ms,
            took_ms: None,
            failed: false,
            refused: false,
            cancelled: false,
            timed_out: false,
            unknown: false,
            error: None,
            text_chars: 0,
        });
        self.user(event).open_tools.insert((event.conversation, Arc::clone(id)), row);
        self.count_tool(event, |tally| tally.calls = 1);
    }

    fn tool_answer(&mut self, event: &Event) {
        let Kind::ToolAnswer {
            id, failed, refused, cancelled, timed_out, unknown, error, text, took_ms, ..
        } = &event.kind
        else {
            return;
        };
        let open = self.user(event).open_tools.remove(&(event.conversation, Arc::clone(id)));
        if let Some(row) = open {
            let row = &mut self.records.tool_calls[row];
            row.took_ms = Some(*took_ms);
            row.failed = *failed;
            row.refused = *refused;
            row.cancelled = *cancelled;
            row.timed_out = *timed_out;
            row.unknown = *unknown;
            row.error.clone_from(error);
            row.text_chars = count(text.chars().count());
        }
        self.count_tool(event, |tally| {
            tally.errors = u64::from(*failed);
            tally.refused = u64::from(*refused);
        });
    }

    fn count_tool(&mut self, event: &Event, fill: impl FnOnce(&mut ToolTally)) {
        let mut tally = ToolTally::default();
        fill(&mut tally);
        if is_main(event) {
            self.cell.tool_calls += tally.calls;
            self.cell.tool_errors += tally.errors;
            if let Some(row) = self.session_row(event) {
                row.tool_calls += tally.calls;
                row.tool_errors += tally.errors;
            }
            if let Some(row) = self.turn_row(event) {
                row.tool_calls += tally.calls;
                row.tool_errors += tally.errors;
            }
        } else if role_of(event) == Some(Role::Curator) {
            let pass = &mut self.user(event).curator;
            pass.tool_calls += tally.calls;
            pass.refused_calls += tally.refused;
        } else if let Some(review) = self.review_row(event) {
            review.tool_calls += tally.calls;
            review.refused_calls += tally.refused;
        }
    }
}

#[derive(Default)]
struct ToolTally {
    calls: u64,
    errors: u64,
    refused: u64,
}
