//! Answers as JSON, keys in a readable order.

use serde::Serialize;

use crate::stores::{FilesError, Trouble};
use crate::text::json_line;
use crate::values::HomeAnswer;

/// A call that cannot do what it asks: the kind for the trace and the words for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    pub(super) kind: &'static str,
    pub(super) words: String,
}

impl Mistake {
    pub(super) fn new(kind: &'static str, words: impl Into<String>) -> Self {
        Self { kind, words: words.into() }
    }

    /// Trouble of the tree at a path that is shown so.
    pub(super) fn of(error: &FilesError, shown: &str) -> Self {
        let kind = match error.trouble {
            Trouble::Absent => "file-not-found",
            Trouble::NotAFile | Trouble::Exists | Trouble::NotEmpty => "not-a-file",
            Trouble::NotADirectory => "not-a-directory",
            Trouble::NotUtf8 => "not-text",
            Trouble::ThroughLink | Trouble::NotALink | Trouble::BadPath => "bad-path",
            Trouble::ReadOnly => "read-only",
            Trouble::Host(_) => "io-error",
        };
        Self::new(kind, format!("{shown}: {}.", error.trouble))
    }
}

/// The answer of a call.
pub(super) fn answer<T: Serialize>(done: Result<T, Mistake>) -> HomeAnswer {
    #[derive(Serialize)]
    struct Failure {
        success: bool,
        error: String,
    }
    match done {
        Ok(body) => HomeAnswer { text: json_line(&body), ..HomeAnswer::default() },
        Err(mistake) => HomeAnswer {
            text: json_line(&Failure { success: false, error: mistake.words }),
            kind: Some(mistake.kind.into()),
            ..HomeAnswer::default()
        },
    }
}
