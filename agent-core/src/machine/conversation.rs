//! One conversation: the loop of a turn as a state machine (`spec/turn-loop.md`).
//!
//! It knows no home, no store and no other conversation. It is handed what happened with its time and answers with
//! [`Act`]s, which the agent performs. Replies are read in `reply.rs`, calls are run in `dispatch.rs`, a turn ends in
//! `ending.rs`.

use std::sync::Arc;

use serde_json::Value;

use super::charter::Charter;
use super::failure::{self, FaultClass, Remedy, Size};
use super::guardrail::Guardrails;
use super::request::{ModelFault, ModelOutcome};
use super::round::Round;
use crate::values::{
    Chars, ConversationId, Draws, Fact, Finish, Message, SimDuration, SimTime, Tokens, Transcript, Usage,
};

/// How often a waiting loop looks at the interrupt flag.
const INTERRUPT_POLL: SimDuration = SimDuration::from_millis(200);

/// What the agent is to do for a conversation.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// A pass of the loop began.
    PassBegan { restarted: bool },
    /// A round of tools begins.
    RoundBegan,
    /// Everything is ready for the request; the agent compresses first or lets [`Conversation::ask`] go on.
    Ready,
    /// Send the request.
    Ask(Ask),
    /// Abort the request in flight.
    Abort,
    /// Run this call of the round.
    Dispatch { place: CallPlace, args: Value },
    /// Stop this running call.
    Stop { place: CallPlace },
    /// Wake the conversation at this time with this timer.
    Arm { timer: LoopTimer, at: SimTime },
    /// Compress because the provider said that the request is too long; then [`Conversation::compressed`].
    CompressForced,
    /// A message was appended.
    Appended(Arc<Message>),
    /// Messages at the end that only kept the loop going were removed.
    Removed,
    /// The last tool result got a word of the user added.
    Amended,
    /// Something to record.
    Note(Fact),
    /// The turn ended.
    Ended(Exit),
}

/// Which call of a conversation: its round, numbered from 1 over the conversation's life, and its place in it. An
/// answer to a call of an earlier round is late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallPlace {
    pub(crate) round: u32,
    pub(crate) index: usize,
}

/// A request to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ask {
    /// Whether tools are offered.
    pub(crate) tools: bool,
    /// A raised limit of the answer's length.
    pub(crate) max_tokens: Option<Tokens>,
    /// Attempt at this request, from 1.
    pub(crate) attempt: u32,
}

/// A timer of a conversation. The number tells an old timer from the current one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoopTimer {
    /// The wait before the next attempt is over.
    Retry(u32),
    /// Look at the interrupt flag.
    Tick(u32),
    /// The limit of a parallel segment.
    SegmentLimit(u32),
    /// The grace of calls that run while an interrupt waits.
    Grace(u32),
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent marks of a turn's end, as the reference reports them"
)]
pub(crate) struct Exit {
    /// The reference's reason, with its bracketed part.
    pub(crate) reason: String,
    /// Whether the finaliser was bypassed.
    pub(crate) early: bool,
    pub(crate) interrupted: bool,
    pub(crate) failed: bool,
    pub(crate) completed: bool,
    pub(crate) answer: Option<Arc<str>>,
}

/// What a conversation is doing.
#[derive(Clone, Debug)]
pub(super) enum Phase {
    Idle,
    /// The pass is prepared; the agent decides whether to compress.
    Ready,
    Asking {
        since: SimTime,
    },
    Waiting {
        since: SimTime,
        stamp: u32,
    },
    Compressing,
    Running(Box<Round>),
    /// A closing summary was asked for.
    Closing {
        since: SimTime,
        attempt: u32,
    },
}

/// The counters of the turn in progress; all start anew with each turn (prologue step 6).
#[derive(Clone, Debug, Default)]
pub(super) struct TurnState {
    pub(super) api_calls: u32,
    pub(super) budget_used: u32,
    pub(super) attempts: u32,
    pub(super) rebuilt_transport: bool,
    pub(super) unknown_tool: u32,
    pub(super) bad_json: u32,
    pub(super) empty: u32,
    pub(super) prefills: u32,
    pub(super) nudged_after_tools: bool,
    pub(super) parts: Vec<String>,
    pub(super) cut_calls: u32,
    pub(super) max_tokens: Option<Tokens>,
    pub(super) remembered: Option<(Arc<str>, bool)>,
    pub(super) guardrails: Guardrails,
    pub(super) halt: Option<String>,
    pub(super) compressions: u32,
    pub(super) aborting: bool,
    /// Where this turn's messages begin.
    pub(super) first_message: usize,
    /// The text of the message that opened the turn, by which it is found again after a compression.
    pub(super) opened_by: Arc<str>,
}

