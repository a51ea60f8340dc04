//! `harness explain`: what codes, options, settings, faults and figures mean, from the tables that the program itself
//! works with.

use std::fmt::Write;

use agent_core::behaviour::{Row, Version, faults, rows};
use mock_llm::diagnose::nearest_hint;
use reports::figures::{figure, figures};
use reports::table::{Grid, terminal};
use reports::verdict::Outcome;

use super::Result;
use crate::cli::args::Explain;
use crate::cli::options::OPTIONS;
use crate::cli::resolve::WrongInput;
use crate::cli::say::Say;
use crate::scenario::EXPECT_NAMES;

/// The topics that are lists.
const TOPICS: [(&str, &str); 7] = [
    ("exit-codes", "what the program's exit codes mean"),
    ("errors", "what can go wrong, how it is told, and what to do"),
    ("options", "the options of a run: flag, environment variable, key of harness.toml"),
    ("settings", "the agent's settings with their defaults by version"),
    ("faults", "known mistakes of the agent, as switches faults.NAME"),
    ("figures", "the columns of the record tables and what is derived from them"),
    ("expressions", "the names that an expectation may use"),
];

/// Explains a topic or one thing by its name.
///
/// # Errors
/// There is nothing of that name.
pub(crate) fn explain(args: &Explain, say: Say) -> Result {
    let look = say.table_look();
    let text = match args.topic.as_deref() {
        None => {
            let mut grid = Grid::new("Topics", &["topic", "explains"]);
            for (topic, about) in TOPICS {
                grid.row([topic, about]);
            }
            grid.note("The name of one setting, fault or figure explains just that.");
            terminal(&grid, look)
        }
        Some("exit-codes") => terminal(&exit_codes(), look),
        Some("errors") => terminal(&errors(), look),
        Some("options") => terminal(&options(), look),
        Some("settings") => terminal(&settings(), look),
        Some("faults") => terminal(&fault_list(), look),
        Some("figures") => terminal(&figure_list(), look),
        Some("expressions") => terminal(&expressions(), look),
        Some(name) => one(name)?,
    };
    say.results(&text);
    Ok(Outcome::Held)
}

fn exit_codes() -> Grid {
    let mut grid = Grid::new("Exit codes", &[">code", "meaning"]);
    for (outcome, meaning) in [
        (Outcome::Held, "all expectations held"),
        (Outcome::Failed, "an expectation failed, or a figure is worse than it may be"),
        (Outcome::InputWrong, "the command line or a file is wrong; nothing ran"),
        (
            Outcome::Broken,
            "the run itself broke: a request that no rule fits, a full disk; results are incomplete",
        ),
        (Outcome::NothingSelected, "no cell was selected, and --allow-empty was not given"),
        (Outcome::Nondeterministic, "the same cell gave different bytes"),
        (Outcome::Interrupted, "stopped by SIGINT; finished cells are kept, and --resume runs the others"),
        (Outcome::Terminated, "stopped by SIGTERM; the same"),
    ] {
        grid.row([outcome.exit_code().to_string(), meaning.to_owned()]);
    }
    grid.note("Of several reasons the first counts: a signal, then 2, 3, 5, 1, 4.");
    grid
}

/// The kinds of trouble, by where it shows.
fn errors() -> Grid {
    let mut grid = Grid::new("Errors", &[">exit", "what went wrong", "how it is told", "what to do"]);
    let rows: [(&str, &str, &str, &str); 9] = [
        (
            "2",
            "a mistake in a scenario, script, world or library",
            "file, line, column and the line itself; all mistakes of all files at once",
            "mend the place; `harness validate` looks without running",
        ),
        (
            "2",
            "a wrong option, setting or harness.toml",
            "the option with where its value came from",
            "`--print-config` shows every value with its origin",
        ),
        (
            "2",
            "results that cannot be read, or are of another run",
            "the file and the reason",
            "run again, or name another --out",
        ),
        (
            "3",
            "a request that no rule of the script fits",
            "the nearest rule and the clause that failed",
            "`harness show CELL` shows the request; add a rule",
        ),
        (
            "3",
            "a disk that is full or read-only, a second run in the same directory",
            "the path and the reason; old results stay as they were",
            "make room, or name another --out",
        ),
        (
            "1",
            "an expectation that does not hold",
            "its expression with the values in it, and its line",
            "`harness show CELL` and `harness rerun CELL`",
        ),
        (
            "4",
            "nothing was selected",
            "what was asked for",
            "`harness list` shows what there is; --allow-empty",
        ),
        (
            "5",
            "the same cell gave different bytes",
            "the first event that differs",
            "report it: it is a fault of this program",
        ),
        (
            "0",
            "a mistake of the scripted model, or an error of its server",
            "an answer to the model, a retry in simulated time; tool_errors, retries and outcomes in the records",
            "none: it is part of the simulation",
        ),
    ];
    for (exit, what, told, remedy) in rows {
        grid.row([exit, what, told, remedy]);
    }
    grid
}

