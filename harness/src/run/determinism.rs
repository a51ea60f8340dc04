//! Runs everything in several ways and looks for the first event that differs.
//!
//! The ways differ in all that must not matter: the transport, the number of cells at a time, the order of the cells,
//! and whether the run was stopped in the middle and resumed.

use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Context;
use reports::records::Records;
use reports::verdict::{CellStatus, Signal, Verdict};
use serde_json::Value;

use super::cells::Cell;
use super::{Answered, RunPlan, Stop, Store, run, write_tables};
use crate::transport::TransportKind;

/// What was found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// All ways gave the same bytes.
    Same,
    /// A cell could not be run to its end, so nothing can be said.
    Broken(String),
    /// Two ways gave different bytes.
    Differs(Box<Difference>),
}

/// The first difference.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The cell, or the table.
    pub(crate) what: String,
    /// The two ways.
    pub(crate) ways: (&'static str, &'static str),
    /// What the first one gave; none if it gave less.
    pub(crate) first: Option<String>,
    /// What the second one gave.
    pub(crate) second: Option<String>,
}

/// One way of running everything.
#[derive(Clone, Copy, Debug)]
struct Way {
    name: &'static str,
    transport: TransportKind,
    all_cores: bool,
    backwards: bool,
    /// Whether it is stopped after half of its cells and resumed over the other transport.
    stopped: bool,
}

const WAYS: [Way; 3] = [
    Way {
        name: "http, one cell at a time",
        transport: TransportKind::Http,
        all_cores: false,
        backwards: false,
        stopped: false,
    },
    Way {
        name: "direct, all cores, backwards",
        transport: TransportKind::Direct,
        all_cores: true,
        backwards: true,
        stopped: false,
    },
    Way {
        name: "http, all cores, stopped and resumed",
        transport: TransportKind::Http,
        all_cores: true,
        backwards: false,
        stopped: true,
    },
];

/// Runs the cells in all ways below this directory and compares.
///
/// # Errors
/// Results cannot be written or read.
pub(crate) fn compare_ways(cells: &[Cell], jobs: usize, dir: &Path) -> anyhow::Result<Found> {
    let backwards: Vec<Cell> = cells.iter().rev().cloned().collect();
    for (index, way) in WAYS.iter().enumerate() {
        let folder = dir.join(index.to_string());
        let order = if way.backwards { &backwards } else { cells };
        if let Some(reason) = go(*way, order, cells, jobs, &folder)? {
            return Ok(Found::Broken(reason));
        }
    }
    for (index, way) in WAYS.iter().enumerate().skip(1) {
        let folders = (dir.join("0"), dir.join(index.to_string()));
        let files =
            cells.iter().map(|cell| (cell.to_string(), format!("traces/{}.jsonl", cell.stem()))).chain(
                Records::TABLES
                    .iter()
                    .map(|table| (format!("the table {table}"), format!("records/{table}.csv"))),
            );
        for (what, file) in files {
            let (first, second) = (read(&folders.0.join(&file))?, read(&folders.1.join(&file))?);
            if let Some((first, second)) = first_difference(&first, &second) {
                let ways = (WAYS[0].name, way.name);
                return Ok(Found::Differs(Box::new(Difference { what, ways, first, second })));
            }
        }
    }
    Ok(Found::Same)
}

/// Runs the cells in one way; the reason if one of them broke.
fn go(
    way: Way,
    order: &[Cell],
    cells: &[Cell],
    jobs: usize,
    folder: &Path,
) -> anyhow::Result<Option<String>> {
    let plan = RunPlan::new(way.transport, if way.all_cores { jobs } else { 1 });
    if way.stopped {
        let store = Store::open(folder, false)?;
        let stop = Stop::after(None);
        let ended = AtomicUsize::new(0);
        run(order, &plan, &store, &stop, &|_| {
            if ended.fetch_add(1, Ordering::Relaxed) + 1 >= order.len().div_ceil(2) {
                stop.by(Signal::Terminate);
            }
        })?;
    }
    let store = Store::open(folder, way.stopped)?;
    let plan = RunPlan {
        resume: way.stopped,
        transport: if way.stopped { TransportKind::Direct } else { way.transport },
        ..plan
    };
    let verdict = run(order, &plan, &store, &Stop::after(None), &|_| {})?;
    write_tables(cells, &store, plan.tables, &mut Answered::default())?;
    store.publish()?;
    Ok(broken(&verdict))
}

