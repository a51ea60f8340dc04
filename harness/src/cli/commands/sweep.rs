//! `harness sweep`.

use std::path::PathBuf;

use reports::figures::{cells as views, points as points_table};
use reports::records::Records;
use reports::summary::{SUMMARY_BYTES_MAX, summary};
use reports::table::{Grid, terminal};
use reports::verdict::Outcome;
use serde_json::{Value, json};

use super::run::{banner, cells_table, conduct};
use super::{Result, cells, nothing};
use crate::cli::resolve::{Options, OutputFormat, WrongInput};
use crate::cli::say::Say;
use crate::experiments::points;
use crate::run::{RunPlan, Traces};
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
        calls: options.calls.unwrap_or(false),
        judges: false,
        ..RunPlan::new(options.transport.unwrap_or(TransportKind::Direct), options.jobs)
    };
    let arms: std::collections::BTreeSet<&str> = cells.iter().map(|cell| &*cell.arm().name).collect();
    say.talk(&format!("{} points of {} arms", options.selection.points.len(), arms.len()));
    let table = |records: &Records| vec![points_table(&views(records))];
    let (verdict, grids) = conduct(&cells, &plan, &options, say, table)?;
    match options.format {
        OutputFormat::Human => {
            cells_table(&verdict, false, &options, say);
            for grid in &grids {
                say.results(&terminal(grid, say.table_look()));
            }
            banner(&verdict, &options, say);
        }
        OutputFormat::Json | OutputFormat::Jsonl => {
            let value = json!({ "verdict": verdict.file(), "points": rows(&grids) });
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

/// The table's rows by the names of their columns.
fn rows(grids: &[Grid]) -> Vec<Value> {
    let row = |grid: &Grid, cells: &[String]| {
        let names = grid.columns.iter().map(|column| column.name.clone());
        names.zip(cells.iter().map(|cell| Value::from(cell.as_str()))).collect::<serde_json::Map<_, _>>()
    };
    let all = grids.iter().flat_map(|grid| grid.rows.iter().map(move |one| row(grid, &one.cells)));
    all.map(Value::from).collect()
}
