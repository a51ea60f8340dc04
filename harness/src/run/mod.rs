//! A run: the grid of cells, all of them on all cores, one verdict.
//!
//! Cells know nothing of each other, and what a run leaves does not depend on how many ran at once or in which order
//! they ended. What cannot repeat (durations, the host) stands in `run.json` under `volatile` and nowhere else.

mod cell;
mod cells;
mod file;
mod judge;
mod output;
mod values;

use std::sync::Arc;

use rayon::prelude::*;
use reports::records::Records;
use reports::verdict::{CellResult, Verdict};

use cell::{CellDone, CellRunner};
pub(crate) use cells::{Cell, SEED, Selection, grid};
pub(crate) use file::{RunFile, Volatile};
pub(crate) use output::OutDir;

use crate::transport::{Hosts, TransportKind};

/// How the cells are run.
#[derive(Clone, Debug)]
pub(crate) struct RunPlan {
    /// Which way model requests go.
    pub(crate) transport: TransportKind,
    /// Cells at a time.
    pub(crate) jobs: usize,
    /// Whether homes are written out.
    pub(crate) keep_homes: bool,
}

/// Runs cells and leaves traces and records. `ended` is told of each cell as it ends, in no fixed order.
///
/// # Errors
/// Nothing could be run, or the records could not be written.
pub(crate) fn run(
    cells: &[Cell],
    plan: &RunPlan,
    out: &OutDir,
    ended: &(dyn Fn(&CellResult) + Sync),
) -> anyhow::Result<Verdict> {
    let hosts = Hosts::open(plan.transport)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(plan.jobs).build()?;
    let runner = CellRunner { hosts: &hosts, out, keep_homes: plan.keep_homes };
    let one = |cell: &Cell| {
        let done = runner.run(cell);
        ended(&done.result);
        done
    };
    // Collected in the order of the grid, whoever ended first.
    let done: Vec<CellDone> = pool.install(|| cells.par_iter().map(one).collect());
    let mut records = Records::default();
    let mut verdict = Verdict::default();
    for cell in done {
        records.append(Arc::try_unwrap(cell.records).unwrap_or_else(|shared| (*shared).clone()));
        verdict.cells.push(cell.result);
    }
    records.sort();
    out.records(&records)?;
    Ok(verdict)
}
