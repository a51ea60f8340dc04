//! The tool `skill_manage`: six actions on skills (`spec/skills.md` §3 to §8).
//!
//! A call goes through fixed stages: read the arguments, ask the guard (unattended writers), stage or run; an action
//! first makes a plan and changes nothing, then the plan is carried out. So a proposal can be tried without writing,
//! and whatever is refused was refused before the first write. Only the scan stands between: with the fault
//! `rollback_leaves_traces` it looks at what was written and undoes it, as the reference does; without it, it looks at
//! a copy of the skill in memory, and what it blocks was never written.
//!
//! Deliberately not here: when the tool is offered (the machine), the scan's rules ([`crate::guard`]), the text
//! matching ([`crate::patch`]), the files of proposals ([`crate::pending`]).

mod approval;
mod arguments;
mod create;
mod delete;
mod diff;
mod edit;
mod files;
mod gist;
mod guard;
mod lookup;
mod names;
mod paths;
mod plan;
mod run;
mod scan;
#[cfg(test)]
mod tests;
mod text_io;

pub use approval::{approve, reject};
pub use arguments::Action;
pub use diff::pending_diff;
pub(super) use names::check_name;
pub use run::{WritePath, manage};
