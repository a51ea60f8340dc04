//! `harness run`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use reports::junit::junit;
use reports::records::Records;
use reports::shown::{Amount, cells_grid, not_held};
use reports::summary::{SUMMARY_BYTES_MAX, summary};
use reports::table::{Grid, Look, terminal};
use reports::verdict::{CellResult, CellStatus, Outcome, Verdict};

use super::{Failed, Result, cells, nothing};
use crate::cli::clock::Clock;
use crate::cli::progress::Progress;
use crate::cli::resolve::{Options, OutputFormat, WrongInput};
use crate::cli::say::{Say, Verbosity, is_set};
use crate::cli::signals;
use crate::run::{
    Answered, Cell, RunFile, RunPlan, Stop, Store, Tables, Traces, UnusedRules, Volatile, write_tables,
};
use crate::transport::TransportKind;

/// Columns where no terminal says how many there are.
const COLUMNS_MAX: u16 = 120;

/// Runs the cells that are selected and leaves the results.
///
/// # Errors
/// Wrong input, or results that cannot be written.
pub(crate) fn run(paths: &[PathBuf], options: &Options, say: Say) -> Result {
    let cells = cells(paths, options, say)?;
    if cells.is_empty() {
        return nothing(paths, options, say);
    }
    let plan = RunPlan {
        keep_homes: options.keep_homes,
        resume: options.resume,
        traces: options.traces.unwrap_or(Traces::All),
        tables: options.tables.unwrap_or(Tables::All),
        ..RunPlan::new(options.transport.unwrap_or(TransportKind::Http), options.jobs)
    };
    let (verdict, grids) = conduct(&cells, &plan, options, say, |_| Vec::new())?;
    show(&verdict, options, say);
    copies(&verdict, &grids, options)?;
    Ok(verdict.outcome())
}

/// Runs cells by a plan and leaves the results, with the tables that `tables` makes of the records in the summary.
pub(super) fn conduct(
    cells: &[Cell],
    plan: &RunPlan,
    options: &Options,
    say: Say,
    tables: impl Fn(&Records) -> Vec<Grid>,
) -> Result<(Verdict, Vec<Grid>)> {
    let clock = Clock::start();
    check_places(options)?;
    let store = Store::open(&options.out, options.resume)?;
    let stop = Arc::new(Stop::after(options.max_fail));
    signals::listen(&stop, say)?;
    let progress = Progress::new(say, cells.len(), options.jobs);
    let verdict = crate::run::run(cells, plan, &store, &stop, &|result| progress.ended(result));
    progress.finish();
    let left = verdict.and_then(|mut verdict| {
        let mut answered = Answered::default();
        let grids = tables(&write_tables(cells, &store, plan.tables, &mut answered)?);
        if plan.judges {
            look_for_unused(&mut verdict, &answered.unused(cells), options, say);
        }
        leave(cells, plan, &verdict, &grids, &clock, store)?;
        point(&mut verdict, options);
        Ok((verdict, grids))
    });
    left.map_err(|error| {
        let partial = options.out.join(".partial");
        let hint = format!("finished cells wait in {}; --resume goes on from there", partial.display());
        Failed::Stuck(error, hint)
    })
}

/// Tells of rules that answered nothing, where all requests of all that could be asked are known. They are mistakes only
/// if somebody wants them to be: one scenario of many that share a script need not use all of it.
fn look_for_unused(verdict: &mut Verdict, unused: &[UnusedRules], options: &Options, say: Say) {
    let selection = &options.selection;
    let is_part =
        !(selection.arms.is_empty() && selection.filters.is_empty() && selection.partition.is_none());
    let is_done = |cell: &CellResult| matches!(cell.status, CellStatus::Held | CellStatus::Failed);
    let is_known = options.tables.unwrap_or(Tables::All).have_calls();
    if unused.is_empty() || is_part || !is_known || !verdict.cells.iter().all(is_done) {
        return;
    }
    let words = unused.iter().map(UnusedRules::words);
    if options.deny_unused {
        verdict.unused = words.collect();
    } else if say.verbosity == Verbosity::Verbose {
        words.for_each(|words| say.talk(&words));
    } else {
        let rules: usize = unused.iter().map(|unused| unused.rules.len()).sum();
        let (rules, scripts) = (counted(rules, "rule"), counted(unused.len(), "script"));
        say.talk(&format!("{rules} of {scripts} answered no request; -v names them"));
    }
}

/// Whether results may be written where they are wanted: nothing that is not a run's is replaced, and a wrong place is
/// told before anything runs.
fn check_places(options: &Options) -> std::result::Result<(), WrongInput> {
    let out = options.out.display();
    if options.out.is_file() {
        let hint = "--out names a directory".to_owned();
        return Err(WrongInput::Words(format!("{out} is a file"), Some(hint)));
    }
    if let Some(name) = Store::foreign(&options.out) {
        let hint = "name another directory with --out, or move it away".to_owned();
        return Err(WrongInput::Words(format!("{out} holds `{name}`, which no run left there"), Some(hint)));
    }
    let Some(junit) = &options.junit else { return Ok(()) };
    let wrong = |why: &str| Err(WrongInput::words(format!("--junit {}: {why}", junit.display())));
    if junit.is_dir() {
        return wrong("it is a directory");
    }
    if junit.parent().is_some_and(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        return wrong("there is no such directory");
    }
    let is_file = junit.metadata().is_ok_and(|meta| meta.is_file() && meta.len() > 0);
    if is_file && !std::fs::read(junit).is_ok_and(|bytes| bytes.starts_with(b"<")) {
        return wrong("it is there and is no XML; it stays as it is");
    }
    Ok(())
}

