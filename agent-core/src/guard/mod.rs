//! Static scans of text: threats in memory and context files, dangers in skills (`spec/memory.md` §9, `spec/skill-guard.md`).
