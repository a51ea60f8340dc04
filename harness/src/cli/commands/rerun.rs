//! `harness rerun`.

use std::path::PathBuf;
use std::sync::Arc;

use mock_llm::diagnose::nearest_hint;
use reports::trace::Setting;
use reports::verdict::{CellStatus, Verdict};
use serde_json::Value;

use super::run::told_as;
use super::{Result, scenarios};
use crate::cli::args::Rerun;
use crate::cli::resolve::{Options, WrongInput};
use crate::cli::say::Say;
use crate::run::{Cell, Point, Selection, TypedPrompt, Varied, first_difference, grid, simulate};
use crate::transport::TransportKind;

/// Runs one cell of an earlier run again, with the settings of that run, and compares the traces.
///
/// # Errors
/// There is no such cell, its scenario is wrong now, or it cannot be run.
pub(crate) fn rerun(args: &Rerun, options: &Options, say: Say) -> Result {
    let run = RunRead::open(&options.out)?;
    let earlier = run.cell(&args.cell)?;
    let cell = again(&run, &args.cell, say)?;
    let mut simulated = simulate(&cell, options.transport.unwrap_or(TransportKind::Http))?;
    let same_inputs = earlier["digest"] == *cell.digest();
    let trace = std::fs::read(options.out.join(format!("traces/{}.jsonl", cell.stem())));
    match trace {
        Ok(trace) if same_inputs => match first_difference(&trace, &simulated.trace) {
            None => say.talk("the same bytes as before"),
            Some((before, now)) => {
                simulated.result.status = CellStatus::Nondeterministic;
                let line = |line: Option<String>| line.unwrap_or_else(|| "(nothing more)".to_owned());
                simulated.result.reason = format!(
                    "the same inputs gave another trace\nbefore: {}\nnow: {}",
                    line(before),
                    line(now)
                );
            }
        },
        Ok(_) => say.talk("the inputs have changed since, so the traces are not compared"),
        Err(_) => say.talk("the earlier run left no trace to compare with"),
    }
    // Here they would only say what was just typed.
    (simulated.result.rerun, simulated.result.show) = Default::default();
    let verdict = Verdict { cells: vec![simulated.result], ..Verdict::default() };
    say.results(&told_as(&verdict, true, say));
    say.results(&format!("{}\n", verdict.banner()));
    Ok(verdict.outcome())
}

/// The cell as it is now, with the settings that the earlier run's command line gave.
fn again(run: &RunRead, name: &str, say: Say) -> std::result::Result<Cell, super::Failed> {
    let (scenario, rest) = name.split_once('/').unwrap_or((name, ""));
    let (arm, seed) = rest.rsplit_once('/').unwrap_or((rest, ""));
    let seed = seed.parse().unwrap_or_default();
    let entry = &run.file["scenarios"][scenario];
    let file = entry["file"].as_str().unwrap_or_default();
    let point = point(&entry["arms"][arm]["varied"]);
    let is_varied = |key: &str| point.iter().any(|varied| *varied.setting.key == *key);
    let settings = entry["arms"][arm]["settings"].as_object().into_iter().flatten();
    let typed = settings.filter(|(key, setting)| setting["origin"] == "command line" && !is_varied(key));
    let selection = Selection {
        // A point of a sweep adds its settings to the arm's name, which holds no blank itself.
        arms: vec![arm.split(' ').next().unwrap_or(arm).to_owned()],
        settings: typed.map(|(key, setting)| (key.clone(), setting["value"].clone())).collect(),
        prompts: prompts(&entry["arms"][arm]["prompts"])?,
        points: vec![point.clone()],
        seed,
        repeat: 1,
        ..Selection::default()
    };
    let scenarios = scenarios(&[PathBuf::from(file)], say)?;
    let found = grid(&scenarios, &selection).into_iter().find(|cell| cell.to_string() == name);
    Ok(found.ok_or_else(|| WrongInput::words(format!("{file} holds no cell {name} any more")))?)
}

/// The prompts that the earlier run's command line replaced, as their files are now.
fn prompts(typed: &Value) -> std::result::Result<Arc<[TypedPrompt]>, WrongInput> {
    let typed = typed.as_object().into_iter().flatten();
    let read = |(name, entry): (&String, &Value)| {
        TypedPrompt::read(name, entry["file"].as_str().unwrap_or_default())
            .map_err(|(words, hint)| WrongInput::Words(words, hint))
    };
    typed.map(read).collect()
}

/// The point of a sweep as `run.json` has it; no settings outside one.
fn point(varied: &Value) -> Point {
    let varied = varied.as_array().into_iter().flatten();
    let one = |entry: &Value| {
        let setting = Setting { key: entry["key"].as_str()?.into(), value: entry["typed"].as_str()?.into() };
        Some(Varied { setting, value: entry["value"].clone() })
    };
    varied.filter_map(one).collect()
}

/// `run.json` of an earlier run.
pub(super) struct RunRead {
    file: Value,
}

impl RunRead {
    /// Reads it from a run's directory.
    pub(super) fn open(out: &std::path::Path) -> std::result::Result<Self, WrongInput> {
        let path = out.join("run.json");
        let hint = "name the directory of a run with --out";
        let wrong = |words: String| WrongInput::Words(words, Some(hint.to_owned()));
        let bytes = std::fs::read(&path).map_err(|error| {
            wrong(format!("cannot read {}: {}", path.display(), crate::scenario::reason_of(&error)))
        })?;
        let file =
            serde_json::from_slice(&bytes).map_err(|_| wrong(format!("{} is damaged", path.display())))?;
        Ok(Self { file })
    }

    /// What it says of a cell.
    pub(super) fn cell(&self, name: &str) -> std::result::Result<&Value, WrongInput> {
        let cells = self.file["cells"].as_array().map_or(&[][..], Vec::as_slice);
        let names: Vec<&str> = cells.iter().filter_map(|cell| cell["cell"].as_str()).collect();
        cells.iter().find(|cell| cell["cell"] == name).ok_or_else(|| {
            WrongInput::Words(
                format!("that run has no cell `{name}`"),
                nearest_hint(name, names.iter().copied()),
            )
        })
    }
}
