//! Defence in layers, beside the scans of `guard`: a writer must restate what it saves, and what is stored already is
//! looked through now and then. Both are switches (`defence.*`), off unless a setting turns them on.
//!
//! Nothing here changes or removes anything: [`restate`] says yes or no to a write, [`audit`] reports findings.
//! Both work on significant words ([`words`]), by thresholds that are constants with their reasons.

#[cfg(test)]
mod attacks;
pub mod audit;
pub mod restate;
pub mod words;

pub use restate::{Mismatch, RESTATE_MISMATCH};
