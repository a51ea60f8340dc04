//! The usage sidecar `skills/.usage.json`: records, counters, provenance, archive (`spec/skill-usage.md`).
//!
//! [`UsageBook`] holds the records in memory; [`Usage`] is what callers work with: the book with a library, a
//! catalogue, rules and the time. Telemetry never breaks a call: what cannot be written is not written.
//!
//! Deliberately not here: when a counter moves. The tools and the machine say so by calling [`Usage::count_view`],
//! [`Usage::count_load`] and [`Usage::count_patch`].

mod archive;
mod book;
mod located;
mod names;
mod number;
mod record;
mod report;
mod restore;
mod sources;
#[cfg(test)]
mod tests;

pub use archive::{ArchiveError, Archived};
pub use book::UsageBook;
pub use names::{Usage, UsedBy};
pub use record::{Counter, Record, SkillState};
pub use report::UsageRow;
pub use restore::{RestoreError, Restored};
pub(super) use sources::{HUB_LOCK, MANIFEST as BUNDLED_MANIFEST};
pub use sources::{Provenance, Sources};
