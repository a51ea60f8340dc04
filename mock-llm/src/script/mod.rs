//! How the scripted model behaves, as a file says it: roles, ordered rules, steps.
//!
//! A [`Script`] is loaded once, checked whole and shared by all cells that use it. It holds no state: what was fired, seen or
//! counted belongs to [`crate::engine`]. Files that it includes are read through a function of the caller's, so that
//! nothing here knows a disk.

mod args;
mod fault;
mod join;
mod load;
mod names;
mod pattern;
mod steps;
mod values;

pub use args::Args;
pub use fault::{Attempts, FaultKind, FaultPlan};
pub use load::{Loading, ReadFile};
pub use names::VALUES;
pub use pattern::Pattern;
pub use values::{Act, Branch, CallSpec, FaultRule, Let, Lets, Rule, Script, Step, Texts};

#[cfg(test)]
mod tests;
