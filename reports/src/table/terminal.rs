//! A grid for a terminal.

use std::fmt::Write as _;

use comfy_table::presets::{ASCII_HORIZONTAL_ONLY, UTF8_HORIZONTAL_ONLY};
use comfy_table::{
    Attribute, Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, Table, Width,
};

use super::grid::{Align, Grid, GridRow, Tone};
use crate::plain::{one_line, plain, wrapped};

/// Blanks beside a cell's content, one on each side.
const PADDING: u16 = 2;

/// Characters of a word in a cell that is never broken.
const WORD_MAX: usize = 12;

/// How a terminal wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Columns at hand; none for as wide as the content.
    pub width: Option<u16>,
    /// Whether to colour.
    pub colour: bool,
    /// Whether lines may be drawn with characters beyond ASCII.
    pub unicode: bool,
}

impl Default for Look {
    /// For a file or a pipe: as wide as it is, without colour.
    fn default() -> Self {
        Self { width: None, colour: false, unicode: true }
    }
}

/// The grid as lines, each ended by LF, without blanks at their ends.
pub fn terminal(grid: &Grid, look: Look) -> String {
    let mut out = String::new();
    if !grid.title.is_empty() {
        push_line(&mut out, &plain(&grid.title));
    }
    if grid.rows.is_empty() {
        push_line(&mut out, "  (no rows)");
    } else {
        for line in table(grid, look).lines() {
            push_line(&mut out, &line);
        }
    }
    for note in &grid.notes {
        let note = format!("  {}", plain(note));
        match look.width {
            Some(width) => {
                for piece in note.lines().flat_map(|line| wrapped(line, usize::from(width.max(20)), 2)) {
                    push_line(&mut out, &piece);
                }
            }
            None => push_line(&mut out, &note),
        }
    }
    out
}

fn push_line(out: &mut String, line: &str) {
    writeln!(out, "{}", line.trim_end()).expect("writing to memory cannot fail");
}

fn table(grid: &Grid, look: Look) -> Table {
    let mut table = Table::new();
    table.load_preset(if look.unicode { UTF8_HORIZONTAL_ONLY } else { ASCII_HORIZONTAL_ONLY });
    for component in
        [comfy_table::TableComponent::HorizontalLines, comfy_table::TableComponent::MiddleIntersections]
    {
        table.remove_style(component);
    }
    table.force_no_tty();
    if look.colour {
        table.enforce_styling();
    }
    if let Some(width) = look.width {
        table.set_width(width).set_content_arrangement(ContentArrangement::Dynamic);
    }
    table.set_header(grid.columns.iter().map(|column| {
        let cell = Cell::new(one_line(&column.name)).set_alignment(alignment(column.align));
        if look.colour { cell.add_attribute(Attribute::Bold) } else { cell }
    }));
    if look.width.is_some() {
        table.set_constraints((0..grid.columns.len()).map(|index| {
            ColumnConstraint::LowerBoundary(Width::Fixed(longest_word(grid, index).saturating_add(PADDING)))
        }));
    }
    table.add_rows(grid.rows.iter().map(|row| cells(grid, row, look)));
    table
}

/// The room that a column needs so that no word is broken: a heading never is, a long word of a cell may be. A table may
/// so become wider than its place; that reads better than a letter a line.
fn longest_word(grid: &Grid, index: usize) -> u16 {
    let longest = |text: &str| one_line(text).split(' ').map(|word| word.chars().count()).max().unwrap_or(0);
    let cells = grid.rows.iter().filter_map(|row| row.cells.get(index));
    let cell = cells.map(|cell| longest(cell).min(WORD_MAX)).max().unwrap_or(0);
    u16::try_from(cell.max(longest(&grid.columns[index].name))).unwrap_or(u16::MAX)
}

fn cells(grid: &Grid, row: &GridRow, look: Look) -> Vec<Cell> {
    let colour = match row.tone {
        Tone::Plain => None,
        Tone::Good => Some(Color::Green),
        Tone::Bad => Some(Color::Red),
        Tone::Doubtful => Some(Color::Yellow),
    };
    let content = |index: usize| row.cells.get(index).map_or("", String::as_str);
    let cell = |(index, align): (usize, Align)| {
        let cell = Cell::new(plain(content(index)).replace('\t', "    ")).set_alignment(alignment(align));
        // The first cell is enough: it holds the word that the colour repeats.
        match colour.filter(|_| look.colour && index == 0) {
            Some(colour) => cell.fg(colour),
            None => cell,
        }
    };
    grid.columns.iter().map(|column| column.align).enumerate().map(cell).collect()
}

fn alignment(align: Align) -> CellAlignment {
    match align {
        Align::Left => CellAlignment::Left,
        Align::Right => CellAlignment::Right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        let mut grid = Grid::new("Cells", &["status", "cell", ">tool calls"]);
        grid.toned(Tone::Bad, ["failed", "k8s-deploy · july · 1 \u{1b}[31m(red)", "12"]);
        grid.toned(Tone::Good, ["held", "שלום 👩‍🚀", "9"]);
        grid.note("2 of 2 cells shown.");
        grid
    }

    #[test]
    fn a_table_for_a_pipe() {
        insta::assert_snapshot!(terminal(&grid(), Look::default()), @r"
        Cells
        ───────────────────────────────────────────────────
         status   cell                          tool calls
        ═══════════════════════════════════════════════════
         failed   k8s-deploy · july · 1 (red)           12
         held     שלום 👩‍🚀                                9
        ───────────────────────────────────────────────────
          2 of 2 cells shown.
        ");
    }

    #[test]
    fn a_table_for_a_narrow_terminal() {
        let look = Look { width: Some(30), unicode: false, ..Look::default() };
        insta::assert_snapshot!(terminal(&grid(), look), @r"
        Cells
        -----------------------------
         status   cell          tool
                               calls
        =============================
         failed   k8s-deploy      12
                  · july · 1
                  (red)
         held     שלום 👩‍🚀          9
        -----------------------------
          2 of 2 cells shown.
        ");
    }

    #[test]
    fn colour_adds_nothing_but_colour() {
        let coloured = terminal(&grid(), Look { colour: true, ..Look::default() });
        let stripped: Vec<_> = coloured.lines().map(|line| plain(line).trim_end().to_owned()).collect();
        assert_eq!(stripped.join("\n") + "\n", terminal(&grid(), Look::default()));
    }

    #[test]
    fn an_empty_table_says_so() {
        let grid = Grid::new("Failures", &["cell"]);
        insta::assert_snapshot!(terminal(&grid, Look::default()), @r"
        Failures
          (no rows)
        ");
    }
}
