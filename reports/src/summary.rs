//! The run as Markdown, for a pull request's page: verdict, failures, tables, never too long to be shown.

use std::fmt::Write as _;

use crate::table::{Grid, markdown, markdown_text};
use crate::verdict::{CellResult, CellStatus, Verdict};

/// A step summary above 1 MiB is dropped whole by the service that shows it, so this stays below, with room for
/// what other steps have written.
pub const SUMMARY_BYTES_MAX: usize = 1_000_000;

/// Rows that a table shows at most; beyond, a file is the better place.
const ROWS_MAX: usize = 200;

/// The summary, at most so many bytes long. What does not fit is cut between two rows or tables, and the text says
/// so.
pub fn summary(verdict: &Verdict, grids: &[Grid], bytes_max: usize) -> String {
    let bytes_max = bytes_max.min(SUMMARY_BYTES_MAX);
    let mut out = format!("## {}\n", markdown_text(&verdict.banner()));
    let messages = [&verdict.input_errors, &verdict.run_errors, &verdict.regressions, &verdict.unused];
    for message in messages.into_iter().flatten() {
        let line = format!("\n- {}\n", markdown_text(message));
        if out.len() + line.len() + CUT_BYTES > bytes_max {
            return cut(out, bytes_max);
        }
        out += &line;
    }
    let failures: Vec<_> =
        verdict.failures_first().into_iter().filter(|cell| cell.status != CellStatus::Held).collect();
    for (index, cell) in failures.iter().enumerate() {
        let block = failure(cell);
        if out.len() + block.len() + CUT_BYTES > bytes_max {
            let count = failures.len();
            let _fits = writeln!(
                out,
                "
{index} of {count} cells that did not hold shown; the rest was cut."
            );
            return cut(out, bytes_max);
        }
        out += &block;
    }
    for grid in grids {
        let Some(table) = fitting(grid, bytes_max.saturating_sub(out.len() + CUT_BYTES)) else {
            return cut(out, bytes_max);
        };
        out.push('\n');
        out += &table;
    }
    out
}

/// Room for the lines that say what was cut.
const CUT_BYTES: usize = 200;

fn cut(mut out: String, bytes_max: usize) -> String {
    out += "\nThe summary was cut at its size limit; the run's directory holds everything.\n";
    // A limit too small even for the banner: better nothing than half a line.
    if out.len() > bytes_max { String::new() } else { out }
}

/// The grid with as many rows as fit into so many bytes; none if not even one does.
fn fitting(grid: &Grid, bytes_max: usize) -> Option<String> {
    let mut rows = grid.rows.len().min(ROWS_MAX);
    loop {
        let table = markdown(grid, rows);
        if table.len() < bytes_max {
            return Some(table);
        }
        if rows <= 1 {
            return None;
        }
        rows /= 2;
    }
}

fn failure(cell: &CellResult) -> String {
    let mut lines = vec![format!(
        "\n- **{}** {}, arm {}, seed {}",
        cell.status.as_str(),
        markdown_text(&cell.scenario),
        markdown_text(&cell.arm),
        cell.seed
    )];
    lines.extend(cell.what().lines().map(|line| format!("  {}", markdown_text(line.trim()))));
    lines.join("  \n") + "\n"
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::verdict::tests::{cell, verdict};

    fn grid(rows: usize) -> Grid {
        let mut grid = Grid::new("Sessions", &["arm", ">tool calls"]);
        for row in 0..rows {
            grid.row(["july".to_owned(), row.to_string()]);
        }
        grid
    }

    #[test]
    fn a_failing_run() {
        insta::assert_snapshot!(summary(&verdict(), &[grid(2)], SUMMARY_BYTES_MAX), @r"
        ## broken, results incomplete: 3 cells, 1 held, 1 failed, 1 broken

        - **broken** k8s-deploy, arm article, seed 2  
          no rule fits the request; nearest is main\[0\]  
          rerun: harness rerun k8s-deploy/article/2

        - **failed** k8s-deploy, arm july, seed 1  
          session.flask.tool\_calls == 12  
          session.flask.tool\_calls = 13  
          because the image was not pushed  
          at scenarios/k8s-deploy.yaml:31  
          rerun: harness rerun k8s-deploy/july/1

        ### Sessions

        | arm | tool calls |
        | --- | ---: |
        | july | 0 |
        | july | 1 |
        ");
    }

    #[test]
    fn a_huge_run_is_cut_between_rows_and_says_so() {
        let cells = (0..20_000).map(|seed| cell("july", seed, CellStatus::Failed)).collect();
        let text = summary(&Verdict { cells, ..Verdict::default() }, &[grid(3)], usize::MAX);
        assert!(text.len() <= SUMMARY_BYTES_MAX);
        let last: Vec<_> = text.lines().rev().take(3).collect();
        assert!(last[2].ends_with("of 20000 cells that did not hold shown; the rest was cut."), "{last:?}");
    }

    proptest! {
        #[test]
        fn no_limit_is_passed(bytes_max in 0..3000usize, rows in 0..400usize) {
            let text = summary(&verdict(), &[grid(rows), grid(1)], bytes_max);
            prop_assert!(text.len() <= bytes_max);
            prop_assert!(text.is_empty() || text.ends_with('\n'));
        }
    }
}
