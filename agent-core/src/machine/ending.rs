//! How a turn ends: by its answer, by an interrupt, at the iteration limit with a closing summary, or early, past the
//! finaliser (`spec/turn-loop.md` §8, §9).
//!
//! The last message of an ended turn is what the user was given, as far as the rules see to it.

use std::sync::Arc;

use super::conversation::{Act, Ask, Conversation, Exit, Phase};
use super::request::ModelOutcome;
use crate::values::{AssistantText, Message, SimTime, Synthetic};

/// Requests for a closing summary at the iteration limit (`spec/turn-loop.md` §8).
const CLOSING_ATTEMPTS: u32 = 2;

impl Conversation {
    /// A request was aborted: what had arrived stays as the assistant's words.
    pub(super) fn aborted(&mut self, partial: &str, acts: &mut Vec<Act>) {
        if !partial.trim().is_empty() {
            self.append(Message::assistant(partial), acts);
        }
        self.end_interrupted("interrupted_during_api_call", acts);
    }

    /// The iteration limit: one request without tools asks for a closing summary.
    pub(super) fn at_limit(&mut self, at: SimTime, acts: &mut Vec<Act>) {
        let request =
            Message::client(Arc::clone(&self.charter.texts.closing_request), Synthetic::ClosingRequest);
        self.append(request, acts);
        self.ask_closing(at, 1, acts);
    }

    fn ask_closing(&mut self, at: SimTime, attempt: u32, acts: &mut Vec<Act>) {
        self.phase = Phase::Closing { since: at, attempt };
        acts.push(Act::Ask(Ask { tools: false, max_tokens: None, attempt }));
    }

    /// A request for the closing summary ended.
    pub(super) fn closing_done(
        &mut self,
        at: SimTime,
        attempt: u32,
        outcome: ModelOutcome,
        acts: &mut Vec<Act>,
    ) {
        let (text, is_final) = match outcome {
            ModelOutcome::Reply(reply) => (reply.text.visible, false),
            ModelOutcome::Cut { partial, .. } => (partial.into(), false),
            ModelOutcome::Failed(_) => ("".into(), true),
            ModelOutcome::Aborted { .. } => {
                return self.end_interrupted("interrupted_during_api_call", acts);
            }
        };
        let is_empty = text.trim().is_empty();
        if is_empty && !is_final && attempt < CLOSING_ATTEMPTS {
            return self.ask_closing(at, attempt + 1, acts);
        }
        let answer = if is_empty { Arc::clone(&self.charter.texts.closing_fallback) } else { text };
        self.append(Message::assistant(Arc::clone(&answer)), acts);
        let reason =
            format!("max_iterations_reached({}/{})", self.state.api_calls, self.charter.iterations_max);
        self.end_normal(&reason, Some(answer), false, acts);
    }

    /// The turn leaves the loop and passes the finaliser.
    pub(super) fn end_normal(
        &mut self,
        reason: &str,
        answer: Option<Arc<str>>,
        completed: bool,
        acts: &mut Vec<Act>,
    ) {
        let answer = self.close_tail(answer, acts);
        let exit = Exit {
            reason: reason.to_owned(),
            early: false,
            interrupted: false,
            failed: answer.is_none(),
            completed,
            answer,
        };
        self.end(exit, acts);
    }

    /// An interrupt made the turn leave the loop.
    pub(super) fn end_interrupted(&mut self, reason: &str, acts: &mut Vec<Act>) {
        self.strip_synthetic_tail(acts);
        if self.ends_on_result() {
            let tail = Arc::clone(&self.charter.texts.interrupted_tail);
            self.append(closing(tail), acts);
        }
        let exit = Exit {
            reason: reason.to_owned(),
            early: false,
            interrupted: true,
            failed: false,
            completed: false,
            answer: None,
        };
        self.end(exit, acts);
    }

    /// The turn ends past the finaliser.
    pub(super) fn end_early(
        &mut self,
        why: &str,
        interrupted: bool,
        answer: Option<Arc<str>>,
        acts: &mut Vec<Act>,
    ) {
        let answer = self.close_tail(answer, acts);
        let exit = Exit {
            reason: format!("early_return({why})"),
            early: true,
            interrupted,
            failed: !interrupted,
            completed: false,
            answer,
        };
        self.end(exit, acts);
    }

    fn end(&mut self, exit: Exit, acts: &mut Vec<Act>) {
        self.phase = Phase::Idle;
        self.interrupt = false;
        self.stamp += 1;
        acts.push(Act::Ended(exit));
    }

    /// Makes the delivered answer the last message. A turn without one that ends on a tool result gets a closing text,
    /// where the rules have one (§9, the unfinished-turn rule). Returns what the user is given.
    fn close_tail(&mut self, answer: Option<Arc<str>>, acts: &mut Vec<Act>) -> Option<Arc<str>> {
        self.strip_synthetic_tail(acts);
        let Some(answer) = answer else {
            if !(self.charter.rules.close_unfinished && self.ends_on_result()) {
                return None;
            }
            let text = Arc::clone(&self.charter.texts.unfinished);
            self.append(closing(Arc::clone(&text)), acts);
            return Some(text);
        };
        let stands = self.transcript.last().is_some_and(|last| {
            matches!(&**last, Message::Assistant { text, calls, .. } if calls.is_empty() && text.visible == answer)
        });
        if !stands {
            self.append(Message::assistant(Arc::clone(&answer)), acts);
        }
        Some(answer)
    }

    fn ends_on_result(&self) -> bool {
        self.transcript.last().is_some_and(|last| matches!(**last, Message::Tool { .. }))
    }

    /// Removes client-made messages from the end of this turn.
    pub(super) fn strip_synthetic_tail(&mut self, acts: &mut Vec<Act>) {
        let first = self.state.first_message;
        let tail = self
            .transcript
            .iter()
            .rev()
            .take(self.transcript.len().saturating_sub(first + 1))
            .take_while(|message| is_scaffold(message))
            .count();
        self.remove_last(tail, acts);
    }
}

fn closing(text: Arc<str>) -> Message {
    let text = AssistantText { visible: text, reasoning: None };
    Message::Assistant { text, calls: Arc::from([]), synthetic: Some(Synthetic::Closing) }
}

/// Messages that only kept the loop going: they are stripped from a turn's end and never stored.
pub(super) fn is_scaffold(message: &Message) -> bool {
    let synthetic = match message {
        Message::User { synthetic, .. } | Message::Assistant { synthetic, .. } => *synthetic,
        Message::Tool { .. } => None,
    };
    matches!(
        synthetic,
        Some(
            Synthetic::EmptyNudge
                | Synthetic::EmptyPlaceholder
                | Synthetic::LengthContinuation
                | Synthetic::ClosingRequest
        )
    )
}
