//! The plots of a run, made from its records.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::chart::{
    Bar, BarChart, Chart, Dot, Forest, ForestRow, Head, Line, LineChart, Panel, Panels, Point, Scatter,
};
use super::names::{Names, PointNames};
use crate::figures::{CellView, DerivedFigure, Group, Show, by_arm, chosen_arms, derived, funnel, learning};
use crate::records::{LibraryDayRow, TurnRow};
use crate::stats::{Comparison, Judgement, Maybe, mean, number, quantile, signed};

/// Arms that one plot shows; more could not be told apart. The rest is named in the subtitle.
const ARMS_MAX: usize = 8;
/// Lines whose bands can still be told apart.
const BANDS_MAX: usize = 4;
/// A mean over fewer than one in so many sequences speaks of a few long ones; a curve ends there.
const SEQUENCES_SHARE: usize = 4;
/// And so does a mean over fewer than this, where there were more.
const SEQUENCES_MIN: usize = 3;
/// Lines of the trade-off that can be told apart and named.
const LINES_MAX: usize = 8;
/// Panels of the library's plot.
const PANELS_MAX: usize = 8;
/// Arms whose bars fit into a row of the funnel.
const BARS_MAX: usize = 4;

/// All plots of a run with the names of their files, but the comparison, which needs two sides.
pub fn plots(cells: &[CellView<'_>]) -> Vec<(&'static str, Chart)> {
    vec![
        ("learning-curve", learning_curve(cells)),
        ("nudge-tradeoff", nudge_tradeoff(cells)),
        ("library", library(cells)),
        ("funnel", funnel_chart(cells)),
    ]
}

/// The cost of a recurring task by occurrence, a line an arm. Without families: by the user's turn.
pub fn learning_curve(cells: &[CellView<'_>]) -> Chart {
    let recurs = |view: &CellView<'_>| view.turns.iter().any(|turn| turn.occurrence.is_some());
    let recurring = cells.iter().any(recurs);
    // Arms without recurring work have no curve beside arms that have it.
    let cells: Vec<CellView<'_>> = cells.iter().filter(|view| !recurring || recurs(view)).copied().collect();
    let cells = cells.as_slice();
    let mut lines = Vec::new();
    let arms = chosen_arms(cells, ARMS_MAX);
    let names = Names::of(cells);
    for (arm, views) in &arms {
        let sequences = if recurring { families(views) } else { users(views) };
        let longest = sequences.iter().map(Vec::len).max().unwrap_or(0);
        let at = |place: usize| -> Vec<f64> {
            sequences.iter().filter_map(|turns| turns.get(place)).map(|turn| turn.tool_calls as f64).collect()
        };
        let bands = arms.len() <= BANDS_MAX;
        let enough = sequences.len().div_ceil(SEQUENCES_SHARE).max(sequences.len().min(SEQUENCES_MIN));
        let points = (0..longest)
            .map(|place| (place, at(place)))
            .take_while(|(_, values)| values.len() >= enough)
            .filter_map(|(place, values)| point(place as f64 + 1.0, &values, bands).ok())
            .collect();
        lines.push(Line {
            name: names.name(arm, views),
            detail: format!("n = {} sequences", sequences.len()),
            points,
        });
    }
    let (x, of) = if recurring {
        ("occurrence of the task, for one user", "a family of tasks for one user")
    } else {
        ("turn of the user, in order", "the turns of one user")
    };
    let band = if arms.len() <= BANDS_MAX { "; band: 10th to 90th percentile" } else { "" };
    let subtitle = format!(
        "Mean of sequences ({of}, per seed), while a quarter of them go on{band}.{}{}",
        cut(by_arm(cells).len(), arms.len(), "arms"),
        names.note()
    );
    Chart::Lines(LineChart {
        head: Head {
            title: "Learning curve: tool calls per task".into(),
            subtitle,
            x: x.into(),
            y: "tool calls (calls per task)".into(),
            empty: "no turns".into(),
        },
        lines,
        whole_x: true,
    })
}

fn families<'a>(views: &[CellView<'a>]) -> Vec<Vec<&'a TurnRow>> {
    learning::sequences(views).into_values().flatten().map(|sequence| sequence.turns).collect()
}