fn options() -> Grid {
    let mut grid = Grid::new("Options", &["harness.toml", "environment", "flag", "default", "decides"]);
    for row in OPTIONS {
        grid.row([
            row.key.to_owned(),
            row.variable(),
            row.flag(),
            row.default.to_owned(),
            row.about.to_owned(),
        ]);
    }
    grid.note("A flag beats the environment beats harness.toml beats the default.");
    grid
}

fn settings() -> Grid {
    let mut columns = vec!["setting", "takes"];
    columns.extend(Version::ALL.iter().map(|version| version.as_str()));
    let mut grid = Grid::new("Settings", &columns);
    for row in rows() {
        let defaults = Version::ALL.iter().map(|version| row.preset(*version).to_value().to_string());
        grid.row([row.key.to_owned(), row.kind.wanted()].into_iter().chain(defaults));
    }
    grid
}

fn fault_list() -> Grid {
    let mut grid = Grid::new("Faults", &["fault", "with it", "without it"]);
    for fault in faults() {
        grid.row([fault.name, fault.on, fault.off]);
    }
    grid.note("`faults: off` in an arm turns all of them off.");
    grid
}

fn figure_list() -> Grid {
    let mut grid = Grid::new("Figures", &["figure", "unit", "is"]);
    for figure in figures() {
        grid.row([figure.name, figure.unit, figure.formula]);
    }
    grid
}

fn expressions() -> Grid {
    let mut grid = Grid::new("Names in expectations", &["name", "meaning"]);
    for (name, about) in EXPECT_NAMES {
        grid.row([*name, *about]);
    }
    grid
}

/// One setting, fault or figure.
fn one(name: &str) -> std::result::Result<String, WrongInput> {
    let fault = name.strip_prefix("faults.").unwrap_or(name);
    if let Some(row) = rows().find(|row| row.key == name) {
        return Ok(setting(row));
    }
    if let Some(row) = faults().find(|row| row.name == fault) {
        let (on, off, report) = (row.on, row.off, row.report);
        let versions =
            Version::ALL.iter().filter(|version| row.is_in(**version)).map(|version| version.as_str());
        let versions: Vec<&str> = versions.collect();
        let versions = if versions.is_empty() { "no version".to_owned() } else { versions.join(", ") };
        return Ok(format!(
            "faults.{}\n  on: {on}\n  off: {off}\n  in: {versions}\n  source: {report}\n",
            row.name
        ));
    }
    if let Some(figure) = figure(name) {
        let (name, unit, formula) = (figure.name, figure.unit, figure.formula);
        let (source, evidence) = (figure.source, figure.evidence);
        return Ok(format!("{name} [{unit}]\n  {formula}\n  evidence: {evidence}\n  source: {source}\n"));
    }
    let keys =
        rows().map(|row| row.key).chain(faults().map(|row| row.name)).chain(TOPICS.map(|(topic, _)| topic));
    let names: Vec<String> = figures().into_iter().map(|figure| figure.name).collect();
    let known: Vec<&str> = keys.chain(names.iter().map(String::as_str)).collect();
    let hint = nearest_hint(name, known.iter().copied());
    Err(WrongInput::Words(format!("nothing is named `{name}`"), hint))
}

fn setting(row: &Row) -> String {
    let mut text = format!("{}\n  {}\n  takes {}\n", row.key, row.about, row.kind.wanted());
    for version in Version::ALL {
        let default = row.preset(version).to_value();
        writeln!(text, "  {version}: {default}").expect("writing to memory cannot fail");
    }
    writeln!(text, "  source: {}", row.source).expect("writing to memory cannot fail");
    text
}
