//! The report of a run: Parquet beside the CSV, one `SQLite` file, plots, a page, a summary.
//!
//! Everything is made in a folder beside the results and put in its place at the end, so that a report is never half
//! there. The same results give the same bytes.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use anyhow::Context;
use reports::columnar::write_parquet;
use reports::figures::{cells, is_sweep};
use reports::html::html;
use reports::plots::{FontPlace, png, svg};
use reports::report::Report;
use reports::sqlite::SqliteTables;
use reports::summary::{SUMMARY_BYTES_MAX, summary};
use reports::table::Grid;
use reports::verdict::Verdict;

use super::results::Results;
use crate::run::CALL_TABLES;

/// Scenarios that a title names.
const NAMED_MAX: usize = 3;

/// How the names of comparison plots begin: those of an earlier report with more arms are removed.
const COMPARISON: &str = "comparison";

/// What a report left.
#[derive(Debug)]
pub(crate) struct ReportLeft {
    /// Its files, by name, relative to the run's directory.
    pub(crate) files: Vec<String>,
    /// Its tables, the most important one first.
    pub(crate) grids: Vec<Grid>,
    verdict: Verdict,
}

impl ReportLeft {
    /// The run in Markdown, at most so many bytes long.
    pub(crate) fn summary(&self, bytes_max: usize) -> String {
        summary(&self.verdict, &self.grids, bytes_max)
    }
}

/// Writes the report of these results into their directory. Arms are compared against `base`, or against the one of
/// their world that spends the fewest tokens on reviews.
///
/// # Errors
/// A file cannot be written.
pub(crate) fn write_report(results: &Results, base: Option<&str>) -> anyhow::Result<ReportLeft> {
    let stage = Stage::new(&results.dir)?;
    let report = match base {
        Some(base) => Report::against(&results.records, base),
        None => Report::new(&results.records),
    };
    let verdict = results.verdict();
    tables(results, &stage)?;
    plots(&report, &stage)?;
    let page = report.page(&title(results), verdict.as_ref(), &facts(results));
    stage.write("report.html", html(&page)?.as_bytes())?;
    let mut left =
        ReportLeft { files: Vec::new(), grids: report.grids(), verdict: verdict.unwrap_or_default() };
    stage.write("summary.md", left.summary(SUMMARY_BYTES_MAX).as_bytes())?;
    left.files = stage.put_in_place(&results.dir)?;
    Ok(left)
}

/// Parquet and `SQLite`.
fn tables(results: &Results, stage: &Stage) -> anyhow::Result<()> {
    for table in results.records.tables() {
        let is_left_out = CALL_TABLES.contains(&table.name())
            && !results.dir.join(format!("records/{}.csv", table.name())).exists();
        if !is_left_out {
            let path = stage.path(&format!("records/{}.parquet", table.name()))?;
            let file =
                File::create(&path).with_context(|| format!("cannot write {}.parquet", table.name()))?;
            write_parquet(table, BufWriter::new(file))?;
        }
    }
    let mut sqlite = SqliteTables::create(&stage.path("results.sqlite")?)?;
    sqlite.append(&results.records)?;
    Ok(sqlite.finish()?)
}

fn plots(report: &Report<'_>, stage: &Stage) -> anyhow::Result<()> {
    for (name, chart) in report.plots() {
        stage.write(&format!("plots/{name}.svg"), svg(&chart, FontPlace::Inside)?.as_bytes())?;
        png(&chart, &stage.path(&format!("plots/{name}.png"))?)?;
    }
    Ok(())
}

fn title(results: &Results) -> String {
    let views = cells(&results.records);
    let names: BTreeSet<&str> = views.iter().map(|view| &*view.cell.scenario).collect();
    let shown: Vec<&str> = names.iter().take(NAMED_MAX).copied().collect();
    let more = names.len().saturating_sub(NAMED_MAX);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    let kind = if is_sweep(&views) { "Sweep" } else { "Run" };
    if shown.is_empty() {
        format!("{kind} of nothing")
    } else {
        format!("{kind} of {}{rest}", shown.join(", "))
    }
}

/// What ran: names and values for the head of the page.
fn facts(results: &Results) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    if let Some(run) = &results.run {
        facts.push(("harness".to_owned(), run.harness.clone()));
        let files: Vec<String> =
            run.scenarios.iter().map(|(name, scenario)| format!("{name} ({})", scenario.file)).collect();
        facts.push(("scenarios".to_owned(), files.join(", ")));
    }
    let seeds: BTreeSet<u64> = results.records.cells.iter().map(|cell| cell.seed).collect();
    if let (Some(first), Some(last)) = (seeds.first(), seeds.last()) {
        let words =
            if first == last { first.to_string() } else { format!("{first} to {last} ({})", seeds.len()) };
        facts.push(("seeds".to_owned(), words));
    }
    let versions: BTreeSet<&str> = results.records.cells.iter().map(|cell| &*cell.version).collect();
    facts.push(("versions".to_owned(), versions.into_iter().collect::<Vec<_>>().join(", ")));
    facts
}

/// A folder in which the report is made.
struct Stage {
    dir: tempfile::TempDir,
}

impl Stage {
    fn new(results: &Path) -> anyhow::Result<Self> {
        let dir = tempfile::Builder::new().prefix(".report-").tempdir_in(results);
        Ok(Self { dir: dir.with_context(|| format!("cannot write into {}", results.display()))? })
    }

    /// The place of a file, whose folder is made.
    fn path(&self, name: &str) -> anyhow::Result<PathBuf> {
        let path = self.dir.path().join(name);
        let folder = path.parent().expect("every file of a report lies in its folder");
        fs::create_dir_all(folder).with_context(|| format!("cannot write {name}"))?;
        Ok(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        fs::write(self.path(name)?, bytes).with_context(|| format!("cannot write {name}"))
    }

    /// Moves all files to where they belong; the names of those moved, in order.
    fn put_in_place(self, results: &Path) -> anyhow::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in walkdir::WalkDir::new(self.dir.path()).sort_by_file_name() {
            let entry = entry?;
            if entry.file_type().is_file() {
                let name = entry.path().strip_prefix(self.dir.path()).expect("below the folder");
                names.push(crate::scenario::shown(name));
            }
        }
        for name in &names {
            let target = results.join(name);
            let fail = || format!("cannot write {}", target.display());
            fs::create_dir_all(target.parent().expect("below the run's directory")).with_context(fail)?;
            fs::rename(self.dir.path().join(name), &target).with_context(fail)?;
        }
        remove_older_plots(results, &names)?;
        Ok(names)
    }
}

/// An earlier report of more arms left more comparisons.
fn remove_older_plots(results: &Path, names: &[String]) -> anyhow::Result<()> {
    let folder = results.join("plots");
    let entries = fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_plot = name.starts_with(COMPARISON)
            && entry.path().extension().is_some_and(|end| end == "svg" || end == "png");
        if is_plot && !names.contains(&format!("plots/{name}")) {
            fs::remove_file(entry.path())
                .with_context(|| format!("cannot remove {}", entry.path().display()))?;
        }
    }
    Ok(())
}
