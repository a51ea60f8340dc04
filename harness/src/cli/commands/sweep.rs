//! `harness sweep`.

use std::path::PathBuf;
use std::sync::OnceLock;

use reports::figures::{cells as views, points as points_table};
use reports::records::Records;
use reports::summary::{SUMMARY_BYTES_MAX, summary};
use reports::table::terminal;
use reports::verdict::Outcome;
use serde_json::json;

use super::run::{cells_table, conduct, results_in};
use super::{Result, cells, nothing};
use crate::cli::resolve::{Options, OutputFormat, WrongInput};
use crate::cli::say::Say;
use crate::experiments::{points, points_json};
use crate::run::{RunPlan, Tables, Traces};
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
    let arms: std::collections::BTreeSet<&str> = cells.iter().map(|cell| &*cell.arm().name).collect();
    say.talk(&format!("{} points of {} arms", options.selection.points.len(), arms.len()));
    let rows = OnceLock::new();
    let table = |records: &Records| {
        rows.get_or_init(|| points_json(records));
        let mut grid = points_table(&views(records));
        grid.note("Expectations speak of the settings as their file has them; a sweep judges none.");
        vec![grid]
    };
    let (verdict, grids) = conduct(&cells, &plan, &options, say, table)?;
    match options.format {
        OutputFormat::Human => {
            cells_table(&verdict, false, &options, say);
            for grid in &grids {
                say.results(&terminal(grid, say.table_look()));
            }
            if verdict.outcome() != Outcome::Held {
                say.results(&format!("{}\n", verdict.banner()));
            }
            results_in(&verdict, &options, say);
        }
        OutputFormat::Json | OutputFormat::Jsonl => {
            let value = json!({ "verdict": verdict.file(), "points": rows.get() });
            let is_lines = options.format == OutputFormat::Jsonl;
            say.results(&if is_lines { format!("{value}\n") } else { format!("{value:#}\n") });
        }
        OutputFormat::Markdown => say.results(&summary(&verdict, &grids, SUMMARY_BYTES_MAX)),
    }
    Ok(match verdict.outcome() {
        Outcome::Failed => Outcome::Held,
        outcome => outcome,
    })
}
