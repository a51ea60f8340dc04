//! Figures that are a ratio of sums.

use super::cells::CellView;
use crate::records::{HazardRow, LessonRow, SkillRow};
use crate::stats::{Better, Maybe, Missing, number, percent};
use crate::words::NudgeEvent;

/// Numerator and denominator, to be summed over cells before they are divided.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ratio {
    /// What is counted.
    pub part: f64,
    /// Out of what, or per what.
    pub whole: f64,
}

impl Ratio {
    fn of(part: u64, whole: u64) -> Self {
        Self { part: part as f64, whole: whole as f64 }
    }
}

/// How a figure is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// A number with so many digits after the point.
    Number(usize),
    /// A share, as percent with one digit.
    Percent,
    /// Billionths of the currency unit, as units with four digits.
    Money,
}

impl Show {
    /// The value as text.
    pub fn text(self, value: f64) -> String {
        match self {
            Self::Number(digits) => number(value, digits),
            Self::Percent => percent(value, 1),
            Self::Money => number(value / 1e9, 4),
        }
    }
}

/// A derived figure: one ratio, whatever the cells.
#[derive(Clone, Copy, Debug)]
pub struct DerivedFigure {
    /// Its name.
    pub name: &'static str,
    /// Its heading in tables.
    pub title: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Its formula.
    pub formula: &'static str,
    /// Where the definition comes from.
    pub source: &'static str,
    /// Which direction is the good one.
    pub better: Better,
    /// How it is printed.
    pub show: Show,
    /// Why there is none when the denominator is 0.
    pub missing: Missing,
    /// Its parts in one cell.
    ratio: fn(&CellView<'_>) -> Ratio,
}

impl DerivedFigure {
    /// The figure over these cells: Σ part / Σ whole.
    ///
    /// # Errors
    /// If the denominator is 0.
    pub fn of<'a>(&self, cells: impl IntoIterator<Item = &'a CellView<'a>>) -> Maybe {
        let sum = cells.into_iter().map(|cell| (self.ratio)(cell)).fold(Ratio::default(), |sum, ratio| {
            Ratio { part: sum.part + ratio.part, whole: sum.whole + ratio.whole }
        });
        if sum.whole > 0.0 { Ok(sum.part / sum.whole) } else { Err(self.missing) }
    }

    /// The figure as printed, or why there is none.
    pub fn text(&self, value: Maybe) -> String {
        value.map_or_else(|_| "–".to_owned(), |value| self.show.text(value))
    }
}

/// The derived figure of this name.
pub fn derived(name: &str) -> Option<&'static DerivedFigure> {
    DERIVED.iter().find(|figure| figure.name == name)
}

/// A young skill had no time to be used; its age at the horizon must be at least this (`spec/metrics.md`, reuse rate).
const YOUNG_MS: i64 = 7 * MS_PER_DAY;
const MS_PER_DAY: i64 = 86_400_000;

/// A task is a turn in which the user asks for something. Turns that only correct an earlier one are short: counted as
/// turns, they would make an agent that needs them look thrifty.
const NO_TASKS: Missing = Missing("no tasks");
const NO_TURNS: Missing = Missing("no turns");
const NOTHING_JUDGED: Missing = Missing("the scenario judges no turn");
const NO_HAZARDS: Missing = Missing("no exposure to a hazard");
const NO_PRICES: Missing = Missing("no price table");

