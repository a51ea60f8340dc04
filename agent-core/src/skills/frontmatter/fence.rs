//! Where the header ends (`spec/skills.md` §3.3, step 3).

use crate::text::is_space;

/// The two fences.
pub(super) const FENCE: &str = "---";

/// A text cut at its fences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts<'s> {
    /// Between the opening hyphens and the line break before the closing fence.
    pub(super) header: &'s str,
    /// Behind the closing fence and the blank lines that follow it.
    pub(super) body: &'s str,
}

/// Cuts a text that starts with the opening fence. The closing fence is a line break, three hyphens, and whitespace
/// that holds at least one more line break and may span lines; `None` without one.
pub(super) fn split(text: &str) -> Option<Parts<'_>> {
    let rest = text.strip_prefix(FENCE)?;
    rest.match_indices("\n---").find_map(|(at, found)| {
        let after = &rest[at + found.len()..];
        let blank = after.find(|char| !is_space(char)).map_or(after, |end| &after[..end]);
        let end = blank.rfind('\n')?;
        Some(Parts { header: &rest[..at], body: &after[end + 1..] })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_whole_fence_line_counts() {
        let cut = |text| split(text).map(|parts| (parts.header, parts.body));
        assert_eq!(cut("---\na\n----\nb\n---\u{a0}\n\n \nc\n---\n"), Some(("\na\n----\nb", "c\n---\n")));
        assert_eq!(cut("---\na\n---"), None);
        assert_eq!(cut("---\n---\n"), Some(("", "")));
        assert_eq!(cut("---x\n---\n"), Some(("x", "")));
        assert_eq!(cut("--"), None);
    }
}