/// One conversation.
#[derive(Clone, Debug)]
pub(crate) struct Conversation {
    pub(crate) id: ConversationId,
    pub(crate) charter: Charter,
    pub(crate) transcript: Transcript,
    /// The turn's number, from 1; 0 before the first.
    pub(crate) turn: u32,
    /// Tokens over the whole life of the conversation.
    pub(crate) usage: Usage,
    pub(super) phase: Phase,
    pub(super) state: TurnState,
    pub(super) interrupt: bool,
    pub(super) steering: Vec<String>,
    pub(super) stamp: u32,
    /// Rounds of calls so far.
    pub(super) rounds: u32,
    pub(super) draws: Draws,
    pub(super) replied: bool,
    /// Real prompt tokens of the last request; none right after a compression.
    pub(super) last_prompt: Option<Tokens>,
}

impl Conversation {
    pub(crate) fn new(id: ConversationId, charter: Charter, transcript: Transcript, draws: Draws) -> Self {
        Self {
            id,
            charter,
            transcript,
            turn: 0,
            usage: Usage::default(),
            phase: Phase::Idle,
            state: TurnState::default(),
            interrupt: false,
            steering: Vec::new(),
            stamp: 0,
            rounds: 0,
            draws,
            replied: false,
            last_prompt: None,
        }
    }

    /// Passes of the turn in progress.
    pub(crate) fn iteration(&self) -> u32 {
        self.state.api_calls
    }

    /// Whether a turn is in progress.
    pub(crate) fn is_busy(&self) -> bool {
        !matches!(self.phase, Phase::Idle)
    }

    /// Whether a first reply has arrived.
    pub(crate) fn has_replied(&self) -> bool {
        self.replied
    }

    /// Real prompt tokens of the last request, unless a compression came after it.
    pub(crate) fn last_prompt(&self) -> Option<Tokens> {
        self.last_prompt
    }

    /// Compressions of the turn in progress.
    pub(crate) fn compressions(&self) -> u32 {
        self.state.compressions
    }

    /// Opens a turn with this message.
    pub(crate) fn begin(&mut self, at: SimTime, message: Message, acts: &mut Vec<Act>) {
        debug_assert!(!self.is_busy(), "a turn begins when the one before it has ended");
        self.turn += 1;
        self.state = TurnState {
            first_message: self.transcript.len(),
            opened_by: message.text().into(),
            ..TurnState::default()
        };
        self.append(message, acts);
        self.next_pass(at, false, acts);
    }

    /// The user interrupts. Without a turn in progress the next one is interrupted at its start.
    pub(crate) fn interrupt(&mut self, at: SimTime, acts: &mut Vec<Act>) {
        if self.interrupt {
            return;
        }
        self.interrupt = true;
        match &self.phase {
            Phase::Asking { since } | Phase::Closing { since, .. } | Phase::Waiting { since, .. } => {
                let due = next_poll(*since, at);
                self.arm(LoopTimer::Tick, due, acts);
            }
            Phase::Running(_) => self.interrupt_round(at, acts),
            Phase::Idle | Phase::Ready | Phase::Compressing => {}
        }
    }

    /// A word of the user for the turn in progress; it is read with the newest tool result.
    pub(crate) fn steer(&mut self, text: &str, acts: &mut Vec<Act>) {
        acts.push(Act::Note(Fact::Steer { text: text.into() }));
        self.steering.push(text.to_owned());
    }

    /// Steering texts that found no tool result; the next turn begins with them.
    pub(crate) fn take_steering(&mut self) -> Vec<String> {
        std::mem::take(&mut self.steering)
    }

    /// A timer of this conversation is due.
    pub(crate) fn timer(&mut self, at: SimTime, timer: LoopTimer, acts: &mut Vec<Act>) {
        match timer {
            LoopTimer::Retry(stamp) => {
                if matches!(self.phase, Phase::Waiting { stamp: current, .. } if current == stamp) {
                    self.send(at, acts);
                }
            }
            LoopTimer::Tick(stamp) if stamp == self.stamp && self.interrupt => match self.phase {
                Phase::Asking { .. } | Phase::Closing { .. } if !self.state.aborting => {
                    self.state.aborting = true;
                    acts.push(Act::Abort);
                }
                Phase::Waiting { .. } => self.end_early("interrupted_while_waiting", true, None, acts),
                _ => {}
            },
            LoopTimer::Tick(_) => {}
            LoopTimer::SegmentLimit(stamp) => self.segment_limit(at, stamp, acts),
            LoopTimer::Grace(stamp) => self.grace_over(at, stamp, acts),
        }
    }

