//! `harness compare`.

use reports::figures::{DERIVED, DerivedFigure, derived};
use reports::report::headline_figures;
use reports::table::{markdown, terminal};
use reports::verdict::Outcome;
use serde_json::{Value, json};

use mock_llm::diagnose::nearest_hint;

use super::Result;
use crate::cli::experiment_args::Compare;
use crate::cli::resolve::{Options, OutputFormat, WrongInput};
use crate::cli::say::Say;
use crate::experiments::{Results, SideError, SideName, compare as compare_sides, sides};

/// Compares two sides, paired by scenario and seed.
///
/// # Errors
/// A side is not there, or nothing can be compared.
pub(crate) fn compare(args: &Compare, options: &Options, say: Say) -> Result {
    let figures = figures(&args.figure)?;
    let base = SideName::parse(&args.base, None);
    let other = SideName::parse(&args.other, Some(&base));
    let base_results = Results::read(&base.dir).map_err(|error| wrong(&error.into()))?;
    let other_results = if other.dir == base.dir {
        None
    } else {
        Some(Results::read(&other.dir).map_err(|error| wrong(&error.into()))?)
    };
    let other_results = other_results.as_ref().unwrap_or(&base_results);
    warn_of_changes(&base_results, other_results, say);
    let pairs = sides((&base, &base_results), (&other, other_results)).map_err(|error| wrong(&error))?;
    let mut compared = Vec::new();
    for (base, other) in &pairs {
        let found = compare_sides(base, other, &figures)
            .map_err(|error| WrongInput::Words(error.to_string(), Some(error.hint().to_owned())))?;
        compared.push(found);
    }
    let json = || -> Vec<Value> { compared.iter().map(crate::experiments::Compared::json).collect() };
    let text = match options.format {
        OutputFormat::Human => {
            let tables = compared.iter().map(|one| terminal(&one.grid, say.table_look()));
            tables.collect::<Vec<_>>().join("\n")
        }
        OutputFormat::Markdown => {
            compared.iter().map(|one| markdown(&one.grid, usize::MAX)).collect::<Vec<_>>().join("\n")
        }
        OutputFormat::Json => format!("{:#}\n", json!({ "comparisons": json() })),
        OutputFormat::Jsonl => json().iter().fold(String::new(), |lines, one| lines + &format!("{one}\n")),
    };
    say.results(&text);
    let is_worse = args.fail_if_worse && compared.iter().any(crate::experiments::Compared::is_worse);
    Ok(if is_worse { Outcome::Failed } else { Outcome::Held })
}

fn wrong(error: &SideError) -> WrongInput {
    WrongInput::Words(error.to_string(), error.hint().map(str::to_owned))
}

/// The figures of these names; without names those by which sweeps are judged.
fn figures(names: &[String]) -> std::result::Result<Vec<&'static DerivedFigure>, WrongInput> {
    if names.is_empty() {
        return Ok(headline_figures());
    }
    let mut figures = Vec::new();
    for name in names {
        match derived(name) {
            _ if name == "all" => figures.extend(DERIVED),
            Some(figure) => figures.push(figure),
            None => {
                let known: Vec<&str> = DERIVED.iter().map(|figure| figure.name).collect();
                let hint = nearest_hint(name, known.iter().copied())
                    .unwrap_or_else(|| format!("figures that can be compared are {}", known.join(", ")));
                return Err(WrongInput::Words(format!("no figure is named `{name}`"), Some(hint)));
            }
        }
    }
    Ok(figures)
}

/// A scenario that was changed between two runs makes their difference one of the scenario, too.
fn warn_of_changes(base: &Results, other: &Results, say: Say) {
    let (Some(base), Some(other)) = (&base.run, &other.run) else { return };
    for (name, scenario) in &base.scenarios {
        let changed = other.scenarios.get(name).is_some_and(|other| other.digest != scenario.digest);
        if changed {
            say.must(&format!("warning: the scenario `{name}` was changed between the two runs"));
        }
    }
}
