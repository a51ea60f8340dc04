//! Running a round of calls: checks before each, segments, interrupts and limits, results in call order
//! (`spec/turn-loop.md` §6).

use std::sync::Arc;

use serde_json::Value;

use super::conversation::{Act, CallPlace, Conversation, LoopTimer, Phase};
use super::guardrail::Remark;
use super::round::{Answered, CallState, Round, RoundCall};
use super::verdict;
use crate::behaviour::NonObjectRule;
use crate::values::{Fact, Message, SimDuration, SimTime, ToolCall, ToolEnd};

/// How long running calls may go on once an interrupt waits.
const GRACE: SimDuration = SimDuration::from_secs(3);

/// What became of a dispatched call, as the agent tells it.
#[derive(Clone, Debug)]
pub(crate) struct CallAnswer {
    /// What the model reads.
    pub(crate) text: Arc<str>,
    /// The error kind of the specs, if any.
    pub(crate) kind: Option<Arc<str>>,
    /// A guard of the tool refused it.
    pub(crate) refused: bool,
    /// It did not answer in time.
    pub(crate) timed_out: bool,
    /// It was stopped.
    pub(crate) stopped: bool,
}

impl Conversation {
    pub(super) fn begin_round(&mut self, at: SimTime, calls: Vec<RoundCall>, acts: &mut Vec<Act>) {
        self.rounds += 1;
        let round = Round::plan(self.rounds, calls, &self.charter.tools, self.charter.rules.parallel);
        let runs = round.calls.iter().any(|call| matches!(call.state, CallState::Pending));
        for (index, call) in round.calls.iter().enumerate() {
            if matches!(call.state, CallState::Done(_)) {
                self.note_call(&round, index, call, acts);
            }
        }
        if runs && !self.interrupt {
            acts.push(Act::RoundBegan);
        }
        self.phase = Phase::Running(Box::new(round));
        self.advance(at, acts);
    }

    fn note_call(&self, round: &Round, index: usize, call: &RoundCall, acts: &mut Vec<Act>) {
        let args = call.args.clone().unwrap_or_else(|_| Value::from(&*call.call.arguments));
        acts.push(Act::Note(Fact::ToolCall {
            id: Arc::clone(&call.call.id),
            tool: Arc::clone(&call.call.name),
            args,
            origin: self.charter.origin,
            segment: round.segment_of(index),
        }));
    }

    fn take_round(&mut self) -> Option<Box<Round>> {
        match std::mem::replace(&mut self.phase, Phase::Ready) {
            Phase::Running(round) => Some(round),
            other => {
                self.phase = other;
                None
            }
        }
    }

    /// Starts what can be started, appends what is answered, and ends the round when all is.
    fn advance(&mut self, at: SimTime, acts: &mut Vec<Act>) {
        let Some(mut round) = self.take_round() else { return };
        loop {
            let armed_before = round.running().next().is_some();
            let mut started = false;
            let startable = round.startable();
            if startable.is_empty() && round.segment_done() {
                if round.segment + 1 >= round.segments.len() {
                    break;
                }
                round.segment += 1;
                continue;
            }
            for index in startable {
                started |= self.start(at, &mut round, index, acts);
            }
            if started && round.is_parallel() && !armed_before {
                self.arm_limit(at, &mut round, acts);
            }
            if round.running().next().is_some() {
                self.append_answered(&mut round, acts);
                self.phase = Phase::Running(round);
                return;
            }
        }
        self.append_answered(&mut round, acts);
        self.round_over(at, acts);
    }

    fn arm_limit(&mut self, at: SimTime, round: &mut Round, acts: &mut Vec<Act>) {
        if let Some(limit) = self.charter.rules.batch_limit {
            self.stamp += 1;
            round.limit = self.stamp;
            acts.push(Act::Arm { timer: LoopTimer::SegmentLimit(self.stamp), at: at + limit });
        }
    }

    /// Checks a call and starts it; says whether it runs. A call that is not run is answered at once.
    fn start(&mut self, at: SimTime, round: &mut Round, index: usize, acts: &mut Vec<Act>) -> bool {
        self.note_call(round, index, &round.calls[index], acts);
        match self.admit(&round.calls[index]) {
            Ok(args) => {
                round.calls[index].state = CallState::Running(at);
                acts.push(Act::Dispatch { place: CallPlace { round: round.number, index }, args });
                true
            }
            Err(answered) => {
                round.calls[index].state = CallState::Done(answered);
                false
            }
        }
    }

