//! Record tables: typed rows, each with its keys first, of integers, words and names only.
//!
//! Rows are made by [`crate::measure`] from traces and from nothing else. Shares, means and money in a currency are
//! derived in reports and never stored. Every field's doc comment is its column's explanation, with the formula.

mod csv;
mod field;
mod record;
mod rows;
mod tables;
#[cfg(test)]
mod tests;

pub use csv::{CsvTables, RecordsError, read_records, table_csv};
pub use field::{Column, ColumnType, Datum};
pub use record::{Record, Table};
pub use rows::{
    CellRow, CuratorRunRow, HazardRow, LessonRow, LibraryDayRow, LoadRow, MemoryDayRow, ModelCallRow,
    NudgeRow, ReviewRow, SessionRow, SkillRow, ToolCallRow, TurnRow, WriteRow,
};
pub use tables::Records;
