//! The report of a run: its plots, its tables and its page, made from records alone.

use crate::figures::{
    CellView, DERIVED, break_even_grid, by_arm, cells, chosen_arms, compare_arms, derived, figures, funnel,
    groups, is_sweep, learning, least_reviewing, overview, paired, points,
};
use crate::html::{Page, Section};
use crate::plots::{Chart, Names, comparison, funnel_chart, learning_curve, library, nudge_tradeoff};
use crate::records::Records;
use crate::stats::{Comparison, percent, signed};
use crate::table::Grid;
use crate::verdict::{Outcome, Verdict};

/// Arms whose funnels the page shows, and arms of one world that it compares.
const ARMS_MAX: usize = 12;
/// Arms that stand side by side in a table; more are shown one a row.
const COLUMNS_MAX: usize = 8;
/// Successive good occurrences that make competence, and how far above the best cost they may lie.
const COMPETENT_IN_A_ROW: usize = 3;
const COMPETENT_FACTOR: f64 = 1.2;

/// An arm compared against the base of its world.
struct Compared {
    base: String,
    arm: String,
    grid: Grid,
    found: Vec<(&'static str, Comparison)>,
}

/// A run's records with what is shown of them.
pub struct Report<'a> {
    views: Vec<CellView<'a>>,
    compared: Vec<Compared>,
}

impl<'a> Report<'a> {
    /// The report of sorted records ([`Records::sort`]). Arms are compared against the one of their world (points of a
    /// sweep against the one of their arm) that spends the fewest tokens on reviews; of several against the first by
    /// name.
    pub fn new(records: &'a Records) -> Self {
        Self::build(records, None)
    }

    /// The same, with all arms compared against this one.
    pub fn against(records: &'a Records, base: &str) -> Self {
        Self::build(records, Some(base))
    }

    fn build(records: &'a Records, base: Option<&str>) -> Self {
        let views = cells(records);
        let compared = match base {
            Some(base) => compare_all(&views, base),
            None => groups(&views)
                .into_values()
                .filter_map(|views| Some(compare_all(&views, &least_reviewing(&views)?)))
                .flatten()
                .collect(),
        };
        Self { views, compared }
    }

    /// All plots with the names of their files, without extension.
    pub fn plots(&self) -> Vec<(String, Chart)> {
        let mut plots = vec![
            ("learning-curve".to_owned(), learning_curve(&self.views)),
            ("nudge-tradeoff".to_owned(), nudge_tradeoff(&self.views)),
            ("library".to_owned(), library(&self.views)),
            ("funnel".to_owned(), funnel_chart(&self.views)),
        ];
        for (index, one) in self.compared.iter().enumerate() {
            let name = if index == 0 { "comparison".to_owned() } else { format!("comparison-{}", index + 1) };
            plots.push((name, self.chart(one)));
        }
        plots
    }

    /// The tables of the summary: figures by arm and, where there are several arms, comparisons. Of a sweep its
    /// points.
    pub fn grids(&self) -> Vec<Grid> {
        if is_sweep(&self.views) {
            return self.arms();
        }
        let mut grids = self.arms();
        grids.extend(self.compared.iter().map(|one| one.grid.clone()));
        grids
    }

    /// Arms one a row for a sweep, and side by side where there are few.
    fn arms(&self) -> Vec<Grid> {
        let mut grids = Vec::new();
        let few = by_arm(&self.views).len() <= COLUMNS_MAX;
        if is_sweep(&self.views) || !few {
            grids.push(points(&self.views));
        }
        grids.extend(break_even_grid(&self.views));
        if few {
            grids.push(overview(&self.views));
        }
        grids
    }

