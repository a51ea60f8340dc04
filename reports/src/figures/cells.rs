//! The rows of each cell, as slices of sorted records.

use crate::records::{
    CellRow, CuratorRunRow, HazardRow, LessonRow, LibraryDayRow, LoadRow, MemoryDayRow, ModelCallRow,
    NudgeRow, Record, Records, ReviewRow, SessionRow, SkillRow, ToolCallRow, TurnRow, WriteRow,
};
use crate::stats::Draws;

/// The rows of one cell.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "one slice a table, named as in `Records`")]
pub struct CellView<'a> {
    pub cell: &'a CellRow,
    pub sessions: &'a [SessionRow],
    pub turns: &'a [TurnRow],
    pub model_calls: &'a [ModelCallRow],
    pub tool_calls: &'a [ToolCallRow],
    pub nudges: &'a [NudgeRow],
    pub reviews: &'a [ReviewRow],
    pub writes: &'a [WriteRow],
    pub loads: &'a [LoadRow],
    pub skills: &'a [SkillRow],
    pub library_days: &'a [LibraryDayRow],
    pub memory_days: &'a [MemoryDayRow],
    pub curator_runs: &'a [CuratorRunRow],
    pub hazards: &'a [HazardRow],
    pub lessons: &'a [LessonRow],
}

/// All cells of sorted records ([`Records::sort`]), in order.
pub fn cells(records: &Records) -> Vec<CellView<'_>> {
    records
        .cells
        .iter()
        .map(|cell| CellView {
            cell,
            sessions: of_cell(&records.sessions, cell),
            turns: of_cell(&records.turns, cell),
            model_calls: of_cell(&records.model_calls, cell),
            tool_calls: of_cell(&records.tool_calls, cell),
            nudges: of_cell(&records.nudges, cell),
            reviews: of_cell(&records.reviews, cell),
            writes: of_cell(&records.writes, cell),
            loads: of_cell(&records.loads, cell),
            skills: of_cell(&records.skills, cell),
            library_days: of_cell(&records.library_days, cell),
            memory_days: of_cell(&records.memory_days, cell),
            curator_runs: of_cell(&records.curator_runs, cell),
            hazards: of_cell(&records.hazards, cell),
            lessons: of_cell(&records.lessons, cell),
        })
        .collect()
}

fn of_cell<'a, R: Record>(rows: &'a [R], cell: &CellRow) -> &'a [R] {
    let wanted = (&*cell.scenario, &*cell.arm, cell.seed);
    let key = |row: &R| {
        let (scenario, arm, seed, _) = row.sort_key();
        (scenario, arm, seed).cmp(&wanted)
    };
    let start = rows.partition_point(|row| key(row).is_lt());
    let end = rows.partition_point(|row| key(row).is_le());
    &rows[start..end]
}

/// Whether the scenarios of these cells draw anything: whether two seeds of one scenario and arm differ in any
/// figure of the cell.
pub fn draws_of(cells: &[CellView<'_>]) -> Draws {
    let figures = |cell: &CellRow| CellRow { seed: 0, digest: "".into(), ..cell.clone() };
    let repeats = cells.windows(2).map(|pair| (pair[0].cell, pair[1].cell));
    let repeats = repeats.filter(|(one, other)| one.scenario == other.scenario && one.arm == other.arm);
    let mut draws = Draws::OneSeed;
    for (one, other) in repeats {
        if figures(one) != figures(other) {
            return Draws::Some;
        }
        draws = Draws::None;
    }
    draws
}
