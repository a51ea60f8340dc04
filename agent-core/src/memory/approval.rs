//! The user's word on waiting memory writes: approve or reject, one or all (`spec/memory.md` §8).

use serde_json::Value;

use super::apply::{Applied, Hands};
use super::call::{applied_facts, not_applied};
use super::change::{self, Change};
use super::failure::Failure;
use super::store::MemoryStore;
use super::target::Target;
use crate::behaviour::ThreatRules;
use crate::behaviour::{MemoryRules, NullTarget};
use crate::pending::{self, PendingRecord, Subsystem};
use crate::stores::Files;
use crate::values::{Fact, SimTime, WriteEnd, WriteOrigin};

/// Which proposals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which<'a> {
    /// All, oldest first.
    All,
    /// The one of this id.
    One(&'a str),
}

impl<'a> Which<'a> {
    /// The word of a command: `all`, or an id.
    pub fn parse(word: &'a str) -> Self {
        if word == "all" { Self::All } else { Self::One(word) }
    }
}

/// What an approval works with.
pub struct ApprovalContext<'a> {
    /// The home.
    pub files: &'a mut dyn Files,
    /// How memory behaves.
    pub rules: &'a MemoryRules,
    /// The patterns of the threat scan.
    pub threats: &'a ThreatRules,
    /// When.
    pub at: SimTime,
}

/// What a command did.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandAnswer {
    /// How many proposals it applied or dropped.
    pub changed: usize,
    /// How many wait still.
    pub remaining: usize,
    /// `pending-not-found` or `nothing-pending`.
    pub kind: Option<&'static str>,
    /// What the user reads.
    pub text: String,
    /// The writes. They count as the user's own: a proposal of a review that the user approves is no review write.
    pub facts: Vec<Fact>,
}

const NOT_FOUND: &str = "pending-not-found";
const NOTHING: &str = "nothing-pending";

/// Applies proposals to the store, past the gate; scan, drift guard, limits and the count of failures hold. What
/// succeeds is dropped from the list, what fails stays in it. With no store every proposal fails; where no agent is
/// live the caller makes a fresh one.
pub fn approve(
    mut store: Option<&mut MemoryStore>,
    which: Which<'_>,
    mut context: ApprovalContext<'_>,
) -> CommandAnswer {
    let records = match select(context.files, which) {
        Ok(records) if records.is_empty() => return nothing(context.files, Some(NOTHING)),
        Ok(records) => records,
        Err(answer) => return answer,
    };
    let mut changed = 0;
    let mut facts = Vec::new();
    let mut lines = Vec::new();
    for record in &records {
        let target = target(&record.payload);
        match apply(store.as_deref_mut(), record, &mut context) {
            Ok(applied) => {
                let target = target.expect("an applied proposal has a target");
                facts.extend(applied_facts(target, applied.effects, WriteOrigin::Foreground));
                match pending::delete(context.files, Subsystem::Memory, &record.id) {
                    Ok(_) => {
                        changed += 1;
                        lines.push(format!("{}: applied", record.id));
                    }
                    Err(error) => lines.push(format!("{}: applied, but it stays listed: {error}", record.id)),
                }
            }
            Err(failure) => {
                lines.push(format!("{}: {} ({})", record.id, failure.text, failure.kind));
                if let Some(target) = target {
                    let wanted = wanted(&record.payload);
                    let end = if failure.refused { WriteEnd::Refused } else { WriteEnd::Failed };
                    let kind = Some(failure.kind);
                    facts.extend(not_applied(target, &wanted, WriteOrigin::Foreground, end, kind));
                }
            }
        }
    }
    let remaining = pending::count(context.files, Subsystem::Memory);
    CommandAnswer { changed, remaining, kind: None, text: lines.join("\n"), facts }
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
        match pending::delete(files, Subsystem::Memory, &record.id) {
            Ok(_) => {
                changed += 1;
                lines.push(format!("{}: rejected", record.id));
            }
            Err(error) => lines.push(format!("{}: could not be rejected: {error}", record.id)),
        }
    }
    if records.is_empty() {
        lines.push("0 rejected".to_owned());
    }
    let remaining = pending::count(files, Subsystem::Memory);
    CommandAnswer { changed, remaining, kind: None, text: lines.join("\n"), facts: Vec::new() }
}

fn select(files: &dyn Files, which: Which<'_>) -> Result<Vec<PendingRecord>, CommandAnswer> {
    match which {
        Which::All => Ok(pending::list(files, Subsystem::Memory)),
        Which::One(id) => match pending::get(files, Subsystem::Memory, id) {
            Some(record) => Ok(vec![record]),
            None => Err(nothing(files, Some(NOT_FOUND))),
        },
    }
}

fn nothing(files: &dyn Files, kind: Option<&'static str>) -> CommandAnswer {
    let remaining = pending::count(files, Subsystem::Memory);
    let text = if kind == Some(NOT_FOUND) {
        format!("No memory write of this id waits; {remaining} wait in all.")
    } else {
        "No memory write waits.".to_owned()
    };
    CommandAnswer { changed: 0, remaining, kind, text, facts: Vec::new() }
}

fn apply(
    store: Option<&mut MemoryStore>,
    record: &PendingRecord,
    context: &mut ApprovalContext<'_>,
) -> Result<Applied, Failure> {
    let Some(store) = store else { return Err(Failure::unavailable()) };
    let payload = &record.payload;
    let replayed = MemoryRules { null_target: NullTarget::Notes, ..context.rules.clone() };
    let target = change::target(payload, &replayed)?;
    let mut hands = Hands {
        files: context.files,
        rules: context.rules,
        threats: context.threats,
        at: context.at,
        commit: true,
    };
    if payload.get("action").and_then(Value::as_str) == Some("batch") {
        return match payload.get("operations") {
            Some(Value::Array(operations)) => store.batch(target, operations, &mut hands),
            _ => Err(Failure::operations_not_list()),
        };
    }
    store.change(target, change::operation(payload)?, &mut hands)
}

fn target(payload: &Value) -> Option<Target> {
    match payload.get("target") {
        None | Some(Value::Null) => Some(Target::Notes),
        Some(name) => Target::parse(name.as_str()?),
    }
}

fn wanted(payload: &Value) -> Vec<Change<'_>> {
    match payload.get("operations") {
        Some(Value::Array(operations)) => operations.iter().filter_map(change::lenient).collect(),
        _ => change::lenient(payload).into_iter().collect(),
    }
}
