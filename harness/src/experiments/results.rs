//! What a run left in its directory, read back: records, and what `run.json` says of scenarios and cells.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use reports::records::{Records, RecordsError};
use reports::verdict::{CellResult, CellStatus, Verdict, VerdictFile};
use serde::Deserialize;
use thiserror::Error;

use crate::run::{Tables, read_tables};

/// Why a directory is no run's.
#[derive(Debug, Error)]
pub(crate) enum ResultsError {
    /// There is no such directory.
    #[error("there is no directory {0}")]
    NoDirectory(String),
    /// It holds no records.
    #[error("{0} holds no results of a run: {0}/records is missing")]
    NoRecords(String),
    /// A table cannot be read.
    #[error("{dir}/records: {source}")]
    Records {
        /// The directory.
        dir: String,
        /// Why.
        #[source]
        source: RecordsError,
    },
    /// `run.json` cannot be read.
    #[error("{dir}/run.json: {reason}")]
    RunFile {
        /// The directory.
        dir: String,
        /// Why.
        reason: String,
    },
}

/// A run's results.
#[derive(Debug)]
pub(crate) struct Results {
    /// Where they lie.
    pub(crate) dir: PathBuf,
    /// All records, sorted.
    pub(crate) records: Records,
    /// What `run.json` says; none where there is none.
    pub(crate) run: Option<RunFacts>,
}

/// What is read of `run.json`. Unknown keys are of later builds and do not matter here.
#[derive(Debug, Deserialize)]
pub(crate) struct RunFacts {
    /// The version of the program that ran.
    pub(crate) harness: String,
    /// Scenarios by name.
    #[serde(default)]
    pub(crate) scenarios: BTreeMap<String, ScenarioFacts>,
    #[serde(default)]
    cells: Vec<CellFacts>,
    #[serde(default)]
    verdict: Option<VerdictFile>,
}

/// What is read of a scenario.
#[derive(Debug, Deserialize)]
pub(crate) struct ScenarioFacts {
    /// Its file.
    pub(crate) file: String,
    /// Digest of everything that it is made of.
    pub(crate) digest: String,
}

#[derive(Debug, Deserialize)]
struct CellFacts {
    cell: String,
    status: CellStatus,
    #[serde(default)]
    expectations: u64,
}

impl Results {
    /// Reads a run's directory.
    ///
    /// # Errors
    /// It is not there, holds no records, or a file is damaged.
    pub(crate) fn read(dir: &Path) -> Result<Self, ResultsError> {
        let shown = crate::scenario::shown(dir);
        if !dir.is_dir() {
            return Err(ResultsError::NoDirectory(shown));
        }
        if !dir.join("records").is_dir() {
            return Err(ResultsError::NoRecords(shown));
        }
        let read = read_tables(&dir.join("records"), Tables::WithoutCalls);
        let mut records = read.map_err(|source| ResultsError::Records { dir: shown.clone(), source })?;
        records.sort();
        let run = run_facts(dir).map_err(|reason| ResultsError::RunFile { dir: shown, reason })?;
        Ok(Self { dir: dir.to_path_buf(), records, run })
    }

    /// The run's verdict, as far as `run.json` tells it.
    pub(crate) fn verdict(&self) -> Option<Verdict> {
        let run = self.run.as_ref()?;
        let held = run.cells.iter().filter(|cell| cell.status == CellStatus::Held);
        Some(run.verdict.clone()?.verdict(held.filter_map(held_cell).collect()))
    }
}

fn run_facts(dir: &Path) -> Result<Option<RunFacts>, String> {
    match std::fs::read(dir.join("run.json")) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| error.to_string()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// A cell that held, from its name `scenario/arm/seed`.
fn held_cell(facts: &CellFacts) -> Option<CellResult> {
    let (scenario, rest) = facts.cell.split_once('/')?;
    let (arm, seed) = rest.rsplit_once('/')?;
    Some(CellResult {
        scenario: scenario.to_owned(),
        arm: arm.to_owned(),
        seed: seed.parse().ok()?,
        status: facts.status,
        failures: Vec::new(),
        expectations: facts.expectations,
        reason: String::new(),
        rerun: String::new(),
        show: String::new(),
    })
}
