//! What each command does.

mod compare;
mod config;
mod curator;
mod determinism;
mod explain;
mod list;
mod print_config;
mod prompts;
mod report;
mod rerun;
mod run;
mod schema;
mod show;
mod sweep;
mod validate;

pub(super) use compare::compare;
pub(super) use config::config;
pub(super) use curator::curator;
pub(super) use determinism::determinism;
pub(super) use explain::explain;
pub(super) use list::list;
pub(super) use print_config::print_config;
pub(super) use prompts::prompts;
pub(super) use report::report;
pub(super) use rerun::rerun;
pub(super) use run::run;
pub(super) use schema::{completions, schema};
pub(super) use show::show;
pub(super) use sweep::sweep;
pub(super) use validate::validate;

use std::path::PathBuf;
use std::sync::Arc;

use agent_core::behaviour::Version;
use mock_llm::diagnose::nearest_hint;
use reports::verdict::Outcome;

use super::files::scenario_files;
use super::resolve::{Options, WrongInput};
use super::say::Say;
use crate::run::{Cell, grid};
use crate::scenario::{Scenario, load};

/// What a command came to, or why it could not begin.
pub(super) type Result<T = Outcome> = std::result::Result<T, Failed>;

/// Why a command ended before its result.
#[derive(Debug)]
pub(super) enum Failed {
    /// The input is wrong: nothing ran.
    Input(WrongInput),
    /// The program could not do its work.
    Run(anyhow::Error),
    /// The same, with what to do about it.
    Stuck(anyhow::Error, String),
}

impl From<WrongInput> for Failed {
    fn from(wrong: WrongInput) -> Self {
        Self::Input(wrong)
    }
}

impl From<anyhow::Error> for Failed {
    fn from(error: anyhow::Error) -> Self {
        Self::Run(error)
    }
}

/// The scenarios of these paths; warnings are shown.
fn scenarios(paths: &[PathBuf], say: Say) -> std::result::Result<Vec<Arc<Scenario>>, WrongInput> {
    let files = scenario_files(paths).map_err(WrongInput::words)?;
    let loaded = load(&files);
    if loaded.has_errors() {
        return Err(WrongInput::Mistakes(loaded.diagnostics, loaded.sources));
    }
    if !loaded.diagnostics.is_empty() {
        say.mistakes(&loaded.diagnostics, &loaded.sources);
    }
    Ok(loaded.scenarios)
}

/// The cells that these options select.
fn cells(paths: &[PathBuf], options: &Options, say: Say) -> std::result::Result<Vec<Cell>, WrongInput> {
    let scenarios = scenarios(paths, say)?;
    let known = || scenarios.iter().flat_map(|scenario| scenario.arms.iter().map(|arm| &*arm.name));
    for arm in options.selection.arms.iter().filter(|_| !scenarios.is_empty()) {
        if !known().any(|name| name == arm) {
            let hint = nearest_hint(arm, known().collect::<Vec<_>>().iter().copied());
            return Err(WrongInput::Words(format!("no scenario has an arm named `{arm}`"), hint));
        }
    }
    Ok(grid(&scenarios, &options.selection))
}

/// What a selection without cells comes to. A filter that fits nothing says what would fit.
fn nothing(paths: &[PathBuf], options: &Options, say: Say) -> Result {
    if options.allow_empty {
        say.talk("nothing was selected, which is fine");
        return Ok(Outcome::Held);
    }
    say.must("nothing was selected: no cell fits");
    let mut all = options.selection.clone();
    all.filters.clear();
    let scenarios = scenarios(paths, say)?;
    let names: Vec<String> = grid(&scenarios, &all).iter().map(ToString::to_string).collect();
    let parts: Vec<&str> = names.iter().flat_map(|name| name.split('/').chain([name.as_str()])).collect();
    for filter in &options.selection.filters {
        if let Some(part) = filter.strip_prefix('!') {
            if names.iter().all(|name| name.contains(part)) {
                say.must(&format!("hint: `{filter}` leaves every cell out"));
            }
            continue;
        }
        match mock_llm::diagnose::nearest(filter, parts.iter().copied()) {
            Some(near) => say.must(&format!("hint: `{filter}` fits no cell; did you mean `{near}`?")),
            None => say.must(&format!("hint: `{filter}` is compared with names such as {}", example(&names))),
        }
    }
    Ok(Outcome::NothingSelected)
}

fn example(names: &[String]) -> &str {
    names.first().map_or("scenario/arm/seed", String::as_str)
}

/// The version of this name.
fn version(name: &str) -> std::result::Result<Version, WrongInput> {
    Version::parse(name).ok_or_else(|| {
        let names = Version::ALL.map(Version::as_str);
        let hint = nearest_hint(name, names).unwrap_or_else(|| format!("versions are {}", names.join(", ")));
        WrongInput::Words(format!("no version is named `{name}`"), Some(hint))
    })
}