    /// The page: verdict, funnel, tables, plots, and what the figures mean.
    pub fn page<'v>(
        &self,
        title: &str,
        verdict: Option<&'v Verdict>,
        facts: &[(String, String)],
    ) -> Page<'v> {
        let cells = verdict.map(|verdict| Section {
            title: "Cells".into(),
            grids: vec![verdict.grid()],
            ..Section::default()
        });
        // What did not hold comes first; where all held, the list is for looking up.
        let all_held = verdict.is_some_and(|verdict| verdict.outcome() == Outcome::Held);
        let (first, last) = if all_held { (None, cells) } else { (cells, None) };
        let tradeoff = Section {
            title: "What reviews cost and spare".into(),
            plots: vec![nudge_tradeoff(&self.views)],
            ..Section::default()
        };
        let figures_by_arm =
            Section { title: "Figures by arm".into(), grids: self.arms(), ..Section::default() };
        let mut sections: Vec<Section> = first.into_iter().collect();
        if is_sweep(&self.views) {
            sections.extend([figures_by_arm, tradeoff, self.funnel()]);
            sections.extend(self.comparison());
            sections.push(self.learning());
        } else {
            sections.extend([self.funnel(), figures_by_arm]);
            sections.extend(self.comparison());
            sections.extend([self.learning(), tradeoff]);
        }
        sections.push(Section {
            title: "The library over time".into(),
            plots: vec![library(&self.views)],
            ..Section::default()
        });
        sections.extend(last);
        let mut all_facts = facts.to_vec();
        all_facts.push(("cells".into(), self.views.len().to_string()));
        let evidence = self.views.iter().map(|view| view.cell.evidence).max().unwrap_or_default();
        all_facts.push(("evidence".into(), format!("{evidence}, at best")));
        let shown = figures().into_iter().filter(|figure| !figure.name.contains('.'));
        Page { title: title.to_owned(), verdict, facts: all_facts, sections, figures: shown.collect() }
    }

    fn funnel(&self) -> Section {
        let arms = chosen_arms(&self.views, ARMS_MAX);
        let met = arms.iter().filter(|(_, views)| views.iter().any(|view| !view.hazards.is_empty()));
        let grids = met.map(|(arm, views)| funnel::funnel(views).grid(&format!("Funnel, arm {arm}")));
        Section {
            title: "From a hazard met to an error spared".into(),
            paragraphs: vec![
                "Each stage counts the exposures that passed it and all before it. Lessons that are kept and never \
                 used spare nothing: only the last stage is success."
                    .into(),
            ],
            plots: vec![funnel_chart(&self.views)],
            grids: grids.collect(),
        }
    }

    fn comparison(&self) -> Option<Section> {
        if self.compared.is_empty() {
            return None;
        }
        let mut section = Section { title: "Arms compared".into(), ..Section::default() };
        let arms = by_arm(&self.views);
        for one in &self.compared {
            section.plots.push(self.chart(one));
            section.grids.push(one.grid.clone());
            section.grids.extend(flips_grid(
                &one.base,
                &arms[one.base.as_str()],
                &one.arm,
                &arms[one.arm.as_str()],
            ));
        }
        Some(section)
    }

    fn chart(&self, one: &Compared) -> Chart {
        let names = Names::of(&self.views);
        let arms = by_arm(&self.views);
        let name = |arm: &String| names.name(arm, &arms[arm]);
        comparison(&name(&one.base), &name(&one.arm), &one.found, &names.note())
    }

    fn learning(&self) -> Section {
        let best = learning::best_costs(&self.views, learning::Cost::ToolCalls);
        let heads = [
            "arm",
            "family",
            ">occurrences",
            ">slope",
            ">steps not rising",
            ">occurrences to competence",
            ">never",
        ];
        let mut grid = Grid::new("Learning by family", &heads);
        for (arm, views) in &by_arm(&self.views) {
            for (family, sequences) in learning::sequences(views) {
                let convergence = learning::convergence(&sequences, learning::Cost::ToolCalls);
                let competence = learning::Competence {
                    in_a_row: COMPETENT_IN_A_ROW,
                    factor: COMPETENT_FACTOR,
                    best: best.get(&family).copied().unwrap_or(0),
                };
                let reached: Vec<_> = sequences
                    .iter()
                    .map(|one| learning::time_to_competence(one, competence, learning::Cost::ToolCalls))
                    .collect();
                let never =
                    reached.iter().filter(|one| matches!(one, learning::Reached::Never { .. })).count();
                let median = learning::median_occurrence(&reached);
                grid.row([
                    arm.clone(),
                    family.to_string(),
                    convergence.occurrences.to_string(),
                    convergence.slope.map_or_else(|_| "–".into(), |slope| signed(slope, 2)),
                    convergence.not_rising.map_or_else(|_| "–".into(), |share| percent(share, 1)),
                    median.map_or_else(|_| "censored".into(), |median| crate::stats::number(median, 1)),
                    format!("{never} of {}", reached.len()),
                ]);
            }
        }
        grid.note(format!(
            "Slope: log tool calls on log occurrence, over solved occurrences; negative is learning. Competence: \
             {COMPETENT_IN_A_ROW} in a row solved at no more than {COMPETENT_FACTOR} times the family's best under any \
             arm; the median counts those that never got there as later than all others."
        ));
        Section {
            title: "Learning".into(),
            plots: vec![learning_curve(&self.views)],
            grids: vec![grid],
            ..Section::default()
        }
    }
}

