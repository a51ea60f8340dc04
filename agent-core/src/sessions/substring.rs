//! The search for short words of Chinese, Japanese and Korean, which no index holds (`spec/sessions.md` §2.2).
//!
//! It reads texts, so it costs what they weigh; a word beyond ASCII is looked for only in rows that hold anything
//! beyond ASCII, which a list remembers.

use super::message::{MessageRow, StoredCalls, before_nul};
use super::query::{Alternatives, Substring};
use super::search::{Finder, Hits, SearchQuery, is_findable};
use super::store::SessionStore;
use crate::behaviour::SessionRules;

/// Places of the rows that hold anything beyond ASCII, as far as they were looked at.
#[derive(Debug, Default)]
pub(super) struct BeyondAscii {
    places: Vec<usize>,
    looked_at: usize,
}

impl BeyondAscii {
    fn update(&mut self, rows: &[MessageRow]) {
        let new = rows.iter().enumerate().skip(self.looked_at);
        self.places.extend(new.filter(|(_, row)| !is_ascii(row)).map(|(place, _)| place));
        self.looked_at = rows.len();
    }
}

fn is_ascii(row: &MessageRow) -> bool {
    let message = &row.message;
    let calls = match &message.calls {
        StoredCalls::Json(text) => text.is_ascii(),
        // Their JSON is ASCII.
        StoredCalls::None | StoredCalls::Made(_) => true,
    };
    calls
        && message.content.as_deref().is_none_or(str::is_ascii)
        && message.tool_name.as_deref().is_none_or(str::is_ascii)
}

impl SessionStore {
    /// Rows that hold the words anywhere, latest first.
    pub(super) fn search_substring(
        &mut self,
        query: &SearchQuery<'_>,
        words: Substring,
        rules: &SessionRules,
    ) -> Hits {
        let alternatives = if rules.substring_operators { words.as_written() } else { words.any_of() };
        let mut rows = self.candidates(&alternatives);
        rows.retain(|&row| {
            let row = &self.messages[row];
            let shown = rules.substring_rewound || is_findable(row, query, rules);
            shown && self.passes(query, row) && holds(row, &alternatives)
        });
        rows.sort_by(|&one, &two| self.messages[two].timestamp().total_cmp(&self.messages[one].timestamp()));
        let rows = rows.into_iter().skip(query.offset).take(query.limit).collect();
        Hits { rows, finder: Some(Finder::Substring(words)) }
    }

    /// The rows that can hold any of the alternatives.
    fn candidates(&mut self, alternatives: &Alternatives<'_>) -> Vec<usize> {
        if alternatives.iter().all(|(wanted, _)| wanted.iter().any(|word| !word.is_ascii())) {
            self.beyond_ascii.update(&self.messages);
            return self.beyond_ascii.places.clone();
        }
        (0..self.messages.len()).collect()
    }
}

/// Whether a row holds what one of the alternatives wants, in content, tool name or tool calls.
fn holds(row: &MessageRow, alternatives: &Alternatives<'_>) -> bool {
    let message = &row.message;
    let content = message.content.as_deref().unwrap_or("");
    let in_calls = |word: &str| match &message.calls {
        StoredCalls::Made(_) if !word.is_ascii() => false,
        calls => calls.to_json().is_some_and(|calls| contains_ignoring_case(&calls, word)),
    };
    let contains = |word: &str| {
        (contains_ignoring_case(content, word) && contains_ignoring_case(before_nul(content), word))
            || message.tool_name.as_deref().is_some_and(|name| contains_ignoring_case(name, word))
            || in_calls(word)
    };
    alternatives.iter().any(|(wanted, unwanted)| {
        wanted.iter().all(|word| contains(word)) && !unwanted.iter().any(|word| contains(word))
    })
}

/// SQL's `LIKE '%word%'`: only ASCII letters are compared without regard to case.
fn contains_ignoring_case(text: &str, word: &str) -> bool {
    if !word.bytes().any(|byte| byte.is_ascii_alphabetic()) {
        return text.contains(word);
    }
    let (text, word) = (text.as_bytes(), word.as_bytes());
    let (lower, upper) = (word[0].to_ascii_lowercase(), word[0].to_ascii_uppercase());
    text.windows(word.len())
        .any(|part| (part[0] == lower || part[0] == upper) && part.eq_ignore_ascii_case(word))
}