    /// The request ended.
    pub(crate) fn model_done(&mut self, at: SimTime, outcome: ModelOutcome, acts: &mut Vec<Act>) {
        self.state.aborting = false;
        if let ModelOutcome::Reply(reply) = &outcome {
            self.count(reply.usage);
            self.replied = true;
        }
        match std::mem::replace(&mut self.phase, Phase::Ready) {
            Phase::Closing { attempt, .. } => self.closing_done(at, attempt, outcome, acts),
            Phase::Asking { .. } => match outcome {
                ModelOutcome::Reply(reply) => self.reply(at, reply, acts),
                ModelOutcome::Cut { partial, usage } => self.cut(at, &partial, usage, acts),
                ModelOutcome::Failed(fault) => self.failed(at, &fault, acts),
                ModelOutcome::Aborted { partial } => self.aborted(&partial, acts),
            },
            // The agent drops answers that nobody waits for.
            other => self.phase = other,
        }
    }

    fn count(&mut self, usage: Usage) {
        self.usage.prompt += usage.prompt;
        self.usage.cached += usage.cached;
        self.usage.completion += usage.completion;
        // A server that counts nothing says nothing about the length.
        self.last_prompt = Some(usage.prompt).filter(|prompt| prompt.0 > 0);
    }

    /// Looks at the interrupt flag one poll from now: an interrupt came before this wait began.
    fn arm_tick(&mut self, at: SimTime, acts: &mut Vec<Act>) {
        self.arm(LoopTimer::Tick, at + INTERRUPT_POLL, acts);
    }

    /// The head of a pass (§2). `restarted`: compression made the same pass begin anew.
    pub(super) fn next_pass(&mut self, at: SimTime, restarted: bool, acts: &mut Vec<Act>) {
        let limit = self.charter.iterations_max;
        if self.state.api_calls >= limit || self.state.budget_used >= limit {
            return self.at_limit(at, acts);
        }
        if self.interrupt {
            return self.end_interrupted("interrupted_by_user", acts);
        }
        if self.charter.input_budget.is_some_and(|budget| self.usage.prompt >= budget) {
            return self.end_normal("review_input_budget_exhausted", None, false, acts);
        }
        self.state.api_calls += 1;
        self.state.budget_used += 1;
        self.state.attempts = 0;
        acts.push(Act::PassBegan { restarted });
        self.inject_steering(acts);
        self.phase = Phase::Ready;
        acts.push(Act::Ready);
    }

    /// The agent found nothing to compress: the request goes out.
    pub(crate) fn ask(&mut self, at: SimTime, acts: &mut Vec<Act>) {
        debug_assert!(matches!(self.phase, Phase::Ready), "a pass is prepared before it asks");
        self.send(at, acts);
    }

    fn send(&mut self, at: SimTime, acts: &mut Vec<Act>) {
        self.transcript.settle();
        self.state.attempts += 1;
        self.phase = Phase::Asking { since: at };
        acts.push(Act::Ask(Ask {
            tools: true,
            max_tokens: self.state.max_tokens,
            attempt: self.state.attempts,
        }));
        if self.interrupt {
            self.arm_tick(at, acts);
        }
    }

    /// The agent begins to compress.
    pub(crate) fn begin_compression(&mut self) {
        self.state.compressions += 1;
        self.phase = Phase::Compressing;
    }

    /// Compression ended. The pass begins anew with its units given back (`spec/nudges.md` §2.2). With a new
    /// transcript the retry counters start over; `None` leaves everything as it was.
    pub(crate) fn compressed(&mut self, at: SimTime, transcript: Option<Transcript>, acts: &mut Vec<Act>) {
        if let Some(transcript) = transcript {
            self.transcript = transcript;
            self.state.empty = 0;
            self.state.prefills = 0;
            self.state.remembered = None;
            self.state.first_message = self.find_opening();
            self.last_prompt = None;
        }
        self.state.api_calls = self.state.api_calls.saturating_sub(1);
        self.state.budget_used = self.state.budget_used.saturating_sub(1);
        self.next_pass(at, true, acts);
    }

    /// This turn's opening message: the last one with its text, else the last of a user (`spec/compression.md` §2).
    fn find_opening(&self) -> usize {
        let opened_by = &self.state.opened_by;
        let same = |message: &Arc<Message>| message.is_user() && message.text() == &**opened_by;
        let found = self.transcript.iter().rposition(same);
        let found = found.or_else(|| self.transcript.iter().rposition(|message| message.is_user()));
        found.unwrap_or(self.transcript.len())
    }

    /// Compression could not help against an overflow: the turn ends early.
    pub(crate) fn compression_exhausted(&mut self, acts: &mut Vec<Act>) {
        self.end_early("compression_exhausted", false, None, acts);
    }