/// Every other arm against this one, in all figures.
fn compare_all(views: &[CellView<'_>], base: &str) -> Vec<Compared> {
    let arms = by_arm(views);
    let Some(base_views) = arms.get(base) else { return Vec::new() };
    let all: Vec<_> = DERIVED.iter().collect();
    let others = arms.iter().filter(|(arm, _)| arm.as_str() != base).take(ARMS_MAX);
    let compared = others.filter_map(|(arm, views)| {
        let (grid, found) = compare_arms((base, base_views), (arm, views), &all).ok()?;
        Some(Compared { base: base.to_owned(), arm: arm.clone(), grid, found })
    });
    compared.collect()
}

/// Tasks that came out otherwise under the two arms; none where nothing judges them.
fn flips_grid(base: &str, base_views: &[CellView<'_>], arm: &str, views: &[CellView<'_>]) -> Option<Grid> {
    let flips = paired::flips(base_views, views).ok()?;
    let heads = [">tasks", ">lift", ">normalised gain", ">helped", ">harmed", ">exact p"];
    let mut grid = Grid::new(format!("The same tasks under {arm} and {base}"), &heads);
    let or_none =
        |value: crate::stats::Maybe, show: fn(f64) -> String| value.map_or_else(|_| "–".to_owned(), show);
    grid.row([
        flips.tasks.to_string(),
        format!("{} pp", signed(flips.lift() * 100.0, 1)),
        or_none(flips.normalised_gain(), |gain| percent(gain, 1)),
        flips.helped.len().to_string(),
        flips.harmed.len().to_string(),
        or_none(flips.p_value(), |p| crate::stats::number(p, 4)),
    ]);
    let name = |task: &paired::Task| {
        format!("{} seed {} {} {} turn {}", task.scenario, task.seed, task.user, task.session, task.turn)
    };
    const NAMED_MAX: usize = 20;
    if !flips.harmed.is_empty() {
        let named: Vec<_> = flips.harmed.iter().take(NAMED_MAX).map(name).collect();
        let more = flips.harmed.len().saturating_sub(NAMED_MAX);
        let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
        grid.note(format!("Harmed: {}{rest}.", named.join("; ")));
    }
    Some(grid)
}

/// The figures by which sweeps are usually judged.
pub fn headline_figures() -> Vec<&'static crate::figures::DerivedFigure> {
    [
        "tool_calls_per_task",
        "tool_errors_per_task",
        "repeated_error_rate",
        "solved_rate",
        "tokens_per_task",
        "review_tax",
    ]
    .into_iter()
    .filter_map(derived)
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::samples::study;
    use crate::table::{Look, terminal};

    #[test]
    fn the_arm_that_reviews_least_is_compared_against() {
        let records = study();
        let names =
            |report: &Report<'_>| report.plots().into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        let report = Report::new(&records);
        let bases =
            |report: &Report<'_>| report.compared.iter().map(|one| one.base.clone()).collect::<Vec<_>>();
        assert_eq!(bases(&report), ["off", "off"]);
        assert_eq!(names(&report)[4..], ["comparison", "comparison-2"]);
        assert_eq!(bases(&Report::against(&records, "every-5")), ["every-5", "every-5"]);
        assert!(Report::against(&records, "nobody").compared.is_empty());
        let nothing = Records::default();
        assert_eq!(names(&Report::new(&nothing)).len(), 4);
    }

    #[test]
    fn arms_of_different_worlds_are_not_compared() {
        let mut records = study();
        for cell in &mut records.cells {
            cell.world = if &*cell.arm == "off" { "never-loaded".into() } else { "always".into() };
        }
        let report = Report::new(&records);
        let pairs: Vec<_> = report.compared.iter().map(|one| (&*one.base, &*one.arm)).collect();
        assert_eq!(pairs, [("every-5", "every-10")]);
    }

    #[test]
    fn learning_is_shown_by_family() {
        let records = study();
        let section = Report::new(&records).learning();
        insta::assert_snapshot!(terminal(&section.grids[0], Look::default()), @r"
        Learning by family
        ─────────────────────────────────────────────────────────────────────────────────────────────────
         arm        family   occurrences   slope   steps not rising   occurrences to competence    never
        ═════════════════════════════════════════════════════════════════════════════════════════════════
         every-5    deploy            17   -0.47            100.0 %                         3.0   0 of 3
         every-10   deploy            17   -0.40            100.0 %                    censored   3 of 3
         off        deploy            13   -0.01            100.0 %                    censored   3 of 3
        ─────────────────────────────────────────────────────────────────────────────────────────────────
          Slope: log tool calls on log occurrence, over solved occurrences; negative is learning. Competence: 3 in a row solved at no more than 1.2 times the family's best under any arm; the median counts those that never got there as later than all others.
        ");
    }

    #[test]
    fn flipped_tasks_are_named() {
        let records = study();
        let section = Report::new(&records).comparison().unwrap();
        insta::assert_snapshot!(terminal(&section.grids[3], Look::default()), @r"
        The same tasks under every-10 and off
        ────────────────────────────────────────────────────────────────
         tasks       lift   normalised gain   helped   harmed   exact p
        ════════════════════════════════════════════════════════════════
            18   +22.2 pp            80.0 %        5        1    0.2188
        ────────────────────────────────────────────────────────────────
          Harmed: quarter seed 1 ana s1 turn 1.
        ");
    }

    #[test]
    fn headline_figures_exist() {
        assert_eq!(headline_figures().len(), 6);
    }
}
