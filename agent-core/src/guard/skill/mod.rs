//! The skill guard: a static scan of a skill's files, a verdict, and whether a skill from that source may be
//! installed (`spec/skill-guard.md`).
//!
//! It only reads. Rolling a write back, or leaving no byte of a refused installation behind, is the caller's work.
//!
//! # Invariants
//!
//! * At most one finding per rule and line; findings are sorted by file, line and rule.
//! * Nothing outside the given tree is read, whatever links say.

mod attest;
mod hash;
mod ignore;
mod report;
mod rules;
mod scan;
mod structure;
#[cfg(test)]
mod tests;
mod trust;

pub use attest::{Attestation, SCANNER_VERSION, ScanCache, attest, attest_with, keep};
pub use hash::{ContentHash, content_hash};
pub use report::{Finding, ScanReport, Severity, Verdict};
pub use scan::{ScanError, scan};
pub use trust::{Decision, Trust};
