//! A run from the model to its end.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::candidates::{CandidateRow, list};
use super::super::claim;
use super::super::classify::{Classified, Destination, RecordedCall, classify, cut_arguments};
use super::super::context::CuratorContext;
use super::super::jobs::{JobRewrite, Moves, RewriteReport, rewrite};
use super::super::report::{Folder, PassReport, StateChange};
use super::super::verify::verify;
use super::outcome::PassOutcome;
use super::start::{Consolidation, PassStart, prefix};
use super::words::{RenameMap, model_summary, timed_line};
use crate::behaviour::{Destinations, SeenArguments};
use crate::values::Fact;

/// Ends a run: classifies what the pass removed, lets the jobs follow, checks the library, writes the report and the
/// state file. Nothing here fails the run.
pub fn finish_pass(
    context: &mut CuratorContext<'_, '_>,
    start: PassStart,
    outcome: PassOutcome,
) -> PassReport {
    let rules = context.rules();
    let outcome = known(outcome, rules.pass.drop_unexplained);
    let jobs = context.job_skills();
    let after = list(&mut context.usage(), &jobs, rules);
    let classified = explain(context, &start, &outcome, &after);
    let folder = context.write(|home, _| Folder::make(home, start.started));
    let rewritten = if rules.jobs.need_report && folder.is_none() {
        RewriteReport::default()
    } else {
        follow(context, &classified, outcome.error.is_some())
    };
    let rewritten = joined(start.led.clone(), rewritten);
    let verification = rules.pass.verified.then(|| verify(context, &start, &classified));
    let rename_map = RenameMap::of(&classified);
    let llm_summary = match start.consolidation {
        Consolidation::Off => "skipped (consolidation off)".to_owned(),
        Consolidation::NoCandidates => "skipped (no candidates)".to_owned(),
        Consolidation::Asks => match &outcome.error {
            Some(error) => format!("failed: {error}"),
            None => model_summary(&outcome.final_text),
        },
    };
    let mut report = PassReport {
        cause: start.cause,
        started: start.started,
        ended: context.at,
        dry_run: start.dry_run,
        timed: start.timed,
        before: start.before.len(),
        after: after.len(),
        state_changes: state_changes(&start.before, &after),
        classified,
        rewritten,
        verification,
        summary: format!("{}{}", prefix(start.dry_run), llm_summary),
        rename_map,
        llm_summary,
        outcome,
        path: None,
        young: start.young,
    };
    report.summary = summary(&report);
    report.path = folder.and_then(|folder| context.write(|home, _| folder.write(home, &report)));
    close(context, &report);
    report
}

/// What is known of the conversation: the reference forgets the calls of one that failed.
fn known(outcome: PassOutcome, forgets: bool) -> PassOutcome {
    if forgets && outcome.error.is_some() {
        return PassOutcome { tool_calls: Vec::new(), final_text: String::new(), ..outcome };
    }
    PassOutcome { final_text: crate::text::trim(&outcome.final_text).to_owned(), ..outcome }
}

fn explain(
    context: &mut CuratorContext<'_, '_>,
    start: &PassStart,
    outcome: &PassOutcome,
    after: &[CandidateRow],
) -> Classified {
    let rules = &context.rules().pass;
    let names = |rows: &[CandidateRow]| rows.iter().map(|row| row.name.clone()).collect::<Vec<_>>();
    let mut beside = Destination { aliases: start.aliases.clone(), found: BTreeSet::new() };
    let removes_something = start.before.iter().any(|row| after.iter().all(|other| other.name != row.name));
    if removes_something && rules.destinations == Destinations::Found {
        for skill in context.usage().all_skills() {
            beside.found.extend([skill.declared.to_string(), skill.dir_name.to_string()]);
        }
    }
    let cut: Vec<RecordedCall>;
    let calls = match rules.arguments {
        SeenArguments::Whole => &outcome.tool_calls,
        SeenArguments::Cut => {
            cut = outcome.tool_calls.iter().map(recorded).collect();
            &cut
        }
    };
    classify(&names(&start.before), &names(after), calls, &outcome.final_text, &beside, rules.summary)
}

/// A call as the reference records it.
fn recorded(call: &RecordedCall) -> RecordedCall {
    match &call.arguments {
        // Only text is ever cut; what came as an object is short by nature.
        Value::String(_) => RecordedCall::new(call.name.clone(), cut_arguments(&call.arguments)),
        _ => call.clone(),
    }
}

fn follow(context: &mut CuratorContext<'_, '_>, classified: &Classified, failed: bool) -> RewriteReport {
    let rules = context.rules();
    if !rules.jobs.follow {
        return RewriteReport::default();
    }
    let explained = |source: super::super::classify::Source| source.is_said() && !failed;
    let mapped: BTreeMap<String, String> =
        classified.consolidated.iter().map(|one| (one.name.clone(), one.into.clone())).collect();
    let dropped = classified
        .pruned
        .iter()
        .filter(|one| rules.pass.drop_unexplained || explained(one.source))
        .map(|one| one.name.clone())
        .filter(|name| !mapped.contains_key(name));
    let moves = Moves { dropped: dropped.collect(), mapped, slashes: rules.jobs.slashes };
    rewrite(context.library.home_mut(), &moves)
}

/// The jobs that followed during the pass, and those that followed after it.
fn joined(led: Vec<JobRewrite>, mut after: RewriteReport) -> RewriteReport {
    let mut rewrites: Vec<JobRewrite> = Vec::new();
    for one in led.into_iter().chain(std::mem::take(&mut after.rewrites)) {
        match rewrites.iter_mut().find(|known| known.job_id == one.job_id) {
            Some(known) => {
                known.after = one.after;
                known.mapped.extend(one.mapped);
                known.dropped.extend(one.dropped);
            }
            None => rewrites.push(one),
        }
    }
    let jobs_updated = rewrites.len();
    RewriteReport { rewrites, jobs_updated, jobs_scanned: after.jobs_scanned.max(jobs_updated), ..after }
}

fn state_changes(before: &[CandidateRow], after: &[CandidateRow]) -> Vec<StateChange> {
    let now: BTreeMap<&str, &str> = after.iter().map(|row| (row.name.as_str(), row.state.as_str())).collect();
    let changes = before.iter().filter_map(|row| {
        let (from, to) = (row.state.as_str(), *now.get(row.name.as_str())?);
        let differs = from != to && !from.is_empty() && !to.is_empty();
        differs.then(|| StateChange { name: row.name.clone(), from: from.to_owned(), to: to.to_owned() })
    });
    changes.collect()
}

fn summary(report: &PassReport) -> String {
    let timed = timed_line(&report.timed.counters);
    let head = format!("{}{timed}; {}", prefix(report.dry_run), report.llm_summary.replace('\n', " "));
    match &report.rename_map {
        Some(map) => format!("{head}\n{}", map.to_text()),
        None => head,
    }
}

fn close(context: &mut CuratorContext<'_, '_>, report: &PassReport) {
    let root = context.library.home().root().trim_end_matches('/').to_owned();
    let pass = &context.rules().pass;
    context.change_schedule(|schedule| {
        schedule.set("last_run_duration_seconds", report.duration_seconds());
        schedule.set("last_run_summary", report.summary.clone());
        if let Some(path) = &report.path {
            schedule.set("last_report_path", format!("{root}/{path}"));
        }
    });
    context.write(|home, skills| claim::release(home, skills, pass));
}

impl PassReport {
    /// The run for the trace: its counters, and what became of whom.
    pub fn fact(&self) -> Fact {
        Fact::CuratorRun { cause: self.cause, report: self.to_trace() }
    }
}
