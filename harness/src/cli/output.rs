//! What people see: results on stdout, talk on stderr. The only place that prints.

use std::io::{self, IsTerminal, Write};

use mock_llm::diagnose;
use reports::table;

/// Columns of a terminal that does not say how many it has.
const COLUMNS: u16 = 100;

/// Writes results. A closed pipe ends the output quietly: whoever closed it has read enough.
pub(super) fn results(text: &str) {
    let _closed_pipe = io::stdout().lock().write_all(text.as_bytes());
}

/// Writes a line of talk.
pub(super) fn talk(text: &str) {
    let _closed_pipe = writeln!(io::stderr().lock(), "{text}");
}

/// How a table may look on stdout.
pub(super) fn table_look() -> table::Look {
    let is_terminal = io::stdout().is_terminal();
    table::Look { width: is_terminal.then(columns), colour: is_terminal && wants_colour(), unicode: true }
}

/// How mistakes may look on stderr.
pub(super) fn mistakes_look() -> diagnose::Look {
    let is_terminal = io::stderr().is_terminal();
    diagnose::Look { color: is_terminal && wants_colour(), width: usize::from(columns()) }
}

fn columns() -> u16 {
    std::env::var("COLUMNS")
        .ok()
        .and_then(|text| text.parse().ok())
        .filter(|&columns| columns >= 20)
        .unwrap_or(COLUMNS)
}

fn wants_colour() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}
