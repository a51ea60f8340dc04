//! `harness validate`.

use std::path::PathBuf;

use reports::verdict::Outcome;

use super::{Result, nothing, scenarios};
use crate::cli::resolve::Options;
use crate::cli::say::Say;

/// Checks scenarios and everything they refer to.
///
/// # Errors
/// Wrong input.
pub(crate) fn validate(paths: &[PathBuf], options: &Options, say: Say) -> Result {
    let scenarios = scenarios(paths, say)?;
    if scenarios.is_empty() {
        return nothing(paths, options, say);
    }
    let words = if scenarios.len() == 1 { "scenario is" } else { "scenarios are" };
    say.results(&format!("{} {words} right\n", scenarios.len()));
    Ok(Outcome::Held)
}
