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
mod prompts;
mod stop;
mod store;
mod tables;
mod unused;
mod values;

use rayon::prelude::*;
use reports::verdict::{CellResult, Verdict};

use cell::CellRunner;
pub(crate) use cells::{Cell, Partition, Point, SEED, Selection, Varied, grid, stem_of};
pub(crate) use determinism::{Found, compare_ways, first_difference};
pub(crate) use file::{RunFile, Volatile, origin_words};
use finished::Earlier;
pub(crate) use memory::simulate;
pub(crate) use prompts::{TypedPrompt, prompt_text};
pub(crate) use stop::Stop;
pub(crate) use store::Store;
pub(crate) use tables::{CALL_TABLES, read_tables, write_tables};
pub(crate) use unused::{Answered, UnusedRules};

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
    /// Which traces are written.
    pub(crate) traces: Traces,
    /// Which tables are written.
    pub(crate) tables: Tables,
    /// Whether the scenarios' expectations are judged. They speak of the settings as written, so a sweep does not.
    pub(crate) judges: bool,
    /// A mistake that a test plants.
    #[cfg(test)]
    pub(crate) plant: Option<plant::Plant>,
}

/// Which tables are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tables {
    /// All.
    All,
    /// All but those with a row a request or a row a tool call ([`CALL_TABLES`]).
    WithoutCalls,
}

impl Tables {
    /// Whether the tables of calls are among them.
    pub(crate) fn have_calls(self) -> bool {
        self == Self::All
    }

    /// Whether a table is among them.
    pub(crate) fn have(self, table: &str) -> bool {
        self.have_calls() || !CALL_TABLES.contains(&table)
    }
}

/// Which traces are written. Figures are measured from the same events, whether they are written or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Traces {
    /// Of every cell.
    All,
    /// Of cells that broke or did not hold.
    Failed,
    /// Of none.
    None,
}

impl RunPlan {
    /// So many cells at a time over this way, and nothing else.
    pub(crate) fn new(transport: TransportKind, jobs: usize) -> Self {
        Self {
            transport,
            jobs,
            keep_homes: false,
            resume: false,
            traces: Traces::All,
            tables: Tables::All,
            judges: true,
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
    let earlier = plan.resume.then(|| Earlier::of(store, plan.tables));
    let runner = CellRunner { hosts: &hosts, store, earlier: earlier.as_ref(), stop, plan };
    let one = |cell: &Cell| {
        let result = runner.run(cell)?;
        ended(&result);
        Ok(result)
    };
    // Collected in the order of the grid, whoever ended first. Each cell is one piece of work: they differ in length.
    let cells: anyhow::Result<_> = pool.install(|| cells.par_iter().with_max_len(1).map(one).collect());
    Ok(Verdict { cells: cells?, signal: stop.signal(), ..Verdict::default() })
}
