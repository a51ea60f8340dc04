//! Passages around what was found.
//!
//! The main index's own `snippet` is taken as it is. For the trigram index SQLite changed its mind: where two
//! phrases touch, versions before 3.45 marked each and later ones mark the stretch as a whole. The reference's
//! users have the former, so a stretch is cut where phrases touch. Phrases that overlap stay one stretch (older
//! versions repeated text there).

use super::message::MessageRow;

/// What surrounds a match.
pub(super) const OPEN: &str = ">>>";
pub(super) const CLOSE: &str = "<<<";

/// Marks that stand for them inside, where a text may hold the real ones: characters for private use.
pub(super) const OPEN_INSIDE: char = '\u{F0001}';
pub(super) const CLOSE_INSIDE: char = '\u{F0002}';

/// Characters of a snippet of the substring search.
const SUBSTRING_CHARS: usize = 120;

/// Characters before the match in it.
const SUBSTRING_LEAD_CHARS: usize = 40;

/// Characters of one entry of the trigram index.
const TRIGRAM: usize = 3;

/// A passage of a row around a word, without marks.
pub(super) fn of_substring(row: &MessageRow, word: &str) -> String {
    let content = row.message.content.as_deref().unwrap_or("");
    let at = content.find(word).map_or(0, |at| content[..at].chars().count());
    let visible = row.message.content_before_nul();
    visible.chars().skip(at.saturating_sub(SUBSTRING_LEAD_CHARS)).take(SUBSTRING_CHARS).collect()
}

/// Puts the real marks into a snippet of the trigram index, a pair for each stretch of phrases that do not touch.
pub(super) fn of_trigram(marked: &str, phrases: &[String]) -> String {
    let phrases: Vec<Vec<char>> = phrases.iter().map(|phrase| folded(phrase)).collect();
    let mut snippet = String::with_capacity(marked.len());
    let mut rest = marked;
    while let Some((before, after)) = rest.split_once(OPEN_INSIDE) {
        snippet.push_str(before);
        let (stretch, after) = after.split_once(CLOSE_INSIDE).unwrap_or((after, ""));
        for part in parts(stretch, &phrases) {
            snippet.push_str(OPEN);
            snippet.push_str(&part);
            snippet.push_str(CLOSE);
        }
        rest = after;
    }
    snippet.push_str(rest);
    snippet
}

/// A marked stretch, cut where one phrase ends and the next begins.
fn parts(stretch: &str, phrases: &[Vec<char>]) -> Vec<String> {
    let chars: Vec<char> = stretch.chars().collect();
    let text = folded(stretch);
    let mut places: Vec<(usize, usize)> = Vec::new();
    for phrase in phrases.iter().filter(|phrase| phrase.len() >= TRIGRAM && phrase.len() <= text.len()) {
        let found = text.windows(phrase.len()).enumerate().filter(|(_, window)| window == phrase);
        places.extend(found.map(|(at, _)| (at, at + phrase.len())));
    }
    places.sort_unstable();
    let mut cuts = Vec::new();
    let mut end = 0;
    for (start, phrase_end) in places {
        if start > 0 && start == end {
            cuts.push(start);
        }
        end = end.max(phrase_end);
    }
    let mut parts = Vec::with_capacity(cuts.len() + 1);
    let mut from = 0;
    for cut in cuts.into_iter().chain([chars.len()]) {
        parts.push(chars[from..cut].iter().collect());
        from = cut;
    }
    parts
}

/// One character each, without regard to case.
fn folded(text: &str) -> Vec<char> {
    text.chars().map(|char| char.to_lowercase().next().unwrap_or(char)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str) -> String {
        text.replace('[', &OPEN_INSIDE.to_string()).replace(']', &CLOSE_INSIDE.to_string())
    }

    #[test]
    fn phrases_that_touch_are_marked_apart() {
        let phrases = ["服务器".to_owned(), "已迁移".to_owned(), "DEPLOY".to_owned()];
        let shown = |text: &str| of_trigram(&marked(text), &phrases);
        assert_eq!(shown("桂林[服务器已迁移] x"), "桂林>>>服务器<<<>>>已迁移<<< x");
        assert_eq!(shown("[服务器] [deploy]"), ">>>服务器<<< >>>deploy<<<");
        assert_eq!(shown("none >>> here"), "none >>> here");
        assert_eq!(shown("[cut of"), ">>>cut of<<<");
        let overlapping = ["abcd".to_owned(), "cdef".to_owned()];
        assert_eq!(of_trigram(&marked("[abcdef]"), &overlapping), ">>>abcdef<<<");
    }
}
