//! A run from start to end (`spec/curator.md` §8 and §9).
//!
//! [`begin_pass`] does everything up to the model: snapshot, timed transitions, the state file, the list of
//! candidates. Whoever holds the model then has a conversation, and [`finish_pass`] does the rest: what became of the
//! removed skills, the jobs, the report, the state file again. A run without a model goes straight from one to the
//! other.
//! While it runs, [`PassStart::manage`] stands between it and the tool that changes skills.
//!
//! Deliberately not here: the conversation.

mod finish;
mod outcome;
mod start;
mod timed;
mod tools;
mod words;

pub use finish::finish_pass;
pub use outcome::PassOutcome;
pub use start::{Consolidation, Offer, PassStart, RunAsk, RunRefused, begin_pass};
pub use timed::{RunError, TimedRun, run_timed};
pub use words::RenameMap;
