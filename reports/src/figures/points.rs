//! Arms one a row: the table by which a sweep is read.
//!
//! A world where skills are never loaded stands first: there learning can bring nothing, and whoever reads the table
//! from the top sees that before any gain.

use std::collections::BTreeMap;

use super::arms::{
    ABOUT_INTERVALS, ABOUT_NO_DRAWS, ABOUT_ONE_SEED, PAIRS_ENOUGH, by_arm, compare_figure, draws_of_both,
    few_pairs, pairs_of,
};
use super::cells::CellView;
use super::ratios::{DerivedFigure, derived};
use crate::stats::{Comparison, Draws, Maybe, Missing, number};
use crate::table::{Grid, Tone};

/// The named world in which no skill is ever loaded.
pub(super) const NEVER_LOADED: &str = "never-loaded";

/// The figures of a row: name, heading, and whether it is judged against the base.
const FIGURES: [(&str, &str, bool); 5] = [
    ("tool_calls_per_task", ">calls", true),
    ("tool_errors_per_task", ">errors", true),
    ("repeated_error_rate", ">repeated", false),
    ("solved_rate", ">solved", false),
    ("tokens_per_task", ">tokens", false),
];
/// What the headings mean.
const ABOUT_HEADINGS: &str = "Per task: tool calls and tool errors, tokens of all roles, tokens of reviews; a turn that \
     only corrects an earlier task adds to these and is no task. Repeated: share of later exposures to a hazard in which the agent ran into it again. Solved: share of judged turns.";

/// An arm without what a sweep adds to its name, and the settings that were added.
struct Name {
    base: String,
    settings: Vec<(String, String)>,
}

impl Name {
    fn of(arm: &str, views: &[CellView<'_>]) -> Self {
        let settings = views.first().map_or("", |view| &*view.cell.settings);
        let base = arm.strip_suffix(settings).unwrap_or(arm).trim_end();
        let settings = settings.split(' ').filter_map(|setting| setting.split_once('='));
        let settings = settings.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        Self { base: base.to_owned(), settings }
    }
}

/// Cells whose arms are compared with each other: those of one world with the same rates, in a sweep of settings the
/// points of one arm.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Group {
    /// Whether skills are ever loaded; the world in which none is comes first.
    loads: bool,
    /// The world; empty without one.
    pub world: String,
    /// The arm whose settings a sweep varies; empty where none is varied.
    pub arm: String,
    /// The rates that a sweep varies, as typed; empty where none is varied.
    pub rates: String,
}

/// How the keys of rates begin. A rate is the world's, not the agent's: arms are compared where it is the same.
const RATES: &str = "rates.";

/// Whether a varied key is a rate of the world.
pub(super) fn is_rate(key: &str) -> bool {
    key.starts_with(RATES)
}

impl Group {
    /// The group of a cell.
    pub fn of(view: &CellView<'_>) -> Self {
        let world = view.cell.world.to_string();
        let name = Name::of(&view.cell.arm, &[*view]);
        let (rates, settings): (Vec<_>, Vec<_>) = name.settings.iter().partition(|(key, _)| is_rate(key));
        let arm = if settings.is_empty() { String::new() } else { name.base };
        let rates: Vec<String> = rates.iter().map(|(key, value)| format!("{key}={value}")).collect();
        Self { loads: world != NEVER_LOADED, world, arm, rates: rates.join(" ") }
    }
}

/// The groups of these cells, the world where skills are never loaded first.
pub fn groups<'a>(cells: &[CellView<'a>]) -> BTreeMap<Group, Vec<CellView<'a>>> {
    let mut groups: BTreeMap<Group, Vec<CellView<'a>>> = BTreeMap::new();
    for view in cells {
        groups.entry(Group::of(view)).or_default().push(*view);
    }
    groups
}

