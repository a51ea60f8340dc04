//! `run.json`: what ran, with what, and how it came out.

use std::collections::BTreeMap;
use std::sync::Arc;

use agent_core::behaviour::Origin;
use reports::Evidence;
use reports::trace::SCHEMA_VERSION;
use reports::verdict::{Verdict, VerdictFile};
use serde::Serialize;
use serde_json::Value;

use super::cells::Cell;
use crate::families::rates::Rate;

/// Version of this file's format.
const VERSION: u32 = 1;

/// The file. Everything but `volatile` is the same for the same inputs.
#[derive(Debug, Serialize)]
pub(crate) struct RunFile<'a> {
    version: u32,
    harness: &'static str,
    trace_schema: u32,
    scenarios: BTreeMap<&'a str, ScenarioFile<'a>>,
    cells: Vec<CellFile<'a>>,
    verdict: VerdictFile,
    volatile: &'a Volatile,
}

#[derive(Debug, Serialize)]
struct ScenarioFile<'a> {
    file: &'a str,
    digest: &'a str,
    arms: BTreeMap<&'a str, ArmFile>,
}

/// An arm: its version and every value that is not the version's own, with where it came from.
#[derive(Debug, Serialize)]
struct ArmFile {
    version: &'static str,
    /// What a sweep varies, with the values of this point, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    varied: Vec<VariedFile>,
    settings: BTreeMap<String, SettingFile>,
    /// Prompts that the command line replaced.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    prompts: BTreeMap<String, PromptFile>,
    /// The rates that its generated work rests on.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    rates: BTreeMap<String, RateFile>,
}

/// A prompt that the command line replaced: by which file, and the digest of its text.
#[derive(Debug, Serialize)]
struct PromptFile {
    file: String,
    digest: String,
}

/// A rate with what it rests on.
#[derive(Debug, Serialize)]
struct RateFile {
    value: f64,
    evidence: Evidence,
    #[serde(skip_serializing_if = "str::is_empty")]
    source: Arc<str>,
    /// How often it was observed, and out of how many cases.
    #[serde(skip_serializing_if = "Option::is_none")]
    observed: Option<(u64, u64)>,
}

/// A setting that a sweep varies: its value, and how that was typed.
#[derive(Debug, Serialize)]
struct VariedFile {
    key: String,
    typed: String,
    value: Value,
}

#[derive(Debug, Serialize)]
struct SettingFile {
    value: Value,
    origin: String,
}

#[derive(Debug, Serialize)]
struct CellFile<'a> {
    cell: String,
    digest: Arc<str>,
    status: &'a str,
    /// Expectations that were looked at.
    expectations: u64,
}

/// What cannot repeat.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Volatile {
    /// The command line.
    pub(crate) argv: Vec<String>,
    /// When the run began, ISO 8601 in UTC.
    pub(crate) started_at: String,
    /// How long it took.
    pub(crate) duration_ms: u64,
    /// Which way model requests went.
    pub(crate) transport: &'static str,
    /// Cells at a time.
    pub(crate) jobs: usize,
    /// Operating system and processor.
    pub(crate) platform: String,
}

impl<'a> RunFile<'a> {
    /// The file of a run.
    pub(crate) fn new(cells: &'a [Cell], verdict: &'a Verdict, volatile: &'a Volatile) -> Self {
        let mut scenarios = BTreeMap::new();
        for cell in cells {
            let entry = scenarios.entry(&*cell.scenario.name).or_insert_with(|| ScenarioFile {
                file: &cell.scenario.file,
                digest: &cell.scenario.digest,
                arms: BTreeMap::new(),
            });
            entry.arms.entry(&*cell.arm().name).or_insert_with(|| arm(cell));
        }
        let cells = cells
            .iter()
            .zip(&verdict.cells)
            .map(|(cell, result)| CellFile {
                cell: cell.to_string(),
                digest: cell.digest(),
                status: result.status.as_str(),
                expectations: result.expectations,
            })
            .collect();
        Self {
            version: VERSION,
            harness: env!("CARGO_PKG_VERSION"),
            trace_schema: SCHEMA_VERSION,
            scenarios,
            cells,
            verdict: verdict.file(),
            volatile,
        }
    }
}

fn arm(cell: &Cell) -> ArmFile {
    let changed = cell.settings.iter().filter(|(_, _, origin)| **origin != Origin::Version);
    let settings =
        changed.map(|(key, value, origin)| (key, SettingFile { value, origin: origin_words(origin) }));
    let varied = cell.point.iter().map(|varied| VariedFile {
        key: varied.setting.key.to_string(),
        typed: varied.setting.value.to_string(),
        value: varied.value.clone(),
    });
    let prompts = cell.prompts.iter().map(|typed| {
        let digest = blake3::hash(typed.text.as_bytes()).to_hex().to_string();
        (typed.name.clone(), PromptFile { file: typed.file.clone(), digest })
    });
    let rates = cell.arm().rates.iter().flat_map(|rates| rates.iter());
    let rates = rates.map(|(name, rate)| {
        let Rate { value, evidence, source, observed } = rate.clone();
        (name.to_owned(), RateFile { value, evidence, source, observed })
    });
    ArmFile {
        version: cell.settings.version().as_str(),
        varied: varied.collect(),
        settings: settings.collect(),
        prompts: prompts.collect(),
        rates: rates.collect(),
    }
}

/// Where a value came from, in words.
pub(crate) fn origin_words(origin: &Origin) -> String {
    match origin {
        Origin::Version => "version".to_owned(),
        Origin::Home => "home".to_owned(),
        Origin::File(file) => file.clone(),
        Origin::CommandLine => "command line".to_owned(),
        Origin::Changed => "changed in the run".to_owned(),
    }
}
