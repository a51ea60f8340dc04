//! From which value of a rate on one arm beats another.
//!
//! A rate is assumed: nobody measured how often a model loads what it is shown. A sweep that varies it says how much of
//! it a setting needs to pay, which is more than any single guess says. Only values that were tested are judged; between
//! them the mean difference is taken to be a straight line.

use std::collections::BTreeMap;

use super::cells::CellView;
use super::points::{PointRow, groups, is_rate, last_word, point_rows};
use crate::stats::{Better, Comparison, Judgement, number};
use crate::table::{Grid, Tone};

/// Where a point beats its base as a rate rises.
#[derive(Clone, Debug, PartialEq)]
pub struct BreakEven {
    /// The rate.
    pub rate: String,
    /// The point that is judged: its arm and the settings that a sweep varies, but this rate.
    pub arm: String,
    /// What it is judged against, likewise.
    pub against: String,
    /// The figure's name.
    pub figure: &'static str,
    /// The values that were tested, rising.
    pub tested: Vec<f64>,
    /// Where the mean difference is on the good side, in words.
    pub beats: String,
    /// Where the verdict is *better*, in words.
    pub better: String,
}

/// What is compared at one value of a rate.
struct Tested<'a> {
    value: f64,
    comparison: &'a Comparison,
}

/// What stays the same while a rate rises.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Series<'a> {
    arm: String,
    rate: &'a str,
    against: String,
    figure: &'static str,
}

/// The break-even of every point, rate and judged figure; none where no rate was varied over two values or more.
pub fn break_even(cells: &[CellView<'_>]) -> Vec<BreakEven> {
    let groups = groups(cells);
    let rows = point_rows(&groups);
    let by_arm: BTreeMap<&str, &PointRow<'_>> = rows.iter().map(|row| (row.arm.as_str(), row)).collect();
    let mut series: BTreeMap<Series<'_>, (Better, Vec<Tested<'_>>)> = BTreeMap::new();
    for row in &rows {
        let Some(base) = row.against.and_then(|arm| by_arm.get(arm)) else { continue };
        for (rate, value) in row.settings.iter().filter(|(key, _)| is_rate(key)) {
            let Ok(value) = value.parse::<f64>() else { continue };
            for one in &row.figures {
                let Some((_, Ok(comparison))) = &one.comparison else { continue };
                let key = Series {
                    arm: named_without(row, rate),
                    rate,
                    against: named_without(base, rate),
                    figure: one.figure.name,
                };
                let (_, tested) = series.entry(key).or_insert_with(|| (one.figure.better, Vec::new()));
                tested.push(Tested { value, comparison });
            }
        }
    }
    series.retain(|_, (_, tested)| tested.len() > 1);
    let one = |(series, (better, mut tested)): (Series<'_>, (Better, Vec<Tested<'_>>))| {
        tested.sort_by(|one, other| one.value.total_cmp(&other.value));
        let gain = |tested: &Tested<'_>| match better {
            Better::Lower => -tested.comparison.difference,
            _ => tested.comparison.difference,
        };
        let gains: Vec<(f64, f64)> = tested.iter().map(|tested| (tested.value, gain(tested))).collect();
        let verdicts: Vec<(f64, bool)> = tested
            .iter()
            .map(|tested| (tested.value, tested.comparison.judgement == Judgement::Better))
            .collect();
        BreakEven {
            rate: series.rate.to_owned(),
            arm: series.arm,
            against: series.against,
            figure: series.figure,
            tested: tested.iter().map(|tested| tested.value).collect(),
            beats: where_gained(&gains),
            better: where_true(&verdicts),
        }
    };
    series.into_iter().map(one).collect()
}

/// An arm with what a sweep varies of it, but one rate.
fn named_without(row: &PointRow<'_>, rate: &str) -> String {
    let others = row.settings.iter().filter(|(key, _)| key != rate);
    others.fold(row.base.clone(), |name, (key, value)| format!("{name} {}={value}", last_word(key, &[])))
}

