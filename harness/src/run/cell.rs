//! One cell from its inputs to its results.

use std::sync::Arc;

use agent_core::behaviour::Origin;
use agent_core::stores::MemFiles;
use reports::records::Records;
use reports::verdict::{CellResult, CellStatus};

use super::cells::Cell;
use super::judge::judge;
use super::output::OutDir;
use super::values::cell_names;
use crate::sim::{CellInput, Driver, Recorder};
use crate::transport::Hosts;

/// What a cell leaves behind.
#[derive(Debug)]
pub(crate) struct CellDone {
    /// What became of it.
    pub(crate) result: CellResult,
    /// What was measured.
    pub(crate) records: Arc<Records>,
}

/// What all cells of a run share.
#[derive(Debug)]
pub(crate) struct CellRunner<'a> {
    /// Ways to the scripted model.
    pub(crate) hosts: &'a Hosts,
    /// Where results go.
    pub(crate) out: &'a OutDir,
    /// Whether homes are written out.
    pub(crate) keep_homes: bool,
}

impl CellRunner<'_> {
    /// Runs a cell. Whatever goes wrong becomes its result: one broken cell never keeps the others from running.
    pub(crate) fn run(&self, cell: &Cell) -> CellDone {
        match self.try_run(cell) {
            Ok(done) => done,
            Err(error) => {
                let result = CellResult { reason: format!("{error:#}"), ..result(cell, CellStatus::Broken) };
                CellDone { result, records: Arc::default() }
            }
        }
    }

    fn try_run(&self, cell: &Cell) -> anyhow::Result<CellDone> {
        let input = CellInput {
            scenario: &cell.scenario,
            arm: cell.arm(),
            settings: &cell.settings,
            seed: cell.seed,
            digest: cell.digest(),
        };
        let mut transport = self.hosts.transport(&cell.scenario, cell.seed);
        let mut draft = self.out.trace(&cell.stem())?;
        let recorder = Recorder::new(&cell.scenario, Box::new(&mut draft));
        let ended = Driver::new(input, &mut *transport, recorder)?.run()?;
        draft.keep()?;
        if self.keep_homes {
            self.keep(cell, &ended.homes)?;
        }
        let records = Arc::new(ended.records);
        let result = match ended.broken {
            Some(reason) => CellResult { reason, ..result(cell, CellStatus::Broken) },
            None => judged(cell, &records),
        };
        Ok(CellDone { result, records })
    }

    fn keep(&self, cell: &Cell, homes: &[(Arc<str>, MemFiles)]) -> anyhow::Result<()> {
        homes.iter().try_for_each(|(user, home)| self.out.home(&cell.stem(), user, home))
    }
}

fn judged(cell: &Cell, records: &Arc<Records>) -> CellResult {
    let scenario = &cell.scenario;
    let names = cell_names(Arc::clone(records), scenario.start.as_millis(), &scenario.users);
    let judgement = judge(scenario, &names);
    let status = if judgement.failures.is_empty() { CellStatus::Held } else { CellStatus::Failed };
    CellResult { failures: judgement.failures, expectations: judgement.expectations, ..result(cell, status) }
}

fn result(cell: &Cell, status: CellStatus) -> CellResult {
    CellResult {
        scenario: cell.scenario.name.to_string(),
        arm: cell.arm().name.to_string(),
        seed: cell.seed.0,
        status,
        failures: Vec::new(),
        expectations: 0,
        reason: String::new(),
        rerun: rerun(cell),
    }
}

/// The command that runs this cell alone, with the settings of this command line.
fn rerun(cell: &Cell) -> String {
    let mut command =
        format!("harness run {} --arm {} --seed {}", cell.scenario.file, cell.arm().name, cell.seed.0);
    for (key, value, _) in cell.settings.iter().filter(|(.., origin)| **origin == Origin::CommandLine) {
        command.push_str(" --set ");
        command.push_str(&shell_word(&format!("{key}={value}")));
    }
    command
}

/// A word as a shell takes it.
fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,".contains(c);
    if text.chars().all(plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