/// All derived ratios, in the order of the report.
pub const DERIVED: &[DerivedFigure] = &[
    DerivedFigure {
        name: "tool_calls_per_task",
        title: "tool calls per task",
        unit: "calls per task",
        formula: "Σ tool calls of role main / Σ tasks.",
        source: "defined by this project",
        better: Better::Lower,
        show: Show::Number(2),
        missing: NO_TASKS,
        ratio: |view| Ratio::of(view.cell.tool_calls, view.cell.tasks),
    },
    DerivedFigure {
        name: "tool_errors_per_task",
        title: "tool errors per task",
        unit: "errors per task",
        formula: "Σ failed answers to tool calls of role main / Σ tasks.",
        source: "defined by this project",
        better: Better::Lower,
        show: Show::Number(2),
        missing: NO_TASKS,
        ratio: |view| Ratio::of(view.cell.tool_errors, view.cell.tasks),
    },
    DerivedFigure {
        name: "iterations_per_task",
        title: "iterations per task",
        unit: "model calls per task",
        formula: "Σ iterations / Σ tasks.",
        source: "defined by this project",
        better: Better::Lower,
        show: Show::Number(2),
        missing: NO_TASKS,
        ratio: |view| Ratio::of(view.cell.iterations, view.cell.tasks),
    },
    DerivedFigure {
        name: "tokens_per_task",
        title: "tokens per task, all roles",
        unit: "tokens per task",
        formula: "Σ (prompt + completion tokens of all roles) / Σ tasks.",
        source: "defined by this project",
        better: Better::Lower,
        show: Show::Number(0),
        missing: NO_TASKS,
        ratio: |view| Ratio::of(view.cell.prompt_tokens + view.cell.completion_tokens, view.cell.tasks),
    },
    DerivedFigure {
        name: "solved_rate",
        title: "solved turns",
        unit: "share of judged turns",
        formula: "Σ turns solved, also after a correction / Σ turns judged.",
        source: "defined by this project",
        better: Better::Higher,
        show: Show::Percent,
        missing: NOTHING_JUDGED,
        ratio: |view| Ratio::of(view.cell.solved, view.cell.judged),
    },
    DerivedFigure {
        name: "hazard_hit_rate",
        title: "hazards run into",
        unit: "share of exposures",
        formula: "Σ exposures that hit / Σ exposures.",
        source: "the funnel of this project",
        better: Better::Lower,
        show: Show::Percent,
        missing: NO_HAZARDS,
        ratio: |view| Ratio::of(view.cell.hazard_hits, view.cell.hazards),
    },
    DerivedFigure {
        name: "repeated_error_rate",
        title: "errors repeated",
        unit: "share of later exposures",
        formula: "Σ exposures k ≥ 2 that hit although the lesson was taught before / Σ exposures k ≥ 2.",
        source: "spec/metrics.md, error recurrence",
        better: Better::Lower,
        show: Show::Percent,
        missing: Missing("no hazard was met twice"),
        ratio: |view| {
            let later = |row: &&HazardRow| row.exposure >= 2;
            let repeated = |row: &&HazardRow| later(row) && row.hit && row.met_before > 0;
            Ratio::of(count(view.hazards, repeated), count(view.hazards, later))
        },
    },
    DerivedFigure {
        name: "lesson_retention",
        title: "lessons retained",
        unit: "share of lessons taught",
        formula: "Σ true lessons within reach at the end / Σ true lessons taught. Retention alone is no success.",
        source: "defined by this project",
        better: Better::Neither,
        show: Show::Percent,
        missing: Missing("no lesson was taught"),
        ratio: |view| {
            let taught = |row: &&LessonRow| !row.is_false && row.first_met_ms.is_some();
            Ratio::of(count(view.lessons, |row| taught(row) && row.retained), count(view.lessons, taught))
        },
    },
    DerivedFigure {
        name: "false_lessons_kept",
        title: "false lessons kept",
        unit: "share of false lessons written down",
        formula: "Σ false lessons within reach at the end / Σ false lessons ever written down.",
        source: "spec/metrics.md, bad-lesson persistence",
        better: Better::Lower,
        show: Show::Percent,
        missing: Missing("no false lesson was written down"),
        ratio: |view| {
            let learned = |row: &&LessonRow| row.is_false && row.learned > 0;
            Ratio::of(count(view.lessons, |row| learned(row) && row.retained), count(view.lessons, learned))
        },
    },
    DerivedFigure {
        name: "user_repeats_per_100_turns",
        title: "corrections given again",
        unit: "per 100 turns",
        formula: "100 · Σ corrections that a user had to give again / Σ turns.",
        source: "defined by this project",
        better: Better::Lower,
        show: Show::Number(2),
        missing: NO_TURNS,
        ratio: |view| Ratio::of(100 * view.cell.user_repeats, view.cell.turns),
    },
    DerivedFigure {
        name: "skills_reused",
        title: "skills used later",
        unit: "share of skills at least 7 days old",
        formula: "Σ skills loaded by index, user or job in a later session / Σ skills born at least 7 days before the end.",
        source: "spec/metrics.md, reuse rate",
        better: Better::Higher,
        show: Show::Percent,
        missing: Missing("no skill was born 7 days before the end"),
        ratio: |view| {
            let end = end_ms(view);
            let old = |row: &&SkillRow| row.created_ms.is_some_and(|born| end - born >= YOUNG_MS);
            Ratio::of(count(view.skills, |row| old(row) && row.loads_later > 0), count(view.skills, old))
        },
    },
    DerivedFigure {
        name: "skills_never_used",
        title: "skills never used",
        unit: "share of all skills",
        formula: "Σ lives of skills that never entered a turn by index, user or job / Σ lives of skills.",
        source: "spec/metrics.md, reuse rate",
        better: Better::Lower,
        show: Show::Percent,
        missing: Missing("no skills"),
        ratio: |view| Ratio::of(count(view.skills, |row| row.never_used), view.skills.len() as u64),
    },
    DerivedFigure {
        name: "review_yield",
        title: "writes per review",
        unit: "applied writes per review",
        formula: "Σ memory and skill writes that reviews applied / Σ reviews begun.",
        source: "defined by this project",
        better: Better::Neither,
        show: Show::Number(2),
        missing: Missing("no reviews"),
        ratio: |view| Ratio::of(view.cell.review_writes, view.cell.reviews),
    },
    DerivedFigure {
        name: "review_tax",
        title: "review tax",
        unit: "share of all tokens",
        formula: "Σ tokens of role review / Σ tokens of all roles.",
        source: "spec/metrics.md, review tax and waste",
        better: Better::Lower,
        show: Show::Percent,
        missing: Missing("no tokens"),
        ratio: |view| {
            Ratio::of(view.cell.review_tokens, view.cell.prompt_tokens + view.cell.completion_tokens)
        },
    },
    DerivedFigure {
        name: "review_waste",
        title: "review waste",
        unit: "share of review tokens",
        formula: "Σ tokens of reviews without a write that was of use before the end / Σ tokens of reviews.",
        source: "spec/metrics.md, review tax and waste",
        better: Better::Lower,
        show: Show::Percent,
        missing: Missing("no reviews"),
        ratio: |view| {
            let tokens = |wasted: bool| {
                let rows = view.reviews.iter().filter(|row| row.wasted || !wasted);
                rows.map(|row| row.prompt_tokens + row.completion_tokens).sum()
            };
            Ratio::of(tokens(true), tokens(false))
        },
    },
    DerivedFigure {
        name: "nudges_run",
        title: "due nudges that ran",
        unit: "share of due nudges",
        formula: "Σ due nudges that started a review / Σ due nudges.",
        source: "spec/metrics.md, nudge service",
        better: Better::Neither,
        show: Show::Percent,
        missing: Missing("no nudge was due"),
        ratio: |view| Ratio::of(view.cell.nudges_run, view.cell.nudges_due),
    },
    DerivedFigure {
        name: "nudges_lost",
        title: "due nudges lost",
        unit: "share of due nudges",
        formula: "Σ due nudges that will start nothing / Σ due nudges.",
        source: "spec/metrics.md, nudge service",
        better: Better::Lower,
        show: Show::Percent,
        missing: Missing("no nudge was due"),
        ratio: |view| Ratio::of(view.cell.nudges_lost, view.cell.nudges_due),
    },
    DerivedFigure {
        name: "nudge_delay_turns",
        title: "turns from due to run",
        unit: "turns",
        formula: "Σ turns begun from due to run / Σ nudges that ran.",
        source: "spec/metrics.md, nudge service",
        better: Better::Lower,
        show: Show::Number(2),
        missing: Missing("no nudge ran"),
        ratio: |view| {
            let delays = view.nudges.iter().filter(|row| row.outcome == NudgeEvent::Fired);
            let (turns, runs) =
                delays.fold((0, 0), |(turns, runs), row| (turns + row.delay_turns.unwrap_or(0), runs + 1));
            Ratio::of(turns, runs)
        },
    },
    DerivedFigure {
        name: "nudge_delay_hours",
        title: "hours from due to run",
        unit: "hours of simulated time",
        formula: "Σ hours from due to run / Σ nudges that ran.",
        source: "spec/metrics.md, nudge service",
        better: Better::Lower,
        show: Show::Number(2),
        missing: Missing("no nudge ran"),
        ratio: |view| {
            let delays = view.nudges.iter().filter_map(|row| row.delay_ms);
            let (ms, runs) = delays.fold((0, 0), |(ms, runs), delay| (ms + delay, runs + 1));
            Ratio { part: ms as f64 / 3_600_000.0, whole: f64::from(runs) }
        },
    },
    DerivedFigure {
        name: "index_tax",
        title: "index tax",
        unit: "share of prompt tokens of role main",
        formula: "Σ over requests of role main of index tokens / Σ prompt tokens of these requests.",
        source: "spec/metrics.md, index tax",
        better: Better::Lower,
        show: Show::Percent,
        missing: Missing("no prompt tokens"),
        ratio: |view| Ratio::of(view.cell.index_tokens, view.cell.main_prompt_tokens),
    },
    DerivedFigure {
        name: "cached_share",
        title: "prompt tokens cached",
        unit: "share of prompt tokens",
        formula: "Σ prompt tokens that the prefix cache served / Σ prompt tokens, all roles.",
        source: "defined by this project",
        better: Better::Higher,
        show: Show::Percent,
        missing: Missing("no prompt tokens"),
        ratio: |view| Ratio::of(view.cell.cached_tokens, view.cell.prompt_tokens),
    },
    DerivedFigure {
        name: "curator_regret",
        title: "curator regret",
        unit: "share of exposures",
        formula: "Σ exposures whose skill lay in the archive / Σ exposures.",
        source: "spec/metrics.md, curator",
        better: Better::Lower,
        show: Show::Percent,
        missing: NO_HAZARDS,
        ratio: |view| Ratio::of(count(view.hazards, |row| row.archived), view.hazards.len() as u64),
    },
    DerivedFigure {
        name: "curator_precision",
        title: "curator precision",
        unit: "share of archived skills",
        formula: "Σ archived skills that no later exposure needed / Σ archived skills.",
        source: "spec/metrics.md, curator",
        better: Better::Higher,
        show: Show::Percent,
        missing: Missing("no skill was archived"),
        ratio: |view| {
            let archived = |row: &&SkillRow| row.archived > 0;
            Ratio::of(
                count(view.skills, |row| archived(row) && !needed(view, row)),
                count(view.skills, archived),
            )
        },
    },
    DerivedFigure {
        name: "wait_per_turn",
        title: "wait caused by background work",
        unit: "ms of simulated time per turn",
        formula: "Σ time that background work kept the user waiting / Σ turns.",
        source: "defined by this project",
        better: Better::Lower,
        show: Show::Number(0),
        missing: NO_TURNS,
        ratio: |view| Ratio::of(view.cell.waited_ms, view.cell.turns),
    },
    DerivedFigure {
        name: "cost_per_task",
        title: "cost per task",
        unit: "currency units per task",
        formula: "Σ money for all requests / Σ tasks, in cells with prices.",
        source: "defined by this project; evidence: a price table typed by a person",
        better: Better::Lower,
        show: Show::Money,
        missing: NO_PRICES,
        ratio: |view| {
            view.cell.cost_nanos.map_or_else(Ratio::default, |cost| Ratio::of(cost, view.cell.tasks))
        },
    },
    DerivedFigure {
        name: "cost_per_solved",
        title: "cost per solved turn",
        unit: "currency units per solved turn",
        formula: "Σ money for all requests / Σ solved turns, in cells with prices.",
        source: "spec/metrics.md, cost per solved task; evidence: a price table typed by a person",
        better: Better::Lower,
        show: Show::Money,
        missing: Missing("no price table, or nothing solved"),
        ratio: |view| {
            view.cell.cost_nanos.map_or_else(Ratio::default, |cost| Ratio::of(cost, view.cell.solved))
        },
    },
];

fn count<R>(rows: &[R], test: impl Fn(&&R) -> bool) -> u64 {
    rows.iter().filter(test).count() as u64
}

/// The end of the cell's last day, or the last event that a session knows of.
pub(super) fn end_ms(view: &CellView<'_>) -> i64 {
    let days = view.library_days.iter().map(|row| (i64::from(row.day) + 1) * MS_PER_DAY);
    let turns = view.turns.iter().map(|row| row.started_ms);
    days.chain(turns).max().unwrap_or(0)
}

/// Whether an exposure of the same user came while the skill lay in the archive.
fn needed(view: &CellView<'_>, skill: &SkillRow) -> bool {
    view.hazards
        .iter()
        .any(|row| row.archived && row.user == skill.user && row.skill.as_ref() == Some(&skill.skill))
}
