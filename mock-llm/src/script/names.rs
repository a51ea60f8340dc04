//! The names that expressions of a script may use.

use crate::expr::KnownNames;

/// The names by which expressions of every script speak of the request and its view.
pub const VALUES: [&str; 19] = [
    "asks",
    "attempt",
    "calls",
    "candidates",
    "day",
    "instruction",
    "iteration",
    "last",
    "memory",
    "model",
    "now",
    "results",
    "role",
    "skills",
    "system",
    "tools",
    "turn",
    "user",
    "users",
];

/// Functions over it.
pub(crate) const FUNCTIONS: [&str; 10] =
    ["called", "chance", "knows", "met", "offered", "pick", "seen", "shown", "view", "viewed"];

/// The names of every script, with the lessons and hazards that this one declares.
pub(super) fn known<'a>(
    lessons: impl IntoIterator<Item = &'a str>,
    hazards: impl IntoIterator<Item = &'a str>,
) -> KnownNames {
    KnownNames::new(VALUES.into_iter().chain(FUNCTIONS))
        .with_literals("knows", lessons)
        .with_literals("met", hazards)
}
