//! Reading a reply: refusals, cut-off output, calls with their mistakes, empty replies, the final answer
//! (`spec/turn-loop.md` §4, §5, §7).

use std::sync::Arc;

use serde_json::Value;

use super::conversation::{Act, Conversation, is_refusal};
use super::names;
use super::round::{Answered, CallState, RoundCall};
use crate::values::{AssistantText, Finish, Message, Reply, SimTime, Synthetic, Tokens, ToolCall, ToolEnd};

/// Tools whose rounds may already hold the final answer in their text.
const HOUSEKEEPING: [&str; 4] = ["memory", "todo", "skill_manage", "session_search"];
/// Continuations after output cut by the limit; the next cut reply ends the turn.
const LENGTH_CONTINUATIONS_MAX: usize = 3;
/// Requests repeated after calls cut by the limit.
const CUT_CALLS_MAX: u32 = 4;
/// Consecutive replies with only unknown tools.
const UNKNOWN_TOOL_MAX: u32 = 3;
/// Replies with malformed arguments before they are answered.
const BAD_JSON_MAX: u32 = 3;
/// Plain repeats after an empty reply.
const EMPTY_REPEATS_MAX: u32 = 3;
/// Reasoning-only replies that are kept to be continued.
const PREFILLS_MAX: u32 = 2;
/// How many messages at the end are searched for a tool result after an empty reply.
const NUDGE_WINDOW: usize = 5;
/// Output limit on which raised limits build, and their ceiling.
const OUTPUT_BASE: u64 = 4096;
const OUTPUT_MAX: u64 = 32_768;
/// What an exhausted turn answers where no explanation replaces it.
const EMPTY_MARKER: &str = "(empty)";

impl Conversation {
    pub(super) fn reply(&mut self, at: SimTime, reply: Reply, acts: &mut Vec<Act>) {
        if is_refusal(reply.finish) {
            return self.end_early("content_filter", false, None, acts);
        }
        if reply.finish == Finish::Length {
            return self.reply_cut(at, reply, acts);
        }
        self.state.cut_calls = 0;
        if reply.calls.is_empty() {
            self.reply_text(at, &reply.text, acts);
        } else {
            self.reply_calls(at, reply, acts);
        }
    }

    /// The output limit cut the reply (§4).
    fn reply_cut(&mut self, at: SimTime, reply: Reply, acts: &mut Vec<Act>) {
        if !reply.calls.is_empty() {
            self.state.cut_calls += 1;
            if self.state.cut_calls >= CUT_CALLS_MAX {
                return self.end_early("truncated_tool_calls", false, None, acts);
            }
            self.raise_limit(self.state.cut_calls);
            self.state.attempts = 0;
            return self.ask(at, acts);
        }
        if reply.text.visible.trim().is_empty() {
            return self.end_early("reasoning_exhausted_output", false, None, acts);
        }
        self.state.parts.push(reply.text.visible.to_string());
        if self.state.parts.len() > LENGTH_CONTINUATIONS_MAX {
            let joined: Arc<str> = self.state.parts.concat().into();
            return self.end_early("length_continuations_exhausted", false, Some(joined), acts);
        }
        let count = u32::try_from(self.state.parts.len()).unwrap_or(u32::MAX);
        self.raise_limit(count);
        let part = Message::Assistant {
            text: reply.text,
            calls: Arc::from([]),
            synthetic: Some(Synthetic::LengthContinuation),
        };
        self.append(part, acts);
        let goes_on = Arc::clone(&self.charter.texts.length_continuation);
        self.append(Message::client(goes_on, Synthetic::LengthContinuation), acts);
        self.next_pass(at, false, acts);
    }

    fn raise_limit(&mut self, times: u32) {
        let raised = OUTPUT_BASE.saturating_mul(1 << times.min(16)).min(OUTPUT_MAX);
        self.state.max_tokens = Some(Tokens(raised));
    }

