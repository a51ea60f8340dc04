//! The list of all figures, for `harness explain` and for the report.

use super::ratios::{DERIVED, Show};
use crate::records::{Column, Records};

/// One figure explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Its name: `table.column` for what a record table holds, a plain name for what is derived.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// What it is, with its formula.
    pub formula: String,
    /// Where the definition comes from.
    pub source: &'static str,
    /// What it rests on.
    pub evidence: &'static str,
}

/// What a column rests on, unless the cell says less.
const OF_THE_CELL: &str = "as the cell's: counted from the trace, or the weakest of the scenario's rates";
/// Money rests on what a person typed into the price table.
const OF_PRICES: &str = "assumed: a price table typed by a person";

/// Columns that name things and are no figures.
const KEYS: &[&str] = &["scenario", "arm", "seed", "user", "session", "evidence"];

/// All figures: the columns of the record tables in order, then the derived ones.
pub fn figures() -> Vec<Figure> {
    let records = Records::default();
    let mut figures = Vec::new();
    for table in records.tables() {
        let columns = table.columns().iter().filter(|column| !KEYS.contains(&column.name));
        figures.extend(columns.map(|column| of_column(table.name(), column)));
    }
    figures.extend(DERIVED.iter().map(|derived| Figure {
        name: derived.name.to_owned(),
        unit: derived.unit.to_owned(),
        formula: derived.formula.to_owned(),
        source: derived.source,
        evidence: if matches!(derived.show, Show::Money) { OF_PRICES } else { OF_THE_CELL },
    }));
    figures.extend(OTHERS.iter().map(|(name, unit, formula, source)| Figure {
        name: (*name).to_owned(),
        unit: (*unit).to_owned(),
        formula: (*formula).to_owned(),
        source,
        evidence: OF_THE_CELL,
    }));
    figures
}

/// Figures that are no ratio of sums: name, unit, formula, source.
const OTHERS: &[(&str, &str, &str, &str)] = &[
    (
        "skill_lift",
        "difference of shares",
        "Mean over tasks of success under the other arm minus success under the base; same scenario, seed, session and turn.",
        "spec/metrics.md, skill lift, paired",
    ),
    (
        "flips",
        "tasks",
        "Tasks solved under the base arm only (harmed) and under the other only (helped); exact McNemar test on both counts.",
        "spec/metrics.md, harm rate",
    ),
    (
        "normalised_gain",
        "share of what was left to gain",
        "(p_other − p_base) / (1 − p_base); none at the ceiling p_base = 1.",
        "spec/metrics.md; Hake 1998",
    ),
    (
        "cost_slope",
        "log cost per log occurrence",
        "Least-squares slope of log cost on log occurrence, per family, over solved occurrences.",
        "spec/metrics.md, cost convergence",
    ),
    (
        "cost_not_rising",
        "share of steps",
        "Share of steps from one solved occurrence to the next with c(k+1) ≤ c(k).",
        "spec/metrics.md, cost convergence",
    ),
    (
        "time_to_competence",
        "occurrences",
        "First occurrence from which w successive ones succeed at cost ≤ κ times the family's best; censored if never.",
        "spec/metrics.md",
    ),
    (
        "pass_hat_k",
        "share of tasks",
        "Mean over tasks of C(c, k) / C(n, k), with c of n seeds solved.",
        "spec/metrics.md, reliability; tau-bench",
    ),
    (
        "load_inequality",
        "Gini coefficient",
        "Gini coefficient of loads by index, user or job over skills.",
        "spec/metrics.md, growth vs use",
    ),
    (
        "funnel",
        "exposures",
        "Exposures that passed each stage and all before it: taught, due, ran, written, still there, listed, visible, loaded, followed, spared.",
        "defined by this project",
    ),
];

/// The figure of this name; a column's name alone will do where only one table has it.
pub fn figure(name: &str) -> Option<Figure> {
    let all = figures();
    let by_column = |figure: &&Figure| figure.name.split_once('.').is_some_and(|(_, column)| column == name);
    let whole = all.iter().find(|figure| figure.name == name);
    let mut columns = all.iter().filter(by_column);
    whole.or_else(|| columns.next().filter(|_| columns.next().is_none())).cloned()
}

fn of_column(table: &str, column: &Column) -> Figure {
    Figure {
        name: format!("{table}.{}", column.name),
        unit: column.unit().to_owned(),
        formula: column.doc.trim().to_owned(),
        source: source_of(table),
        evidence: if column.name == "cost_nanos" { OF_PRICES } else { OF_THE_CELL },
    }
}

/// Where the definitions of a table come from.
fn source_of(table: &str) -> &'static str {
    match table {
        "nudges" => "spec/nudges.md §2; spec/metrics.md, nudge service",
        "reviews" | "writes" => "spec/background-review.md; spec/metrics.md, review tax and waste",
        "loads" => "spec/skill-usage.md; spec/metrics.md, attribution funnel",
        "skills" | "library_days" => "spec/skill-usage.md; spec/curator.md §6; spec/metrics.md, reuse rate",
        "memory_days" => "spec/memory.md; spec/metrics.md, memory",
        "curator_runs" => "spec/curator.md §6 and §13",
        "hazards" | "lessons" => "the funnel of this project; spec/metrics.md, error recurrence",
        _ => "defined by this project",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_is_explained_once() {
        let all = figures();
        let mut names: Vec<_> = all.iter().map(|figure| &figure.name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all.len());
        assert!(all.iter().all(|figure| figure.formula.ends_with('.') && !figure.unit.is_empty()));
    }

    #[test]
    fn a_figure_is_found_by_its_whole_name_or_by_a_column_that_is_the_only_one() {
        assert_eq!(figure("sessions.tool_errors").unwrap().unit, "count");
        assert_eq!(figure("user_repeats").map(|figure| figure.name), None, "cells and lessons have one");
        assert_eq!(figure("hits_after").unwrap().name, "lessons.hits_after");
    }
}
