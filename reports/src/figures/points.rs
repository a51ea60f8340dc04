//! Arms one a row: the table by which a sweep is read.
//!
//! A world where skills are never loaded stands first: there learning can bring nothing, and whoever reads the table
//! from the top sees that before any gain.

use std::collections::BTreeMap;

use indexmap::IndexMap;

use super::arms::{
    ABOUT_INTERVALS, ABOUT_NO_DRAWS, ABOUT_ONE_SEED, by_arm, compare_figure, draws_of_both, pairs_of,
};
use super::cells::CellView;
use super::ratios::{DerivedFigure, derived};
use crate::stats::{Draws, number};
use crate::table::{Grid, Tone};

/// The named world in which no skill is ever loaded (design §5).
const NEVER_LOADED: &str = "never-loaded";

/// The figures of a row: name, heading, and whether it is judged against the base.
const FIGURES: [(&str, &str, bool); 5] = [
    ("tool_calls_per_turn", ">calls", true),
    ("tool_errors_per_turn", ">errors", true),
    ("repeated_error_rate", ">repeated", false),
    ("solved_rate", ">solved", false),
    ("tokens_per_turn", ">tokens", false),
];
/// What the headings mean.
const ABOUT_HEADINGS: &str = "Per turn: tool calls and tool errors, tokens of all roles, tokens of reviews. Repeated: \
     share of later exposures to a hazard in which the agent ran into it again. Solved: share of judged turns.";

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

/// The worlds of these cells, the one where skills are never loaded first.
pub fn worlds<'a>(cells: &[CellView<'a>]) -> IndexMap<String, Vec<CellView<'a>>> {
    let mut worlds: IndexMap<String, Vec<CellView<'a>>> = IndexMap::new();
    for view in cells {
        worlds.entry(view.cell.world.to_string()).or_default().push(*view);
    }
    worlds.sort_by(|one, _, other, _| (one != NEVER_LOADED, one).cmp(&(other != NEVER_LOADED, other)));
    worlds
}