    /// A reply with calls: names, then arguments, then the round (§5).
    fn reply_calls(&mut self, at: SimTime, reply: Reply, acts: &mut Vec<Act>) {
        let calls = self.repaired(reply.calls);
        let known = calls.iter().filter(|call| self.charter.tools.has(&call.name)).count();
        if known == 0 {
            self.state.unknown_tool += 1;
            if self.state.unknown_tool >= UNKNOWN_TOOL_MAX {
                return self.end_early("unknown_tools", false, None, acts);
            }
        } else {
            self.state.unknown_tool = 0;
        }
        let mut round: Vec<RoundCall> = calls.into_iter().map(|call| self.round_call(call)).collect();
        let malformed = |call: &RoundCall| call.args.is_err() && matches!(call.state, CallState::Pending);
        if let Some(first) = round.iter().find(|call| malformed(call) && is_cut_off(&call.call.arguments)) {
            let why = format!("truncated_arguments: {}", first.call.name);
            return self.end_early(&why, false, None, acts);
        }
        if round.iter().any(malformed) {
            self.state.bad_json += 1;
            if self.state.bad_json < BAD_JSON_MAX {
                return self.next_pass(at, false, acts);
            }
            self.state.bad_json = 0;
            answer_malformed(&mut round);
        } else {
            self.state.bad_json = 0;
        }
        self.remember(&reply.text, &round);
        let message = Message::Assistant {
            text: reply.text,
            calls: round.iter().map(|call| call.call.clone()).collect(),
            synthetic: None,
        };
        self.append(message, acts);
        self.state.empty = 0;
        self.state.prefills = 0;
        self.state.nudged_after_tools = false;
        self.state.max_tokens = None;
        self.begin_round(at, round, acts);
    }

    /// Repairs names, caps delegations, drops later calls that repeat an earlier one letter by letter.
    fn repaired(&self, calls: Vec<ToolCall>) -> Vec<ToolCall> {
        let mut kept: Vec<ToolCall> = Vec::with_capacity(calls.len());
        let mut delegates = 0;
        for mut call in calls {
            if let Some(name) = names::repair(&call.name, &self.charter.tools) {
                call.name = name.into();
            }
            if &*call.name == "delegate_task" {
                delegates += 1;
                if delegates > self.charter.delegates_max {
                    continue;
                }
            }
            let repeats = |other: &ToolCall| other.name == call.name && other.arguments == call.arguments;
            if !kept.iter().any(repeats) {
                kept.push(call);
            }
        }
        kept
    }

    fn round_call(&self, call: ToolCall) -> RoundCall {
        let text = call.arguments.trim();
        let args = if text.is_empty() {
            Ok(Value::Object(serde_json::Map::new()))
        } else {
            serde_json::from_str(text).map_err(|error| error.to_string())
        };
        if self.charter.tools.has(&call.name) {
            return RoundCall { call, args, state: CallState::Pending };
        }
        let text = if call.name.trim().is_empty() {
            "Error: the call names no tool.".to_owned()
        } else {
            let names: Vec<&str> = self.charter.tools.names().collect();
            format!("Error: there is no tool named '{}'. Available: {}", call.name, names.join(", "))
        };
        let end =
            ToolEnd { failed: true, unknown: true, kind: Some("unknown-tool".into()), ..ToolEnd::default() };
        RoundCall { call, args, state: CallState::Done(Answered::at_once(text, end)) }
    }

    fn remember(&mut self, text: &AssistantText, round: &[RoundCall]) {
        let housekeeping = round.iter().all(|call| HOUSEKEEPING.contains(&&*call.call.name));
        if !text.visible.trim().is_empty() {
            self.state.remembered = Some((Arc::clone(&text.visible), housekeeping));
        } else if !housekeeping {
            self.state.remembered = None;
        }
    }