/// The table; none where there is nothing to say.
pub fn break_even_grid(cells: &[CellView<'_>]) -> Option<Grid> {
    let found = break_even(cells);
    if found.is_empty() {
        return None;
    }
    let heads = ["rate", "arm", "against", "figure", ">values", "beats it", "better"];
    let mut grid = Grid::new("Break-even", &heads);
    for one in found {
        let tone = if one.better == NEVER { Tone::Plain } else { Tone::Good };
        let title = super::ratios::derived(one.figure).map_or(one.figure, |figure| figure.title);
        let values = one.tested.len().to_string();
        grid.toned(tone, [one.rate, one.arm, one.against, title.to_owned(), values, one.beats, one.better]);
    }
    grid.note(
        "Beats it: where the mean difference is on the good side; between the values tested a straight line is drawn. \
         Better: the values tested at which the verdict is better. All other rates are those of the arm.",
    );
    Some(grid)
}

const NEVER: &str = "never";
const ALWAYS: &str = "at all values tested";

/// Where a rising line lies above 0, in words.
fn where_gained(gains: &[(f64, f64)]) -> String {
    let above: Vec<bool> = gains.iter().map(|(_, gain)| *gain > 0.0).collect();
    let turns: Vec<usize> = (1..above.len()).filter(|place| above[place - 1] != above[*place]).collect();
    match turns.as_slice() {
        [] if above.first() == Some(&true) => ALWAYS.to_owned(),
        [] => NEVER.to_owned(),
        [place] => {
            let ((from, low), (to, high)) = (gains[place - 1], gains[*place]);
            let at = from + (to - from) * (0.0 - low) / (high - low);
            match (above[*place], low == 0.0 || high == 0.0) {
                (true, true) => format!("above {}", number(at, 2)),
                (false, true) => format!("below {}", number(at, 2)),
                (true, false) => format!("from about {}", number(at, 2)),
                (false, false) => format!("up to about {}", number(at, 2)),
            }
        }
        _ => listed(gains.iter().zip(&above).filter(|(_, above)| **above).map(|((value, _), _)| *value)),
    }
}

/// The values at which something holds, in words.
fn where_true(found: &[(f64, bool)]) -> String {
    let first = found.iter().position(|(_, holds)| *holds);
    let count = found.iter().filter(|(_, holds)| *holds).count();
    match first {
        None => NEVER.to_owned(),
        Some(0) if count == found.len() => ALWAYS.to_owned(),
        Some(first) if first + count == found.len() => format!("from {}", number(found[first].0, 2)),
        Some(0) if found[..count].iter().all(|(_, holds)| *holds) => {
            format!("up to {}", number(found[count - 1].0, 2))
        }
        Some(_) => listed(found.iter().filter(|(_, holds)| *holds).map(|(value, _)| *value)),
    }
}

fn listed(values: impl Iterator<Item = f64>) -> String {
    format!("at {}", values.map(|value| number(value, 2)).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::cells;
    use crate::figures::samples::study;
    use crate::records::Records;
    use crate::table::{Look, terminal};

    /// The study at three values of a rate: at 0 reviews bring nothing, at 1 what they bring in the study.
    fn sweep() -> Records {
        let mut records = Records::default();
        for (value, spared) in [("0", 0), ("0.5", 9), ("1", 30)] {
            let mut part = study();
            part.retain_cells(|_, arm, _| arm != "every-10");
            for cell in &mut part.cells {
                if &*cell.arm == "every-5" {
                    cell.tool_calls = 75 + cell.seed - spared;
                } else {
                    cell.tool_calls = 72;
                }
                cell.settings = format!("rates.view={value}").into();
                cell.arm = format!("{} rates.view={value}", cell.arm).into();
                cell.world = "always, changed".into();
            }
            records.append(part);
        }
        records.sort();
        records
    }

    #[test]
    fn arms_are_judged_at_each_value_of_a_rate() {
        let records = sweep();
        let grid = break_even_grid(&cells(&records)).unwrap();
        insta::assert_snapshot!(terminal(&grid, Look::default()), @r"
        Break-even
        ──────────────────────────────────────────────────────────────────────────────────────────────────────────────
         rate         arm       against   figure                 values   beats it               better
        ══════════════════════════════════════════════════════════════════════════════════════════════════════════════
         rates.view   every-5   off       tool calls per task         3   from about 0.28        from 0.50
         rates.view   every-5   off       tool errors per task        3   at all values tested   at all values tested
        ──────────────────────────────────────────────────────────────────────────────────────────────────────────────
          Beats it: where the mean difference is on the good side; between the values tested a straight line is drawn. Better: the values tested at which the verdict is better. All other rates are those of the arm.
        ");
        assert_eq!(break_even_grid(&cells(&study())), None, "nothing is varied");
    }

    #[test]
    fn places_are_told_in_words() {
        let gained = |gains: &[f64]| {
            let values = [0.0, 0.25, 0.5, 1.0].into_iter().zip(gains.iter().copied());
            where_gained(&values.collect::<Vec<_>>())
        };
        assert_eq!(gained(&[-1.0, -1.0, 1.0, 2.0]), "from about 0.38");
        assert_eq!(gained(&[3.0, -1.0, -1.0, -2.0]), "up to about 0.19");
        assert_eq!(gained(&[-1.0, 0.0, 1.0, 2.0]), "above 0.25");
        assert_eq!(gained(&[2.0, 1.0, 0.0, -1.0]), "below 0.50");
        assert_eq!(gained(&[-1.0, 1.0, -1.0, 2.0]), "at 0.25, 1.00");
        assert_eq!((gained(&[1.0, 1.0]), gained(&[0.0, 0.0])), (ALWAYS.to_owned(), NEVER.to_owned()));
        let held = |holds: &[bool]| {
            let values = [0.0, 0.25, 0.5, 1.0].into_iter().zip(holds.iter().copied());
            where_true(&values.collect::<Vec<_>>())
        };
        assert_eq!(held(&[false, false, true, true]), "from 0.50");
        assert_eq!(held(&[true, true, false, false]), "up to 0.25");
        assert_eq!(held(&[false, true, false, true]), "at 0.25, 1.00");
        assert_eq!((held(&[true, true]), held(&[false])), (ALWAYS.to_owned(), NEVER.to_owned()));
    }
}