/// The arm that spends the fewest tokens on reviews, of several the first: what the others of its group are compared
/// against.
pub fn least_reviewing(cells: &[CellView<'_>]) -> Option<String> {
    let spent = |views: &[CellView<'_>]| views.iter().map(|view| view.cell.review_tokens).sum::<u64>();
    by_arm(cells).into_iter().min_by_key(|(_, views)| spent(views)).map(|(arm, _)| arm)
}

/// Whether a sweep varied anything in these cells.
pub fn is_sweep(cells: &[CellView<'_>]) -> bool {
    cells.iter().any(|view| !view.cell.settings.is_empty())
}

/// An arm with the figures by which sweeps are judged.
#[derive(Clone, Debug)]
pub struct PointRow<'a> {
    /// Where it belongs.
    pub group: Group,
    /// Its whole name.
    pub arm: String,
    /// Its name without what a sweep adds to it.
    pub base: String,
    /// What a sweep varies, key and value as typed, in the order of the command line.
    pub settings: Vec<(String, String)>,
    /// Its cells.
    pub cells: usize,
    /// Its figures.
    pub figures: Vec<PointFigure>,
    /// Tokens of reviews per task.
    pub review_tokens: Maybe,
    /// The arm that it is judged against; none for that arm itself.
    pub against: Option<&'a str>,
}

/// A figure of an arm.
#[derive(Clone, Debug)]
pub struct PointFigure {
    /// Which.
    pub figure: &'static DerivedFigure,
    /// Its value.
    pub value: Maybe,
    /// How it compares, for a figure that is judged.
    pub comparison: Option<(Draws, Maybe<Comparison>)>,
}

/// All arms: of each group in order, numbers in names counting as numbers.
pub fn point_rows<'a>(groups: &'a BTreeMap<Group, Vec<CellView<'_>>>) -> Vec<PointRow<'a>> {
    let mut rows = Vec::new();
    for (group, views) in groups {
        let arms = by_arm(views);
        let base = views.first().and(least_reviewing(views));
        let base_views = base.as_deref().and_then(|base| arms.get(base)).map_or(&[][..], Vec::as_slice);
        let base_name = base_views.first().map(|view| &*view.cell.arm);
        for (arm, views) in &arms {
            let against = base_name.filter(|base| base != arm);
            rows.push(point_row(group, arm, views, against.map(|name| (name, base_views))));
        }
    }
    rows
}

fn point_row<'a>(
    group: &Group,
    arm: &str,
    views: &[CellView<'_>],
    against: Option<(&'a str, &[CellView<'_>])>,
) -> PointRow<'a> {
    let name = Name::of(arm, views);
    let of_figure = |(name, _, is_judged): &(&str, &str, bool)| {
        let figure = derived(name).expect("one of the derived figures");
        let comparison = against.filter(|_| *is_judged).map(|against| judge(figure, against, (arm, views)));
        PointFigure { figure, value: figure.of(views.iter()), comparison }
    };
    let tasks: u64 = views.iter().map(|view| view.cell.tasks).sum();
    let tokens: u64 = views.iter().map(|view| view.cell.review_tokens).sum();
    PointRow {
        group: group.clone(),
        arm: arm.to_owned(),
        base: name.base,
        settings: name.settings,
        cells: views.len(),
        figures: FIGURES.iter().map(of_figure).collect(),
        review_tokens: if tasks > 0 { Ok(tokens as f64 / tasks as f64) } else { Err(Missing("no tasks")) },
        against: against.map(|(name, _)| name),
    }
}