fn broken(verdict: &Verdict) -> Option<String> {
    let cell = verdict.cells.iter().find(|cell| cell.status == CellStatus::Broken)?;
    Some(format!("{}/{}/{}: {}", cell.scenario, cell.arm, cell.seed, cell.reason))
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The first lines that differ; none of a side that ends before.
pub(crate) fn first_difference(first: &[u8], second: &[u8]) -> Option<(Option<String>, Option<String>)> {
    let lines = |bytes: &[u8]| -> Vec<String> {
        String::from_utf8_lossy(bytes).split_inclusive('\n').map(str::to_owned).collect()
    };
    if first == second {
        return None;
    }
    let (first, second) = (lines(first), lines(second));
    let at = first.iter().zip(&second).take_while(|(one, other)| one == other).count();
    let line = |lines: &[String]| lines.get(at).map(|line| line.trim_end().to_owned());
    Some((line(&first), line(&second)))
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.first.as_ref().or(self.second.as_ref()).map_or("", String::as_str);
        match event(line) {
            Some(event) => writeln!(formatter, "{}: {event} differs", self.what)?,
            None => writeln!(formatter, "{} differs", self.what)?,
        }
        for (way, line) in [(self.ways.0, &self.first), (self.ways.1, &self.second)] {
            writeln!(formatter, "  {way}:\n    {}", line.as_deref().map_or("(nothing more)", shortened))?;
        }
        Ok(())
    }
}

/// A line of a trace in words.
fn event(line: &str) -> Option<String> {
    let value: Value = serde_json::from_str(line).ok()?;
    let (n, kind, at_ms) = (value["n"].as_u64()?, value["kind"].as_str()?, value["at_ms"].as_i64()?);
    Some(format!("event {n} ({kind}, {at_ms} ms after the start)"))
}

/// The beginning of a long line.
fn shortened(line: &str) -> &str {
    const SHOWN_CHARS: usize = 400;
    line.char_indices().nth(SHOWN_CHARS).map_or(line, |(end, _)| &line[..end])
}

#[cfg(test)]
mod tests {

    use super::super::plant::{self, Plant};
    use super::super::{Selection, grid};
    use super::*;
    use crate::scenario::load;

    const SCENARIO: &str = "\
name: demo
start: 2026-01-05T09:00:00Z
arms: { july: { version: hermes-0.19 }, may: { version: hermes-0.13 } }
world: { tools: [] }
script: s.yaml
timeline: [{ session: a, turns: [hello] }]
";

    fn compared(plant: Option<Plant>) -> Found {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("demo.yaml"), SCENARIO).unwrap();
        fs::write(dir.path().join("s.yaml"), "main: [{ reply: hello to you }]\n").unwrap();
        let loaded = load(&[dir.path().join("demo.yaml")]);
        let cells = grid(&loaded.scenarios, &Selection { repeat: 3, ..Selection::default() });
        plant::set(plant);
        compare_ways(&cells, 2, &dir.path().join("ways")).unwrap()
    }

    #[test]
    fn a_run_without_mistakes_gives_the_same_bytes_in_all_ways() {
        assert_eq!(compared(None), Found::Same);
    }

    #[test]
    fn a_planted_clock_or_unordered_map_is_found_at_its_event() {
        for plant in [Plant::Clock, Plant::Map] {
            let Found::Differs(difference) = compared(Some(plant)) else { panic!("{plant:?} was not found") };
            let shown = difference.to_string();
            let first = shown.lines().next().unwrap();
            assert_eq!(first, "demo/july/0: event 3 (turn_start, 0 ms after the start) differs", "{plant:?}");
        }
    }

    #[test]
    fn the_first_line_that_differs_is_found() {
        assert_eq!(first_difference(b"a\nb\n", b"a\nb\n"), None);
        let line = |text: &str| Some(text.to_owned());
        assert_eq!(first_difference(b"a\nb\n", b"a\nc\nd\n"), Some((line("b"), line("c"))));
        assert_eq!(first_difference(b"a\n", b"a\nc\n"), Some((None, line("c"))));
    }
}
