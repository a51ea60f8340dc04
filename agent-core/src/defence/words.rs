//! Significant words: what a text is about, as far as counting words can tell.

use std::collections::BTreeSet;

/// Shorter words rarely say what a text is about. Words with a digit count from two characters on.
const WORD_CHARS_MIN: usize = 3;

/// Words that stand in any English text, and those that speak of saving itself.
const COMMON: &[&str] = &[
    "about", "above", "after", "again", "all", "also", "always", "and", "any", "are", "because", "been",
    "before", "being", "but", "can", "content", "could", "did", "does", "doing", "each", "else", "entry",
    "every", "fact", "for", "from", "had", "has", "have", "her", "here", "him", "his", "how", "into", "its",
    "just", "like", "may", "memory", "more", "most", "must", "need", "never", "new", "not", "note", "now",
    "off", "one", "only", "onto", "other", "our", "out", "over", "own", "per", "remember", "same", "save",
    "she", "should", "skill", "some", "store", "such", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "those", "too", "under", "until", "use", "used", "user", "very", "was",
    "were", "what", "when", "where", "which", "while", "who", "why", "will", "with", "would", "you", "your",
];

/// A set of significant words. Grows by whole texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words(BTreeSet<String>);

impl Words {
    /// The significant words of a text.
    pub fn of(text: &str) -> Self {
        let mut words = Self::default();
        words.absorb(text);
        words
    }

    /// Adds the significant words of another text.
    pub fn absorb(&mut self, text: &str) {
        for run in text.split(|char: char| !char.is_alphanumeric()).filter(|run| !run.is_empty()) {
            if run.chars().any(is_ideographic) {
                // Without blanks between words, each character stands for itself.
                self.0.extend(run.chars().filter(|char| is_ideographic(*char)).map(String::from));
            } else if let Some(word) = significant(run) {
                self.0.insert(word);
            }
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many stand in both.
    pub fn shared_with(&self, other: &Self) -> usize {
        let (few, many) = if self.len() <= other.len() { (self, other) } else { (other, self) };
        few.0.iter().filter(|word| many.0.contains(*word)).count()
    }

    /// Whether the word, in its significant form, is one of them.
    pub fn holds(&self, word: &str) -> bool {
        self.0.contains(word)
    }

    /// The words in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Adds all words of another set.
    pub fn extend(&mut self, other: &Self) {
        self.0.extend(other.0.iter().cloned());
    }
}

/// The word in lower case without a plural's ending; none if it says nothing.
fn significant(run: &str) -> Option<String> {
    let word = run.to_lowercase();
    let chars = word.chars().count();
    let has_digit = word.chars().any(char::is_numeric);
    if chars < if has_digit { WORD_CHARS_MIN - 1 } else { WORD_CHARS_MIN } {
        return None;
    }
    if COMMON.binary_search(&word.as_str()).is_ok() {
        return None;
    }
    let stem =
        word.strip_suffix('s').filter(|stem| stem.chars().count() >= WORD_CHARS_MIN && !stem.ends_with('s'));
    match stem {
        Some(stem) if COMMON.binary_search(&stem).is_ok() => None,
        Some(stem) => Some(stem.to_owned()),
        None => Some(word),
    }
}

/// Han, Hiragana, Katakana, and the like: scripts that put no blanks between words.
fn is_ideographic(char: char) -> bool {
    matches!(char, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_are_sorted() {
        assert!(COMMON.is_sorted());
    }

    #[test]
    fn small_words_and_plural_endings_do_not_count() {
        let words = Words::of("The user's servers: use port 22 on db-7, PostgreSQL's class; 用户喜欢茶");
        let found: Vec<&str> = words.0.iter().map(String::as_str).collect();
        assert_eq!(found, ["22", "class", "port", "postgresql", "server", "喜", "户", "欢", "用", "茶"]);
    }
}
