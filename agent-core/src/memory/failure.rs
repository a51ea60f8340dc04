//! Why a memory call did not do what it asked: the kinds of `spec/memory.md` §4.2 and ours, with their words.

use super::entries::{preview, signed_thousands};
use super::place::PlaceError;
use super::target::{Limit, Target};
use crate::text;
use crate::values::Chars;

/// What an error lists beside its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shows {
    /// Nothing.
    Nothing,
    /// The entries.
    Entries,
    /// The entries and the usage.
    EntriesAndUsage,
}

/// A call that did not do what it asked.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Failure {
    /// The error kind.
    pub(super) kind: &'static str,
    /// What the model reads.
    pub(super) text: String,
    /// Whether a guard refused, as opposed to a mistake in the call.
    pub(super) refused: bool,
    /// Whether it counts as a failed attempt to make room.
    pub(super) counts: bool,
    /// What is listed beside the words.
    pub(super) shows: Shows,
    /// Previews of the entries that fit.
    pub(super) matches: Option<Vec<String>>,
    /// Path of the drift backup, or words that say why there is none.
    pub(super) backup: Option<String>,
    /// Whether the call is over and must not be tried again.
    pub(super) done: bool,
}

pub(super) const RETRY_EXHAUSTED: &str = "retry-exhausted";

