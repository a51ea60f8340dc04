//! `harness run`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use reports::junit::junit;
use reports::summary::{SUMMARY_BYTES_MAX, summary};
use reports::table::terminal;
use reports::verdict::{CellStatus, Outcome, Verdict};

use super::{Failed, Result, cells, nothing};
use crate::cli::clock::Clock;
use crate::cli::progress::Progress;
use crate::cli::resolve::{Options, OutputFormat};
use crate::cli::say::{Say, Verbosity, is_set};
use crate::cli::signals;
use crate::run::{Cell, RunFile, RunPlan, Stop, Store, Volatile, write_tables};

/// Runs the cells that are selected and leaves the results.
///
/// # Errors
/// Wrong input, or results that cannot be written.
pub(crate) fn run(paths: &[PathBuf], options: &Options, say: Say) -> Result {
    let cells = cells(paths, options, say)?;
    if cells.is_empty() {
        return nothing(paths, options, say);
    }
    let clock = Clock::start();
    let store = Store::open(&options.out, options.resume)?;
    let stop = Arc::new(Stop::after(options.max_fail));
    signals::listen(&stop, say)?;
    let plan = RunPlan {
        keep_homes: options.keep_homes,
        resume: options.resume,
        ..RunPlan::new(options.transport, options.jobs)
    };
    let progress = Progress::new(say, cells.len(), options.jobs);
    let verdict = crate::run::run(&cells, &plan, &store, &stop, &|result| progress.ended(result));
    progress.finish();
    let left = verdict.and_then(|verdict| {
        leave(&cells, &verdict, options, &clock, store)?;
        Ok(verdict)
    });
    let verdict = left.map_err(|error| {
        let partial = options.out.join(".partial");
        let hint = format!("finished cells wait in {}; --resume goes on from there", partial.display());
        Failed::Stuck(error, hint)
    })?;
    show(&verdict, options, say);
    Ok(verdict.outcome())
}

/// Writes what the run leaves beside traces, and puts everything in place.
fn leave(
    cells: &[Cell],
    verdict: &Verdict,
    options: &Options,
    clock: &Clock,
    store: Store,
) -> anyhow::Result<()> {
    write_tables(cells, &store)?;
    let xml = junit(verdict);
    let text = summary(verdict, &[], SUMMARY_BYTES_MAX);
    store.write("junit.xml", xml.as_bytes())?;
    store.write("summary.md", text.as_bytes())?;
    let volatile = Volatile {
        argv: std::env::args().collect(),
        started_at: clock.started_at().to_owned(),
        duration_ms: clock.elapsed_ms(),
        transport: options.transport.as_str(),
        jobs: options.jobs,
        platform: format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
    };
    let mut file = serde_json::to_vec_pretty(&RunFile::new(cells, verdict, &volatile))?;
    file.push(b'\n');
    store.write("run.json", &file)?;
    store.publish()?;
    if let Some(path) = &options.junit {
        std::fs::write(path, xml).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) {
        append_summary(Path::new(&path), verdict)?;
    }
    Ok(())
}

/// Adds the summary to what other steps have written, as far as there is room.
fn append_summary(path: &Path, verdict: &Verdict) -> anyhow::Result<()> {
    let fail = || format!("cannot append to {}", path.display());
    let taken = std::fs::metadata(path).map_or(0, |meta| usize::try_from(meta.len()).unwrap_or(usize::MAX));
    let text = summary(verdict, &[], SUMMARY_BYTES_MAX.saturating_sub(taken));
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

/// A table, what did not hold first, and the banner. Quietly, only what did not hold.
fn human(verdict: &Verdict, options: &Options, say: Say) {
    let mut shown = verdict.clone();
    let elsewhere = options.layers.text("out").map(|out| format!(" --out {}", shell_word(out)));
    for cell in &mut shown.cells {
        for command in [&mut cell.rerun, &mut cell.show] {
            command.push_str(elsewhere.as_deref().unwrap_or_default());
        }
    }
    if say.verbosity == Verbosity::Quiet {
        shown.cells.retain(|cell| cell.status != CellStatus::Held);
    }
    if !shown.cells.is_empty() {
        say.results(&terminal(&shown.grid(), say.table_look()));
    }
    say.results(&format!("{}\n", verdict.banner()));
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
