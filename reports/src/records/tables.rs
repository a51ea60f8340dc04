//! All record tables of one cell or of many.

use super::record::{Record, Table};
use super::rows::{
    CellRow, CuratorRunRow, HazardRow, LessonRow, LibraryDayRow, LoadRow, MemoryDayRow, ModelCallRow,
    NudgeRow, ReviewRow, SessionRow, SkillRow, ToolCallRow, TurnRow, WriteRow,
};

macro_rules! tables {
    ($($(#[$doc:meta])* $field:ident: $row:ident,)+) => {
        /// The rows of all tables.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Records {
            $($(#[$doc])* pub $field: Vec<$row>,)+
        }

        impl Records {
            /// The names of all tables, in order.
            pub const TABLES: &'static [&'static str] = &[$($row::TABLE),+];

            /// All tables, in order.
            pub fn tables(&self) -> Vec<&dyn Table> {
                vec![$(&self.$field),+]
            }

            /// Adds the rows of another cell.
            pub fn append(&mut self, mut other: Self) {
                $(self.$field.append(&mut other.$field);)+
            }

            /// Sorts all tables by scenario, arm, seed and user. Rows of one user keep the order of the trace.
            pub fn sort(&mut self) {
                $(self.$field.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));)+
            }

            /// Keeps the rows whose scenario, arm and seed the test wants.
            pub fn retain_cells(&mut self, mut keep: impl FnMut(&str, &str, u64) -> bool) {
                $(self.$field.retain(|row| keep(&row.scenario, &row.arm, row.seed));)+
            }

            /// Does the same to each table, by name.
            pub(super) fn try_fill<E>(&mut self, fill: &mut impl Fill<Error = E>) -> Result<(), E> {
                $(self.$field = fill.fill::<$row>()?;)+
                Ok(())
            }
        }
    };
}

/// Makes the rows of each table in turn.
pub(super) trait Fill {
    type Error;

    fn fill<R: Record>(&mut self) -> Result<Vec<R>, Self::Error>;
}

tables! {
    /// One row a cell.
    cells: CellRow,
    /// One row a session.
    sessions: SessionRow,
    /// One row a turn.
    turns: TurnRow,
    /// One row a request to a model.
    model_calls: ModelCallRow,
    /// One row a tool call.
    tool_calls: ToolCallRow,
    /// One row a due nudge.
    nudges: NudgeRow,
    /// One row a review.
    reviews: ReviewRow,
    /// One row a write.
    writes: WriteRow,
    /// One row a load.
    loads: LoadRow,
    /// One row a life of a skill.
    skills: SkillRow,
    /// One row a user and day.
    library_days: LibraryDayRow,
    /// One row a user and day.
    memory_days: MemoryDayRow,
    /// One row a curator run.
    curator_runs: CuratorRunRow,
    /// One row an exposure to a hazard.
    hazards: HazardRow,
    /// One row a user and lesson.
    lessons: LessonRow,
}
