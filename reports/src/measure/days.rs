//! Ends of days, and the curator's runs.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::Measure;
use crate::records::{CuratorRunRow, LibraryDayRow, MemoryDayRow};
use crate::trace::{Event, Kind, LibraryState, MemoryState};
use crate::words::CuratorCause;

impl Measure {
    pub(super) fn day_event(&mut self, event: &Event) {
        match &event.kind {
            Kind::Day { day, library, memory, polls } => self.day(event, *day, *library, *memory, *polls),
            Kind::CuratorRun { cause, report } => self.curator_run(event, *cause, report),
            _ => {}
        }
    }

    fn day(&mut self, event: &Event, day: u32, library: LibraryState, memory: MemoryState, polls: u32) {
        let key = self.key_of(event);
        let today = std::mem::take(&mut self.user(event).today);
        self.records.memory_days.push(MemoryDayRow {
            scenario: Arc::clone(&key.scenario),
            arm: Arc::clone(&key.arm),
            seed: key.seed,
            user: Arc::clone(&key.user),
            evidence: key.evidence,
            day,
            notes_entries: memory.notes_entries,
            notes_chars: memory.notes_chars,
            notes_limit_chars: memory.notes_limit,
            profile_entries: memory.profile_entries,
            profile_chars: memory.profile_chars,
            profile_limit_chars: memory.profile_limit,
            writes: today.memory_writes,
        });
        self.records.library_days.push(LibraryDayRow {
            scenario: key.scenario,
            arm: key.arm,
            seed: key.seed,
            user: key.user,
            evidence: key.evidence,
            day,
            active: library.active,
            stale: library.stale,
            archived: library.archived,
            pinned: library.pinned,
            created: today.created,
            patched: today.patched,
            archivings: today.archivings,
            restored: today.restored,
            deleted: today.deleted,
            loads: today.loads,
            library_chars: library.chars,
            index_tokens: library.index_tokens,
            jobs: library.jobs,
            jobs_astray: library.jobs_astray,
            jobs_bare: library.jobs_bare,
            polls: u64::from(polls),
        });
    }

    fn curator_run(&mut self, event: &Event, cause: CuratorCause, report: &Value) {
        let key = self.key_of(event);
        let pass = std::mem::take(&mut self.user(event).curator);
        let row = self.records.curator_runs.len();
        let timed = |name| figure(report, &["auto_transitions"], name);
        let counts = |name| figure(report, &["counts", "pass"], name);
        self.records.curator_runs.push(CuratorRunRow {
            scenario: key.scenario,
            arm: key.arm,
            seed: key.seed,
            user: key.user,
            evidence: key.evidence,
            at_ms: event.at_ms,
            cause: Some(cause),
            checked: timed("checked"),
            seeded: timed("seeded"),
            marked_stale: timed("marked_stale"),
            archived: timed("archived"),
            reactivated: timed("reactivated"),
            consolidated: counts("consolidated_this_run"),
            pruned: counts("pruned_this_run"),
            added: counts("added_this_run"),
            jobs_rewritten: counts("cron_jobs_rewritten"),
            dry_run: report.get("dry_run").and_then(Value::as_bool).unwrap_or(false),
            error: report.get("llm_error").and_then(Value::as_str).map(Arc::from),
            links_broken: looked_at(report, "broken_links", |_| true),
            thin_merges: looked_at(report, "retention", |merge| {
                merge.get("flagged") == Some(&Value::Bool(true))
            }),
            jobs_astray: looked_at(report, "dangling_jobs", |_| true),
            removals_unverified: looked_at(report, "unverified_removals", |_| true),
            ..pass
        });
        self.cell.curator_runs += 1;
        let runs = &mut self.user(event).curator_runs;
        runs.push(row);
        self.records.curator_runs[row].run = runs.len() as u64;
    }

    /// Calls of a pass that ended after its run was reported belong to the last run.
    pub(super) fn finish_curator(&mut self) {
        for user in self.users.values() {
            let Some(&row) = user.curator_runs.last() else { continue };
            let row = &mut self.records.curator_runs[row];
            row.calls += user.curator.calls;
            row.tool_calls += user.curator.tool_calls;
            row.refused_calls += user.curator.refused_calls;
            row.writes += user.curator.writes;
            row.prompt_tokens += user.curator.prompt_tokens;
            row.cached_tokens += user.curator.cached_tokens;
            row.completion_tokens += user.curator.completion_tokens;
            super::calls::add_cost(&mut row.cost_nanos, user.curator.cost_nanos);
        }
    }

    /// The sums that are simply those of the tables.
    pub(super) fn finish_cell(&mut self) {
        let days: BTreeSet<u32> = self.records.library_days.iter().map(|row| row.day).collect();
        let judged = self.records.turns.iter().filter_map(|turn| turn.outcome);
        let cell = &mut self.cell;
        cell.days = days.len() as u64;
        cell.users = self.users.keys().filter(|user| !user.is_empty()).count() as u64;
        cell.sessions = self.records.sessions.len() as u64;
        cell.turns = self.records.turns.len() as u64;
        cell.tasks = self.records.turns.iter().filter(|turn| turn.corrects.is_empty()).count() as u64;
        cell.iterations = self.records.sessions.iter().map(|session| session.iterations).sum();
        cell.waited_ms = self.records.sessions.iter().map(|session| session.waited_ms).sum();
        for outcome in judged {
            cell.judged += 1;
            cell.solved += u64::from(outcome.is_solved());
        }
        self.records.cells.push(std::mem::take(cell));
    }
}

/// How many entries of a list in a report's verification count; none where nothing was verified.
fn looked_at(report: &Value, list: &str, counts: impl Fn(&Value) -> bool) -> Option<u64> {
    let entries = report.get("verification")?.get(list)?.as_array()?;
    Some(entries.iter().filter(|entry| counts(entry)).count() as u64)
}

/// A counter of a curator's report, directly in it or in one of these parts; 0 where it says nothing.
fn figure(report: &Value, parts: &[&str], name: &str) -> u64 {
    let places = std::iter::once(Some(report)).chain(parts.iter().map(|part| report.get(part)));
    places.flatten().find_map(|place| place.get(name)?.as_u64()).unwrap_or(0)
}
