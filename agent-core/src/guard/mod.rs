//! Static scans of text: threats in memory and context files, dangers in skills (`spec/memory.md` §9,
//! `spec/skill-guard.md`).
//!
//! Both read lists of rules that are data, written in one small notation, and share one matcher. Neither
//! understands what it reads: a warning about a danger is a finding like the danger itself, and a paraphrase is
//! none. What to do about findings is decided by the callers.

mod pattern;
pub mod skill;
pub mod threats;
