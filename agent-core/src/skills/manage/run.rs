//! The stages of a call.

use serde_json::Value;

use super::super::answer::{Fields, Refusal, Reply};
use super::super::context::SkillContext;
use super::arguments::{Action, Arguments};
use super::gist::gist;
use super::plan::target_name;
use crate::behaviour::OnStagingFailure;
use crate::defence::{RESTATE_MISMATCH, restate};
use crate::pending::{self, Proposal, Subsystem};
use crate::values::{Fact, HomeAnswer, WriteEnd, WriteOrigin};

/// The kind in the facts of a write whose proposal was lost while the answer says that it waits.
const STAGING_LOST: &str = "staging-lost";

/// By which way a change reaches the library. Closed, so that a new way has to say who may come by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WritePath {
    /// A call of the tool.
    Tool(Action),
    /// The user's approval of a proposal.
    Approval,
    /// An installation.
    Install,
    /// A command of the user or the curator: pin, archive, restore, adopt.
    Command,
}

impl WritePath {
    /// All ways.
    pub const ALL: [Self; 9] = [
        Self::Tool(Action::Create),
        Self::Tool(Action::Edit),
        Self::Tool(Action::Patch),
        Self::Tool(Action::Delete),
        Self::Tool(Action::WriteFile),
        Self::Tool(Action::RemoveFile),
        Self::Approval,
        Self::Install,
        Self::Command,
    ];

    /// Whether a change that comes by it may carry this origin. Only calls of the tool ever act as a review; an
    /// approval acts as the user, and at most remembers whose proposal it was.
    pub const fn may_carry(self, origin: WriteOrigin) -> bool {
        match (self, origin) {
            (Self::Tool(_), _) | (_, WriteOrigin::Foreground) => true,
            (Self::Approval | Self::Install | Self::Command, _) => false,
        }
    }
}

/// Runs one call. Whatever the arguments are, the answer is one JSON object, and a failed call changed nothing.
pub fn manage(context: &mut SkillContext<'_, '_>, args: &Value) -> HomeAnswer {
    context.refresh();
    let arguments = Arguments(args);
    let answer = match arguments.action() {
        Some(action) => match context.attempt(action, arguments) {
            Ok(reply) => reply.into_answer(),
            Err(refusal) => context.refused(action, arguments, refusal),
        },
        None => {
            let known: Vec<&str> = Action::ALL.into_iter().map(Action::as_str).collect();
            let why = format!("`action` must be one of {}", known.join(", "));
            Refusal::mistake("unknown-action", why).into_answer(Vec::new())
        }
    };
    context.state.flush_if_due(context.library);
    answer
}

impl SkillContext<'_, '_> {
    fn attempt(&mut self, action: Action, arguments: Arguments<'_>) -> Result<Reply, Refusal> {
        self.preflight(action, arguments.name())?;
        if self.behaviour.defence.restate {
            restated(action, arguments)?;
        }
        if self.rules().write_approval {
            if self.rules().staging.validate {
                self.rehearse(action, arguments)?;
            }
            return self.stage(action, arguments);
        }
        let plan = self.plan(action, arguments)?;
        self.commit(action, plan, self.origin)
    }

    /// Whether a proposal could be applied by the user, who need not have read anything.
    fn rehearse(&mut self, action: Action, arguments: Arguments<'_>) -> Result<(), Refusal> {
        let origin = std::mem::replace(&mut self.origin, WriteOrigin::Foreground);
        let plan = self.plan(action, arguments);
        self.origin = origin;
        plan.map(drop)
    }

    fn stage(&mut self, action: Action, arguments: Arguments<'_>) -> Result<Reply, Refusal> {
        let gist = gist(action, arguments);
        let proposal = Proposal {
            subsystem: Subsystem::Skills,
            action: action.as_str(),
            summary: gist.clone(),
            origin: self.origin_label,
            at: self.at,
            payload: arguments.payload(),
        };
        let (id, end, kind) = match pending::stage(self.library.home_mut(), proposal, self.draws) {
            Ok(record) => (record.id, WriteEnd::Staged, None),
            Err(_) if self.rules().staging.on_failure == OnStagingFailure::Hide => {
                let id = self.draws.hex(8, &["lost proposal", &self.at.as_millis().to_string()]);
                (id, WriteEnd::Failed, Some(STAGING_LOST.into()))
            }
            Err(error) => {
                let why = format!("the write needs approval, and the proposal could not be kept: {error}");
                return Err(Refusal::mistake("staging-failed", why));
            }
        };
        let mut facts = vec![self.wanted_fact(action, arguments, end, kind)];
        if end == WriteEnd::Staged && self.rules().staging.announce {
            let notice = pending::announcement(self.library.home(), Subsystem::Skills, self.at);
            facts.extend(notice.map(|text| Fact::Notice { text: text.into() }));
        }
        let fields = Fields::default()
            .with("staged", true)
            .with("pending_id", id)
            .with("gist", gist)
            .with("message", "Waits for the user's approval; nothing has changed yet. Do not try it again.");
        Ok(Reply { fields, facts })
    }

    fn refused(&self, action: Action, arguments: Arguments<'_>, refusal: Refusal) -> HomeAnswer {
        let end = if refusal.refused { WriteEnd::Refused } else { WriteEnd::Failed };
        let fact = self.wanted_fact(action, arguments, end, Some(refusal.kind.clone()));
        refusal.into_answer(vec![fact])
    }

    /// The fact of a change that was wanted and not made.
    pub(super) fn wanted_fact(
        &self,
        action: Action,
        arguments: Arguments<'_>,
        end: WriteEnd,
        kind: Option<std::sync::Arc<str>>,
    ) -> Fact {
        let target = target_name(arguments.name(), arguments.text("file_path").unwrap_or(""));
        let key = match action {
            Action::Create | Action::Edit => "content",
            Action::Patch => "new_string",
            Action::WriteFile => "file_content",
            Action::Delete | Action::RemoveFile => "",
        };
        self.write_fact(action, target, end, kind, "", arguments.text(key).unwrap_or(""))
    }
}

/// What the call stores or takes away must be restated.
fn restated(action: Action, arguments: Arguments<'_>) -> Result<(), Refusal> {
    let key = match action {
        Action::Create | Action::Edit => "content",
        Action::Patch if arguments.text("new_string").is_none_or(str::is_empty) => "old_string",
        Action::Patch => "new_string",
        Action::WriteFile => "file_content",
        Action::RemoveFile => "file_path",
        Action::Delete => "name",
    };
    let subject = arguments.text(key).unwrap_or("");
    restate::check(subject, restate::read(arguments.0))
        .map_err(|error| Refusal::guarded(RESTATE_MISMATCH, error.to_string()))
}
