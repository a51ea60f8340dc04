//! What each command does.

use std::sync::Arc;

use agent_core::behaviour::{Origin, Settings, Version};
use reports::table::terminal;
use reports::verdict::{CellResult, Outcome, Verdict};
use serde_json::Value;

use super::args::{Paths, Run, Select};
use super::files::scenario_files;
use super::output::{mistakes_look, results, table_look, talk};
use crate::run::{Cell, OutDir, RunFile, RunPlan, Selection, Volatile, grid};
use crate::scenario::{Scenario, hint_for, load};

/// `harness run`.
///
/// # Errors
/// Nothing could be run, or the results could not be written.
pub(super) fn run(args: &Run) -> anyhow::Result<Outcome> {
    let Some(cells) = cells(&args.paths) else { return Ok(Outcome::InputWrong) };
    if cells.is_empty() {
        return Ok(nothing(&args.paths.select));
    }
    let jobs = args.jobs.map_or_else(cores, std::num::NonZero::get);
    let plan = RunPlan { transport: args.transport, jobs, keep_homes: args.keep_homes };
    let out = OutDir::create(&args.out)?;
    let clock = Clock::start();
    let verdict = crate::run::run(&cells, &plan, &out, &progress)?;
    let volatile = Volatile {
        argv: std::env::args().collect(),
        started_at: clock.started_at.clone(),
        duration_ms: clock.elapsed_ms(),
        transport: plan.transport.as_str(),
        jobs,
        platform: format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
    };
    let mut file = serde_json::to_vec_pretty(&RunFile::new(&cells, &verdict, &volatile))?;
    file.push(b'\n');
    out.write("run.json", &file)?;
    show(&verdict, &out);
    Ok(verdict.outcome())
}

/// `harness validate`.
pub(super) fn validate(args: &Paths) -> Outcome {
    let Some(scenarios) = scenarios(args) else { return Outcome::InputWrong };
    let words = if scenarios.len() == 1 { "scenario is" } else { "scenarios are" };
    results(&format!("{} {words} right\n", scenarios.len()));
    if scenarios.is_empty() { Outcome::NothingSelected } else { Outcome::Held }
}

/// `harness list`.
pub(super) fn list(args: &Paths) -> Outcome {
    let Some(cells) = cells(args) else { return Outcome::InputWrong };
    if cells.is_empty() {
        return nothing(&args.select);
    }
    for cell in &cells {
        results(&format!("{cell}\n"));
    }
    Outcome::Held
}

/// The scenarios of the command line; none after their mistakes were shown.
fn scenarios(args: &Paths) -> Option<Vec<Arc<Scenario>>> {
    let files = match scenario_files(&args.paths) {
        Ok(files) => files,
        Err(message) => {
            talk(&format!("error: {message}"));
            return None;
        }
    };
    let loaded = load(&files);
    if !loaded.diagnostics.is_empty() {
        talk(mock_llm::diagnose::render(&loaded.diagnostics, &loaded.sources, mistakes_look()).trim_end());
    }
    if loaded.has_errors() {
        let count = loaded.diagnostics.iter().filter(|found| found.is_error()).count();
        let words = if count == 1 { "mistake" } else { "mistakes" };
        talk(&format!("\n{count} {words}; nothing ran"));
        return None;
    }
    Some(loaded.scenarios)
}

/// The cells of the command line; none after what is wrong with it was said.
fn cells(args: &Paths) -> Option<Vec<Cell>> {
    let settings = settings(&args.select)?;
    let scenarios = scenarios(args)?;
    let select = &args.select;
    let known: Vec<&str> =
        scenarios.iter().flat_map(|scenario| scenario.arms.iter().map(|arm| &*arm.name)).collect();
    let is_unknown = |arm: &&String| !scenarios.is_empty() && !known.contains(&arm.as_str());
    if let Some(arm) = select.arm.iter().find(is_unknown) {
        let hint = mock_llm::diagnose::nearest_hint(arm, known.iter().copied());
        talk(&format!("error: no scenario has an arm named `{arm}`"));
        hint.inspect(|hint| talk(&format!("hint: {hint}")));
        return None;
    }
    let wanted = Selection {
        arms: select.arm.clone(),
        filters: select.filter.clone(),
        settings,
        seed: select.seed,
        repeat: select.repeat,
    };
    Some(grid(&scenarios, &wanted))
}

/// The settings of `--set`, checked; none after the first mistake was said.
fn settings(select: &Select) -> Option<Vec<(String, Value)>> {
    // Keys and kinds are the same in every version; any will do for the check.
    let mut check = Settings::new(Version::ALL[0]);
    let mut settings = Vec::new();
    for text in &select.set {
        let Some((key, value)) = text.split_once('=') else {
            talk(&format!("error: `--set {text}`: wanted KEY=VALUE"));
            return None;
        };
        // What is no JSON is text, so that words need no quotes.
        let value: Value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        if let Err(error) = check.set(key, value.clone(), Origin::CommandLine) {
            talk(&format!("error: `--set {text}`: {error}"));
            hint_for(key).filter(|_| error_is_unknown(&error)).inspect(|hint| talk(&format!("hint: {hint}")));
            return None;
        }
        settings.push((key.to_owned(), value));
    }
    Some(settings)
}

fn error_is_unknown(error: &agent_core::behaviour::SettingError) -> bool {
    matches!(error, agent_core::behaviour::SettingError::UnknownKey { .. })
}

/// Says that nothing was selected.
fn nothing(select: &Select) -> Outcome {
    talk("nothing was selected: no cell fits");
    for filter in &select.filter {
        talk(&format!(
            "hint: --filter {filter} compares with names such as scenario/arm/seed; `harness list` shows them"
        ));
    }
    Outcome::NothingSelected
}

fn progress(result: &CellResult) {
    talk(&format!("{:<8} {}/{}/{}", result.status.as_str(), result.scenario, result.arm, result.seed));
}

/// The verdict as people read it: failures first and last.
fn show(verdict: &Verdict, out: &OutDir) {
    let mut text = terminal(&verdict.grid(), table_look());
    text.push_str(&verdict.banner());
    text.push('\n');
    results(&text);
    talk(&format!("results in {}", out.path().display()));
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// The wall clock, for `volatile` alone.
struct Clock {
    started_at: String,
    started: std::time::Instant,
}

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "for `volatile` in run.json and nothing else")]
    fn start() -> Self {
        Self { started_at: jiff::Timestamp::now().to_string(), started: std::time::Instant::now() }
    }

    fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
