//! The rows of all record tables. Each field's doc comment is also its column's explanation.

mod calls;
mod learning;
mod lessons;
mod library;
mod run;

pub use calls::{ModelCallRow, ToolCallRow};
pub use learning::{LoadRow, NudgeRow, ReviewRow, WriteRow};
pub use lessons::{HazardRow, LessonRow};
pub use library::{CuratorRunRow, LibraryDayRow, MemoryDayRow, SkillRow};
pub use run::{CellRow, SessionRow, TurnRow};
