//! `harness list`.

use std::path::PathBuf;

use reports::verdict::Outcome;

use super::{Result, cells, nothing};
use crate::cli::resolve::Options;
use crate::cli::say::Say;

/// Lists the cells that are selected, one a line.
///
/// # Errors
/// Wrong input.
pub(crate) fn list(paths: &[PathBuf], options: &Options, say: Say) -> Result {
    let cells = cells(paths, options, say)?;
    if cells.is_empty() {
        return nothing(paths, options, say);
    }
    let mut text = String::new();
    for cell in &cells {
        text.push_str(&cell.to_string());
        text.push('\n');
    }
    say.results(&text);
    Ok(Outcome::Held)
}
