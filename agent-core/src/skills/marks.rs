//! What a review has read: the condition of its writes (`spec/skills.md` §6, read before write).

use std::collections::BTreeSet;

use super::library::Spot;

/// How a call stands to the others of its reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Batch {
    /// It runs alone or in sequence.
    #[default]
    Alone,
    /// It runs beside others, in a worker of its own.
    Parallel,
}

/// The files that one review has read. The conversation owns them and its workers share them; each review starts
/// with none, and a mark stays good for several writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadMarks(BTreeSet<Spot>);

impl ReadMarks {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// Marks a file as read, links resolved.
    pub fn mark(&mut self, file: Spot) {
        self.0.insert(file);
    }

    /// Whether a file was read.
    pub fn has(&self, file: &Spot) -> bool {
        self.0.contains(file)
    }

    /// Forgets all: a new review begins.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}