fn users<'a>(views: &[CellView<'a>]) -> Vec<Vec<&'a TurnRow>> {
    let mut of_user: BTreeMap<_, Vec<&'a TurnRow>> = BTreeMap::new();
    for turn in views.iter().flat_map(|view| view.turns) {
        of_user.entry((turn.scenario.clone(), turn.seed, turn.user.clone())).or_default().push(turn);
    }
    of_user.into_values().collect()
}

fn point(x: f64, values: &[f64], band: bool) -> Maybe<Point> {
    let y = mean(values)?;
    let end = |p| if band { quantile(values, p) } else { Ok(y) };
    Ok(Point { x, y, low: end(0.1)?, high: end(0.9)? })
}

/// What reviews cost against what they spare: a point an arm, measured from the arm of the same scenario and world that
/// spends the fewest tokens on reviews.
pub fn nudge_tradeoff(cells: &[CellView<'_>]) -> Chart {
    let mut lines: BTreeMap<(&str, Group), Vec<CellView<'_>>> = BTreeMap::new();
    for view in cells {
        lines.entry((&view.cell.scenario, Group::of(view))).or_default().push(*view);
    }
    let figure = derived("tool_calls_per_task").expect("one of the derived figures");
    let names = PointNames::of(cells);
    let mut groups: Vec<(String, Vec<Dot>)> = Vec::new();
    let mut alone = 0;
    for ((scenario, group), views) in lines {
        let mut dots: Vec<(f64, f64, String)> = by_arm(&views)
            .into_iter()
            .filter_map(|(arm, views)| {
                let name = names.point(&arm, &views);
                Some((review_tokens(&views)?, figure.of(views.iter()).ok()?, name))
            })
            .collect();
        dots.sort_by(|one, other| one.0.total_cmp(&other.0).then_with(|| one.2.cmp(&other.2)));
        let Some((_, base, _)) = dots.first().cloned() else { continue };
        if dots.len() == 1 {
            alone += 1;
            continue;
        }
        let dots =
            dots.into_iter().map(|(tokens, calls, name)| Dot { name, at: (tokens, base - calls) }).collect();
        groups.push((names.line(scenario, &group), dots));
    }
    let all = groups.len();
    keep_the_longest(&mut groups);
    Chart::Scatter(Scatter {
        head: Head {
            title: "Nudge trade-off: calls spared against review tokens".into(),
            subtitle: format!(
                "n = {} cells. Spared: against the arm of the same world with the fewest review tokens. Lines join what \
                 spares more than anything cheaper.{}{}{}",
                cells.len(),
                names.note(),
                cut(all, groups.len(), "lines"),
                if alone > 0 { format!(" Without another to compare: {alone}.") } else { String::new() },
            ),
            x: "tokens of reviews (tokens per task)".into(),
            y: "tool calls spared (calls per task)".into(),
            empty: if alone > 0 { "no two arms share a world".into() } else { "no turns".into() },
        },
        groups,
    })
}

/// Of too many lines, those with the most points, in their order.
fn keep_the_longest(lines: &mut Vec<(String, Vec<Dot>)>) {
    let mut places: Vec<usize> = (0..lines.len()).collect();
    places.sort_by_key(|place| Reverse(lines[*place].1.len()));
    let kept: BTreeSet<usize> = places.into_iter().take(LINES_MAX).collect();
    let mut place = 0..;
    lines.retain(|_| place.next().is_some_and(|place| kept.contains(&place)));
}

fn review_tokens(views: &[CellView<'_>]) -> Option<f64> {
    let tasks: u64 = views.iter().map(|view| view.cell.tasks).sum();
    let tokens: u64 = views.iter().map(|view| view.cell.review_tokens).sum();
    (tasks > 0).then(|| tokens as f64 / tasks as f64)
}

/// Skills by state over time, a panel an arm.
pub fn library(cells: &[CellView<'_>]) -> Chart {
    let with_days: Vec<_> = cells.iter().filter(|view| !view.library_days.is_empty()).copied().collect();
    let mut panels = Vec::new();
    let names = Names::of(cells);
    for (arm, views) in &chosen_arms(&with_days, PANELS_MAX) {
        let mut days: BTreeMap<u32, Vec<&LibraryDayRow>> = BTreeMap::new();
        for row in views.iter().flat_map(|view| view.library_days) {
            days.entry(row.day).or_default().push(row);
        }
        let libraries = days.values().map(Vec::len).max().unwrap_or(0);
        let line = |name: &str, count: fn(&LibraryDayRow) -> u64| {
            let point = |(day, rows): (&u32, &Vec<&LibraryDayRow>)| {
                let y = rows.iter().map(|row| count(row)).sum::<u64>() as f64 / rows.len() as f64;
                Point { x: f64::from(*day), y, low: y, high: y }
            };
            Line { name: name.into(), detail: String::new(), points: days.iter().map(point).collect() }
        };
        let lines = vec![
            line("active", |row| row.active),
            line("stale", |row| row.stale),
            line("archived", |row| row.archived),
        ];
        let detail = format!(" (n = {libraries})");
        panels.push(Panel { name: names.name(arm, views), detail, lines });
    }
    let shown = panels.len();
    Chart::Panels(Panels {
        head: Head {
            title: "Library by state over time".into(),
            subtitle: format!(
                "Mean number of skills at each day's end; n: libraries, one a user and seed.{}{}",
                cut(by_arm(cells).len(), shown, "arms"),
                names.note()
            ),
            x: "day of the scenario (days, the first being 0)".into(),
            y: "skills (mean per library)".into(),
            empty: "no day ended".into(),
        },
        panels,
    })
}

/// The funnel of learning, a bar an arm.
pub fn funnel_chart(cells: &[CellView<'_>]) -> Chart {
    let arms = chosen_arms(cells, BARS_MAX);
    let names = Names::of(cells);
    let shown: Vec<_> =
        arms.iter().map(|(arm, views)| (names.name(arm, views), funnel::funnel(views))).collect();
    // The first two stages count turns and exposures, which are no part of each other.
    let rows: Vec<_> = (2..shown.first().map_or(2, |(_, funnel)| funnel.stages.len()))
        .map(|stage| {
            let bars = shown.iter().map(|(_, funnel)| {
                let (count, whole) = (funnel.stages[stage].count, funnel.stages[2].count);
                let share = if whole == 0 { 0.0 } else { count as f64 / whole as f64 };
                Bar { share, text: count.to_string() }
            });
            (shown[0].1.stages[stage].name.to_owned(), bars.collect::<Vec<_>>())
        })
        .collect();
    let empty = shown.iter().all(|(_, funnel)| funnel.stages[2].count == 0);
    let exposures = shown.iter().map(|(_, funnel)| funnel.stages[2].count).sum::<u64>();
    Chart::Bars(BarChart {
        head: Head {
            title: "Funnel: from a hazard met again to an error spared".into(),
            subtitle: format!(
                "Exposures that passed a stage and all before it, with their number; n = {exposures}.{}{}",
                cut(by_arm(cells).len(), shown.len(), "arms"),
                names.note()
            ),
            x: "share of exposures after the lesson was taught (%)".into(),
            y: "stage".into(),
            empty: "no hazard was met again".into(),
        },
        series: if empty { Vec::new() } else { shown.iter().map(|(arm, _)| arm.clone()).collect() },
        rows: if empty { Vec::new() } else { rows },
    })
}

/// Differences between two sides with their intervals, each in percent of the base side's mean. `note` is what must be
/// said of their names.
pub fn comparison(base: &str, other: &str, found: &[(&str, Comparison)], note: &str) -> Chart {
    let row = |(name, comparison): &(&str, Comparison)| {
        let figure = derived(name)?;
        if comparison.base.abs() < f64::EPSILON {
            return None;
        }
        let percent = |value: f64| 100.0 * value / comparison.base;
        let interval =
            comparison.interval.ok().map(|interval| (percent(interval.low), percent(interval.high)));
        Some(ForestRow {
            name: figure.title.to_owned(),
            value: percent(comparison.difference),
            interval: interval.map(|(low, high)| (low.min(high), low.max(high))),
            text: words(figure, comparison),
        })
    };
    let rows: Vec<_> = found.iter().filter_map(row).collect();
    let pairs = found.iter().map(|(_, comparison)| comparison.pairs).max().unwrap_or(0);
    let without = found.len() - rows.len();
    let left_out = if without == 0 { String::new() } else { format!(" Left out, being 0 there: {without}.") };
    Chart::Forest(Forest {
        head: Head {
            title: format!("{other} against {base}"),
            subtitle: format!(
                "Paired by scenario and seed, n = {pairs} pairs; 95 % bootstrap interval, hollow where there is none.{left_out}{note}"
            ),
            x: format!("difference (% of the mean under {base})"),
            y: "figure".into(),
            empty: "no figure to compare".into(),
        },
        rows,
    })
}

fn words(figure: &DerivedFigure, comparison: &Comparison) -> String {
    let difference = match figure.show {
        Show::Number(digits) => signed(comparison.difference, digits),
        Show::Percent => format!("{} pp", signed(comparison.difference * 100.0, 1)),
        Show::Money => signed(comparison.difference / 1e9, 4),
    };
    match (figure.better, comparison.judgement) {
        (crate::stats::Better::Neither, _) => difference,
        (_, Judgement::CannotTell) => format!("{difference}, cannot tell"),
        (_, judgement) => format!("{difference}, {}", judgement.words()),
    }
}

fn cut(all: usize, shown: usize, what: &str) -> String {
    if all > shown {
        format!(" {} of {} {what} shown.", number(shown as f64, 0), number(all as f64, 0))
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::samples::study;
    use crate::figures::{DERIVED, cells, compare_arms};
    use crate::plots::{FontPlace, png, svg};
    use crate::records::Records;

    fn all(records: &Records) -> Vec<(&'static str, Chart)> {
        let views = cells(records);
        let mut charts = plots(&views);
        let arms = by_arm(&views);
        let none = Vec::new();
        let side = |arm: &str| arms.get(arm).unwrap_or(&none).clone();
        let figures: Vec<_> = DERIVED.iter().collect();
        let found = compare_arms(("off", &side("off")), ("every-5", &side("every-5")), &figures);
        let found = found.map_or_else(|_| Vec::new(), |(_, found)| found);
        charts.push(("comparison", comparison("off", "every-5", &found, "")));
        charts
    }

    /// Set `PLOTS_DIR` to keep the files and look at them.
    #[test]
    fn every_plot_is_drawn_as_svg_and_png() {
        let dir = tempfile::tempdir().unwrap();
        let kept = std::env::var_os("PLOTS_DIR").map(std::path::PathBuf::from);
        let dir = kept.as_deref().unwrap_or(dir.path());
        let with_empty = kept.is_some().then(|| (Records::default(), "empty-"));
        for (records, prefix) in std::iter::once((study(), "")).chain(with_empty) {
            for (name, chart) in all(&records) {
                let vector = svg(&chart, FontPlace::Inside).unwrap();
                assert!(vector.contains("@font-face") && vector.contains("<desc>"), "{name}");
                std::fs::write(dir.join(format!("{prefix}{name}.svg")), vector).unwrap();
                let file = dir.join(format!("{prefix}{name}.png"));
                png(&chart, &file).unwrap();
                assert!(std::fs::read(&file).unwrap().starts_with(b"\x89PNG"), "{name}");
            }
        }
    }

    #[test]
    fn the_same_records_give_the_same_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let (one, other) = (dir.path().join("one.png"), dir.path().join("other.png"));
        let (records, again) = (study(), study());
        let (first, second) = (all(&records), all(&again));
        for ((name, one), (_, other)) in first.iter().zip(&second) {
            assert_eq!(svg(one, FontPlace::Page).unwrap(), svg(other, FontPlace::Page).unwrap(), "{name}");
        }
        png(&first[0].1, &one).unwrap();
        png(&second[0].1, &other).unwrap();
        assert_eq!(std::fs::read(&one).unwrap(), std::fs::read(&other).unwrap());
    }

    /// Five intervals in three worlds, made up from the study's cells.
    fn sweep() -> Records {
        let study = study();
        let mut sweep = Records::default();
        for (row, world) in ["always", "never-loaded", "sometimes"].into_iter().enumerate() {
            for (column, interval) in [1_u64, 3, 5, 10, 20].into_iter().enumerate() {
                let mut part = study.clone();
                part.retain_cells(|_, arm, _| arm == "every-5");
                let arm: std::sync::Arc<str> = format!("{world} memory.nudge_interval={interval}").into();
                for cell in &mut part.cells {
                    cell.arm = arm.clone();
                    cell.world = world.into();
                    cell.settings = format!("memory.nudge_interval={interval}").into();
                    cell.review_tokens /= interval;
                    cell.tool_calls -= [8 - 2 * column as u64, 0, 4 - column as u64][row];
                }
                for turn in &mut part.turns {
                    turn.arm = arm.clone();
                }
                for day in &mut part.library_days {
                    day.arm = arm.clone();
                }
                for exposure in &mut part.hazards {
                    exposure.arm = arm.clone();
                }
                sweep.append(part);
            }
        }
        sweep.sort();
        sweep
    }

    #[test]
    fn a_sweep_of_many_arms_says_what_it_leaves_out() {
        let records = sweep();
        let views = cells(&records);
        let charts = plots(&views);
        for (name, chart) in &charts {
            if let Some(dir) = std::env::var_os("PLOTS_DIR") {
                png(chart, &std::path::Path::new(&dir).join(format!("sweep-{name}.png"))).unwrap();
            }
        }
        let said: Vec<_> =
            charts.iter().map(|(_, chart)| chart.head().subtitle.contains(" of 15 arms shown")).collect();
        assert_eq!(said, [true, false, true, true]);
        let Chart::Scatter(scatter) = &charts[1].1 else { panic!("a scatter") };
        let names: Vec<_> =
            scatter.groups.iter().map(|(name, dots)| (name.as_str(), dots[0].name.as_str())).collect();
        assert_eq!(names, [("never-loaded", "20"), ("always", "20"), ("sometimes", "20")]);
    }

    /// Report 18 (`criterion.rs #388, #171`): an empty range is drawn in process, and said to be empty.
    #[test]
    fn report_18_an_empty_run_gives_labelled_empty_plots() {
        for (name, chart) in all(&Records::default()) {
            let vector = svg(&chart, FontPlace::Page).unwrap();
            assert!(vector.contains("no data: "), "{name}");
            assert!(!vector.contains("NaN") && !vector.contains("inf"), "{name}");
        }
    }

    #[test]
    fn names_are_text_and_nothing_else() {
        let mut chart = LineChart { lines: vec![Line::default()], ..LineChart::default() };
        chart.head.title = "<script>alert(1)</script> & \u{1b}[31m".into();
        chart.lines[0].name = "<b>\"arm\"</b>".into();
        chart.lines[0].points = vec![Point { x: 1.0, y: 2.0, low: 1.0, high: 3.0 }];
        let vector = svg(&Chart::Lines(chart), FontPlace::Page).unwrap();
        assert!(!vector.contains("<script") && !vector.contains("<b>") && !vector.contains('\u{1b}'));
    }

    #[test]
    fn the_plot_says_what_it_shows() {
        let records = study();
        let described: Vec<_> =
            all(&records).into_iter().map(|(name, chart)| format!("{name}: {}", chart.describe())).collect();
        insta::assert_snapshot!(described.join("\n"), @r"
        learning-curve: tool calls (calls per task) against occurrence of the task, for one user. Mean of sequences (a family of tasks for one user, per seed), while a quarter of them go on; band: 10th to 90th percentile. Shown: every-5, every-10, off.
        nudge-tradeoff: tool calls spared (calls per task) against tokens of reviews (tokens per task). n = 9 cells. Spared: against the arm of the same world with the fewest review tokens. Lines join what spares more than anything cheaper. Shown: quarter.
        library: skills (mean per library) against day of the scenario (days, the first being 0). Mean number of skills at each day's end; n: libraries, one a user and seed. Shown: every-5, every-10, off.
        funnel: stage against share of exposures after the lesson was taught (%). Exposures that passed a stage and all before it, with their number; n = 45. Shown: every-5, every-10, off.
        comparison: figure against difference (% of the mean under off). Paired by scenario and seed, n = 3 pairs; 95 % bootstrap interval, hollow where there is none. Left out, being 0 there: 5. Shown: tool calls per task, tool errors per task, iterations per task, tokens per task, all roles, solved turns, hazards run into, errors repeated, index tax, prompt tokens cached.
        ");
    }
}