impl Failure {
    fn new(kind: &'static str, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into(),
            refused: false,
            counts: false,
            shows: Shows::Nothing,
            matches: None,
            backup: None,
            done: false,
        }
    }

    fn refused(kind: &'static str, text: impl Into<String>) -> Self {
        Self { refused: true, ..Self::new(kind, text) }
    }

    pub(super) fn unavailable() -> Self {
        Self::new(
            "memory-unavailable",
            "Memory is not available here: this agent has no memory store, or it is switched off.",
        )
    }

    pub(super) fn arguments_no_object() -> Self {
        Self::new("bad-argument", "The arguments must be one JSON object.")
    }

    pub(super) fn wrong_type(key: &str, wanted: &str) -> Self {
        Self::new("bad-argument", format!("`{key}` must be {wanted}."))
    }

    pub(super) fn invalid_target(found: &str) -> Self {
        Self::new(
            "invalid-target",
            format!("Unknown target {found}: `memory` is your own notes, `user` the user profile."),
        )
    }

    pub(super) fn operations_not_list() -> Self {
        Self::new(
            "operations-not-list",
            "`operations` must be a list of objects, each with `action` and what it needs.",
        )
    }

    pub(super) fn empty_batch() -> Self {
        Self::new("empty-batch", "The list of operations is empty.")
    }

    pub(super) fn unknown_action(action: &str) -> Self {
        Self::new("unknown-action", format!("Unknown action {action}: use add, replace or remove."))
    }

    pub(super) fn content_required(action: &str) -> Self {
        Self::new("content-required", format!("`content` is required to {action} an entry."))
    }

    pub(super) fn missing_old_text(action: &str) -> Self {
        Self::new(
            "missing-old-text",
            format!(
                "`old_text` is required to {action} an entry: give a short piece of text that only this entry holds."
            ),
        )
    }

    pub(super) fn empty_content() -> Self {
        Self::new("empty-content", "`content` is blank.")
    }

    pub(super) fn empty_old_text() -> Self {
        Self::new("empty-old-text", "`old_text` is blank.")
    }

    pub(super) fn threat(class: &str) -> Self {
        Self::refused(
            "threat-blocked",
            format!(
                "Not stored: the content fits the threat pattern `{class}`. Memory becomes part of the system prompt, \
                 so text that reads like an instruction to the agent, a secret or hidden characters is kept out."
            ),
        )
    }

    pub(super) fn drift(target: Target, backup: String) -> Self {
        Self {
            backup: Some(backup),
            ..Self::refused(
                "drift-detected",
                format!(
                    "{} holds text that this tool did not write (blank entries, stray delimiters or an entry above the \
                     limit). Nothing was changed, so that nothing is lost.",
                    target.file_name()
                ),
            )
        }
    }

    pub(super) fn no_match(old: &str) -> Self {
        Self {
            counts: true,
            shows: Shows::Entries,
            ..Self::new(
                "no-match",
                format!(
                    "No entry holds {}: case and punctuation count. Copy a piece of the entry as it stands.",
                    quoted(old)
                ),
            )
        }
    }

    pub(super) fn ambiguous(old: &str, matches: Vec<String>) -> Self {
        let text = format!(
            "{} different entries hold {}: give a longer piece that only one of them holds.",
            matches.len(),
            quoted(old)
        );
        Self { matches: Some(matches), ..Self::new("ambiguous-match", text) }
    }

    /// An add that does not fit. The sentence names the ways out: it is what steers the model.
    pub(super) fn no_room(target: Target, chars: usize, limit: Limit, content: &str) -> Self {
        Self {
            counts: true,
            shows: Shows::EntriesAndUsage,
            ..Self::new(
                "over-limit",
                format!(
                    "No room: {} stand at {} of {} chars, and this entry has {} chars. Make room first: `replace` \
                     entries by shorter or merged ones, or `remove` what is stale; then add.",
                    target.words(),
                    text::thousands(chars),
                    limit_words(limit),
                    text::thousands(Chars::of(content).0),
                ),
            )
        }
    }

    /// A replace or batch that ends above the limit.
    pub(super) fn too_long(target: Target, would_be: usize, limit: Limit, shows: Shows) -> Self {
        Self {
            counts: true,
            shows,
            ..Self::new(
                "over-limit",
                format!(
                    "No room: this would bring {} to {} of {} chars. Shorten the text, or `replace` and `remove` more \
                     in the same step.",
                    target.words(),
                    text::thousands(would_be),
                    limit_words(limit),
                ),
            )
        }
    }

    pub(super) fn exhausted() -> Self {
        Self {
            done: true,
            ..Self::new(
                RETRY_EXHAUSTED,
                "Memory was left as it is: too many attempts failed one after the other. Do not try again now; go on \
                 with the user's request and say what could not be saved.",
            )
        }
    }

    pub(super) fn denied() -> Self {
        Self::refused("user-denied", "The user did not allow this memory write. Do not try it again.")
    }

    pub(super) fn staging(error: &str) -> Self {
        Self::refused(
            "staging-failed",
            format!("This write needs the user's approval and could not be put in line for it: {error}."),
        )
    }

    pub(super) fn restatement(error: &crate::defence::Mismatch) -> Self {
        Self::refused(crate::defence::RESTATE_MISMATCH, format!("Nothing was written: {error}."))
    }

    pub(super) fn append_only() -> Self {
        Self::refused(
            "append-only",
            "Entries of this memory are only ever added; none can be replaced or removed.",
        )
    }

    pub(super) fn delimiter() -> Self {
        Self::refused(
            "delimiter-in-content",
            "The content holds a line with the section sign alone, which is what separates entries. Leave that line \
             out, or add the parts one by one.",
        )
    }

    /// The same in a list of operations; numbers start at 1.
    pub(super) fn in_operation(mut self, number: usize) -> Self {
        self.text = format!("Operation {number}: {} No operation of the list was applied.", self.text);
        self
    }

    /// The same as an operation of a list that failed on its content or match: it counts, and lists the store.
    pub(super) fn counted_in_operation(self, number: usize) -> Self {
        Self { counts: true, shows: Shows::EntriesAndUsage, matches: None, ..self.in_operation(number) }
    }
}

impl From<PlaceError> for Failure {
    fn from(error: PlaceError) -> Self {
        Self { refused: error.is_refusal(), ..Self::new(error.kind(), format!("Memory error: {error}.")) }
    }
}

fn quoted(old: &str) -> String {
    format!("\"{}\"", preview(old))
}

fn limit_words(limit: Limit) -> String {
    match limit {
        Limit::Chars(limit) => signed_thousands(limit),
        Limit::None => "unlimited".to_owned(),
    }
}
