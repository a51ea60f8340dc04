//! The two stores and what they are called.

use crate::behaviour::{MemoryMode, MemoryRules};
use crate::stores::TreePath;
use crate::values::Store;

/// Which store a write is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// The agent's notes, `MEMORY.md`.
    Notes,
    /// The user's profile, `USER.md`.
    Profile,
}

impl Target {
    /// Both, in the order in which the prompt shows them.
    pub const ALL: [Self; 2] = [Self::Notes, Self::Profile];

    /// The word by which the tool's `target` names it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Notes => "memory",
            Self::Profile => "user",
        }
    }

    /// The target of this name; case counts.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.as_str() == name)
    }

    /// The name of its file in `memories/`.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Notes => "MEMORY.md",
            Self::Profile => "USER.md",
        }
    }

    /// Its file, links not followed.
    pub fn path(self) -> TreePath {
        TreePath::new("memories").below(&TreePath::new(self.file_name()))
    }

    /// The label of its block in the prompt. A prompt that holds it holds a block of this target.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Notes => "MEMORY (the agent's own notes)",
            Self::Profile => "USER PROFILE (what is known of the user)",
        }
    }

    /// What traces call it.
    pub const fn store(self) -> Store {
        match self {
            Self::Notes => Store::Memory,
            Self::Profile => Store::User,
        }
    }

    /// What a person calls it.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Notes => "the notes",
            Self::Profile => "the user profile",
        }
    }

    /// How much it may hold under these rules.
    pub(super) fn limit(self, rules: &MemoryRules) -> Limit {
        match (rules.mode, self) {
            (MemoryMode::AppendOnly, _) => Limit::None,
            (MemoryMode::Bounded, Self::Notes) => Limit::Chars(rules.notes_limit),
            (MemoryMode::Bounded, Self::Profile) => Limit::Chars(rules.profile_limit),
        }
    }
}

/// One value for each target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Each<T> {
    notes: T,
    profile: T,
}

impl<T> Each<T> {
    pub(super) fn new(notes: T, profile: T) -> Self {
        Self { notes, profile }
    }

    pub(super) fn get(&self, target: Target) -> &T {
        match target {
            Target::Notes => &self.notes,
            Target::Profile => &self.profile,
        }
    }

    pub(super) fn get_mut(&mut self, target: Target) -> &mut T {
        match target {
            Target::Notes => &mut self.notes,
            Target::Profile => &mut self.profile,
        }
    }
}

/// How much a store may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    /// So many characters; zero and less allow nothing.
    Chars(i64),
    /// As much as comes.
    None,
}

impl Limit {
    /// Whether so many characters are too many.
    pub(super) fn is_exceeded_by(self, chars: usize) -> bool {
        match self {
            Self::Chars(limit) => i64::try_from(chars).unwrap_or(i64::MAX) > limit,
            Self::None => false,
        }
    }
}
