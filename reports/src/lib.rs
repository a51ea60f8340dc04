//! Trace and record formats, statistics, tables, plots, HTML and `JUnit`.
//!
//! Data takes one road: a [`trace`] of typed events is measured into records, and everything that a person or a
//! machine reads afterwards is made of records. Nothing here knows the agent core, the scripted model or the
//! runner.
//!
//! Invariants:
//! - The same events give the same bytes of every file. No wall clock, no unordered map, no absolute path.
//! - Records hold integers, words and names. Floats appear in the statistics only and are printed by one routine.

pub mod columnar;
pub mod figures;
pub mod html;
pub mod junit;
pub mod measure;
pub mod money;
pub mod plain;
pub mod plots;
pub mod records;
pub mod report;
pub mod sqlite;
pub mod stats;
pub mod summary;
pub mod table;
pub mod trace;
pub mod verdict;
mod words;

pub use words::{
    AgentObject, CellOutcome, CuratorCause, Evidence, Finish, HazardOutcome, LessonEvent, ModelOutcome,
    Nudge, NudgeEvent, Origin, Place, ReviewOutcome, Role, Route, SkillEvent, Store, Teacher, TurnOutcome,
    WriteOutcome,
};
