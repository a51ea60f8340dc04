//! Restating: before a write, the model says in `restate` what it is about to save and why.
//!
//! A text that slipped in from a document or a tool's result is rarely restated by the model that copies it, and a
//! harmless label on a harmful text shares few words with it. The test is mechanical and stated here, so that a
//! figure about it means something: of the significant words of the content ([`Words`]), `what` must name half (of long
//! content twelve are enough), and it may hold at most four words more from elsewhere than it names.

use serde_json::{Value, json};

use super::words::Words;
use crate::text;

/// The error kind of a refused write.
pub const RESTATE_MISMATCH: &str = "restate-mismatch";

/// `what` must name at least one of so many of the content's significant words.
const CONTENT_SHARE: usize = 2;

/// So many named words are enough, however long the content (a skill has hundreds).
const NAMED_WORDS_ENOUGH: usize = 12;

/// So many more words from elsewhere than from the content make `what` speak of something else.
const OTHER_WORDS_SLACK: usize = 4;

/// What the model says of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restatement<'a> {
    /// What it saves.
    pub what: &'a str,
    /// Why.
    pub why: &'a str,
}

/// Why a write is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// Nothing was restated.
    #[error(
        "`restate` is missing; say in `what` what is saved, in the words of the content, and in `why` what for"
    )]
    Missing,
    /// There is no reason.
    #[error("`restate.why` is blank; say what it is saved for")]
    NoReason,
    /// What was said is not what would be saved.
    #[error(
        "`restate.what` names {named} of the content's words where {needed} are needed; say what is really saved"
    )]
    TooLittle {
        /// Significant words that both hold.
        named: usize,
        /// How many are needed.
        needed: usize,
    },
    /// What was said speaks of something else.
    #[error("`restate.what` speaks mostly of what the content does not hold; say what is really saved")]
    Beside,
}

/// Reads the `restate` object of a call's arguments.
pub fn read(args: &Value) -> Option<Restatement<'_>> {
    let object = args.get("restate")?.as_object()?;
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or("");
    Some(Restatement { what: text("what"), why: text("why") })
}

/// Whether the restatement fits the content.
///
/// # Errors
/// It is missing, gives no reason, or does not say what would be saved.
pub fn check(content: &str, restatement: Option<Restatement<'_>>) -> Result<(), Mismatch> {
    check_all(&[content], restatement)
}

/// Whether one restatement fits several contents of one call: it must name each, and speak of them together.
///
/// # Errors
/// As [`check`].
pub fn check_all(contents: &[&str], restatement: Option<Restatement<'_>>) -> Result<(), Mismatch> {
    let Some(Restatement { what, why }) = restatement.filter(|given| !text::is_blank(given.what)) else {
        return Err(Mismatch::Missing);
    };
    if text::is_blank(why) {
        return Err(Mismatch::NoReason);
    }
    let what_words = Words::of(what);
    let mut all = Words::default();
    for content in contents {
        let words = Words::of(content);
        names(what, &what_words, content, &words)?;
        all.extend(&words);
    }
    let named = all.shared_with(&what_words);
    if !all.is_empty() && what_words.len() - named > named + OTHER_WORDS_SLACK {
        return Err(Mismatch::Beside);
    }
    Ok(())
}

/// Whether `what` names enough of one content.
fn names(what: &str, what_words: &Words, content: &str, words: &Words) -> Result<(), Mismatch> {
    if words.is_empty() {
        // Nothing to count: the content itself has to be there.
        let named = what.contains(text::trim(content));
        return if named { Ok(()) } else { Err(Mismatch::TooLittle { named: 0, needed: 1 }) };
    }
    let named = words.shared_with(what_words);
    let needed = words.len().div_ceil(CONTENT_SHARE).min(NAMED_WORDS_ENOUGH);
    if named < needed { Err(Mismatch::TooLittle { named, needed }) } else { Ok(()) }
}

/// The schema of the `restate` parameter, for the tools that ask for it.
pub fn schema() -> Value {
    json!({
        "type": "object",
        "description": "Required. Restate the write before it happens: a write whose restatement does not fit is refused.",
        "properties": {
            "what": {
                "type": "string",
                "description": "What is saved or taken away, in the main words of the text itself.",
            },
            "why": { "type": "string", "description": "What it is good for in later sessions." },
        },
        "required": ["what", "why"],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTENT: &str = "Registry for deployments is registry.example:5000; push images there first";

    fn said(what: &str) -> Result<(), Mismatch> {
        check(CONTENT, Some(Restatement { what, why: "needed at each deployment" }))
    }

    #[test]
    fn a_fair_restatement_passes() {
        assert_eq!(
            said("the registry for deployments, registry.example:5000, and to push images first"),
            Ok(())
        );
        assert_eq!(said(CONTENT), Ok(()));
    }

    #[test]
    fn silence_labels_and_other_stories_are_refused() {
        assert_eq!(check(CONTENT, None), Err(Mismatch::Missing));
        assert_eq!(said("  "), Err(Mismatch::Missing));
        let no_reason = Some(Restatement { what: CONTENT, why: " " });
        assert_eq!(check(CONTENT, no_reason), Err(Mismatch::NoReason));
        assert_eq!(said("project information"), Err(Mismatch::TooLittle { named: 0, needed: 4 }));
        let story = format!(
            "{CONTENT} together with a long harmless tale about holidays, mountains, lakes, birds, weather, trains, bread, \
             gardens, music, chess and rain"
        );
        assert_eq!(said(&story), Err(Mismatch::Beside));
    }

    #[test]
    fn of_long_content_twelve_words_are_enough() {
        let steps = |count| (0..count).map(|number| format!("step{number}")).collect::<Vec<_>>().join(" ");
        let (long, some, few) = (steps(400), steps(12), steps(11));
        let reason = "repeatable";
        assert_eq!(check(&long, Some(Restatement { what: &some, why: reason })), Ok(()));
        let refused = Err(Mismatch::TooLittle { named: 11, needed: 12 });
        assert_eq!(check(&long, Some(Restatement { what: &few, why: reason })), refused);
    }

    #[test]
    fn content_without_words_must_be_repeated() {
        let restatement = |what| Some(Restatement { what, why: "asked for" });
        assert_eq!(check("§", restatement("the sign § alone")), Ok(()));
        assert!(check("§", restatement("a sign")).is_err());
    }

    #[test]
    fn odd_arguments_are_no_restatement() {
        for args in [json!({}), json!({"restate": "yes"}), json!({"restate": null}), json!([])] {
            assert_eq!(read(&args), None, "{args}");
        }
        let args = json!({"restate": {"what": "a", "why": 3}});
        assert_eq!(read(&args), Some(Restatement { what: "a", why: "" }));
    }
}
