//! A verdict on a terminal: a short table of cells, then everything known of those that did not hold.
//!
//! A person wants to know first what did not hold, and how many cells held. So many cells of one kind share a row, and
//! long texts are cut; `run.json` and the `JUnit` file hold them whole. A command to type is never cut or broken, since
//! it is there to be copied.

use std::collections::BTreeSet;
use std::iter;

use crate::plain::{cut, plain, wrapped};
use crate::table::{Grid, Look, Tone};
use crate::verdict::{CellResult, CellStatus, Failure, Verdict};

/// Up to so many cells that came out alike have a row each; more of them share a row a scenario.
const ROWS_MAX: usize = 24;

/// Of so many cells that did not hold everything is told; of further ones only how to run them again.
const BLOCKS_MAX: usize = 20;

/// Characters of a line of text before it is cut.
const LINE_CHARS_MAX: usize = 600;

/// Below so many columns nothing is wrapped: it would only get worse.
const WIDTH_MIN: usize = 30;

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// What a person wants to know.
    Short,
    /// Every cell.
    All,
}

/// The table of cells, those that did not hold first.
pub fn cells_grid(verdict: &Verdict, amount: Amount) -> Grid {
    let mut groups: Vec<Vec<&CellResult>> = Vec::new();
    for cells in verdict.failures_first().chunk_by(|one, other| one.status == other.status) {
        if amount == Amount::All || cells.len() <= ROWS_MAX {
            groups.extend(cells.iter().map(|cell| vec![*cell]));
            continue;
        }
        let of_scenarios: Vec<_> =
            cells.chunk_by(|one, other| one.scenario == other.scenario).map(<[_]>::to_vec).collect();
        let is_one_row = cells[0].status == CellStatus::Held && of_scenarios.len() > ROWS_MAX;
        if is_one_row { groups.push(cells.to_vec()) } else { groups.extend(of_scenarios) }
    }
    let is_counted = groups.iter().any(|cells| cells.len() > 1);
    let columns: &[&str] = if is_counted {
        &["status", "scenario", "arm", ">seed", ">cells", ">expectations"]
    } else {
        &["status", "scenario", "arm", ">seed", ">expectations"]
    };
    let mut grid = Grid::new("", columns);
    for cells in &groups {
        let mut row = vec![
            cells[0].status.as_str().to_owned(),
            one_or_many(cells.iter().map(|cell| cell.scenario.as_str()), "scenarios"),
            one_or_many(cells.iter().map(|cell| cell.arm.as_str()), "arms"),
            seeds(cells),
        ];
        row.extend(is_counted.then(|| cells.len().to_string()));
        row.push(expectations(cells));
        grid.toned(cells[0].status.tone(), row);
    }
    if is_counted {
        grid.note("-v shows every cell");
    }
    grid
}

/// Everything known of the cells that did not hold, a block each; empty where all held. Of cells that did not run there is
/// nothing to know: the table counts them.
pub fn not_held(verdict: &Verdict, amount: Amount, look: Look) -> String {
    let mut cells = verdict.failures_first();
    let has_run = |cell: &CellResult| !matches!(cell.status, CellStatus::Stopped | CellStatus::Skipped);
    cells.retain(|cell| cell.status != CellStatus::Held && (amount == Amount::All || has_run(cell)));
    let whole = if amount == Amount::All { cells.len() } else { cells.len().min(BLOCKS_MAX) };
    let mut lines = Vec::new();
    for cell in &cells[..whole] {
        push_block(&mut lines, cell, look);
        lines.push(String::new());
    }
    if whole < cells.len() {
        lines.push(format!("{whole} of {} cells told whole; -v tells all. The others:", cells.len()));
        lines.extend(
            cells[whole..].iter().map(|cell| format!("  {}  {}", head(cell, look), plain(&cell.rerun))),
        );
        lines.push(String::new());
    }
    lines
        .iter()
        .flat_map(|line| {
            [if look.unicode { line.clone() } else { line.replace('…', "...") }, "\n".to_owned()]
        })
        .collect()
}

/// How a cell came out, and its name.
fn head(cell: &CellResult, look: Look) -> String {
    let code = match cell.status.tone() {
        Tone::Bad => "31",
        Tone::Doubtful => "33",
        Tone::Good | Tone::Plain => "0",
    };
    let (before, after) =
        if look.colour { (format!("\u{1b}[{code}m"), "\u{1b}[0m") } else { (String::new(), "") };
    let name = format!("{}/{}/{}", plain(&cell.scenario), plain(&cell.arm), cell.seed);
    format!("{before}{}{after} {name}", cell.status.as_str())
}

fn push_block(lines: &mut Vec<String>, cell: &CellResult, look: Look) {
    lines.push(head(cell, look));
    let reason = iter::once(cell.reason.clone()).filter(|reason| !reason.is_empty());
    for text in reason.chain(cell.failures.iter().flat_map(Failure::lines)) {
        plain(&text).lines().for_each(|line| push_text(lines, line, look));
    }
    for (word, command) in [("rerun", &cell.rerun), ("show", &cell.show)] {
        if !command.is_empty() {
            lines.push(format!("  {word}: {}", plain(command)));
        }
    }
}

