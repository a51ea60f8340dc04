//! The funnel of learning: recurring work → hazard met → review due → ran → wrote → still there → listed →
//! visible → loaded → followed → error spared.
//!
//! Stages are nested: an exposure counts at a stage only if it passed all before it. Retention alone is never called
//! success; the last stage is.

use super::cells::CellView;
use crate::records::HazardRow;
use crate::stats::percent;
use crate::table::Grid;
use crate::words::Place;

/// One stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Its name.
    pub name: &'static str,
    /// What passes it.
    pub what: &'static str,
    /// How many exposures passed it and all before it.
    pub count: u64,
}

/// The funnel of these cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Funnel {
    /// Its stages, in order.
    pub stages: Vec<Stage>,
    /// Exposures that were spared although a stage failed: by luck, or by knowledge from elsewhere.
    pub spared_otherwise: u64,
}

type Test = fn(&HazardRow) -> bool;

/// Notes and profile stand in every prompt, so what lies there is listed, visible and loaded.
fn in_memory(row: &HazardRow) -> bool {
    matches!(row.place, Some(Place::Memory | Place::User))
}

const STAGES: &[(&str, &str, Test)] = &[
    ("hazard met again", "an exposure after the lesson was taught", |row| row.met_before > 0),
    ("review due", "a nudge became due since then", |row| row.review_due),
    ("review ran", "a review began since then", |row| row.review_ran),
    ("written", "the lesson was written down since then", |row| row.written),
    ("still there", "it lies within reach when the turn begins", |row| row.place.is_some()),
    ("listed", "the session's index lists its skill, or it lies in memory", |row| {
        row.listed || in_memory(row)
    }),
    ("visible", "a trigger word stands in what the index shows", |row| row.visible || in_memory(row)),
    ("loaded", "its text entered the session", |row| row.loaded || in_memory(row)),
    ("followed", "its advice was followed, or nothing checks", |row| row.followed.unwrap_or(row.known)),
    ("error spared", "the agent went around the hazard", |row| !row.hit),
];

/// The funnel over all exposures of these cells.
pub fn funnel(cells: &[CellView<'_>]) -> Funnel {
    let rows: Vec<&HazardRow> = cells.iter().flat_map(|view| view.hazards).collect();
    let recurring = cells.iter().flat_map(|view| view.turns).filter(|turn| turn.occurrence > Some(1)).count();
    let mut stages = vec![
        Stage {
            name: "recurring work",
            what: "a turn that repeats a family of tasks",
            count: recurring as u64,
        },
        Stage { name: "exposures", what: "a turn met a hazard", count: rows.len() as u64 },
    ];
    let mut left = rows.clone();
    for (name, what, test) in STAGES {
        left.retain(|row| test(row));
        stages.push(Stage { name, what, count: left.len() as u64 });
    }
    let again = rows.iter().filter(|row| row.met_before > 0 && !row.hit).count() as u64;
    Funnel { stages, spared_otherwise: again.saturating_sub(left.len() as u64) }
}

impl Funnel {
    /// The stages as a table, each with its share of the stage before.
    pub fn grid(&self, title: &str) -> Grid {
        let mut grid = Grid::new(title, &["stage", ">exposures", ">of the stage before", "what passes it"]);
        let mut before: Option<u64> = None;
        for stage in &self.stages {
            // Turns and exposures are counted in different units; no share leads from one to the other.
            let share = before.filter(|_| !matches!(stage.name, "recurring work" | "exposures"));
            let share = match share {
                Some(0) | None => "–".to_owned(),
                Some(before) => percent(stage.count as f64 / before as f64, 1),
            };
            grid.row([stage.name.to_owned(), stage.count.to_string(), share, stage.what.to_owned()]);
            before = Some(stage.count);
        }
        grid.note(format!(
            "{} later exposures were spared in another way than this one.",
            self.spared_otherwise
        ));
        grid
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::arms::by_arm;
    use crate::figures::cells;
    use crate::figures::samples::study;
    use crate::table::{Look, terminal};

    #[test]
    fn stages_never_grow() {
        let records = study();
        let found = funnel(&by_arm(&cells(&records))["every-5"]);
        assert!(found.stages[1..].windows(2).all(|pair| pair[0].count >= pair[1].count));
        insta::assert_snapshot!(terminal(&found.grid("Funnel, arm every-5"), Look::default()), @r"
        Funnel, arm every-5
        ────────────────────────────────────────────────────────────────────────────────────────────────────────────────
         stage              exposures   of the stage before   what passes it
        ════════════════════════════════════════════════════════════════════════════════════════════════════════════════
         recurring work            15                     –   a turn that repeats a family of tasks
         exposures                 18                     –   a turn met a hazard
         hazard met again          15                83.3 %   an exposure after the lesson was taught
         review due                15               100.0 %   a nudge became due since then
         review ran                15               100.0 %   a review began since then
         written                   12                80.0 %   the lesson was written down since then
         still there               11                91.7 %   it lies within reach when the turn begins
         listed                    11               100.0 %   the session's index lists its skill, or it lies in memory
         visible                   11               100.0 %   a trigger word stands in what the index shows
         loaded                    11               100.0 %   its text entered the session
         followed                  11               100.0 %   its advice was followed, or nothing checks
         error spared              11               100.0 %   the agent went around the hazard
        ────────────────────────────────────────────────────────────────────────────────────────────────────────────────
          0 later exposures were spared in another way than this one.
        ");
    }

    #[test]
    fn nothing_happens_in_an_empty_run() {
        let found = funnel(&[]);
        assert!(found.stages.iter().all(|stage| stage.count == 0));
    }
}
