//! The timed transitions (`spec/curator.md` §6), and the other ways of ageing that can be compared with them.
//!
//! [`plan()`] is pure: it says what would happen to whom and why. [`apply`] does it, through the usage book and its
//! archive. A preview is a plan that is not applied.
//!
//! # Invariants
//!
//! * A plan looks at nothing but its arguments; the same arguments give the same plan.
//! * Applied twice, a plan does what it does once.
//! * Pinned skills and skills of scheduled jobs are in no step.

mod apply;
mod number;
mod plan;
mod trial;

pub use apply::{Applied, Counters, apply};
pub use plan::{Candidate, Change, LimitTooFar, Plan, Step, anchor, plan};
pub(super) use plan::{RESTORED, limits};