/// A line of text behind a margin, cut and wrapped.
fn push_text(lines: &mut Vec<String>, line: &str, look: Look) {
    let line = cut(line, LINE_CHARS_MAX);
    let indent = line.chars().take_while(|char| *char == ' ').count();
    let room = look.width.map(|width| usize::from(width).saturating_sub(2));
    let pieces = match room.filter(|room| *room >= WIDTH_MIN + indent) {
        Some(room) => wrapped(&line, room, indent + 2),
        None => vec![line.into_owned()],
    };
    lines.extend(pieces.iter().map(|piece| format!("  {piece}").trim_end().to_owned()));
}

/// The name that all have, or how many there are.
fn one_or_many<'a>(names: impl Iterator<Item = &'a str>, word: &str) -> String {
    let names: BTreeSet<&str> = names.collect();
    match names.len() {
        1 => names.into_iter().next().unwrap_or_default().to_owned(),
        count => format!("{count} {word}"),
    }
}

/// The seeds, as a range where none is missing.
fn seeds(cells: &[&CellResult]) -> String {
    let seeds: BTreeSet<u64> = cells.iter().map(|cell| cell.seed).collect();
    let (Some(first), Some(last)) = (seeds.first(), seeds.last()) else { return String::new() };
    match seeds.len() {
        1 => first.to_string(),
        count if last - first + 1 == count as u64 => format!("{first} to {last}"),
        count => format!("{count} seeds"),
    }
}

