//! Changing a store: single changes and lists of them, under the lock of the target (`spec/memory.md` §5, §6).

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::answer::Outcome;
use super::change::{self, Change, Effect};
use super::entries::{self, Entry, Found};
use super::failure::{Failure, RETRY_EXHAUSTED, Shows};
use super::place::Place;
use super::store::MemoryStore;
use super::target::{Limit, Target};
use crate::behaviour::ThreatRules;
use crate::behaviour::{
    DelimiterInContent, DriftGuard, FailureShape, MemoryMode, MemoryRules, Newlines, OverFull,
};
use crate::guard::threats::{self, Scope};
use crate::stores::Files;
use crate::text;
use crate::values::SimTime;

/// What a change is made with.
pub(super) struct Hands<'a> {
    pub(super) files: &'a mut dyn Files,
    pub(super) rules: &'a MemoryRules,
    pub(super) threats: &'a ThreatRules,
    pub(super) at: SimTime,
    /// Whether to write, or only to find out what would happen.
    pub(super) commit: bool,
}

/// A change that went through.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Applied {
    pub(super) outcome: Outcome,
    /// One for each entry that is now another; none where nothing changed.
    pub(super) effects: Vec<Effect>,
}

/// What an edit of the entries found, and whether the file has to be written.
struct Edited {
    applied: Applied,
    write: bool,
}

impl MemoryStore {
    /// Makes one change.
    pub(super) fn change(
        &mut self,
        target: Target,
        change: Change<'_>,
        hands: &mut Hands<'_>,
    ) -> Result<Applied, Failure> {
        let result = match change {
            Change::Add { content } => self.add(target, content, hands),
            Change::Replace { old, content } => self.replace(target, old, content, hands),
            Change::Remove { old } => self.remove(target, old, hands),
        };
        self.settle(result, hands)
    }

    /// Makes a list of changes, all or none.
    pub(super) fn batch(
        &mut self,
        target: Target,
        operations: &[Value],
        hands: &mut Hands<'_>,
    ) -> Result<Applied, Failure> {
        let result = self.try_batch(target, operations, hands);
        self.settle(result, hands)
    }

    /// Keeps the count of failed attempts (`spec/memory.md` §4.2).
    fn settle(&mut self, result: Result<Applied, Failure>, hands: &Hands<'_>) -> Result<Applied, Failure> {
        match result {
            Ok(applied) => {
                if hands.commit {
                    self.failures = 0;
                }
                Ok(applied)
            }
            Err(failure) if failure.counts => {
                self.failures = self.failures.saturating_add(1);
                let over = hands.rules.retry.own_answers.is_some_and(|own| self.failures > own);
                Err(if over { Failure::exhausted() } else { failure })
            }
            Err(failure) => Err(failure),
        }
    }

    fn add(&mut self, target: Target, content: &str, hands: &mut Hands<'_>) -> Result<Applied, Failure> {
        let content = clean(content, hands.rules)?;
        scan(&content, hands.threats)?;
        let guard = hands.rules.drift == DriftGuard::Always;
        self.edit(target, guard, hands, |entries, limit| {
            let entry = Entry::from(&*content);
            if entries.contains(&entry) {
                let applied = Applied { outcome: Outcome::Duplicate, effects: Vec::new() };
                return Ok(Edited { applied, write: false });
            }
            let before = entries::chars(entries);
            entries.push(Arc::clone(&entry));
            if limit.is_exceeded_by(entries::chars(entries)) {
                return Err(Failure::no_room(target, before, limit, &content));
            }
            let effect = Effect { action: "add", names: Arc::clone(&entry), before: "".into(), after: entry };
            Ok(Edited { applied: Applied { outcome: Outcome::Added, effects: vec![effect] }, write: true })
        })
    }

