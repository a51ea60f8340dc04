//! `harness determinism`.

use std::path::PathBuf;

use anyhow::Context;
use reports::verdict::Outcome;

use super::{Result, cells, nothing};
use crate::cli::resolve::Options;
use crate::cli::say::Say;
use crate::run::{Found, compare_ways};

/// Runs the cells that are selected in several ways and compares what they leave.
///
/// # Errors
/// Wrong input, or a cell that cannot be run.
pub(crate) fn determinism(paths: &[PathBuf], options: &Options, say: Say) -> Result {
    let cells = cells(paths, options, say)?;
    if cells.is_empty() {
        return nothing(paths, options, say);
    }
    let dir = tempfile::tempdir().context("cannot make a temporary folder")?;
    Ok(match compare_ways(&cells, options.jobs, dir.path())? {
        Found::Same => {
            let words = if cells.len() == 1 { "cell" } else { "cells" };
            say.results(&format!("{} {words}, three ways each: the same bytes\n", cells.len()));
            Outcome::Held
        }
        Found::Broken(reason) => {
            say.error(&format!("a cell broke, so nothing can be said: {reason}"), None);
            Outcome::Broken
        }
        Found::Differs(difference) => {
            say.results(&difference.to_string());
            Outcome::Nondeterministic
        }
    })
}
