//! `harness report`.

use mock_llm::diagnose::nearest_hint;
use reports::figures::{by_arm, cells};
use reports::table::terminal;
use reports::verdict::Outcome;

use super::Result;
use super::run::append_summary;
use crate::cli::experiment_args::Report;
use crate::cli::resolve::{Options, WrongInput};
use crate::cli::say::Say;
use crate::experiments::{Results, write_report};

/// Writes tables, plots and the page of a run into its directory.
///
/// # Errors
/// There is no run, or a file cannot be written.
pub(crate) fn report(args: &Report, options: &Options, say: Say) -> Result {
    let hint = "`harness run` and `harness sweep` leave results; name their directory";
    let results = Results::read(&options.out)
        .map_err(|error| WrongInput::Words(error.to_string(), Some(hint.to_owned())))?;
    if let Some(arm) = &args.against {
        let views = cells(&results.records);
        let arms = by_arm(&views);
        if !arms.contains_key(arm) {
            let hint = nearest_hint(arm, arms.keys().map(String::as_str).collect::<Vec<_>>().iter().copied());
            return Err(WrongInput::Words(format!("the run has no arm `{arm}`"), hint).into());
        }
    }
    let left = write_report(&results, args.against.as_deref())?;
    append_summary(|bytes_max| left.summary(bytes_max))?;
    if let Some(grid) = left.grids.first() {
        say.results(&terminal(grid, say.table_look()));
    }
    let shown = |name: &String| options.out.join(name).display().to_string();
    for file in left.files.iter().filter(|name| !name.contains('/')) {
        say.talk(&shown(file));
    }
    let plots = left.files.iter().filter(|name| name.starts_with("plots/")).count();
    let tables = left.files.iter().filter(|name| name.starts_with("records/")).count();
    say.talk(&format!("{plots} plots in {}", options.out.join("plots").display()));
    say.talk(&format!("{tables} tables as Parquet in {}", options.out.join("records").display()));
    Ok(Outcome::Held)
}