    fn replace(
        &mut self,
        target: Target,
        old: &str,
        content: &str,
        hands: &mut Hands<'_>,
    ) -> Result<Applied, Failure> {
        may_edit(hands.rules)?;
        let old = old_text(old)?;
        let content = clean(content, hands.rules)?;
        scan(&content, hands.threats)?;
        let rules = hands.rules;
        self.edit(target, rules.drift != DriftGuard::Never, hands, |entries, limit| {
            let before = entries::chars(entries);
            let effect = replace_in(entries, old, &content, rules)?;
            let after = entries::chars(entries);
            if !fits(before, after, limit, rules) {
                let shows = inventory(rules, Shows::EntriesAndUsage);
                return Err(Failure::too_long(target, after, limit, shows));
            }
            let effects = effect.into_iter().collect();
            Ok(Edited { applied: Applied { outcome: Outcome::Replaced, effects }, write: true })
        })
    }

    fn remove(&mut self, target: Target, old: &str, hands: &mut Hands<'_>) -> Result<Applied, Failure> {
        may_edit(hands.rules)?;
        let old = old_text(old)?;
        let rules = hands.rules;
        self.edit(target, rules.drift != DriftGuard::Never, hands, |entries, _| {
            let effects = vec![remove_in(entries, old, rules)?];
            Ok(Edited { applied: Applied { outcome: Outcome::Removed, effects }, write: true })
        })
    }

    fn try_batch(
        &mut self,
        target: Target,
        operations: &[Value],
        hands: &mut Hands<'_>,
    ) -> Result<Applied, Failure> {
        if operations.is_empty() {
            return Err(Failure::empty_batch());
        }
        for (index, operation) in operations.iter().enumerate() {
            check_operation(operation, hands).map_err(|failure| failure.in_operation(index + 1))?;
        }
        let rules = hands.rules;
        self.edit(target, rules.drift != DriftGuard::Never, hands, |entries, limit| {
            let before = entries::chars(entries);
            let mut effects = Vec::new();
            for (index, operation) in operations.iter().enumerate() {
                let effect = operate(entries, operation, rules).map_err(|failure| {
                    if failure.kind == "bad-argument" {
                        failure.in_operation(index + 1)
                    } else {
                        failure.counted_in_operation(index + 1)
                    }
                })?;
                effects.extend(effect);
            }
            let after = entries::chars(entries);
            if !fits(before, after, limit, rules) {
                return Err(Failure::too_long(target, after, limit, Shows::EntriesAndUsage));
            }
            let outcome = Outcome::Batch(operations.len());
            Ok(Edited { applied: Applied { outcome, effects }, write: true })
        })
    }

    /// Reads the target under its lock, lets the body edit a copy of the entries, and writes them. On any failure the
    /// file is as it was and the live entries are those of the disk.
    fn edit(
        &mut self,
        target: Target,
        guard: bool,
        hands: &mut Hands<'_>,
        body: impl FnOnce(&mut Vec<Entry>, Limit) -> Result<Edited, Failure>,
    ) -> Result<Applied, Failure> {
        let place = Place::find(hands.files, target)?;
        place.make(hands.files)?;
        let limit = *self.limits.get(target);
        let live = self.live.get_mut(target);
        let (at, commit) = (hands.at, hands.commit);
        place.locked(hands.files, |files| {
            let raw = place.read(files)?;
            *live = entries::parse(&raw);
            if guard && entries::drifted(&raw, limit) {
                let backup = place.back_up(files, &raw, at);
                let shown =
                    backup.unwrap_or_else(|error| format!("(the copy could not be written: {error})"));
                return Err(Failure::drift(target, shown));
            }
            let mut next = live.clone();
            let edited = body(&mut next, limit)?;
            if commit {
                if edited.write {
                    place.write(files, &entries::render(&next))?;
                }
                *live = next;
            }
            Ok(edited.applied)
        })?
    }
}

/// What is looked at in an operation before anything is read: its form, and the raw text that it would store.
fn check_operation(operation: &Value, hands: &Hands<'_>) -> Result<(), Failure> {
    let Some(known) = change::lenient(operation) else { return Ok(()) };
    if known.edits() {
        may_edit(hands.rules)?;
    }
    if matches!(known, Change::Remove { .. }) {
        return Ok(());
    }
    let content = change::operation(operation)?.stores();
    scan(content, hands.threats)?;
    if !text::is_blank(content) {
        clean(content, hands.rules)?;
    }
    Ok(())
}

