//! Two texts as the lines that were taken away and those that were added.

use similar::{ChangeTag, TextDiff};

/// Unchanged lines shown around a change.
const CONTEXT_LINES: usize = 1;

/// The changed lines with `-` and `+` in front, some unchanged ones around them, `…` for what is left out.
pub(super) fn changed_lines(before: &str, after: &str) -> Vec<String> {
    let diff = TextDiff::from_lines(before, after);
    let mut lines = Vec::new();
    for (index, group) in diff.grouped_ops(CONTEXT_LINES).iter().enumerate() {
        if index > 0 {
            lines.push("…".to_owned());
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            lines.push(format!("{sign} {}", change.value().trim_end_matches('\n')));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changed_lines_and_their_neighbours_are_shown() {
        let lines = changed_lines("a\nb\nc\nd\ne\n", "a\nb\nC\nd\ne\nf\n");
        assert_eq!(lines, ["  b", "- c", "+ C", "  d", "  e", "+ f"]);
        assert_eq!(changed_lines("", "new\n"), ["+ new"]);
    }
}
