//! A grid as a Markdown table.

use std::fmt::Write as _;

use super::grid::{Align, Grid};
use crate::plain::{one_line, plain};

/// The grid as Markdown with at most so many rows; a note says how many were left out.
pub fn markdown(grid: &Grid, rows_max: usize) -> String {
    let mut out = String::new();
    if !grid.title.is_empty() {
        push(&mut out, &format!("### {}\n", markdown_text(&grid.title)));
    }
    if grid.rows.is_empty() {
        push(&mut out, "No rows.");
    } else {
        let line = |cells: &mut dyn Iterator<Item = String>| {
            let cells: Vec<_> = cells.collect();
            format!("| {} |", cells.join(" | "))
        };
        push(&mut out, &line(&mut grid.columns.iter().map(|column| markdown_text(&column.name))));
        let rule = |align| match align {
            Align::Left => "---".to_owned(),
            Align::Right => "---:".to_owned(),
        };
        push(&mut out, &line(&mut grid.columns.iter().map(|column| rule(column.align))));
        for row in grid.rows.iter().take(rows_max) {
            let cell =
                |index: usize| row.cells.get(index).map(|cell| markdown_text(cell)).unwrap_or_default();
            push(&mut out, &line(&mut (0..grid.columns.len()).map(cell)));
        }
    }
    if grid.rows.len() > rows_max {
        push(&mut out, &format!("\n{rows_max} of {} rows shown; the rest was cut.", grid.rows.len()));
    }
    for note in &grid.notes {
        push(&mut out, &format!("\n{}", markdown_text(note)));
    }
    out
}

fn push(out: &mut String, line: &str) {
    writeln!(out, "{line}").expect("writing to memory cannot fail");
}

/// Text that Markdown shows as it is, on one line.
pub fn markdown_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in one_line(&plain(text)).chars() {
        match char {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '|' | '`' | '*' | '_' | '[' | ']' | '\\' | '~' | '#' | '@' => {
                out.push('\\');
                out.push(char);
            }
            _ => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_cannot_break_the_table() {
        let mut grid = Grid::new("Cells", &["status", ">calls"]);
        grid.row(["a | b\nc <script>", "12"]).row(["*x*", "3"]).row(["left out", "4"]);
        grid.note("Counted.");
        insta::assert_snapshot!(markdown(&grid, 2), @r"
        ### Cells

        | status | calls |
        | --- | ---: |
        | a \| b c &lt;script&gt; | 12 |
        | \*x\* | 3 |

        2 of 3 rows shown; the rest was cut.

        Counted.
        ");
    }
}
