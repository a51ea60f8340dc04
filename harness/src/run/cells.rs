//! The grid of cells: scenario × arm × seed, and which of them are wanted.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use agent_core::behaviour::{Origin, Settings};
use agent_core::values::Seed;
use mock_llm::script::Script;
use reports::trace::{SCHEMA_VERSION, Setting};
use serde_json::Value;

use super::prompts::TypedPrompt;
use crate::families::{Rates, rate_name};
use crate::scenario::{Arm, Scenario};
use crate::sim::CellInput;

/// The seed of a run that names none.
pub(crate) const SEED: u64 = 1;

/// One unit of work.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) scenario: Arc<Scenario>,
    /// The arm, named with its point where a sweep varies settings.
    arm: Arc<Arm>,
    pub(crate) seed: Seed,
    /// The arm's settings with the command line's and those of the point on top.
    pub(crate) settings: Arc<Settings>,
    /// Prompts of the command line; the arm has their texts.
    pub(crate) prompts: Arc<[TypedPrompt]>,
    /// What the sweep varies, with the values of this point.
    pub(crate) point: Point,
}

/// One point of a sweep: settings with their values, in the order of the command line; none outside a sweep.
pub(crate) type Point = Arc<[Varied]>;

/// A setting that a sweep varies, with one of its values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Varied {
    /// The key and the value as typed.
    pub(crate) setting: Setting,
    /// The value.
    pub(crate) value: Value,
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
    /// Prompts of the command line.
    pub(crate) prompts: Arc<[TypedPrompt]>,
    /// The points of a sweep; none outside one.
    pub(crate) points: Vec<Point>,
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
    let nowhere = [Point::default()];
    let points = if wanted.points.is_empty() { &nowhere } else { wanted.points.as_slice() };
    let mut cells = Vec::new();
    for scenario in scenarios {
        let mut scripts = Vec::new();
        let is_wanted =
            |arm: &&Arm| wanted.arms.is_empty() || wanted.arms.iter().any(|name| **name == *arm.name);
        for arm in scenario.arms.iter().filter(is_wanted) {
            for point in points {
                cells.extend(of_point(scenario, arm, point, wanted, &mut scripts));
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

/// The cells of an arm at one point, a cell a seed; none where the point varies rates and the arm has none.
fn of_point(
    scenario: &Arc<Scenario>,
    arm: &Arm,
    point: &Point,
    wanted: &Selection,
    scripts: &mut Vec<(Arc<Rates>, Arc<Script>)>,
) -> Vec<Cell> {
    let Some(arm) = at_point(scenario, arm, point, scripts) else { return Vec::new() };
    let mut settings = arm.settings.clone();
    let typed = wanted.settings.iter().map(|(key, value)| (&**key, value));
    let varied = point.iter().filter(|varied| varied.rate().is_none());
    let varied = varied.map(|varied| (&*varied.setting.key, &varied.value));
    for (key, value) in typed.chain(varied) {
        let set = settings.set(key, value.clone(), Origin::CommandLine);
        set.expect("checked when the command line was read");
    }
    let mut name = arm.name.to_string();
    for Varied { setting, .. } in point.iter() {
        write!(name, " {}={}", setting.key, setting.value).expect("writing to memory cannot fail");
    }
    let mut prompts = arm.prompts.clone();
    prompts.retain(|(name, _)| wanted.prompts.iter().all(|typed| typed.name != *name));
    prompts.extend(wanted.prompts.iter().map(|typed| (typed.name.clone(), typed.text.clone())));
    let arm = Arc::new(Arm { name: name.into(), prompts, ..arm });
    let settings = Arc::new(settings);
    let seeds = wanted.seed..wanted.seed.saturating_add(wanted.repeat);
    let cell = |seed| Cell {
        scenario: Arc::clone(scenario),
        arm: Arc::clone(&arm),
        seed: Seed(seed),
        settings: Arc::clone(&settings),
        prompts: Arc::clone(&wanted.prompts),
        point: Arc::clone(point),
    };
    seeds.map(cell).filter(|cell| wanted.takes(&cell.to_string())).collect()
}

/// An arm with the rates of a point.
fn at_point(
    scenario: &Scenario,
    arm: &Arm,
    point: &Point,
    scripts: &mut Vec<(Arc<Rates>, Arc<Script>)>,
) -> Option<Arm> {
    let mut rates = point.iter().filter_map(Varied::rate).peekable();
    if rates.peek().is_none() {
        return Some(arm.clone());
    }
    let changed = scenario.arm_with_rates(arm, rates, scripts);
    changed.expect("checked when the command line was read")
}

impl Varied {
    /// Whether it is a rate of the world, and no setting of the agent.
    pub(crate) fn is_rate(&self) -> bool {
        self.rate().is_some()
    }

    /// The rate that is varied, and its value; none for a setting of the agent.
    fn rate(&self) -> Option<(&str, f64)> {
        Some((rate_name(&self.setting.key)?, self.value.as_f64().unwrap_or(f64::NAN)))
    }
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
        &self.arm
    }

    /// What it is simulated from.
    pub(crate) fn input(&self) -> CellInput<'_> {
        CellInput {
            scenario: &self.scenario,
            arm: self.arm(),
            settings: &self.settings,
            seed: self.seed,
            digest: self.digest(),
            varied: self.point.iter().map(|varied| varied.setting.clone()).collect(),
        }
    }

    /// What cells are sorted by.
    fn key(&self) -> (&str, &str, u64) {
        (&self.scenario.name, &self.arm().name, self.seed.0)
    }

    /// The stem of its files.
    pub(crate) fn stem(&self) -> String {
        stem_of(&self.to_string())
    }

    /// Its name as a shell takes it.
    pub(crate) fn word(&self) -> String {
        let name = self.to_string();
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,".contains(c);
        if name.chars().all(plain) { name } else { format!("'{}'", name.replace('\'', r"'\''")) }
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
        part(&self.arm().rates.as_ref().map_or_else(String::new, ToString::to_string));
        for (key, value, _) in self.settings.iter() {
            part(&key);
            part(&value.to_string());
        }
        for typed in &*self.prompts {
            part(&typed.name);
            part(&typed.text);
        }
        hasher.finalize().to_hex().as_str().into()
    }
}

/// The longest stem of a file: file systems take names of 255 bytes, and an end comes behind it.
const STEM_BYTES_MAX: usize = 200;

/// The stem of the files of a cell with this name, the same for no two cells: a scenario's name holds no dot, a seed is
/// a number, and what cannot stand in a file's name is written in percent.
pub(crate) fn stem_of(name: &str) -> String {
    let (scenario, rest) = name.split_once('/').unwrap_or((name, ""));
    let (arm, seed) = rest.rsplit_once('/').unwrap_or((rest, ""));
    let mut stem = format!("{scenario}.");
    for byte in arm.bytes() {
        match byte {
            b' ' => stem.push(','),
            byte if byte.is_ascii_alphanumeric() || b"-_.=".contains(&byte) => stem.push(char::from(byte)),
            byte => write!(stem, "%{byte:02X}").expect("writing to memory cannot fail"),
        }
    }
    if stem.len() > STEM_BYTES_MAX {
        stem.truncate(STEM_BYTES_MAX - 33);
        write!(stem, "~{}", &blake3::hash(name.as_bytes()).to_hex()[..32])
            .expect("writing to memory cannot fail");
    }
    format!("{stem}.{seed}")
}

/// The cell's name on the command line and in messages: `scenario/arm/seed`.
impl fmt::Display for Cell {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}/{}", self.scenario.name, self.arm().name, self.seed.0)
    }
}
