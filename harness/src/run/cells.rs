//! The grid of cells: scenario × arm × seed, and which of them are wanted.

use std::fmt;
use std::sync::Arc;

use agent_core::behaviour::{Origin, Settings};
use agent_core::values::Seed;
use reports::trace::SCHEMA_VERSION;
use serde_json::Value;

use crate::scenario::{Arm, Scenario};
use crate::sim::CellInput;

/// The seed of a run that names none.
pub(crate) const SEED: u64 = 1;

/// One unit of work.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) scenario: Arc<Scenario>,
    /// The arm, as its place among the scenario's.
    arm: usize,
    pub(crate) seed: Seed,
    /// The arm's settings with the command line's on top.
    pub(crate) settings: Settings,
}

/// Which cells are wanted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// Arms by name; all if empty.
    pub(crate) arms: Vec<String>,
    /// Parts of a cell's name, all of which must hold; with `!` in front, none may.
    pub(crate) filters: Vec<String>,
    /// Settings of the command line.
    pub(crate) settings: Vec<(String, Value)>,
    /// The first seed.
    pub(crate) seed: u64,
    /// How many seeds, counted up from the first.
    pub(crate) repeat: u64,
    /// The part of the cells.
    pub(crate) partition: Option<Partition>,
}

/// One of several parts of the cells, for runs that are spread over machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Partition {
    by: PartitionBy,
    /// Which, from 1.
    part: u64,
    /// How many there are.
    parts: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PartitionBy {
    /// Every n-th cell.
    Count,
    /// By a hash of the cell's name: a cell stays in its part when others come and go.
    Hash,
}

impl Partition {
    /// `count:1/3`, `hash:1/3`, or `1/3` for the former.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (by, rest) = match text.split_once(':') {
            Some(("count", rest)) => (PartitionBy::Count, rest),
            Some(("hash", rest)) => (PartitionBy::Hash, rest),
            Some(_) => return None,
            None => (PartitionBy::Count, text),
        };
        let (part, parts) = rest.split_once('/')?;
        let (part, parts) = (part.parse().ok()?, parts.parse().ok()?);
        (1..=parts).contains(&part).then_some(Self { by, part, parts })
    }

    fn takes(self, index: usize, name: &str) -> bool {
        let number = match self.by {
            PartitionBy::Count => index as u64,
            PartitionBy::Hash => {
                let bytes = blake3::hash(name.as_bytes());
                u64::from_le_bytes(bytes.as_bytes()[..8].try_into().expect("a digest has 32 bytes"))
            }
        };
        number % self.parts == self.part - 1
    }
}

/// The cells that are wanted, sorted by scenario, arm and seed.
pub(crate) fn grid(scenarios: &[Arc<Scenario>], wanted: &Selection) -> Vec<Cell> {
    let mut cells = Vec::new();
    for scenario in scenarios {
        for arm in 0..scenario.arms.len() {
            let name = &scenario.arms[arm].name;
            if !wanted.arms.is_empty() && !wanted.arms.iter().any(|wanted| **wanted == **name) {
                continue;
            }
            let mut settings = scenario.arms[arm].settings.clone();
            for (key, value) in &wanted.settings {
                settings
                    .set(key, value.clone(), Origin::CommandLine)
                    .expect("checked when the command line was read");
            }
            for seed in wanted.seed..wanted.seed.saturating_add(wanted.repeat) {
                let cell = Cell {
                    scenario: Arc::clone(scenario),
                    arm,
                    seed: Seed(seed),
                    settings: settings.clone(),
                };
                if wanted.takes(&cell.to_string()) {
                    cells.push(cell);
                }
            }
        }
    }
    cells.sort_by(|one, other| one.key().cmp(&other.key()));
    if let Some(partition) = wanted.partition {
        let mut index = 0..;
        cells.retain(|cell| index.next().is_some_and(|index| partition.takes(index, &cell.to_string())));
    }
    cells
}

impl Selection {
    fn takes(&self, name: &str) -> bool {
        self.filters.iter().all(|filter| match filter.strip_prefix('!') {
            Some(part) => !name.contains(part),
            None => name.contains(&**filter),
        })
    }
}

impl Cell {
    /// The arm.
    pub(crate) fn arm(&self) -> &Arm {
        &self.scenario.arms[self.arm]
    }

    /// What it is simulated from.
    pub(crate) fn input(&self) -> CellInput<'_> {
        CellInput {
            scenario: &self.scenario,
            arm: self.arm(),
            settings: &self.settings,
            seed: self.seed,
            digest: self.digest(),
        }
    }

    /// What cells are sorted by.
    fn key(&self) -> (&str, &str, u64) {
        (&self.scenario.name, &self.arm().name, self.seed.0)
    }

    /// The stem of its files. A scenario's name holds no dot and a seed is a number, so no two cells share one.
    pub(crate) fn stem(&self) -> String {
        format!("{}.{}.{}", self.scenario.name, self.arm().name, self.seed.0)
    }

    /// Digest of all that its results depend on: every file, every setting, the seed, the version of the program and
    /// of the trace's format.
    pub(crate) fn digest(&self) -> Arc<str> {
        let mut hasher = blake3::Hasher::new();
        let mut part = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
        };
        part(env!("CARGO_PKG_VERSION"));
        part(&SCHEMA_VERSION.to_string());
        part(&self.scenario.digest);
        part(&self.to_string());
        part(self.settings.version().as_str());
        part(&self.arm().rates.as_ref().map_or_else(String::new, |rates| rates.to_string()));
        for (key, value, _) in self.settings.iter() {
            part(&key);
            part(&value.to_string());
        }
        hasher.finalize().to_hex().as_str().into()
    }
}

/// The cell's name on the command line and in messages: `scenario/arm/seed`.
impl fmt::Display for Cell {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}/{}", self.scenario.name, self.arm().name, self.seed.0)
    }
}
