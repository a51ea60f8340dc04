//! Whether a write goes through, waits or is refused, before anything else is looked at (`spec/memory.md` §8,
//! `spec/background-review.md` §7).

use super::call::MemoryContext;
use super::change::{Change, Request};
use super::target::Target;
use crate::behaviour::UnattendedEdits;
use crate::pending::Subsystem;

/// What the user answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes, this time.
    Once,
    /// Yes, for the session. (Asked again all the same: the gate keeps no memory of answers.)
    Session,
    /// Yes for good, which is not on offer here, or any other word: the write waits.
    Always,
    /// No.
    Deny,
    /// Nobody answered, or asking failed: the write waits.
    Failed,
}

/// What the user is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Whose write it is.
    pub subsystem: Subsystem,
    /// The action, or `batch`.
    pub action: &'a str,
    /// The whole text of the write.
    pub detail: &'a str,
    /// Whether a lasting yes is on offer. For memory it never is.
    pub allow_permanent: bool,
}

/// Who can be asked.
#[derive(Default)]
pub enum Approver<'a> {
    /// Nobody: scripts, gateways, scheduled jobs.
    #[default]
    Nobody,
    /// Somebody who always answers this.
    Says(Answer),
    /// Somebody who looks at the question.
    Ask(&'a mut dyn FnMut(&Question<'_>) -> Answer),
}

impl Approver<'_> {
    fn answer(&mut self, question: &Question<'_>) -> Option<Answer> {
        match self {
            Self::Nobody => None,
            Self::Says(answer) => Some(*answer),
            Self::Ask(ask) => Some(ask(question)),
        }
    }
}

/// What becomes of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Apply,
    /// It waits. `or_refuse`: if it cannot be put in line it is refused, whatever the fault says.
    Stage {
        or_refuse: bool,
    },
    Deny,
}

/// Decides on a well-formed request.
pub(super) fn way(context: &mut MemoryContext<'_>, request: Request<'_>) -> Way {
    let unattended = context.origin.is_unattended();
    let withheld = unattended
        && !context.user_asked
        && context.rules.unattended_edits == UnattendedEdits::Stage
        && request.changes().into_iter().any(Change::edits);
    if !context.rules.gate {
        return if withheld { Way::Stage { or_refuse: true } } else { Way::Apply };
    }
    let stage = Way::Stage { or_refuse: withheld };
    if unattended {
        return stage;
    }
    let detail = request.detail();
    let question = Question {
        subsystem: Subsystem::Memory,
        action: request.action(),
        detail: &detail,
        allow_permanent: false,
    };
    match context.approver.answer(&question) {
        Some(Answer::Once | Answer::Session) => Way::Apply,
        Some(Answer::Deny) => Way::Deny,
        Some(Answer::Always | Answer::Failed) | None => stage,
    }
}

/// The label of a proposal's summary.
pub(super) fn label(target: Target, request: Request<'_>) -> String {
    let words = target.words();
    match request {
        Request::One(Change::Add { .. }) => format!("Add to {words}"),
        Request::One(Change::Replace { .. }) => format!("Replace in {words}"),
        Request::One(Change::Remove { .. }) => format!("Remove from {words}"),
        Request::Batch(operations) => format!("{} changes of {words}", operations.len()),
    }
}
