//! Templates: `{name}` is replaced, once; everything else stays as it is written.
//!
//! There is no escape and no condition. A `{word}` without a value stays, so that examples in a text do no harm, and
//! what was filled in is never read as a template again.

use std::fmt::Write as _;

/// The text with the values filled in.
pub(super) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        filled.push_str(&rest[..open]);
        rest = &rest[open..];
        let hit = values.iter().find_map(|(name, value)| {
            let after = rest[1..].strip_prefix(name)?.strip_prefix('}')?;
            Some((*value, after))
        });
        match hit {
            Some((value, after)) => {
                filled.push_str(value);
                rest = after;
            }
            None => {
                filled.push('{');
                rest = &rest[1..];
            }
        }
    }
    filled.push_str(rest);
    filled
}

/// Paragraphs joined by a blank line; blank ones are left out.
pub(super) fn paragraphs<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for part in parts {
        if crate::text::is_blank(part) {
            continue;
        }
        let gap = if text.is_empty() { "" } else { "\n\n" };
        write!(text, "{gap}{part}").expect("writing to a string does not fail");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_filled_in_once() {
        let values = [("a", "{b}"), ("b", "B")];
        assert_eq!(fill("{a} {b} {c} { {a", &values), "{b} B {c} { {a");
        assert_eq!(fill("", &values), "");
        assert_eq!(paragraphs(["a", " \n", "b"]), "a\n\nb");
    }
}