/// The arm that spends the fewest tokens on reviews, of several the first: what the others of its world are compared
/// against.
pub fn least_reviewing(cells: &[CellView<'_>]) -> Option<String> {
    let spent = |views: &[CellView<'_>]| views.iter().map(|view| view.cell.review_tokens).sum::<u64>();
    by_arm(cells).into_iter().min_by_key(|(_, views)| spent(views)).map(|(arm, _)| arm)
}

/// Whether a sweep varied anything in these cells.
pub fn is_sweep(cells: &[CellView<'_>]) -> bool {
    cells.iter().any(|view| !view.cell.settings.is_empty())
}

/// All arms, one a row: what is varied, the figures by which sweeps are judged, and whether each is better or worse
/// than the arm of its world that spends the fewest tokens on reviews.
pub fn points(cells: &[CellView<'_>]) -> Grid {
    let worlds = worlds(cells);
    let keys = varied_keys(cells);
    let has_worlds = worlds.keys().any(|world| !world.is_empty());
    let arms_say_worlds = by_arm(cells)
        .iter()
        .all(|(arm, views)| views.first().is_some_and(|view| *view.cell.world == *Name::of(arm, views).base));
    let shown = Shown { world: has_worlds && !arms_say_worlds, keys: &keys };
    let mut grid = Grid::new("Arms", &shown.headings());
    let mut draws_found = BTreeMap::new();
    for (world, views) in &worlds {
        let base = least_reviewing(views);
        let arms = by_arm(views);
        let base_views = base.as_deref().and_then(|base| arms.get(base)).map_or(&[][..], Vec::as_slice);
        for (arm, views) in &arms {
            let is_base = base.as_ref() == Some(arm);
            let against = (!is_base).then_some((base.as_deref().unwrap_or(""), base_views));
            let (tone, cells, draws) = row(&shown, world, arm, views, against);
            draws_found.extend(draws.map(|draws| (draws as u8, draws)));
            grid.toned(tone, cells);
        }
    }
    notes(&mut grid, cells, draws_found.into_values().next());
    grid
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
}

fn row(
    shown: &Shown<'_>,
    world: &str,
    arm: &str,
    views: &[CellView<'_>],
    against: Option<(&str, &[CellView<'_>])>,
) -> (Tone, Vec<String>, Option<Draws>) {
    let name = Name::of(arm, views);
    let mut cells = Vec::new();
    if shown.world {
        cells.push(world.to_owned());
    }
    cells.push(name.base);
    let value =
        |key: &String| name.settings.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone());
    cells.extend(shown.keys.iter().map(|key| value(key).unwrap_or_default()));
    cells.push(views.len().to_string());
    let (mut tone, mut draws) = (Tone::Plain, None);
    for (name, _, is_judged) in FIGURES {
        let figure = figure(name);
        cells.push(figure.text(figure.of(views.iter())));
        if !is_judged {
            continue;
        }
        let judged = against.map(|against| judge(figure, against, (arm, views)));
        let (words, found) = judged.unwrap_or(("base", None));
        draws = draws.or(found);
        tone = match words {
            "worse" => Tone::Bad,
            "better" if tone == Tone::Plain => Tone::Good,
            _ => tone,
        };
        cells.push(words.to_owned());
    }
    let turns: u64 = views.iter().map(|view| view.cell.turns).sum();
    let tokens: u64 = views.iter().map(|view| view.cell.review_tokens).sum();
    let per_turn = (turns > 0).then(|| number(tokens as f64 / turns as f64, 0));
    cells.push(per_turn.unwrap_or_else(|| "–".to_owned()));
    (tone, cells, draws)
}

/// The verdict in words, and whether there was anything to draw.
fn judge(
    figure: &DerivedFigure,
    (base, base_views): (&str, &[CellView<'_>]),
    (arm, views): (&str, &[CellView<'_>]),
) -> (&'static str, Option<Draws>) {
    let matched = pairs_of(base_views, views);
    let draws = draws_of_both(base_views, views);
    match compare_figure(figure, &matched, draws, &format!("{arm} against {base}")) {
        Ok(found) if draws == Draws::Some => (found.judgement.words(), Some(draws)),
        _ => ("–", Some(draws)),
    }
}

fn notes(grid: &mut Grid, cells: &[CellView<'_>], draws: Option<Draws>) {
    grid.note(ABOUT_HEADINGS);
    if let Some(draws) = draws {
        grid.note(
            "Verdict: against the base, the arm of the same world that spends the fewest tokens on reviews; paired by \
             scenario and seed, 95 % bootstrap interval.",
        );
        grid.note(match draws {
            Draws::Some => ABOUT_INTERVALS,
            Draws::None => ABOUT_NO_DRAWS,
            Draws::OneSeed => ABOUT_ONE_SEED,
        });
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

/// The last word of a dotted key; the whole key where another ends with the same.
fn last_word<'k>(key: &'k str, keys: &[String]) -> &'k str {
    let word = |key: &'k str| key.rsplit('.').next().unwrap_or(key);
    let same = keys.iter().filter(|other| other.rsplit('.').next() == Some(word(key))).count();
    if same > 1 { key } else { word(key) }
}

fn figure(name: &str) -> &'static DerivedFigure {
    derived(name).expect("one of the derived figures")
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
        ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
         arm            nudge_interval   cells   tool calls per turn   verdict   tool errors per turn   verdict   errors repeated   solved turns   tokens per turn, all roles   review tokens per turn
        ═══════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════
         never-loaded                0       3                 11.67   base                      2.00   base              100.0 %         72.2 %                        16873                        0
         always                      0       3                 11.67   base                      2.00   base              100.0 %         72.2 %                        16873                        0
         always                      5       3                  8.22   better                    0.78   better             26.7 %         94.4 %                        12723                     1040
         always                     10       3                  9.78   better                    1.33   better             60.0 %         94.4 %                        15066                     1040
        ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
          Verdict: against the base, the arm of the same world that spends the fewest tokens on reviews; paired by scenario and seed, 95 % bootstrap interval.
          The model is scripted: the only chance is what the scenario draws. An interval speaks of the scenario's draws, not of any real model.
          n = 12 cells. Evidence: assumed.
        ");
    }

    #[test]
    fn without_settings_and_worlds_there_are_arms() {
        let mut records = study();
        records.retain_cells(|_, _, seed| seed == 1);
        insta::assert_snapshot!(terminal(&points(&cells(&records)), Look::default()), @r"
        Arms
        ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
         arm        cells   tool calls per turn   verdict   tool errors per turn   verdict   errors repeated   solved turns   tokens per turn, all roles   review tokens per turn
        ══════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════
         every-5        1                  8.00   –                         0.67   –                  20.0 %         83.3 %                        12400                     1040
         every-10       1                 10.00   –                         1.33   –                  60.0 %         83.3 %                        15430                     1040
         off            1                 12.00   base                      2.00   base              100.0 %         66.7 %                        17420                        0
        ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
          Verdict: against the base, the arm of the same world that spends the fewest tokens on reviews; paired by scenario and seed, 95 % bootstrap interval.
          There is one seed, so chance cannot be told from rule and there is no interval to print. Run more seeds.
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
