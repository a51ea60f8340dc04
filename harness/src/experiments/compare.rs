//! Two sides compared: paired by scenario and seed, with a verdict in three words.

use reports::Evidence;
use reports::figures::{
    BreakEven, CellView, DerivedFigure, PointFigure, PointRow, break_even, cells, compare_arms, derived,
    draws_of_both, groups, pairs_of, point_rows,
};
use reports::records::Records;
use reports::stats::{Better, Comparison, Draws, Judgement, Maybe};
use reports::table::Grid;
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::sides::Side;

/// Version of the JSON format.
const VERSION: u32 = 1;

/// Why two sides are not compared.
#[derive(Debug, Error)]
pub(crate) enum NotCompared {
    /// No cell has a partner.
    #[error("no cell of {base} has the scenario and seed of one of {other}")]
    NoPairs {
        /// The first side.
        base: String,
        /// The second side.
        other: String,
    },
    /// All seeds give the same figures.
    #[error(
        "{base} and {other} draw nothing: every seed gives the same figures, so there is no chance to judge by"
    )]
    NoDraws {
        /// The first side.
        base: String,
        /// The second side.
        other: String,
    },
}

impl NotCompared {
    /// What to do instead.
    pub(crate) const fn hint(&self) -> &'static str {
        match self {
            Self::NoPairs { .. } => "both sides need the same scenarios and seeds",
            Self::NoDraws { .. } => {
                "what differs without chance is exact: `harness report` shows both side by side, and an expectation can \
                 hold it"
            }
        }
    }
}

/// Two sides compared.
#[derive(Debug)]
pub(crate) struct Compared {
    base: String,
    other: String,
    arms: (String, String),
    draws: Draws,
    pairs: usize,
    unmatched: usize,
    evidence: Evidence,
    found: Vec<(&'static DerivedFigure, Comparison)>,
    /// The table for people.
    pub(crate) grid: Grid,
}

/// Compares the second side against the first in these figures.
///
/// # Errors
/// Nothing is paired, or nothing is drawn.
pub(crate) fn compare(
    base: &Side<'_>,
    other: &Side<'_>,
    figures: &[&'static DerivedFigure],
) -> Result<Compared, NotCompared> {
    let names = || (base.name.clone(), other.name.clone());
    let matched = pairs_of(&base.cells, &other.cells);
    let draws = draws_of_both(&base.cells, &other.cells);
    if draws == Draws::None {
        let (base, other) = names();
        return Err(NotCompared::NoDraws { base, other });
    }
    let compared = compare_arms((&base.name, &base.cells), (&other.name, &other.cells), figures);
    let Ok((grid, found)) = compared else {
        let (base, other) = names();
        return Err(NotCompared::NoPairs { base, other });
    };
    let found = found.into_iter().filter_map(|(name, comparison)| Some((derived(name)?, comparison)));
    let (base_name, other_name) = names();
    Ok(Compared {
        base: base_name,
        other: other_name,
        arms: (base.arm.clone(), other.arm.clone()),
        draws,
        pairs: matched.pairs.len(),
        unmatched: matched.unmatched,
        evidence: evidence(base.cells.iter().chain(&other.cells)),
        found: found.collect(),
        grid,
    })
}

fn evidence<'a, 'r: 'a>(cells: impl Iterator<Item = &'a CellView<'r>>) -> Evidence {
    cells.map(|view| view.cell.evidence).max().unwrap_or_default()
}

impl Compared {
    /// Whether a figure that judges came out worse.
    pub(crate) fn is_worse(&self) -> bool {
        self.found.iter().any(|(_, comparison)| comparison.judgement == Judgement::Worse)
    }

    /// The comparison for programs: a figure that does not exist is null, with the reason beside it.
    pub(crate) fn json(&self) -> Value {
        let figures: Vec<Value> =
            self.found.iter().map(|(figure, found)| figure_json(figure, found)).collect();
        json!({
            "version": VERSION,
            "base": self.base,
            "other": self.other,
            "base_arm": self.arms.0,
            "other_arm": self.arms.1,
            "draws": self.draws,
            "pairs": self.pairs,
            "unmatched": self.unmatched,
            "evidence": self.evidence.to_string(),
            "figures": figures,
        })
    }
}

fn figure_json(figure: &DerivedFigure, found: &Comparison) -> Value {
    let mut value =
        json!({ "figure": figure.name, "unit": figure.unit, "base": found.base, "other": found.other });
    let compared = comparison_json(figure, found);
    value.as_object_mut().expect("made above").extend(compared);
    value
}

/// Difference, interval and verdict of a figure.
fn comparison_json(figure: &DerivedFigure, found: &Comparison) -> Map<String, Value> {
    let (interval, interval_missing) =
        or_reason(&found.interval.map(|interval| json!([interval.low, interval.high])));
    let (detectable, _) = or_reason(&found.detectable.map(Value::from));
    let judgement = (figure.better != Better::Neither).then_some(found.judgement.words());
    let fields = [
        ("difference", found.difference.into()),
        ("interval_95", interval),
        ("interval_missing", interval_missing.into()),
        ("detectable", detectable),
        ("pairs", found.pairs.into()),
        ("verdict", judgement.into()),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The arms of a sweep for programs, a point a row, the world where skills are never loaded first.
pub(crate) fn points_json(records: &Records) -> Value {
    let groups = groups(&cells(records));
    let row = |row: &PointRow<'_>| {
        let figure = |one: &PointFigure| {
            let (value, _) = or_reason(&one.value.map(Value::from));
            let mut figure = json!({ "figure": one.figure.name, "unit": one.figure.unit, "value": value });
            if let Some((_, Ok(found))) = &one.comparison {
                figure.as_object_mut().expect("made above").extend(comparison_json(one.figure, found));
            }
            figure
        };
        let settings: Map<String, Value> =
            row.settings.iter().map(|(key, value)| (key.clone(), Value::from(value.as_str()))).collect();
        let (review_tokens, _) = or_reason(&row.review_tokens.map(Value::from));
        json!({
            "world": row.group.world,
            "rates": row.group.rates,
            "arm": row.arm,
            "settings": settings,
            "against": row.against,
            "cells": row.cells,
            "review_tokens_per_task": review_tokens,
            "figures": row.figures.iter().map(figure).collect::<Vec<_>>(),
        })
    };
    point_rows(&groups).iter().map(row).collect()
}

/// From which value of a varied rate on a point beats its base, for programs.
pub(crate) fn break_even_json(records: &Records) -> Value {
    let one = |one: BreakEven| {
        json!({
            "rate": one.rate, "arm": one.arm, "against": one.against, "figure": one.figure,
            "tested": one.tested, "beats": one.beats, "better": one.better,
        })
    };
    break_even(&cells(records)).into_iter().map(one).collect()
}

fn or_reason(value: &Maybe<Value>) -> (Value, Option<&'static str>) {
    match value {
        Ok(value) => (value.clone(), None),
        Err(missing) => (Value::Null, Some(missing.0)),
    }
}
