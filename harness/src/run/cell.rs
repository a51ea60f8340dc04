//! One cell from its inputs to its results.

use std::sync::Arc;

use agent_core::behaviour::Behaviour;
use agent_core::sessions::SessionStore;
use agent_core::stores::MemFiles;
use reports::records::Records;
use reports::verdict::{CellResult, CellStatus};

use super::cells::Cell;
use super::finished::{self, Earlier};
use super::judge::judge;
use super::stop::Stop;
use super::store::{Draft, Store};
use super::values::cell_names;
use super::{RunPlan, Traces};
use crate::sim::{Driver, Ending, Recorder, write_sessions};
use crate::transport::Hosts;

/// What all cells of a run share.
#[derive(Debug)]
pub(crate) struct CellRunner<'a> {
    /// Ways to the scripted model.
    pub(crate) hosts: &'a Hosts,
    /// Where results go.
    pub(crate) store: &'a Store,
    /// What an earlier run left, where it is resumed.
    pub(crate) earlier: Option<&'a Earlier>,
    /// The wish to stop.
    pub(crate) stop: &'a Stop,
    /// What is kept of a cell.
    pub(crate) plan: &'a RunPlan,
}

impl CellRunner<'_> {
    /// Runs a cell, or takes over what an earlier run left of it. What goes wrong in the cell becomes its result: one
    /// broken cell never keeps the others from running.
    ///
    /// # Errors
    /// Its results cannot be written, which ends the whole run.
    pub(crate) fn run(&self, cell: &Cell) -> anyhow::Result<CellResult> {
        if self.stop.no_further() {
            return Ok(result(cell, CellStatus::Skipped));
        }
        let earlier = self.earlier.map(|earlier| earlier.take_over(self.store, cell, self.plan));
        let result = match earlier.transpose()?.flatten() {
            Some(records) => self.judged(cell, records),
            None => self.simulate(cell)?,
        };
        if matches!(result.status, CellStatus::Broken | CellStatus::Failed) {
            self.stop.count_bad();
        }
        Ok(result)
    }

    fn simulate(&self, cell: &Cell) -> anyhow::Result<CellResult> {
        let result = self.simulate_once(cell, self.plan.traces == Traces::All)?;
        let is_bad = matches!(result.status, CellStatus::Broken | CellStatus::Failed);
        if is_bad && self.plan.traces == Traces::Failed {
            // The same events again, this time written: cheaper than writing the traces of all cells.
            return self.simulate_once(cell, true);
        }
        Ok(result)
    }

    fn simulate_once(&self, cell: &Cell, with_trace: bool) -> anyhow::Result<CellResult> {
        let mut transport = self.hosts.transport(&cell.scenario, cell.arm(), cell.seed);
        let draft = || self.store.draft(&format!("traces/{}.jsonl", cell.stem()));
        let mut draft = with_trace.then(draft).transpose()?;
        let recorder = match &mut draft {
            Some(draft) => Recorder::new(&cell.scenario, Box::new(draft)),
            None => Recorder::measuring(&cell.scenario),
        };
        #[cfg(test)]
        let recorder = recorder.planted(self.plan.plant);
        let driver = Driver::new(cell.input(), &mut *transport, recorder);
        let ended = match driver.and_then(|driver| driver.run(&|| self.stop.signal().is_some())) {
            Ok(ended) => ended,
            Err(error) if draft.as_ref().is_some_and(Draft::has_failed) => {
                return Err(error.context("cannot write a trace"));
            }
            Err(error) => {
                let reason = format!("{error:#}");
                return Ok(CellResult { reason, ..result(cell, CellStatus::Broken) });
            }
        };
        let broken = match ended.ending {
            Ending::Stopped => {
                let reason = "stopped before its end".to_owned();
                return Ok(CellResult { reason, ..result(cell, CellStatus::Stopped) });
            }
            Ending::Broken(reason) => Some(reason),
            Ending::Finished => None,
        };
        draft.map(Draft::keep).transpose()?;
        if self.plan.keep_homes {
            self.keep(cell, ended.homes, ended.sessions)?;
        }
        // Last, because it is the mark that the rest is there.
        finished::write(self.store, cell, broken.is_none(), &ended.records, self.plan.tables)?;
        Ok(match broken {
            Some(reason) => CellResult { reason, ..result(cell, CellStatus::Broken) },
            None => self.judged(cell, ended.records),
        })
    }

    fn judged(&self, cell: &Cell, records: Records) -> CellResult {
        if self.plan.judges { judged(cell, records) } else { result(cell, CellStatus::Held) }
    }

    /// Writes the homes out, those of users with their sessions as a database.
    fn keep(
        &self,
        cell: &Cell,
        mut homes: Vec<(Arc<str>, MemFiles)>,
        sessions: Vec<SessionStore>,
    ) -> anyhow::Result<()> {
        let schema = Behaviour::resolve(&cell.settings).sessions.schema_version;
        for ((_, home), mut sessions) in homes.iter_mut().zip(sessions) {
            write_sessions(home, &mut sessions, schema)?;
        }
        homes.iter().try_for_each(|(user, home)| self.store.home(&cell.stem(), user, home))
    }
}

/// The result of a cell that reached its end, by its records.
pub(super) fn judged(cell: &Cell, records: Records) -> CellResult {
    let scenario = &cell.scenario;
    let names = cell_names(Arc::new(records), scenario.start.as_millis(), &scenario.users);
    let judgement = judge(scenario, &names);
    let status = if judgement.failures.is_empty() { CellStatus::Held } else { CellStatus::Failed };
    CellResult { failures: judgement.failures, expectations: judgement.expectations, ..result(cell, status) }
}

/// The result of a cell of which nothing is known but this.
pub(super) fn result(cell: &Cell, status: CellStatus) -> CellResult {
    CellResult {
        scenario: cell.scenario.name.to_string(),
        arm: cell.arm().name.to_string(),
        seed: cell.seed.0,
        status,
        failures: Vec::new(),
        expectations: 0,
        reason: String::new(),
        rerun: format!("harness rerun {}", cell.word()),
        show: format!("harness show {}", cell.word()),
    }
}
