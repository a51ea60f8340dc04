//! The curator: when a run is due, who ages, what a pass left, snapshots and rollback (`spec/curator.md`,
//! `spec/curator-backup.md`).
//!
//! A caller asks [`poll`] now and then; when a run is due (or a user asks for one) it calls [`begin_pass`], has a
//! conversation with a model if [`PassStart::ask`] says so, and calls [`finish_pass`]. Everything works on a
//! [`CuratorContext`]; what is remembered between calls is a [`CuratorState`].
//!
//! # Invariants
//!
//! * A poll that is not due reads nothing and allocates nothing on a home in memory.
//! * Transitions are planned by a pure function ([`ageing::plan()`]) and then applied; [`preview`] applies nothing.
//! * No skill is ever lost: it is in its place, in the archive, or in a snapshot.
//! * Every difference between versions and every fault is a rule ([`crate::behaviour::CuratorRules`]).

pub mod ageing;
pub mod backup;
mod candidates;
mod claim;
pub mod classify;
pub mod commands;
mod context;
mod gate;
pub mod jobs;
mod pass;
pub mod preview;
mod report;
mod schedule;
#[cfg(test)]
mod tests;
mod verify;

pub use candidates::{CandidateRow, list as list_candidates, names as candidate_names, plan_run, render};
pub use context::{CuratorContext, CuratorState};
pub use gate::{Gate, IdleReason, Poll, due, next_due, poll};
pub use pass::{
    Consolidation, Offer, PassOutcome, PassStart, RenameMap, RunAsk, RunError, RunRefused, TimedRun,
    begin_pass, finish_pass, run_timed,
};
pub use report::{PassReport, StateChange};
pub use schedule::Schedule;
pub use verify::{BrokenLink, DanglingJob, KEPT_PERMILLE_MIN, Retention, Verification};
