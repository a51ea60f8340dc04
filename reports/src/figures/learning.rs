//! Figures over sequences: how the cost of a recurring task falls, and when the agent can be called competent.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::cells::CellView;
use crate::records::TurnRow;
use crate::stats::{Maybe, Missing, gini, log_log_slope, share_not_rising};

/// What a task costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Tool calls of role main.
    ToolCalls,
    /// Prompt and completion tokens of role main.
    Tokens,
}

impl Cost {
    fn of(self, turn: &TurnRow) -> u64 {
        match self {
            Self::ToolCalls => turn.tool_calls,
            Self::Tokens => turn.prompt_tokens + turn.completion_tokens,
        }
    }
}

/// The occurrences of one family for one user of one cell, in order.
#[derive(Clone, Debug)]
pub struct Sequence<'a> {
    /// The family.
    pub family: Arc<str>,
    /// Its turns, by occurrence.
    pub turns: Vec<&'a TurnRow>,
}

/// All sequences of recurring work in these cells, by family.
pub fn sequences<'a>(cells: &[CellView<'a>]) -> BTreeMap<Arc<str>, Vec<Sequence<'a>>> {
    let mut families: BTreeMap<Arc<str>, Vec<Sequence<'a>>> = BTreeMap::new();
    for view in cells {
        let mut of_user: BTreeMap<(&str, &str), Vec<&'a TurnRow>> = BTreeMap::new();
        for turn in view.turns.iter().filter(|turn| turn.occurrence.is_some()) {
            of_user.entry((&turn.family, &turn.user)).or_default().push(turn);
        }
        for turns in of_user.into_values() {
            let family = Arc::clone(&turns[0].family);
            families.entry(Arc::clone(&family)).or_default().push(Sequence { family, turns });
        }
    }
    families
}

/// How the cost of a family falls (`spec/metrics.md`, cost convergence), over solved occurrences; where nothing
/// judges, over all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convergence {
    /// Slope of log cost on log occurrence.
    pub slope: Maybe,
    /// Share of steps at which the cost did not rise.
    pub not_rising: Maybe,
    /// Occurrences counted.
    pub occurrences: usize,
}

/// Cost convergence over the sequences of one family.
pub fn convergence(sequences: &[Sequence<'_>], cost: Cost) -> Convergence {
    let mut points = Vec::new();
    let mut costs = Vec::new();
    for sequence in sequences {
        let solved: Vec<_> = sequence.turns.iter().filter(|turn| counts(turn)).collect();
        points.extend(
            solved.iter().filter_map(|turn| Some((u64::from(turn.occurrence?), cost.of(turn) as f64))),
        );
        costs.push(solved.iter().map(|turn| cost.of(turn) as f64).collect::<Vec<_>>());
    }
    Convergence {
        slope: log_log_slope(&points),
        not_rising: share_not_rising(costs.iter().map(Vec::as_slice)),
        occurrences: points.len(),
    }
}

fn counts(turn: &TurnRow) -> bool {
    turn.outcome.is_none_or(crate::TurnOutcome::is_solved)
}

/// What competence means: so many occurrences in a row that succeed at no more than κ times the best cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Competence {
    /// Successive occurrences, w.
    pub in_a_row: usize,
    /// Factor over the best cost, κ.
    pub factor: f64,
    /// The cost of someone who knows everything: the family's lowest cost under any arm.
    pub best: u64,
}

/// When a sequence reached competence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// From this occurrence on, on this day.
    At {
        /// The first of the occurrences in a row.
        occurrence: u32,
        /// Its day.
        day: i64,
    },
    /// Not within so many occurrences: censored, which is not the same as reached at the last.
    Never {
        /// Occurrences seen.
        occurrences: usize,
    },
}

