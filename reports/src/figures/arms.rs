//! Arms side by side, and paired.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use indexmap::IndexMap;

use super::cells::{CellView, draws_of};
use super::points::NEVER_LOADED;
use super::ratios::{DERIVED, DerivedFigure, Show};
use crate::stats::{Better, Comparison, Draws, Judgement, Maybe, Pair, compare, number, signed};
use crate::table::{Grid, Tone};

/// What must stand under every table of intervals.
pub(crate) const ABOUT_INTERVALS: &str = "The model is scripted: the only chance is what the scenario draws. An interval \
     speaks of the scenario's draws, not of any real model.";
/// What stands there when there is one seed.
pub(crate) const ABOUT_ONE_SEED: &str = "There is one seed, so chance cannot be told from rule and there is no interval to print. More seeds help where a scenario draws something.";
/// Below so many pairs even the clearest differences have more than one chance in twenty of being chance: 2 / 2^n.
pub(super) const PAIRS_ENOUGH: usize = 6;

/// What stands under a table of so few pairs.
pub(super) fn few_pairs(pairs: usize) -> String {
    format!("Only {pairs} pairs: with fewer than {PAIRS_ENOUGH} an interval is narrower than it should be.")
}
/// What stands there when nothing is drawn.
pub(crate) const ABOUT_NO_DRAWS: &str =
    "Nothing is drawn here: all seeds give the same figures, so there is no interval to print.";

/// Names of arms longer than this are no headings.
const HEAD_CHARS_MAX: usize = 24;

/// All derived figures by arm, pooled over scenarios and seeds. Figures that no arm has are left out.
pub fn overview(cells: &[CellView<'_>]) -> Grid {
    let arms = by_arm(cells);
    let mut columns = vec!["figure".to_owned(), "unit".to_owned()];
    columns.extend(arms.keys().map(|arm| format!(">{arm}")));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut grid = Grid::new("Figures by arm", &columns);
    for figure in DERIVED {
        let values: Vec<Maybe> = arms.values().map(|views| figure.of(views.iter())).collect();
        if values.iter().any(Result::is_ok) {
            let mut row = vec![figure.title.to_owned(), figure.unit.to_owned()];
            row.extend(values.into_iter().map(|value| figure.text(value)));
            grid.row(row);
        }
    }
    let evidence = cells.iter().map(|view| view.cell.evidence).max().unwrap_or_default();
    grid.note(format!("n = {} cells. Evidence: {evidence}.", cells.len()));
    grid
}

/// The cells of each arm: those of the world in which no skill is ever loaded first, then by name; numbers in names
/// count as numbers, so that 10 comes after 3.
pub fn by_arm<'a>(cells: &[CellView<'a>]) -> IndexMap<String, Vec<CellView<'a>>> {
    let mut arms: IndexMap<String, Vec<CellView<'a>>> = IndexMap::new();
    for view in cells {
        arms.entry(view.cell.arm.to_string()).or_default().push(*view);
    }
    let loads = |views: &[CellView<'_>]| views.first().is_some_and(|view| *view.cell.world != *NEVER_LOADED);
    arms.sort_by(|one, views, other, against| {
        loads(views).cmp(&loads(against)).then_with(|| natural(one, other))
    });
    arms
}

/// Compares texts with their runs of digits as numbers, digits behind a point as a fraction.
fn natural(one: &str, other: &str) -> Ordering {
    let (mut left, mut right) = (one, other);
    let mut is_fraction = false;
    loop {
        let (Some(first), Some(second)) = (left.chars().next(), right.chars().next()) else {
            // Equal but for leading zeros: then as texts.
            return left.len().cmp(&right.len()).then_with(|| one.cmp(other));
        };
        let both_digits = first.is_ascii_digit() && second.is_ascii_digit();
        let order = if both_digits {
            let (digits, rest) = leading_digits(left);
            let (against, other_rest) = leading_digits(right);
            (left, right) = (rest, other_rest);
            if is_fraction {
                digits.cmp(against)
            } else {
                let (number, against) = (digits.trim_start_matches('0'), against.trim_start_matches('0'));
                number.len().cmp(&against.len()).then_with(|| number.cmp(against))
            }
        } else {
            (left, right) = (&left[first.len_utf8()..], &right[second.len_utf8()..]);
            first.cmp(&second)
        };
        if order.is_ne() {
            return order;
        }
        is_fraction = !both_digits && first == '.';
    }
}