    /// A reply without calls (§7).
    fn reply_text(&mut self, at: SimTime, text: &AssistantText, acts: &mut Vec<Act>) {
        if text.visible.trim().is_empty() {
            return self.reply_empty(at, text, acts);
        }
        let answer: Arc<str> = if self.state.parts.is_empty() {
            Arc::clone(&text.visible)
        } else {
            format!("{}{}", self.state.parts.concat(), text.visible).into()
        };
        self.strip_synthetic_tail(acts);
        let words = AssistantText { visible: Arc::clone(&answer), reasoning: text.reasoning.clone() };
        self.append(Message::Assistant { text: words, calls: Arc::from([]), synthetic: None }, acts);
        self.end_normal("text_response(finish_reason=stop)", Some(answer), true, acts);
    }

    fn reply_empty(&mut self, at: SimTime, text: &AssistantText, acts: &mut Vec<Act>) {
        if let Some((remembered, true)) = &self.state.remembered {
            let answer = Arc::clone(remembered);
            return self.end_normal("fallback_prior_turn_content", Some(answer), true, acts);
        }
        let has_reasoning = text.reasoning.as_ref().is_some_and(|reasoning| !reasoning.trim().is_empty());
        if !has_reasoning && !self.state.nudged_after_tools && self.sees_tool_result() {
            self.state.nudged_after_tools = true;
            let words =
                AssistantText { visible: Arc::clone(&self.charter.texts.empty_placeholder), reasoning: None };
            let placeholder = Message::Assistant {
                text: words,
                calls: Arc::from([]),
                synthetic: Some(Synthetic::EmptyPlaceholder),
            };
            self.append(placeholder, acts);
            let nudge = Arc::clone(&self.charter.texts.empty_nudge);
            self.append(Message::client(nudge, Synthetic::EmptyNudge), acts);
            return self.next_pass(at, false, acts);
        }
        if has_reasoning && self.state.prefills < PREFILLS_MAX {
            self.state.prefills += 1;
            let words = AssistantText { visible: "".into(), reasoning: text.reasoning.clone() };
            let prefill = Message::Assistant {
                text: words,
                calls: Arc::from([]),
                synthetic: Some(Synthetic::EmptyPlaceholder),
            };
            self.append(prefill, acts);
            return self.next_pass(at, false, acts);
        }
        if self.state.empty < EMPTY_REPEATS_MAX {
            self.state.empty += 1;
            return self.next_pass(at, false, acts);
        }
        let answer = if self.charter.rules.explain_empty {
            Arc::clone(&self.charter.texts.empty_explanation)
        } else {
            EMPTY_MARKER.into()
        };
        self.end_normal("empty_response_exhausted", Some(answer), false, acts);
    }

    /// Whether a tool result is near enough to the end to ask for words about it. The reference looks at the last
    /// messages whatever turn they belong to.
    fn sees_tool_result(&self) -> bool {
        let window = self.transcript.len().saturating_sub(NUDGE_WINDOW);
        let from = if self.charter.rules.nudge_this_turn_only {
            window.max(self.state.first_message)
        } else {
            window
        };
        let seen = self.transcript.len() - from;
        self.transcript.iter().rev().take(seen).any(|message| matches!(**message, Message::Tool { .. }))
    }
}

/// Malformed text that does not even end like JSON was cut off by the provider.
fn is_cut_off(arguments: &str) -> bool {
    !arguments.trim_end().ends_with(['}', ']'])
}

/// Answers the malformed calls with their mistake and tells the good ones that they were skipped.
fn answer_malformed(round: &mut [RoundCall]) {
    for call in round.iter_mut().filter(|call| matches!(call.state, CallState::Pending)) {
        let (text, kind) = match &call.args {
            Err(mistake) => (
                format!("Error: the arguments of {} are not valid JSON: {mistake}", call.call.name),
                "bad-json",
            ),
            Ok(_) => (
                "Error: skipped, because another call of this reply had malformed arguments.".to_owned(),
                "skipped",
            ),
        };
        let end = ToolEnd { failed: true, kind: Some(kind.into()), ..ToolEnd::default() };
        call.state = CallState::Done(Answered::at_once(text, end));
    }
}