fn counted(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// Writes what the run leaves beside traces and tables, and puts everything in place.
fn leave(
    cells: &[Cell],
    plan: &RunPlan,
    verdict: &Verdict,
    grids: &[Grid],
    clock: &Clock,
    store: Store,
) -> anyhow::Result<()> {
    store.write("junit.xml", junit(verdict).as_bytes())?;
    store.write("summary.md", summary(verdict, grids, SUMMARY_BYTES_MAX).as_bytes())?;
    let volatile = Volatile {
        argv: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
        started_at: clock.started_at().to_owned(),
        duration_ms: clock.elapsed_ms(),
        transport: plan.transport.as_str(),
        jobs: plan.jobs,
        platform: format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
    };
    let mut file = serde_json::to_vec_pretty(&RunFile::new(cells, verdict, &volatile))?;
    file.push(b'\n');
    store.write("run.json", &file)?;
    store.publish()
}

/// Writes what is wanted elsewhere: a further `JUnit` file, the summary of a step. The results are in place by then.
pub(super) fn copies(verdict: &Verdict, grids: &[Grid], options: &Options) -> Result<()> {
    let junit = options.junit.as_ref().map_or(Ok(()), |path| {
        std::fs::write(path, junit(verdict)).with_context(|| format!("cannot write {}", path.display()))
    });
    let step = append_summary(|bytes_max| summary(verdict, grids, bytes_max));
    junit.and(step).map_err(|error| {
        Failed::Stuck(error, format!("the run is over, and its results are in {}", options.out.display()))
    })
}

/// Adds the summary to what other steps have written where GitHub asks for it, as far as there is room.
pub(super) fn append_summary(summary: impl Fn(usize) -> String) -> anyhow::Result<()> {
    let path = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty());
    let Some(path) = path.as_ref().map(Path::new) else { return Ok(()) };
    let fail = || format!("cannot append to {}", path.display());
    let taken = std::fs::metadata(path).map_or(0, |meta| usize::try_from(meta.len()).unwrap_or(usize::MAX));
    let text = summary(SUMMARY_BYTES_MAX.saturating_sub(taken));
    let mut file = std::fs::File::options().create(true).append(true).open(path).with_context(fail)?;
    file.write_all(text.as_bytes()).with_context(fail)
}

/// The verdict as the format wants it.
fn show(verdict: &Verdict, options: &Options, say: Say) {
    match options.format {
        OutputFormat::Human => human(verdict, options, say),
        OutputFormat::Json => {
            let value = serde_json::json!({ "verdict": verdict.file(), "cells": verdict.cells });
            say.results(&format!("{value:#}\n"));
        }
        OutputFormat::Jsonl => {
            for cell in &verdict.cells {
                say.results(&format!("{}\n", serde_json::json!({ "cell": cell })));
            }
            say.results(&format!("{}\n", serde_json::json!({ "verdict": verdict.file() })));
        }
        OutputFormat::Markdown => say.results(&summary(verdict, &[], SUMMARY_BYTES_MAX)),
    }
    if is_set("GITHUB_ACTIONS") {
        annotate(verdict, say);
    }
}

/// A table, what did not hold, and the banner.
fn human(verdict: &Verdict, options: &Options, say: Say) {
    told(verdict, say.verbosity != Verbosity::Quiet, say);
    for words in &verdict.unused {
        say.results(&format!("unused: {words}\n"));
    }
    say.results(&format!("{}\n", verdict.banner()));
    results_in(verdict, options, say);
}

/// The table of cells if it is wanted, and what is known of those that did not hold.
pub(super) fn told(verdict: &Verdict, with_table: bool, say: Say) {
    say.results(&told_as(verdict, with_table, say));
}

/// Lets the verdict's commands find the results where this run put them. Files within the results name no place, so
/// that results stay the same wherever they lie.
fn point(verdict: &mut Verdict, options: &Options) {
    let Some(out) = options.layers.text("out") else { return };
    let elsewhere = format!(" --out {}", shell_word(out));
    for cell in &mut verdict.cells {
        for command in [&mut cell.rerun, &mut cell.show].into_iter().filter(|command| !command.is_empty()) {
            command.push_str(&elsewhere);
        }
    }
}

/// The same, as it is shown.
pub(super) fn told_as(verdict: &Verdict, with_table: bool, say: Say) -> String {
    let look = say.table_look();
    // Results in a pipe are read by people as well, and no line is made for a screen of a thousand columns.
    let look = Look { width: look.width.or(Some(COLUMNS_MAX)), ..look };
    let amount = if say.verbosity == Verbosity::Verbose { Amount::All } else { Amount::Short };
    let blocks = not_held(verdict, amount, look);
    if !with_table {
        return blocks;
    }
    let gap = if blocks.is_empty() { "" } else { "\n" };
    format!("{}{gap}{blocks}", terminal(&cells_grid(verdict, amount), look))
}

/// Where the results are.
pub(super) fn results_in(verdict: &Verdict, options: &Options, say: Say) {
    say.talk(&format!("results in {}", options.out.display()));
    match verdict.outcome() {
        Outcome::Interrupted | Outcome::Terminated => say.must("hint: --resume runs what is left"),
        _ => {}
    }
}

/// A word as a shell takes it.
fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,".contains(c);
    if text.chars().all(plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Failures as annotations, each at its line.
fn annotate(verdict: &Verdict, say: Say) {
    for cell in &verdict.cells {
        for failure in &cell.failures {
            let (file, line) = failure.place.rsplit_once(':').unwrap_or((&failure.place, "1"));
            let message =
                format!("{}/{}/{}: {}", cell.scenario, cell.arm, cell.seed, failure.lines().join("\n"));
            say.annotate("error", file, line.parse().unwrap_or(1), &message);
        }
    }
}