    /// The checks before a call, in the reference's order.
    fn admit(&mut self, call: &RoundCall) -> Result<Value, Answered> {
        let refuse = |text: String, end: ToolEnd| Err(Answered::at_once(text, end));
        if self.interrupt {
            let end = ToolEnd { cancelled: true, kind: Some("cancelled".into()), ..ToolEnd::default() };
            return refuse(cancelled_text(), end);
        }
        let args = match &call.args {
            Ok(Value::Object(map)) => Value::Object(map.clone()),
            Ok(_) if self.charter.rules.non_object == NonObjectRule::Empty => {
                Value::Object(serde_json::Map::new())
            }
            Ok(other) => {
                let text =
                    format!("Error: {} takes a JSON object, found {}", call.call.name, type_name(other));
                let end = ToolEnd { failed: true, kind: Some("non-object".into()), ..ToolEnd::default() };
                return refuse(text, end);
            }
            Err(mistake) => {
                let text = format!("Error: the arguments are not valid JSON: {mistake}");
                let end = ToolEnd { failed: true, kind: Some("bad-json".into()), ..ToolEnd::default() };
                return refuse(text, end);
            }
        };
        if let Some(text) = self.refusal(&call.call.name, &call.call.arguments) {
            let end = ToolEnd {
                failed: true,
                refused: true,
                kind: Some("not-allowed".into()),
                ..ToolEnd::default()
            };
            return refuse(text, end);
        }
        if let Err(why) = self.state.guardrails.check(&call.call.name, &args, &self.charter.rules.guardrails)
        {
            self.state.halt = Some(why.clone());
            let end =
                ToolEnd { failed: true, refused: true, kind: Some("guardrail".into()), ..ToolEnd::default() };
            return refuse(error_json(&why), end);
        }
        Ok(args)
    }

    /// What the whitelist or a hook says against a call.
    fn refusal(&self, tool: &str, arguments: &str) -> Option<String> {
        if !self.charter.allowed.has(tool) {
            let mut text = format!("{tool} cannot be used here.");
            if self.charter.refusal_lists_allowed
                && let super::charter::Allowed::Only(names) = &self.charter.allowed
            {
                let names: Vec<&str> = names.iter().map(|name| &**name).collect();
                text.extend([" Allowed: ", &names.join(", "), ". Do not try it again."]);
            }
            return Some(error_json(&text));
        }
        let hook =
            self.charter.hooks.iter().find(|hook| hook.tool == tool && arguments.contains(&hook.contains))?;
        Some(error_json(&hook.refusal))
    }

    /// A dispatched call was answered. Says whether anybody still waited for it.
    pub(crate) fn call_done(
        &mut self,
        at: SimTime,
        place: CallPlace,
        answer: CallAnswer,
        acts: &mut Vec<Act>,
    ) -> bool {
        let Some(mut round) = self.take_round() else { return false };
        let waits = match round.calls.get(place.index).map(|call| &call.state) {
            Some(&CallState::Running(since)) if place.round == round.number => Some(since),
            _ => None,
        };
        if let Some(since) = waits {
            let answered = self.judge(&round.calls[place.index], answer, at.since(since));
            round.calls[place.index].state = CallState::Done(answered);
        }
        self.phase = Phase::Running(round);
        if waits.is_some() {
            self.advance(at, acts);
        }
        waits.is_some()
    }

    /// The loop's own failure test and the guardrails' remark.
    fn judge(&mut self, call: &RoundCall, answer: CallAnswer, elapsed: SimDuration) -> Answered {
        let tool = &*call.call.name;
        let failed =
            answer.timed_out || answer.stopped || answer.refused || verdict::is_failure(tool, &answer.text);
        let args = call.args.as_ref().cloned().unwrap_or(Value::Null);
        let rules = &self.charter.rules.guardrails;
        let remark = self.state.guardrails.observe(tool, &args, failed, &answer.text, rules);
        let text = match remark {
            Remark::None => answer.text,
            Remark::Warn(words) => format!("{}\n\n{words}", answer.text).into(),
            Remark::Halt(why) => {
                self.state.halt = Some(why);
                answer.text
            }
        };
        let end = ToolEnd {
            failed,
            refused: answer.refused,
            cancelled: false,
            timed_out: answer.timed_out,
            unknown: false,
            kind: answer.kind,
        };
        Answered { text, end, took: elapsed }
    }

    /// Appends results in call order, as far as they are known without a gap.
    fn append_answered(&mut self, round: &mut Round, acts: &mut Vec<Act>) {
        while let Some(call) = round.calls.get(round.appended) {
            let CallState::Done(answered) = &call.state else { break };
            acts.push(Act::Note(Fact::ToolAnswer {
                id: Arc::clone(&call.call.id),
                tool: Arc::clone(&call.call.name),
                end: answered.end.clone(),
                text: Arc::clone(&answered.text),
                took: answered.took,
            }));
            let message = Message::Tool {
                call: Arc::clone(&call.call.id),
                tool: Arc::clone(&call.call.name),
                text: Arc::clone(&answered.text),
            };
            self.append(message, acts);
            self.inject_steering(acts);
            round.appended += 1;
        }
    }

