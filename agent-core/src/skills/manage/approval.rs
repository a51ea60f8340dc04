//! The user's word on waiting skill writes: approve or reject, one or all (`spec/skills.md` §8).

use super::super::answer::{Refusal, Reply};
use super::super::context::SkillContext;
use super::arguments::Arguments;
use crate::behaviour::ApproveAs;
use crate::memory::{CommandAnswer, Which};
use crate::pending::{self, PendingRecord, Subsystem};
use crate::stores::Files;
use crate::values::{WriteEnd, WriteOrigin};

const NOT_FOUND: &str = "pending-not-found";
const NOTHING: &str = "nothing-pending";

/// Applies proposals past the gate, as the user's own writes. What succeeds is dropped from the list, what fails
/// stays in it. The kind is that of the only failure where one proposal was meant.
pub fn approve(context: &mut SkillContext<'_, '_>, which: Which<'_>) -> CommandAnswer {
    let records = match select(context.library.home(), which) {
        Ok(records) if records.is_empty() => return nothing(context.library.home(), NOTHING),
        Ok(records) => records,
        Err(answer) => return answer,
    };
    let origin = std::mem::replace(&mut context.origin, WriteOrigin::Foreground);
    let mut answer =
        CommandAnswer { changed: 0, remaining: 0, kind: None, text: String::new(), facts: Vec::new() };
    let mut lines = Vec::new();
    for record in &records {
        context.refresh();
        match context.replay(record) {
            Ok(reply) => {
                answer.facts.extend(reply.facts);
                match pending::delete(context.library.home_mut(), Subsystem::Skills, &record.id) {
                    Ok(_) => {
                        answer.changed += 1;
                        lines.push(format!("{}: applied, {}", record.id, record.summary));
                    }
                    Err(error) => lines.push(format!("{}: applied, but it stays listed: {error}", record.id)),
                }
            }
            Err(refusal) => {
                lines.push(format!("{}: {} ({})", record.id, refusal.message, refusal.kind));
                answer.facts.extend(context.not_replayed(record, &refusal));
            }
        }
    }
    context.origin = origin;
    context.state.flush_if_due(context.library);
    answer.remaining = pending::count(context.library.home(), Subsystem::Skills);
    answer.text = lines.join("\n");
    answer
}

/// Drops proposals.
pub fn reject(files: &mut dyn Files, which: Which<'_>) -> CommandAnswer {
    let records = match select(files, which) {
        Ok(records) => records,
        Err(answer) => return answer,
    };
    let mut changed = 0;
    let mut lines = Vec::new();
    for record in &records {
        match pending::delete(files, Subsystem::Skills, &record.id) {
            Ok(_) => {
                changed += 1;
                lines.push(format!("{}: rejected, {}", record.id, record.summary));
            }
            Err(error) => lines.push(format!("{}: could not be rejected: {error}", record.id)),
        }
    }
    if records.is_empty() {
        lines.push("0 rejected".to_owned());
    }
    let remaining = pending::count(files, Subsystem::Skills);
    CommandAnswer { changed, remaining, kind: None, text: lines.join("\n"), facts: Vec::new() }
}

fn select(files: &dyn Files, which: Which<'_>) -> Result<Vec<PendingRecord>, CommandAnswer> {
    match which {
        Which::All => Ok(pending::list(files, Subsystem::Skills)),
        Which::One(id) => match pending::get(files, Subsystem::Skills, id) {
            Some(record) => Ok(vec![record]),
            None => Err(nothing(files, NOT_FOUND)),
        },
    }
}

fn nothing(files: &dyn Files, kind: &'static str) -> CommandAnswer {
    let remaining = pending::count(files, Subsystem::Skills);
    let text = if kind == NOT_FOUND {
        format!("No skill write of this id waits; {remaining} wait in all.")
    } else {
        "No skill write waits.".to_owned()
    };
    CommandAnswer { changed: 0, remaining, kind: Some(kind), text, facts: Vec::new() }
}

impl SkillContext<'_, '_> {
    fn replay(&mut self, record: &PendingRecord) -> Result<Reply, Refusal> {
        let arguments = Arguments(&record.payload);
        let Some(action) = arguments.action() else {
            return Err(Refusal::mistake("unknown-action", "the proposal names no known action"));
        };
        let proposed_by_review = record.origin == WriteOrigin::Review.label();
        let provenance = match self.rules().approve_as {
            ApproveAs::Proposer if proposed_by_review => WriteOrigin::Review,
            _ => WriteOrigin::Foreground,
        };
        let plan = self.plan(action, arguments)?;
        self.commit(action, plan, provenance)
    }

    fn not_replayed(&self, record: &PendingRecord, refusal: &Refusal) -> Option<crate::values::Fact> {
        let arguments = Arguments(&record.payload);
        let end = if refusal.refused { WriteEnd::Refused } else { WriteEnd::Failed };
        Some(self.wanted_fact(arguments.action()?, arguments, end, Some(refusal.kind.clone())))
    }
}