    fn failed(&mut self, at: SimTime, fault: &ModelFault, acts: &mut Vec<Act>) {
        let size = Size {
            tokens: self.transcript.iter().map(|message| message.chars()).sum::<Chars>().estimate_tokens().0,
            messages: self.transcript.len(),
            window: self.charter.rules.context.0,
        };
        let class = failure::classify(fault, size);
        match class.remedy() {
            Remedy::End => self.end_early(class.as_str(), false, None, acts),
            Remedy::Compress => {
                self.phase = Phase::Ready;
                acts.push(Act::CompressForced);
            }
            Remedy::Retry => self.retry(at, class, fault, acts),
        }
    }

    fn retry(&mut self, at: SimTime, class: FaultClass, fault: &ModelFault, acts: &mut Vec<Act>) {
        if self.state.attempts >= self.charter.rules.api_max_retries {
            if !fault.transport || self.state.rebuilt_transport {
                return self.end_early(class.as_str(), false, None, acts);
            }
            // One rebuild of the transport grants one more series of attempts.
            self.state.rebuilt_transport = true;
            self.state.attempts = 0;
        }
        let attempt = self.state.attempts.max(1);
        let key = format!("{}/{}/{}", self.id, self.turn, self.state.api_calls);
        let wait = failure::wait(class, fault, attempt, self.draws, &key);
        acts.push(Act::Note(Fact::Retry { class: class.as_str().into(), wait }));
        self.stamp += 1;
        self.phase = Phase::Waiting { since: at, stamp: self.stamp };
        acts.push(Act::Arm { timer: LoopTimer::Retry(self.stamp), at: at + wait });
        if self.interrupt {
            self.arm_tick(at, acts);
        }
    }

    /// The stream broke off. Text that the user has already seen is kept; without any the request is tried again.
    fn cut(&mut self, at: SimTime, partial: &str, usage: Usage, acts: &mut Vec<Act>) {
        self.count(usage);
        if partial.trim().is_empty() {
            let fault = ModelFault {
                transport: true,
                message: "server disconnected while streaming".to_owned(),
                ..ModelFault::default()
            };
            return self.failed(at, &fault, acts);
        }
        self.append(Message::assistant(partial), acts);
        self.end_normal("partial_stream_recovery", Some(partial.into()), true, acts);
    }

    /// Pending words of the user join the newest tool result of this turn; without one they are kept.
    pub(super) fn inject_steering(&mut self, acts: &mut Vec<Act>) {
        if self.steering.is_empty() {
            return;
        }
        let is_result = |message: &Arc<Message>| matches!(**message, Message::Tool { .. });
        let newest = self.transcript.iter().rposition(is_result);
        let Some(place) = newest.filter(|&place| place >= self.state.first_message) else { return };
        let Some(Message::Tool { call, tool, text }) = self.transcript.get(place).map(|result| &**result)
        else {
            return;
        };
        let texts = &self.charter.texts;
        let mut amended = text.to_string();
        for word in self.steering.drain(..) {
            amended.extend([&*texts.steer_open, &word, &*texts.steer_close]);
        }
        let message = Message::Tool { call: Arc::clone(call), tool: Arc::clone(tool), text: amended.into() };
        self.transcript.replace(place, message);
        acts.push(Act::Amended);
    }

    pub(super) fn append(&mut self, message: Message, acts: &mut Vec<Act>) {
        self.transcript.push(message);
        acts.push(Act::Appended(Arc::clone(self.transcript.last().expect("just pushed"))));
    }

    pub(super) fn remove_last(&mut self, count: usize, acts: &mut Vec<Act>) {
        if count > 0 {
            self.transcript.truncate(self.transcript.len() - count);
            acts.push(Act::Removed);
        }
    }

    /// Takes the next stamp, so that older timers of the conversation are stale, and arms a timer with it.
    pub(super) fn arm(&mut self, timer: impl Fn(u32) -> LoopTimer, at: SimTime, acts: &mut Vec<Act>) {
        self.stamp += 1;
        acts.push(Act::Arm { timer: timer(self.stamp), at });
    }
}

/// The next look at the interrupt flag after `at`, of looks every 0.2 s from `since` on.
fn next_poll(since: SimTime, at: SimTime) -> SimTime {
    let step = INTERRUPT_POLL.as_millis();
    let passed = at.since(since).as_millis();
    since + SimDuration::from_millis(passed.div_ceil(step).max(1) * step)
}

/// Whether a finish reason is a refusal.
pub(super) fn is_refusal(finish: Finish) -> bool {
    finish == Finish::ContentFilter
}