    fn round_over(&mut self, at: SimTime, acts: &mut Vec<Act>) {
        self.phase = Phase::Ready;
        if let Some(why) = self.state.halt.take() {
            let answer: Arc<str> = format!("{}\n\nWhat stopped it: {why}", self.charter.texts.halt).into();
            return self.end_normal("guardrail_halt", Some(answer), false, acts);
        }
        self.next_pass(at, false, acts);
    }

    /// An interrupt arrives while calls run: those of a parallel segment get a grace, a sequential one runs on.
    pub(super) fn interrupt_round(&mut self, at: SimTime, acts: &mut Vec<Act>) {
        let Some(mut round) = self.take_round() else { return };
        if round.is_parallel() && round.running().next().is_some() {
            self.stamp += 1;
            round.limit = self.stamp;
            acts.push(Act::Arm { timer: LoopTimer::Grace(self.stamp), at: at + GRACE });
        }
        self.phase = Phase::Running(round);
    }

    /// The limit of a parallel segment: what is not answered by now, started or not, is answered with a time-out.
    pub(super) fn segment_limit(&mut self, at: SimTime, stamp: u32, acts: &mut Vec<Act>) {
        let Some(mut round) = self.take_round() else { return };
        if round.limit == stamp {
            let limit = self.charter.rules.batch_limit.unwrap_or(SimDuration::ZERO);
            let text = format!(
                "Error: no answer after {limit}, the limit of calls that run beside each other; whether it took effect \
                 is not known."
            );
            give_up_running(at, &mut round, &text, &given_up(Given::TimedOut), acts);
            for index in round.pending_of_segment() {
                self.note_call(&round, index, &round.calls[index], acts);
                let text =
                    format!("Error: the limit of {limit} passed before this call began; it had no effect.");
                let answered = Answered::at_once(text, given_up(Given::TimedOut));
                round.calls[index].state = CallState::Done(answered);
            }
        }
        self.phase = Phase::Running(round);
        self.advance(at, acts);
    }

    /// Calls that run beside each other had their grace after an interrupt.
    pub(super) fn grace_over(&mut self, at: SimTime, stamp: u32, acts: &mut Vec<Act>) {
        let Some(mut round) = self.take_round() else { return };
        if round.limit == stamp {
            let text = "Error: the user interrupted; whether it took effect is not known.";
            give_up_running(at, &mut round, text, &given_up(Given::Interrupted), acts);
        }
        self.phase = Phase::Running(round);
        self.advance(at, acts);
    }

    /// The call at this place of the round in progress.
    pub(crate) fn call_at(&self, place: CallPlace) -> Option<&ToolCall> {
        match &self.phase {
            Phase::Running(round) if round.number == place.round => {
                round.calls.get(place.index).map(|call| &call.call)
            }
            _ => None,
        }
    }

    /// Whether the call at this place runs beside others.
    pub(crate) fn is_parallel_call(&self) -> bool {
        matches!(&self.phase, Phase::Running(round) if round.is_parallel())
    }
}

/// Stops the running calls and answers them.
fn give_up_running(at: SimTime, round: &mut Round, text: &str, end: &ToolEnd, acts: &mut Vec<Act>) {
    for call in 0..round.calls.len() {
        let CallState::Running(since) = round.calls[call].state else { continue };
        acts.push(Act::Stop { place: CallPlace { round: round.number, index: call } });
        let answered = Answered { text: text.into(), end: end.clone(), took: at.since(since) };
        round.calls[call].state = CallState::Done(answered);
    }
}

/// Why a call is not waited for any longer.
#[derive(Clone, Copy)]
enum Given {
    TimedOut,
    Interrupted,
}

fn given_up(why: Given) -> ToolEnd {
    let end = ToolEnd { failed: true, ..ToolEnd::default() };
    match why {
        Given::TimedOut => ToolEnd { timed_out: true, kind: Some("timed-out".into()), ..end },
        Given::Interrupted => ToolEnd { cancelled: true, kind: Some("interrupted".into()), ..end },
    }
}

fn cancelled_text() -> String {
    serde_json::json!({"status": "cancelled", "effect_disposition": "none", "note": "the user interrupted before this call began"})
        .to_string()
}

fn error_json(text: &str) -> String {
    serde_json::json!({ "error": text }).to_string()
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
