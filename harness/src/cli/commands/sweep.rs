//! `harness sweep`.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::OnceLock;

use reports::figures::{break_even_grid, cells as views, points as points_table};
use reports::records::Records;
use reports::summary::{SUMMARY_BYTES_MAX, summary};
use reports::table::terminal;
use reports::verdict::Outcome;
use serde_json::json;

use super::run::{conduct, copies, results_in, told};
use super::{Result, cells, nothing, scenarios};
use crate::cli::resolve::{Options, OutputFormat, WrongInput};
use crate::cli::say::Say;
use crate::experiments::{break_even_json, points, points_json};
use crate::run::{Cell, RunPlan, Tables, Traces};
use crate::transport::TransportKind;

/// Runs every arm at every point of the grid and measures it. Expectations speak of the settings as their file has them,
/// so a sweep judges none.
///
/// # Errors
/// Wrong input, or results that cannot be written.
pub(crate) fn sweep(paths: &[PathBuf], options: &Options, say: Say) -> Result {
    let mut options = options.clone();
    let points = points(options.layers.list("vary"), &options.selection.settings);
    let spoken = options.layers.spoken("vary");
    options.selection.points =
        points.map_err(|error| WrongInput::Words(format!("{spoken}: {error}"), error.hint()))?;
    let cells = cells(paths, &options, say)?;
    if let Some(rate) =
        options.selection.points.iter().flat_map(|point| point.iter()).find(|varied| varied.is_rate())
    {
        without_rates(&rate.setting.key, paths, &cells, &options, say)?;
    }
    if cells.is_empty() {
        return nothing(paths, &options, say);
    }
    let plan = RunPlan {
        resume: options.resume,
        traces: options.traces.unwrap_or(Traces::Failed),
        tables: options.tables.unwrap_or(Tables::WithoutCalls),
        judges: false,
        ..RunPlan::new(options.transport.unwrap_or(TransportKind::Direct), options.jobs)
    };
    // What a point adds to the name of its arm stands behind a blank.
    let arms: BTreeSet<&str> = cells.iter().filter_map(|cell| cell.arm().name.split(' ').next()).collect();
    say.talk(&format!(
        "{} at {}",
        counted(arms.len(), "arm"),
        counted(options.selection.points.len(), "point")
    ));
    let (rows, break_evens) = (OnceLock::new(), OnceLock::new());
    let table = |records: &Records| {
        rows.get_or_init(|| points_json(records));
        break_evens.get_or_init(|| break_even_json(records));
        let mut grid = points_table(&views(records));
        grid.note("Expectations speak of the settings as their file has them; a sweep judges none.");
        std::iter::once(grid).chain(break_even_grid(&views(records))).collect()
    };
    let (verdict, grids) = conduct(&cells, &plan, &options, say, table)?;
    match options.format {
        OutputFormat::Human => {
            told(&verdict, false, say);
            for grid in &grids {
                say.results(&terminal(grid, say.table_look()));
            }
            if verdict.outcome() != Outcome::Held {
                say.results(&format!("{}\n", verdict.banner()));
            }
            results_in(&verdict, &options, say);
        }
        OutputFormat::Json | OutputFormat::Jsonl => {
            let value =
                json!({ "verdict": verdict.file(), "points": rows.get(), "break_even": break_evens.get() });
            let is_lines = options.format == OutputFormat::Jsonl;
            say.results(&if is_lines { format!("{value}\n") } else { format!("{value:#}\n") });
        }
        OutputFormat::Markdown => say.results(&summary(&verdict, &grids, SUMMARY_BYTES_MAX)),
    }
    copies(&verdict, &grids, &options)?;
    Ok(match verdict.outcome() {
        Outcome::Failed => Outcome::Held,
        outcome => outcome,
    })
}

/// Says which arms a sweep of rates leaves out: those without families have none.
fn without_rates(
    key: &str,
    paths: &[PathBuf],
    cells: &[Cell],
    options: &Options,
    say: Say,
) -> std::result::Result<(), WrongInput> {
    const NAMED_MAX: usize = 5;
    let is_wanted = |arm: &str| {
        options.selection.arms.is_empty() || options.selection.arms.iter().any(|name| name == arm)
    };
    let mut without = Vec::new();
    for scenario in scenarios(paths, say)? {
        let arms = scenario.arms.iter().filter(|arm| arm.rates.is_none() && is_wanted(&arm.name));
        without.extend(arms.map(|arm| format!("{}/{}", scenario.name, arm.name)));
    }
    if without.is_empty() {
        return Ok(());
    }
    if cells.is_empty() {
        let words = format!("no arm has the rate `{key}`: rates belong to scenarios with families");
        return Err(WrongInput::Words(words, Some("`scenarios/quarter.yaml` is one".to_owned())));
    }
    let more = without.len().saturating_sub(NAMED_MAX);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    without.truncate(NAMED_MAX);
    say.must(&format!("left out, for want of rates: {}{rest}", without.join(", ")));
    Ok(())
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