/// The digits that a text begins with, and what follows them.
fn leading_digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len()))
}

/// At most so many arms, in order: of each world in turn the one that spends most on reviews, then the one that
/// spends least, and so on inwards, so that no world and no extreme is left out before another is shown twice.
pub fn chosen_arms<'a>(cells: &[CellView<'a>], limit: usize) -> IndexMap<String, Vec<CellView<'a>>> {
    let mut arms = by_arm(cells);
    if arms.len() <= limit {
        return arms;
    }
    let mut worlds: BTreeMap<&str, Vec<(u64, &String)>> = BTreeMap::new();
    for (arm, views) in &arms {
        let spent = views.iter().map(|view| view.cell.review_tokens).sum();
        worlds.entry(&views[0].cell.world).or_default().push((spent, arm));
    }
    let mut queues: Vec<VecDeque<&String>> = Vec::new();
    for mut arms in worlds.into_values() {
        arms.sort();
        queues.push(arms.into_iter().map(|(_, arm)| arm).collect());
    }
    let mut chosen: BTreeSet<String> = BTreeSet::new();
    let mut from_the_top = true;
    while chosen.len() < limit {
        for queue in &mut queues {
            let next = if from_the_top { queue.pop_back() } else { queue.pop_front() };
            if chosen.len() < limit {
                chosen.extend(next.cloned());
            }
        }
        from_the_top = !from_the_top;
    }
    arms.retain(|arm, _| chosen.contains(arm));
    arms
}

/// A name for an arm that fits beside a plot: of each setting that a sweep varies, its key's last word.
pub(crate) fn short_name(arm: &str, views: &[CellView<'_>]) -> String {
    let settings = views.first().map_or("", |view| &view.cell.settings);
    settings.split(' ').filter(|setting| !setting.is_empty()).fold(arm.to_owned(), |name, setting| {
        let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
        let word = key.rsplit('.').next().unwrap_or(key);
        name.replace(setting, &format!("{word}={value}"))
    })
}

/// Cells of two arms, or of two runs, matched by scenario and seed.
#[derive(Clone, Debug, Default)]
pub struct CellPairs<'a> {
    /// Each pair: base, other.
    pub pairs: Vec<(CellView<'a>, CellView<'a>)>,
    /// Cells of either side without a partner.
    pub unmatched: usize,
}

