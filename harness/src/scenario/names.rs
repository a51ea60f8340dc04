//! Names that end up in file names, keys and reports.

use mock_llm::decode::Decoder;
use mock_llm::diagnose::Span;

/// Longer names are refused: they are joined to file names.
const NAME_CHARS_MAX: usize = 60;

/// Whether a text can be a name; if not, that is reported. A name begins with a letter or digit and goes on with
/// letters, digits, `-` and `_`; names other than a scenario's may hold dots.
pub(crate) fn is_name(d: &Decoder, name: &str, span: Span, what: &str) -> bool {
    let dots = what != "a scenario";
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_') || (dots && c == '.');
    let first = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    let is_good = first && name.chars().all(good) && name.len() <= NAME_CHARS_MAX;
    if !is_good {
        let allowed = if dots { "letters, digits, `-`, `_` and `.`" } else { "letters, digits, `-` and `_`" };
        d.error_with(
            span,
            format!("`{name}` cannot be the name of {what}"),
            format!("at most {NAME_CHARS_MAX} characters: {allowed}, a letter or digit first"),
        );
    }
    is_good
}