fn judge(
    figure: &DerivedFigure,
    (base, base_views): (&str, &[CellView<'_>]),
    (arm, views): (&str, &[CellView<'_>]),
) -> (Draws, Maybe<Comparison>) {
    let draws = draws_of_both(base_views, views);
    let matched = pairs_of(base_views, views);
    (draws, compare_figure(figure, &matched, draws, &format!("{arm} against {base}")))
}

/// All arms, one a row: what is varied, the figures by which sweeps are judged, and whether each is better or worse
/// than the arm of its group that spends the fewest tokens on reviews.
pub fn points(cells: &[CellView<'_>]) -> Grid {
    let groups = groups(cells);
    let keys = varied_keys(cells);
    let rows = point_rows(&groups);
    let has_worlds = rows.iter().any(|row| !row.group.world.is_empty());
    let arms_say_worlds = rows.iter().all(|row| unchanged(&row.group.world) == row.base);
    let shown = Shown { world: has_worlds && !arms_say_worlds, keys: &keys };
    let mut grid = Grid::new("Arms", &shown.headings());
    for row in &rows {
        let (tone, cells) = shown.row(row);
        grid.toned(tone, cells);
    }
    let comparisons =
        || rows.iter().flat_map(|row| &row.figures).filter_map(|figure| figure.comparison.as_ref());
    let pairs = comparisons().filter_map(|(_, found)| Some(found.as_ref().ok()?.pairs)).min();
    notes(&mut grid, cells, comparisons().map(|(draws, _)| *draws).next(), pairs.unwrap_or(0));
    grid
}

/// The named world that a world was before a sweep changed rates of it.
fn unchanged(world: &str) -> &str {
    world.strip_suffix(", changed").unwrap_or(world)
}

/// Which columns there are.
struct Shown<'a> {
    world: bool,
    keys: &'a [String],
}

impl Shown<'_> {
    fn headings(&self) -> Vec<String> {
        let mut headings = Vec::new();
        if self.world {
            headings.push("world".to_owned());
        }
        headings.push("arm".to_owned());
        headings.extend(self.keys.iter().map(|key| format!(">{}", last_word(key, self.keys))));
        headings.push(">cells".to_owned());
        for (_, heading, is_judged) in FIGURES {
            headings.push(heading.to_owned());
            if is_judged {
                headings.push("verdict".to_owned());
            }
        }
        headings.push(">of reviews".to_owned());
        headings
    }

    fn row(&self, row: &PointRow<'_>) -> (Tone, Vec<String>) {
        let mut cells = Vec::new();
        if self.world {
            cells.push(row.group.world.clone());
        }
        cells.push(row.base.clone());
        let value = |key: &String| {
            row.settings.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone())
        };
        cells.extend(self.keys.iter().map(|key| value(key).unwrap_or_default()));
        cells.push(row.cells.to_string());
        let mut tone = Tone::Plain;
        for (one, (_, _, is_judged)) in row.figures.iter().zip(FIGURES) {
            cells.push(one.figure.text(one.value));
            if is_judged {
                let words = one.words();
                tone = match words {
                    "worse" => Tone::Bad,
                    "better" if tone == Tone::Plain => Tone::Good,
                    _ => tone,
                };
                cells.push(words.to_owned());
            }
        }
        cells.push(row.review_tokens.map_or_else(|_| "–".to_owned(), |tokens| number(tokens, 0)));
        (tone, cells)
    }
}

impl PointFigure {
    /// The verdict in words; `base` for the arm that others are judged against, and a dash where there is none.
    pub fn words(&self) -> &'static str {
        match &self.comparison {
            None => "base",
            Some((Draws::Some, Ok(comparison))) => comparison.judgement.words(),
            Some(_) => "–",
        }
    }
}

fn notes(grid: &mut Grid, cells: &[CellView<'_>], draws: Option<Draws>, pairs: usize) {
    grid.note(ABOUT_HEADINGS);
    if let Some(draws) = draws {
        let keys = varied_keys(cells);
        let base = match (keys.iter().any(|key| !is_rate(key)), keys.iter().any(|key| is_rate(key))) {
            (false, false) => "the arm of the same world",
            (true, false) => "the point of the same arm",
            (false, true) => "the arm of the same world and rates",
            (true, true) => "the point of the same arm and rates",
        };
        grid.note(format!(
            "Verdict: against the base, {base} that spends the fewest tokens on reviews; paired by scenario and seed, \
             95 % bootstrap interval."
        ));
        grid.note(match draws {
            Draws::Some => ABOUT_INTERVALS,
            Draws::None => ABOUT_NO_DRAWS,
            Draws::OneSeed => ABOUT_ONE_SEED,
        });
        if draws == Draws::Some && pairs < PAIRS_ENOUGH {
            grid.note(few_pairs(pairs));
        }
    }
    let evidence = cells.iter().map(|view| view.cell.evidence).max().unwrap_or_default();
    grid.note(format!("n = {} cells. Evidence: {evidence}.", cells.len()));
}

/// The keys that the cells vary, in the order of the command line.
fn varied_keys(cells: &[CellView<'_>]) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for view in cells {
        for (key, _) in view.cell.settings.split(' ').filter_map(|setting| setting.split_once('=')) {
            if !keys.iter().any(|known| known == key) {
                keys.push(key.to_owned());
            }
        }
    }
    keys
}

/// The last word of a dotted key; the whole key where another ends with the same. A rate is called by its whole name.
pub(super) fn last_word<'k>(key: &'k str, keys: &[String]) -> &'k str {
    if let Some(rate) = key.strip_prefix(RATES) {
        return rate;
    }
    let word = |key: &'k str| key.rsplit('.').next().unwrap_or(key);
    let same = keys.iter().filter(|other| other.rsplit('.').next() == Some(word(key))).count();
    if same > 1 { key } else { word(key) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::cells;
    use crate::figures::samples::study;
    use crate::records::Records;
    use crate::table::{Look, terminal};

    /// The study as a sweep in two worlds.
    fn sweep() -> Records {
        let mut records = Records::default();
        for world in ["always", "never-loaded"] {
            let mut study = study();
            // In the other world nothing is gained by reviews.
            study.retain_cells(|_, arm, _| world == "always" || arm == "off");
            let name = |arm: &str| -> (String, String) {
                let interval = arm.strip_prefix("every-").unwrap_or("0");
                let setting = format!("memory.nudge_interval={interval}");
                (format!("{world} {setting}"), setting)
            };
            for cell in &mut study.cells {
                let (arm, settings) = name(&cell.arm);
                (cell.arm, cell.settings, cell.world) = (arm.into(), settings.into(), world.into());
            }
            for hazard in &mut study.hazards {
                hazard.arm = name(&hazard.arm).0.into();
            }
            records.append(study);
        }
        records.sort();
        records
    }

    #[test]
    fn a_sweep_row_by_row_the_world_without_loads_first() {
        let records = sweep();
        insta::assert_snapshot!(terminal(&points(&cells(&records)), Look::default()), @r"
        Arms
        ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
         arm            nudge_interval   cells   calls   verdict   errors   verdict   repeated   solved   tokens   of reviews
        ══════════════════════════════════════════════════════════════════════════════════════════════════════════════════════
         never-loaded                0       3   11.67   base        2.00   base       100.0 %   72.2 %    16873            0
         always                      0       3   11.67   base        2.00   base       100.0 %   72.2 %    16873            0
         always                      5       3    8.22   better      0.78   better      26.7 %   94.4 %    12723         1040
         always                     10       3    9.78   better      1.33   better      60.0 %   94.4 %    15066         1040
        ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
          Per task: tool calls and tool errors, tokens of all roles, tokens of reviews; a turn that only corrects an earlier task adds to these and is no task. Repeated: share of later exposures to a hazard in which the agent ran into it again. Solved: share of judged turns.
          Verdict: against the base, the point of the same arm that spends the fewest tokens on reviews; paired by scenario and seed, 95 % bootstrap interval.
          The model is scripted: the only chance is what the scenario draws. An interval speaks of the scenario's draws, not of any real model.
          Only 3 pairs: with fewer than 6 an interval is narrower than it should be.
          n = 12 cells. Evidence: assumed.
        ");
    }

    #[test]
    fn without_settings_and_worlds_there_are_arms() {
        let mut records = study();
        records.retain_cells(|_, _, seed| seed == 1);
        insta::assert_snapshot!(terminal(&points(&cells(&records)), Look::default()), @r"
        Arms
        ─────────────────────────────────────────────────────────────────────────────────────────────────
         arm        cells   calls   verdict   errors   verdict   repeated   solved   tokens   of reviews
        ═════════════════════════════════════════════════════════════════════════════════════════════════
         every-5        1    8.00   –           0.67   –           20.0 %   83.3 %    12400         1040
         every-10       1   10.00   –           1.33   –           60.0 %   83.3 %    15430         1040
         off            1   12.00   base        2.00   base       100.0 %   66.7 %    17420            0
        ─────────────────────────────────────────────────────────────────────────────────────────────────
          Per task: tool calls and tool errors, tokens of all roles, tokens of reviews; a turn that only corrects an earlier task adds to these and is no task. Repeated: share of later exposures to a hazard in which the agent ran into it again. Solved: share of judged turns.
          Verdict: against the base, the arm of the same world that spends the fewest tokens on reviews; paired by scenario and seed, 95 % bootstrap interval.
          There is one seed, so chance cannot be told from rule and there is no interval to print. More seeds help where a scenario draws something.
          n = 3 cells. Evidence: assumed.
        ");
    }

    #[test]
    fn keys_of_one_word_are_shown_whole() {
        let keys = ["memory.interval".to_owned(), "skills.interval".to_owned(), "curator.days".to_owned()];
        assert_eq!(last_word("memory.interval", &keys), "memory.interval");
        assert_eq!(last_word("curator.days", &keys), "days");
    }
}
