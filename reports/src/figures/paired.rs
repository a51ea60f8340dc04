//! Figures over pairs of turns: the same task under two arms.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::arms::pairs_of;
use super::cells::CellView;
use crate::records::TurnRow;
use crate::stats::{Maybe, Missing, mcnemar, pass_hat_k};

/// A task: a turn of the same session, user, seed and scenario under both arms.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the keys of a turn")]
pub struct Task {
    pub scenario: Arc<str>,
    pub seed: u64,
    pub user: Arc<str>,
    pub session: Arc<str>,
    pub turn: u32,
}

/// What became of the same tasks under two arms.
#[derive(Clone, Debug, PartialEq)]
pub struct Flips {
    /// Tasks judged under both.
    pub tasks: usize,
    /// Solved under the base arm.
    pub base_solved: usize,
    /// Solved under the other arm.
    pub other_solved: usize,
    /// Solved under the base arm and not under the other: harm.
    pub harmed: Vec<Task>,
    /// The other way round.
    pub helped: Vec<Task>,
}

/// Pairs the judged turns of two arms.
///
/// # Errors
/// If no turn is judged under both.
pub fn flips(base: &[CellView<'_>], other: &[CellView<'_>]) -> Maybe<Flips> {
    let mut found =
        Flips { tasks: 0, base_solved: 0, other_solved: 0, harmed: Vec::new(), helped: Vec::new() };
    for (base, other) in pairs_of(base, other).pairs {
        let others = judged(other.turns);
        for (task, before) in judged(base.turns) {
            let Some(&after) = others.get(&task) else { continue };
            found.tasks += 1;
            found.base_solved += usize::from(before);
            found.other_solved += usize::from(after);
            match (before, after) {
                (true, false) => found.harmed.push(task),
                (false, true) => found.helped.push(task),
                _ => {}
            }
        }
    }
    if found.tasks == 0 { Err(Missing("no turn is judged under both arms")) } else { Ok(found) }
}

fn judged(turns: &[TurnRow]) -> BTreeMap<Task, bool> {
    let task = |turn: &TurnRow| Task {
        scenario: Arc::clone(&turn.scenario),
        seed: turn.seed,
        user: Arc::clone(&turn.user),
        session: Arc::clone(&turn.session),
        turn: turn.turn,
    };
    turns.iter().filter_map(|turn| Some((task(turn), turn.outcome?.is_solved()))).collect()
}

impl Flips {
    /// Skill lift: mean over tasks of success under the other arm minus success under the base
    /// (`spec/metrics.md`, skill lift, paired).
    pub fn lift(&self) -> f64 {
        (self.other_solved as f64 - self.base_solved as f64) / self.tasks as f64
    }

    /// Exact `McNemar` p-value over harmed and helped tasks (`spec/metrics.md`, harm rate, flips).
    ///
    /// # Errors
    /// If no task flipped.
    pub fn p_value(&self) -> Maybe {
        mcnemar(self.harmed.len() as u64, self.helped.len() as u64)
    }

    /// Normalised gain `(p_other − p_base) / (1 − p_base)` (Hake 1998; `spec/metrics.md`).
    ///
    /// # Errors
    /// At the ceiling: the base arm solved everything, so nothing could be gained.
    pub fn normalised_gain(&self) -> Maybe {
        let base = self.base_solved as f64 / self.tasks as f64;
        if self.base_solved == self.tasks {
            Err(Missing("ceiling: the base arm solved every task"))
        } else {
            Ok(self.lift() / (1.0 - base))
        }
    }
}

/// pass^k over seeds: the chance that k seeds of a task all solve it, averaged over tasks
/// (`spec/metrics.md`, reliability).
///
/// # Errors
/// If no task was tried k times.
pub fn reliability(cells: &[CellView<'_>], k: u64) -> Maybe {
    let mut tasks: BTreeMap<Task, (u64, u64)> = BTreeMap::new();
    for view in cells {
        for (task, solved) in judged(view.turns) {
            let (successes, tries) = tasks.entry(Task { seed: 0, ..task }).or_default();
            *successes += u64::from(solved);
            *tries += 1;
        }
    }
    pass_hat_k(&tasks.into_values().collect::<Vec<_>>(), k)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::arms::by_arm;
    use crate::figures::cells;
    use crate::figures::samples::study;

    #[test]
    fn the_same_tasks_under_two_arms() {
        let records = study();
        let arms = by_arm(&cells(&records));
        let found = flips(&arms["off"], &arms["every-5"]).unwrap();
        assert_eq!((found.tasks, found.base_solved, found.other_solved), (18, 13, 17));
        assert_eq!((found.harmed.len(), found.helped.len()), (1, 5));
        assert!((found.lift() - 4.0 / 18.0).abs() < 1e-12);
        assert!((found.normalised_gain().unwrap() - 0.8).abs() < 1e-12);
        assert!((found.p_value().unwrap() - 0.218_75).abs() < 1e-12);
        assert_eq!(&*found.harmed[0].session, "s1");
        let same = flips(&arms["off"], &arms["off"]).unwrap();
        assert!(same.p_value().is_err());
        assert!(flips(&arms["off"], &[]).is_err());
    }

    #[test]
    fn reliability_falls_with_k() {
        let records = study();
        let arms = by_arm(&cells(&records));
        let pass: Vec<_> = (1..=3).map(|k| reliability(&arms["off"], k).unwrap()).collect();
        assert!(pass[0] > pass[1] && pass[1] >= pass[2], "{pass:?}");
        assert!(reliability(&arms["off"], 4).is_err());
    }
}
