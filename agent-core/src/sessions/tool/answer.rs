//! Answers as JSON, keys in a readable order.

use std::sync::Arc;

use serde::Serialize;

use crate::values::HomeAnswer;

/// A good answer.
pub(super) fn success(body: &impl Serialize) -> HomeAnswer {
    match serde_json::to_string(body) {
        Ok(text) => HomeAnswer { text, ..HomeAnswer::default() },
        // No type here can fail to serialise; if one does, the model reads an error instead of the run ending.
        Err(error) => failure("search-failed", &format!("The answer could not be written: {error}.")),
    }
}

/// A call that did not do what it asked.
pub(super) fn failure(kind: &str, words: &str) -> HomeAnswer {
    #[derive(Serialize)]
    struct Failure<'a> {
        success: bool,
        error: &'a str,
    }
    let text = serde_json::to_string(&Failure { success: false, error: words })
        .unwrap_or_else(|_| "{\"success\": false, \"error\": \"\"}".to_owned());
    HomeAnswer { text, kind: Some(Arc::from(kind)), ..HomeAnswer::default() }
}
