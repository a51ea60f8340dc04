//! Names and categories of new skills (`spec/skills.md` §3.1 and §3.2).
//!
//! Quirks kept: one line feed at the end of a name is accepted, and a category is checked trimmed but used as given,
//! so that blanks around it get into the directory's name.

use serde_json::Value;

use super::super::answer::Refusal;
use crate::text::trim;
use crate::values::Chars;

/// Longest name of a skill or category, in characters.
const NAME_CHARS_MAX: usize = 64;

const RULE: &str = "lower-case letters, digits, `.`, `_` and `-`, beginning with a letter or digit";

/// Whether a text is a letter or digit followed by letters, digits, points, underscores and hyphens.
fn is_name(text: &str) -> bool {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let mut bytes = text.bytes();
    let first = bytes.next().is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    first
        && bytes.all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'_' | b'-')
        })
}

/// Checks the name of a new skill.
///
/// # Errors
/// `bad-name`.
pub(in super::super) fn check_name(name: &str) -> Result<(), Refusal> {
    let bad = |why: String| Err(Refusal::mistake("bad-name", why));
    if name.is_empty() {
        return bad("a skill needs a name".to_owned());
    }
    let length = Chars::of(name).0;
    if length > NAME_CHARS_MAX {
        return bad(format!("the name has {length} characters; at most {NAME_CHARS_MAX} are allowed"));
    }
    if is_name(name) { Ok(()) } else { bad(format!("the name `{name}` may hold only {RULE}")) }
}

/// Checks a category and gives the directory's name; none for no category.
///
/// # Errors
/// `bad-category`.
pub(super) fn check_category(category: Option<&Value>) -> Result<Option<&str>, Refusal> {
    let bad = |why: String| Err(Refusal::mistake("bad-category", why));
    let raw = match category {
        None => return Ok(None),
        Some(Value::String(raw)) => raw,
        Some(other) => return bad(format!("a category is text, not {other}")),
    };
    let text = trim(raw);
    if text.contains(['/', '\\']) {
        return bad("a category is one directory, without slashes".to_owned());
    }
    let length = Chars::of(text).0;
    if length > NAME_CHARS_MAX {
        return bad(format!("the category has {length} characters; at most {NAME_CHARS_MAX} are allowed"));
    }
    if text.is_empty() || is_name(text) {
        return Ok(Some(raw.as_str()).filter(|raw| !raw.is_empty()));
    }
    bad(format!("the category `{text}` may hold only {RULE}"))
}