/// One operation of a list on the working copy.
fn operate(
    entries: &mut Vec<Entry>,
    operation: &Value,
    rules: &MemoryRules,
) -> Result<Option<Effect>, Failure> {
    let change = change::operation(operation)?;
    let required = |text: &str, failure: Failure| if text::is_blank(text) { Err(failure) } else { Ok(()) };
    match change {
        Change::Add { content } => {
            required(content, Failure::content_required("add"))?;
            let entry = Entry::from(&*clean(content, rules)?);
            if entries.contains(&entry) {
                return Ok(None);
            }
            entries.push(Arc::clone(&entry));
            Ok(Some(Effect { action: "add", names: Arc::clone(&entry), before: "".into(), after: entry }))
        }
        Change::Replace { old, content } => {
            required(old, Failure::missing_old_text("replace"))?;
            required(content, Failure::content_required("replace"))?;
            replace_in(entries, text::trim(old), &clean(content, rules)?, rules)
        }
        Change::Remove { old } => {
            required(old, Failure::missing_old_text("remove"))?;
            remove_in(entries, text::trim(old), rules).map(Some)
        }
    }
}

fn replace_in(
    entries: &mut [Entry],
    old: &str,
    content: &str,
    rules: &MemoryRules,
) -> Result<Option<Effect>, Failure> {
    let index = position(entries, old, rules)?;
    let after = Entry::from(content);
    let before = std::mem::replace(&mut entries[index], Arc::clone(&after));
    let changed = before != after;
    Ok(changed.then(|| Effect { action: "replace", names: old.into(), before, after }))
}

fn remove_in(entries: &mut Vec<Entry>, old: &str, rules: &MemoryRules) -> Result<Effect, Failure> {
    let before = entries.remove(position(entries, old, rules)?);
    Ok(Effect { action: "remove", names: old.into(), before, after: "".into() })
}

fn position(entries: &[Entry], old: &str, rules: &MemoryRules) -> Result<usize, Failure> {
    match entries::find(entries, old) {
        Found::At(index) => Ok(index),
        Found::Nothing => Err(Failure { shows: inventory(rules, Shows::Entries), ..Failure::no_match(old) }),
        Found::Several(hits) => {
            let previews = hits.iter().map(|hit| entries::preview(&entries[*hit])).collect();
            Err(Failure::ambiguous(old, previews))
        }
    }
}

fn fits(before: usize, after: usize, limit: Limit, rules: &MemoryRules) -> bool {
    let shrinks = rules.over_full == OverFull::AllowShrinking && after < before;
    !limit.is_exceeded_by(after) || shrinks
}

fn inventory(rules: &MemoryRules, full: Shows) -> Shows {
    if rules.failure == FailureShape::Inventory { full } else { Shows::Nothing }
}

fn may_edit(rules: &MemoryRules) -> Result<(), Failure> {
    match rules.mode {
        MemoryMode::Bounded => Ok(()),
        MemoryMode::AppendOnly => Err(Failure::append_only()),
    }
}

fn old_text(old: &str) -> Result<&str, Failure> {
    match text::trim(old) {
        "" => Err(Failure::empty_old_text()),
        old => Ok(old),
    }
}

/// Content as it will be stored: trimmed and, where the rules say so, with folded line ends and fit for the format.
fn clean<'a>(content: &'a str, rules: &MemoryRules) -> Result<Cow<'a, str>, Failure> {
    let content = text::trim(content);
    if content.is_empty() {
        return Err(Failure::empty_content());
    }
    if rules.delimiter == DelimiterInContent::Refuse && entries::falls_apart(content) {
        return Err(Failure::delimiter());
    }
    Ok(match rules.newlines {
        Newlines::Fold if content.contains('\r') => Cow::Owned(text::fold_newlines(content)),
        _ => Cow::Borrowed(content),
    })
}

fn scan(content: &str, rules: &ThreatRules) -> Result<(), Failure> {
    match threats::scan(content, Scope::Strict, rules).first() {
        Some(class) => Err(Failure::threat(class)),
        None => Ok(()),
    }
}

/// Whether a failure is the one that ends all attempts.
pub(super) fn is_exhausted(failure: &Failure) -> bool {
    failure.kind == RETRY_EXHAUSTED
}
