//! The length of a source (`spec/prompt.md` §4, "Length cap").

use crate::behaviour::{ContextCap, ContextRules};
use crate::text;
use crate::values::Tokens;

/// What a source may always fill, and all that it may fill where the window is unknown.
const CHARS_MIN: usize = 20_000;
/// What no source fills, however large the window.
const CHARS_MAX: usize = 500_000;
/// Characters of a token, and the share of the window that a source may fill.
const CHARS_PER_TOKEN: f64 = 4.0;
const WINDOW_SHARE: f64 = 0.06;
/// Shares of the cap that the beginning and the end of a cut text keep.
const HEAD_SHARE: f64 = 0.7;
const TAIL_SHARE: f64 = 0.2;

/// Characters that a source may fill.
pub(super) fn limit(window: Option<Tokens>, rules: &ContextRules) -> usize {
    match (rules.cap, window) {
        (ContextCap::Fixed(chars), _) => chars,
        (ContextCap::Scaled, None) => CHARS_MIN,
        (ContextCap::Scaled, Some(window)) => {
            whole(window.0 as f64 * CHARS_PER_TOKEN * WINDOW_SHARE).clamp(CHARS_MIN, CHARS_MAX)
        }
    }
}

/// A positive number without its fraction.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and the number is positive"
)]
fn whole(number: f64) -> usize {
    number as usize
}

/// A text that was cut.
pub(super) struct Cut {
    /// Beginning, a line that says what is missing, end.
    pub(super) text: String,
    /// Characters that are left of the text.
    pub(super) kept: usize,
}

/// Cuts a text that is longer than its limit; `None` where it fits.
pub(super) fn cut_to(words: &str, label: &str, place: &str, limit: usize) -> Option<Cut> {
    words.chars().nth(limit)?;
    let total = words.chars().count();
    let (head, tail) = (whole(limit as f64 * HEAD_SHARE), whole(limit as f64 * TAIL_SHARE));
    let text = format!(
        "{}\n\n[{label} is cut: the first {head} and the last {tail} of {total} characters are shown. \
         Read the whole file at {place}.]\n\n{}",
        text::cut(words, head),
        text::cut_last(words, tail),
    );
    Some(Cut { text, kept: head + tail })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_follows_the_window_between_two_bounds() {
        let rules =
            ContextRules { cap: ContextCap::Scaled, drop_bom: true, skip_install_tree: true, warns: true };
        let of = |window: u64| limit(Some(Tokens(window)), &rules);
        assert_eq!([8_000, 200_000, 10_000_000].map(of), [20_000, 48_000, 500_000]);
        assert_eq!(limit(None, &rules), 20_000);
    }

    #[test]
    fn a_cut_text_keeps_beginning_and_end() {
        let cut = cut_to("abcdefghijk", "A.md", "/work/A.md", 10).unwrap();
        insta::assert_snapshot!(cut.text, @r"
        abcdefg

        [A.md is cut: the first 7 and the last 2 of 11 characters are shown. Read the whole file at /work/A.md.]

        jk
        ");
        assert_eq!(cut.kept, 9);
        assert!(cut_to("abcdefghij", "A.md", "/work/A.md", 10).is_none());
    }
}