/// Time to competence of one sequence (`spec/metrics.md`): the first occurrence from which `in_a_row` successive ones
/// succeed at cost ≤ factor · best.
pub fn time_to_competence(sequence: &Sequence<'_>, competence: Competence, cost: Cost) -> Reached {
    let limit = competence.factor * competence.best as f64;
    let good = |turn: &&TurnRow| counts(turn) && cost.of(turn) as f64 <= limit;
    let windows = sequence.turns.windows(competence.in_a_row.max(1));
    let first = windows.into_iter().find(|turns| turns.iter().all(good)).map(|turns| turns[0]);
    match first {
        Some(turn) => Reached::At { occurrence: turn.occurrence.unwrap_or(0), day: turn.day },
        None => Reached::Never { occurrences: sequence.turns.len() },
    }
}

/// The lowest cost of a solved occurrence of each family, over all these cells.
pub fn best_costs(cells: &[CellView<'_>], cost: Cost) -> BTreeMap<Arc<str>, u64> {
    let mut best: BTreeMap<Arc<str>, u64> = BTreeMap::new();
    for turn in cells.iter().flat_map(|view| view.turns) {
        if turn.occurrence.is_some() && counts(turn) {
            let lowest = best.entry(Arc::clone(&turn.family)).or_insert(u64::MAX);
            *lowest = cost.of(turn).min(*lowest);
        }
    }
    best
}

/// The median time to competence in occurrences, counting those that never reached it as later than all others.
///
/// # Errors
/// Without sequences, or if the median itself is censored.
pub fn median_occurrence(reached: &[Reached]) -> Maybe {
    if reached.is_empty() {
        return Err(Missing("no recurring work"));
    }
    let mut occurrences: Vec<f64> = reached
        .iter()
        .map(|reached| match reached {
            Reached::At { occurrence, .. } => f64::from(*occurrence),
            Reached::Never { .. } => f64::INFINITY,
        })
        .collect();
    occurrences.sort_by(f64::total_cmp);
    let median = f64::midpoint(occurrences[(occurrences.len() - 1) / 2], occurrences[occurrences.len() / 2]);
    if median.is_finite() { Ok(median) } else { Err(Missing("censored: half or more never reached it")) }
}

/// Gini coefficient of loads over skills: whether a few skills do all the work (`spec/metrics.md`, growth vs use).
///
/// # Errors
/// Without skills, or if none was loaded.
pub fn load_inequality(cells: &[CellView<'_>]) -> Maybe {
    let skills = cells.iter().flat_map(|view| view.skills);
    gini(&skills.map(|skill| skill.loads_index + skill.loads_user + skill.loads_job).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::arms::by_arm;
    use crate::figures::cells;
    use crate::figures::samples::study;

    #[test]
    fn costs_fall_where_something_is_learned() {
        let records = study();
        let arms = by_arm(&cells(&records));
        let slope = |arm: &str| convergence(&sequences(&arms[arm])["deploy"], Cost::ToolCalls);
        let (off, on) = (slope("off"), slope("every-5"));
        assert!(on.slope.unwrap() < -0.3 && off.slope.unwrap().abs() < 0.1, "{on:?} {off:?}");
        assert_eq!((on.not_rising, off.not_rising, on.occurrences), (Ok(1.0), Ok(1.0), 17));
    }

    #[test]
    fn competence_is_reached_or_censored() {
        let records = study();
        let views = cells(&records);
        let best = best_costs(&views, Cost::ToolCalls)["deploy"];
        let competence = Competence { in_a_row: 2, factor: 1.2, best };
        let arms = by_arm(&views);
        let times = |arm: &str| -> Vec<_> {
            let all = sequences(&arms[arm]);
            all["deploy"].iter().map(|one| time_to_competence(one, competence, Cost::ToolCalls)).collect()
        };
        assert_eq!(times("off"), [Reached::Never { occurrences: 6 }; 3]);
        assert!(median_occurrence(&times("off")).is_err());
        assert_eq!(median_occurrence(&times("every-5")), Ok(3.0));
        assert!(median_occurrence(&[]).is_err());
    }
}
