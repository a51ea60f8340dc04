//! What a cell's engine saw and did. Only the attempts are read back by answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::preset::Role;
use crate::wire::Digest;

/// The record of one engine.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    attempts: BTreeMap<Digest, u32>,
    fired: BTreeMap<(Role, usize), u64>,
    misses: Vec<Arc<str>>,
    answers: u64,
    missed: u64,
}

/// How often a rule answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fired {
    /// Its role.
    pub role: Role,
    /// Its label.
    pub rule: Arc<str>,
    /// Its line in the script.
    pub line: u32,
    /// Answers that came from it.
    pub answers: u64,
}

/// Misses that are kept word for word.
const MISSES_MAX: usize = 100;

impl Journal {
    /// Counts a request; how often it was seen, this time included.
    pub(super) fn attempt(&mut self, digest: Digest) -> u32 {
        let count = self.attempts.entry(digest).or_default();
        *count = count.saturating_add(1);
        *count
    }

    pub(super) fn fired(&mut self, role: Role, index: usize) {
        *self.fired.entry((role, index)).or_default() += 1;
    }

    pub(super) fn answered(&mut self) {
        self.answers += 1;
    }

    pub(super) fn miss(&mut self, message: Arc<str>) {
        self.missed += 1;
        if self.misses.len() < MISSES_MAX {
            self.misses.push(message);
        }
    }

    /// How often a rule answered.
    pub(super) fn times(&self, role: Role, index: usize) -> u64 {
        self.fired.get(&(role, index)).copied().unwrap_or(0)
    }

    /// Answers given.
    pub fn answers(&self) -> u64 {
        self.answers
    }

    /// Requests without an answer.
    pub fn missed(&self) -> u64 {
        self.missed
    }

    /// The messages of the first misses, in order.
    pub fn misses(&self) -> &[Arc<str>] {
        &self.misses
    }
}