fn expectations(cells: &[&CellResult]) -> String {
    let all: u64 = cells.iter().map(|cell| cell.expectations).sum();
    let failed: u64 = cells.iter().map(|cell| cell.failures.len() as u64).sum();
    format!("{} of {all}", all.saturating_sub(failed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::terminal;
    use crate::verdict::tests::{cell, verdict};

    fn shown(verdict: &Verdict, amount: Amount, look: Look) -> String {
        format!("{}\n{}", terminal(&cells_grid(verdict, amount), look), not_held(verdict, amount, look))
    }

    #[test]
    fn what_did_not_hold_comes_first_and_is_told_below() {
        let shown = shown(&verdict(), Amount::Short, Look::default());
        insta::assert_snapshot!(shown, @r"
        ─────────────────────────────────────────────────────
         status   scenario     arm       seed   expectations
        ═════════════════════════════════════════════════════
         broken   k8s-deploy   article      2         4 of 4
         failed   k8s-deploy   july         1         3 of 4
         held     k8s-deploy   article      1         4 of 4
        ─────────────────────────────────────────────────────

        broken k8s-deploy/article/2
          no rule fits the request; nearest is main[0]
          rerun: harness rerun k8s-deploy/article/2

        failed k8s-deploy/july/1
          session.flask.tool_calls == 12
            session.flask.tool_calls = 13
            because the image was not pushed
            at scenarios/k8s-deploy.yaml:31
          rerun: harness rerun k8s-deploy/july/1
        ");
    }

    /// Two scenarios of many cells, three of which failed.
    fn many(scenarios: u64) -> Verdict {
        let mut cells = Vec::new();
        for number in 0..scenarios {
            for (arm, seed) in [("july", 1), ("july", 2), ("july", 3), ("may", 1), ("may", 2), ("may", 3)] {
                let status = if number == 0 && seed == 2 { CellStatus::Failed } else { CellStatus::Held };
                let mut cell = cell(arm, seed, status);
                cell.scenario = format!("scenario-{number}");
                if status == CellStatus::Failed {
                    cell.failures = verdict().cells[1].failures.clone();
                    cell.failures[0].values[0].1 = "[13, 14, ".repeat(900);
                }
                cells.push(cell);
            }
        }
        Verdict { cells, ..Verdict::default() }
    }

    #[test]
    fn many_cells_that_held_share_rows_and_long_values_are_cut() {
        let look = Look { width: Some(80), ..Look::default() };
        let shown = shown(&many(5), Amount::Short, look);
        assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
        insta::assert_snapshot!(shown, @r"
        ───────────────────────────────────────────────────────────────
         status   scenario     arm         seed   cells   expectations
        ═══════════════════════════════════════════════════════════════
         failed   scenario-0   july           2       1         3 of 4
         failed   scenario-0   may            2       1         3 of 4
         held     scenario-0   2 arms   2 seeds       4       16 of 16
         held     scenario-1   2 arms    1 to 3       6       24 of 24
         held     scenario-2   2 arms    1 to 3       6       24 of 24
         held     scenario-3   2 arms    1 to 3       6       24 of 24
         held     scenario-4   2 arms    1 to 3       6       24 of 24
        ───────────────────────────────────────────────────────────────
          -v shows every cell

        failed scenario-0/july/2
          session.flask.tool_calls == 12
            session.flask.tool_calls = [13, 14, [13, 14, [13, 14, [13, 14, [13, 14, [13,
              14, [13, 14, [13, 14, [13, 14, [13, 14, [13, 14, [13, 14, [13, 14, [13,
              14, [13, 14, [13, 14, [13, 14, [13, 14, [13, 14, [13, 14, [13, 14, [13,
              14, [1… 7900 more characters
            because the image was not pushed
            at scenarios/k8s-deploy.yaml:31
          rerun: harness rerun k8s-deploy/july/2

        failed scenario-0/may/2
          session.flask.tool_calls == 12
            session.flask.tool_calls = [13, 14, [13, 14, [13, 14, [13, 14, [13, 14, [13,
              14, [13, 14, [13, 14, [13, 14, [13, 14, [13, 14, [13, 14, [13, 14, [13,
              14, [13, 14, [13, 14, [13, 14, [13, 14, [13, 14, [13, 14, [13, 14, [13,
              14, [1… 7900 more characters
            because the image was not pushed
            at scenarios/k8s-deploy.yaml:31
          rerun: harness rerun k8s-deploy/may/2
        ");
        insta::assert_snapshot!(terminal(&cells_grid(&many(100), Amount::Short), look), @r"
        ─────────────────────────────────────────────────────────────────
         status   scenario        arm        seed   cells   expectations
        ═════════════════════════════════════════════════════════════════
         failed   scenario-0      july          2       1         3 of 4
         failed   scenario-0      may           2       1         3 of 4
         held     100 scenarios   2 arms   1 to 3     598   2392 of 2392
        ─────────────────────────────────────────────────────────────────
          -v shows every cell
        ");
        assert_eq!(cells_grid(&many(100), Amount::All).rows.len(), 600);
    }

    #[test]
    fn of_many_failures_every_one_can_be_run_again() {
        let cells = (1..=200).map(|seed| cell("july", seed, CellStatus::Failed)).collect();
        let verdict = Verdict { cells, ..Verdict::default() };
        let short = shown(&verdict, Amount::Short, Look::default());
        insta::assert_snapshot!(short.lines().take(9).collect::<Vec<_>>().join("\n"), @r"
        ──────────────────────────────────────────────────────────────
         status   scenario     arm        seed   cells   expectations
        ══════════════════════════════════════════════════════════════
         failed   k8s-deploy   july   1 to 200     200     800 of 800
        ──────────────────────────────────────────────────────────────
          -v shows every cell

        failed k8s-deploy/july/1
          rerun: harness rerun k8s-deploy/july/1
        ");
        let end = short.lines().skip_while(|line| !line.contains("/july/20")).take(6).collect::<Vec<_>>();
        insta::assert_snapshot!(end.join("\n"), @r"
        failed k8s-deploy/july/20
          rerun: harness rerun k8s-deploy/july/20

        20 of 200 cells told whole; -v tells all. The others:
          failed k8s-deploy/july/21  harness rerun k8s-deploy/july/21
          failed k8s-deploy/july/22  harness rerun k8s-deploy/july/22
        ");
        for amount in [Amount::Short, Amount::All] {
            let shown = not_held(&verdict, amount, Look::default());
            let again =
                (1..=200).filter(|seed| shown.contains(&format!("harness rerun k8s-deploy/july/{seed}\n")));
            assert_eq!(again.count(), 200);
        }
    }

    #[test]
    fn cells_that_did_not_run_are_counted_and_not_told() {
        let stopped = (1..=100).map(|seed| {
            let status = if seed < 3 { CellStatus::Stopped } else { CellStatus::Skipped };
            CellResult { reason: "stopped before its end".into(), ..cell("july", seed, status) }
        });
        let verdict = Verdict { cells: stopped.collect(), ..Verdict::default() };
        insta::assert_snapshot!(shown(&verdict, Amount::Short, Look::default()), @r"
        ───────────────────────────────────────────────────────────────
         status    scenario     arm        seed   cells   expectations
        ═══════════════════════════════════════════════════════════════
         stopped   k8s-deploy   july          1       1         4 of 4
         stopped   k8s-deploy   july          2       1         4 of 4
         skipped   k8s-deploy   july   3 to 100      98     392 of 392
        ───────────────────────────────────────────────────────────────
          -v shows every cell
        ");
        assert!(
            not_held(&verdict, Amount::All, Look::default())
                .contains("stopped k8s-deploy/july/2\n  stopped before")
        );
    }

    #[test]
    fn colour_and_ascii_change_nothing_else() {
        let wide = Look::default();
        let plainly = not_held(&many(1), Amount::Short, wide);
        let coloured = not_held(&many(1), Amount::Short, Look { colour: true, ..wide });
        assert!(coloured.starts_with("\u{1b}[31mfailed\u{1b}[0m scenario-0/july/2\n"));
        assert_eq!(plain(&coloured), plainly);
        let ascii = not_held(&many(1), Amount::Short, Look { unicode: false, ..wide });
        assert!(ascii.is_ascii() && !plainly.is_ascii());
    }
}