/// Matches the cells of two sides by scenario and seed.
pub fn pairs_of<'a>(base: &[CellView<'a>], other: &[CellView<'a>]) -> CellPairs<'a> {
    let key = |view: &CellView<'a>| (view.cell.scenario.clone(), view.cell.seed);
    let mut bases: BTreeMap<_, _> = base.iter().map(|view| (key(view), *view)).collect();
    let mut found = CellPairs::default();
    for view in other {
        match bases.remove(&key(view)) {
            Some(base) => found.pairs.push((base, *view)),
            None => found.unmatched += 1,
        }
    }
    found.unmatched += bases.len();
    found
}

/// Compares these figures between two sides. The table has a row for each figure that some pair has on both sides.
///
/// # Errors
/// If no cell of one side has a partner on the other: nothing can be compared.
pub fn compare_arms(
    (base_name, base): (&str, &[CellView<'_>]),
    (other_name, other): (&str, &[CellView<'_>]),
    figures: &[&DerivedFigure],
) -> Maybe<(Grid, Vec<(&'static str, Comparison)>)> {
    let matched = pairs_of(base, other);
    if matched.pairs.is_empty() {
        return Err(crate::stats::Missing(
            "no cell of one side has the scenario and seed of one of the other",
        ));
    }
    let draws = draws_of_both(base, other);
    let title = format!("{other_name} against {base_name}");
    // Long names stand in the title alone.
    let are_long = base_name.chars().count().max(other_name.chars().count()) > HEAD_CHARS_MAX;
    let (base_head, other_head) = if are_long { ("base", "other") } else { (base_name, other_name) };
    let heads = ["verdict", "figure", "unit", &format!(">{base_head}"), &format!(">{other_head}")];
    let rest = [">difference", ">95 % interval", ">pairs", ">detectable"];
    let shown =
        if are_long { format!("{other_name} (other) against {base_name} (base)") } else { title.clone() };
    let mut grid = Grid::new(shown, &[heads.as_slice(), rest.as_slice()].concat());
    let mut found = Vec::new();
    for figure in figures {
        let Ok(comparison) = compare_figure(figure, &matched, draws, &title) else { continue };
        let (tone, cells) = row(figure, &comparison);
        grid.toned(tone, cells);
        found.push((figure.name, comparison));
    }
    grid.note(match draws {
        Draws::Some => ABOUT_INTERVALS,
        Draws::None => ABOUT_NO_DRAWS,
        Draws::OneSeed => ABOUT_ONE_SEED,
    });
    if draws == Draws::Some {
        grid.note(
            "Pairs share scenario and seed. Interval: bootstrap, bias-corrected and accelerated, 10,000 resamples. \
             Detectable: the smallest true difference that these pairs would find with 80 % power.",
        );
    }
    if draws == Draws::Some && matched.pairs.len() < PAIRS_ENOUGH {
        grid.note(few_pairs(matched.pairs.len()));
    }
    let views = matched.pairs.iter().flat_map(|(base, other)| [base, other]);
    let evidence = views.map(|view| view.cell.evidence).max().unwrap_or_default();
    grid.note(format!("Evidence: {evidence}."));
    if matched.unmatched > 0 {
        grid.note(format!("{} cells have no partner and are left out.", matched.unmatched));
    }
    Ok((grid, found))
}

/// Whether the scenarios of either side draw anything.
pub fn draws_of_both(base: &[CellView<'_>], other: &[CellView<'_>]) -> Draws {
    match (draws_of(base), draws_of(other)) {
        (Draws::Some, _) | (_, Draws::Some) => Draws::Some,
        (Draws::None, _) | (_, Draws::None) => Draws::None,
        (Draws::OneSeed, Draws::OneSeed) => Draws::OneSeed,
    }
}

/// One figure over the pairs that have it on both sides.
pub(super) fn compare_figure(
    figure: &DerivedFigure,
    matched: &CellPairs<'_>,
    draws: Draws,
    title: &str,
) -> Maybe<Comparison> {
    let pair = |(base, other): &(CellView<'_>, CellView<'_>)| {
        let cluster = format!("{}/{}", base.cell.scenario, base.cell.seed);
        Some(Pair { cluster, base: figure.of([base]).ok()?, other: figure.of([other]).ok()? })
    };
    let pairs: Vec<Pair> = matched.pairs.iter().filter_map(pair).collect();
    compare(&pairs, draws, figure.better, &format!("{}: {title}", figure.name))
}

fn row(figure: &DerivedFigure, comparison: &Comparison) -> (Tone, Vec<String>) {
    let tone = match comparison.judgement {
        Judgement::Better => Tone::Good,
        Judgement::Worse => Tone::Bad,
        Judgement::CannotTell => Tone::Plain,
    };
    let verdict = if figure.better == Better::Neither { "–" } else { comparison.judgement.words() };
    let interval = comparison.interval.map_or_else(
        |_| "–".to_owned(),
        |interval| {
            format!("{} to {}", difference(figure.show, interval.low), difference(figure.show, interval.high))
        },
    );
    let cells = [
        verdict.to_owned(),
        figure.title.to_owned(),
        figure.unit.to_owned(),
        figure.show.text(comparison.base),
        figure.show.text(comparison.other),
        difference(figure.show, comparison.difference),
        interval,
        comparison.pairs.to_string(),
        comparison.detectable.map_or_else(|_| "–".to_owned(), |value| magnitude(figure.show, value)),
    ];
    (tone, cells.to_vec())
}

/// A difference; of shares in percentage points.
fn difference(show: Show, value: f64) -> String {
    match show {
        Show::Number(digits) => signed(value, digits),
        Show::Percent => format!("{} pp", signed(value * 100.0, 1)),
        Show::Money => signed(value / 1e9, 4),
    }
}

fn magnitude(show: Show, value: f64) -> String {
    match show {
        Show::Number(digits) => number(value, digits),
        Show::Percent => format!("{} pp", number(value * 100.0, 1)),
        Show::Money => number(value / 1e9, 4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::cells;
    use crate::figures::samples::study;
    use crate::figures::{DERIVED, derived};
    use crate::records::{CellRow, Records};
    use crate::table::{Look, terminal};

    #[test]
    fn long_names_stand_in_the_title_alone() {
        let records = study();
        let arms = by_arm(&cells(&records));
        let long = "off memory.nudge_interval=0 skills.creation_nudge_interval=0";
        let (grid, _) =
            compare_arms((long, &arms["off"]), ("every-5", &arms["every-5"]), &[&DERIVED[0]]).unwrap();
        assert_eq!(grid.title, format!("every-5 (other) against {long} (base)"));
        let heads: Vec<&str> = grid.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(heads[3..5], ["base", "other"]);
    }

    #[test]
    fn arms_side_by_side() {
        let records = study();
        insta::assert_snapshot!(terminal(&overview(&cells(&records)), Look::default()), @r"
        Figures by arm
        ─────────────────────────────────────────────────────────────────────────────────────────────────────
         figure                           unit                                  every-5   every-10       off
        ═════════════════════════════════════════════════════════════════════════════════════════════════════
         tool calls per task              calls per task                           8.22       9.78     11.67
         tool errors per task             errors per task                          0.78       1.33      2.00
         iterations per task              model calls per task                     9.22      10.78     12.67
         tokens per task, all roles       tokens per task                         12723      15066     16873
         solved turns                     share of judged turns                  94.4 %     94.4 %    72.2 %
         hazards run into                 share of exposures                     38.9 %     66.7 %   100.0 %
         errors repeated                  share of later exposures               26.7 %     60.0 %   100.0 %
         lessons retained                 share of lessons taught               100.0 %    100.0 %     0.0 %
         corrections given again          per 100 turns                            0.00       0.00      0.00
         skills used later                share of skills at least 7 days old   100.0 %    100.0 %         –
         skills never used                share of all skills                     0.0 %      0.0 %         –
         writes per review                applied writes per review                0.17       0.17         –
         review tax                       share of all tokens                     8.2 %      6.9 %     0.0 %
         review waste                     share of review tokens                 83.3 %     83.3 %         –
         due nudges that ran              share of due nudges                   100.0 %    100.0 %         –
         due nudges lost                  share of due nudges                     0.0 %      0.0 %         –
         turns from due to run            turns                                    0.00       0.00         –
         hours from due to run            hours of simulated time                  0.00       0.00         –
         index tax                        share of prompt tokens of role main     3.1 %      2.3 %     1.5 %
         prompt tokens cached             share of prompt tokens                 66.4 %     64.6 %    61.9 %
         curator regret                   share of exposures                      0.0 %      0.0 %     0.0 %
         wait caused by background work   ms of simulated time per turn               0          0         0
        ─────────────────────────────────────────────────────────────────────────────────────────────────────
          n = 9 cells. Evidence: assumed.
        ");
    }

    #[test]
    fn a_comparison_with_draws() {
        let records = study();
        let arms = by_arm(&cells(&records));
        let names = ["tool_calls_per_task", "repeated_error_rate", "review_tax", "lesson_retention"];
        let figures: Vec<_> = names.iter().map(|name| derived(name).unwrap()).collect();
        let (grid, found) =
            compare_arms(("off", &arms["off"]), ("every-5", &arms["every-5"]), &figures).unwrap();
        assert_eq!(found[0].1.judgement, Judgement::Better);
        insta::assert_snapshot!(terminal(&grid, Look::default()), @r"
        every-5 against off
        ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
         verdict   figure                unit                           off   every-5   difference            95 % interval   pairs   detectable
        ═════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════
         better    tool calls per task   calls per task               11.67      8.22        -3.44           -4.00 to -3.11       3         0.82
         better    errors repeated       share of later exposures   100.0 %    26.7 %     -73.3 pp     -80.0 pp to -60.0 pp       3      18.7 pp
         worse     review tax            share of all tokens          0.0 %     8.2 %      +8.2 pp       +7.5 pp to +8.6 pp       3       1.1 pp
         –         lessons retained      share of lessons taught      0.0 %   100.0 %    +100.0 pp   +100.0 pp to +100.0 pp       3       0.0 pp
        ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
          The model is scripted: the only chance is what the scenario draws. An interval speaks of the scenario's draws, not of any real model.
          Pairs share scenario and seed. Interval: bootstrap, bias-corrected and accelerated, 10,000 resamples. Detectable: the smallest true difference that these pairs would find with 80 % power.
          Only 3 pairs: with fewer than 6 an interval is narrower than it should be.
          Evidence: assumed.
        ");
    }

    #[test]
    fn an_arm_against_itself_cannot_be_told_in_any_figure() {
        let records = study();
        let arms = by_arm(&cells(&records));
        let all: Vec<_> = DERIVED.iter().collect();
        let (_, found) = compare_arms(("a", &arms["off"]), ("b", &arms["off"]), &all).unwrap();
        assert!(found.iter().all(|(_, comparison)| comparison.judgement == Judgement::CannotTell));
    }

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = ["x=10 y=2", "x=9 y=3", "x=9 y=11", "x=010", "x", "y", "x=10"];
        names.sort_by(|one, other| natural(one, other));
        assert_eq!(names, ["x", "x=9 y=3", "x=9 y=11", "x=010", "x=10", "x=10 y=2", "y"]);
        let mut shares = ["x=1", "x=0.5", "x=0.25", "x=0", "x=0.05"];
        shares.sort_by(|one, other| natural(one, other));
        assert_eq!(shares, ["x=0", "x=0.05", "x=0.25", "x=0.5", "x=1"]);
    }

    #[test]
    fn no_world_and_no_extreme_is_left_out_first() {
        let mut records = Records::default();
        for world in ["always", "never"] {
            for interval in [1_u64, 3, 10] {
                let cell = CellRow {
                    arm: format!("{world} {interval}").into(),
                    world: world.into(),
                    review_tokens: 100 / interval,
                    ..CellRow::default()
                };
                records.cells.push(cell);
            }
        }
        let views = cells(&records);
        let names = |limit| chosen_arms(&views, limit).into_keys().collect::<Vec<_>>();
        assert_eq!(names(2), ["always 1", "never 1"]);
        assert_eq!(names(3), ["always 1", "always 10", "never 1"]);
        assert_eq!(names(9).len(), 6);
    }

    #[test]
    fn one_seed_prints_no_interval_and_strangers_are_refused() {
        let mut records = study();
        records.retain_cells(|_, _, seed| seed == 1);
        let arms = by_arm(&cells(&records));
        let figures = [derived("tool_calls_per_task").unwrap()];
        let (grid, _) = compare_arms(("off", &arms["off"]), ("every-5", &arms["every-5"]), &figures).unwrap();
        insta::assert_snapshot!(terminal(&grid, Look::default()), @r"
        every-5 against off
        ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
         verdict       figure                unit               off   every-5   difference   95 % interval   pairs   detectable
        ════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════
         cannot tell   tool calls per task   calls per task   12.00      8.00        -4.00               –       1            –
        ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
          There is one seed, so chance cannot be told from rule and there is no interval to print. More seeds help where a scenario draws something.
          Evidence: assumed.
        ");
        assert!(compare_arms(("off", &arms["off"]), ("none", &[]), &figures).is_err());
    }
}
