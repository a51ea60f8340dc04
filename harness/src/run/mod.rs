//! A run: the grid of cells, all of them on all cores, one verdict.
//!
//! Cells know nothing of each other, and what a run leaves does not depend on how many ran at once, in which order they
//! ended, or whether the run was stopped and resumed. What cannot repeat (durations, the host) stands in `run.json`
//! under `volatile` and nowhere else.

mod cell;
mod cells;
mod determinism;
mod file;
mod finished;
mod judge;
mod memory;
#[cfg(test)]
pub(crate) mod plant;
mod stop;
mod store;
mod tables;
mod values;

use rayon::prelude::*;
use reports::verdict::{CellResult, Verdict};

use cell::CellRunner;
pub(crate) use cells::{Cell, Partition, SEED, Selection, grid};
pub(crate) use determinism::{Found, compare_ways, first_difference};
pub(crate) use file::{RunFile, Volatile, origin_words};
use finished::Earlier;
pub(crate) use memory::simulate;
pub(crate) use stop::Stop;
pub(crate) use store::Store;
pub(crate) use tables::write_tables;

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
    /// Whether finished cells of an earlier run are taken over.
    pub(crate) resume: bool,
    /// A mistake that a test plants.
    #[cfg(test)]
    pub(crate) plant: Option<plant::Plant>,
}

impl RunPlan {
    /// So many cells at a time over this way, and nothing else.
    pub(crate) fn new(transport: TransportKind, jobs: usize) -> Self {
        Self {
            transport,
            jobs,
            keep_homes: false,
            resume: false,
            #[cfg(test)]
            plant: plant::current(),
        }
    }
}

/// Runs cells and leaves their traces and states. `ended` is told of each cell as it ends, in no fixed order.
///
/// # Errors
/// Nothing could be run, or results cannot be written: what is finished waits for a run that resumes.
pub(crate) fn run(
    cells: &[Cell],
    plan: &RunPlan,
    store: &Store,
    stop: &Stop,
    ended: &(dyn Fn(&CellResult) + Sync),
) -> anyhow::Result<Verdict> {
    let hosts = Hosts::open(plan.transport)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(plan.jobs).build()?;
    let earlier = plan.resume.then(|| Earlier::of(store));
    let runner = CellRunner {
        hosts: &hosts,
        store,
        earlier: earlier.as_ref(),
        stop,
        keep_homes: plan.keep_homes,
        #[cfg(test)]
        plant: plan.plant,
    };
    let one = |cell: &Cell| {
        let result = runner.run(cell)?;
        ended(&result);
        Ok(result)
    };
    // Collected in the order of the grid, whoever ended first. Each cell is one piece of work: they differ in length.
    let cells: anyhow::Result<_> = pool.install(|| cells.par_iter().with_max_len(1).map(one).collect());
    Ok(Verdict { cells: cells?, signal: stop.signal(), ..Verdict::default() })
}
