//! `--print-config`: every option and every setting with its origin.

use std::fmt::Write;
use std::path::PathBuf;

use reports::table::{Grid, terminal};
use reports::verdict::Outcome;

use super::{Result, cells};
use crate::cli::resolve::Options;
use crate::cli::say::Say;
use crate::run::origin_words;

/// Prints the options, and the settings of every arm that is selected.
///
/// # Errors
/// Wrong input.
pub(crate) fn print_config(paths: &[PathBuf], options: &Options, say: Say) -> Result {
    let mut grid = Grid::new("Options", &["option", "value", "origin"]);
    for (row, value, origin) in options.layers.rows() {
        grid.row([row.key.to_owned(), value, origin.to_string()]);
    }
    let mut text = terminal(&grid, say.table_look());
    if !paths.is_empty() {
        let mut last = String::new();
        for cell in cells(paths, options, say)? {
            let name = format!("{}/{}", cell.scenario.name, cell.arm().name);
            if std::mem::replace(&mut last, name.clone()) == name {
                continue;
            }
            let title = format!("Settings of {name} ({})", cell.settings.version());
            let mut grid = Grid::new(title, &["setting", "value", "origin"]);
            for (key, value, origin) in cell.settings.iter() {
                grid.row([key, value.to_string(), origin_words(origin)]);
            }
            writeln!(text, "\n{}", terminal(&grid, say.table_look()).trim_end())
                .expect("writing to memory cannot fail");
        }
    }
    say.results(&text);
    Ok(Outcome::Held)
}
