//! One cell simulated in memory: for comparing with what an earlier run left.

use reports::verdict::{CellResult, CellStatus};

use super::cell::{judged, result};
use super::cells::Cell;
use crate::sim::{Driver, Ending, Recorder};
use crate::transport::{Hosts, TransportKind};

/// A simulated cell.
#[derive(Debug)]
pub(crate) struct Simulated {
    /// Its trace.
    pub(crate) trace: Vec<u8>,
    /// What became of it.
    pub(crate) result: CellResult,
}

/// Simulates a cell and writes nothing.
///
/// # Errors
/// The way to the scripted model broke.
pub(crate) fn simulate(cell: &Cell, transport: TransportKind) -> anyhow::Result<Simulated> {
    let hosts = Hosts::open(transport)?;
    let mut way = hosts.transport(&cell.scenario, cell.arm(), cell.seed);
    let mut trace = Vec::new();
    let recorder = Recorder::new(&cell.scenario, Box::new(&mut trace));
    let ended = Driver::new(cell.input(), &mut *way, recorder)?.run(&|| false)?;
    let result = match ended.ending {
        Ending::Broken(reason) => CellResult { reason, ..result(cell, CellStatus::Broken) },
        Ending::Finished | Ending::Stopped => judged(cell, ended.records),
    };
    Ok(Simulated { trace, result })
}
