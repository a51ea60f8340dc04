//! Searching messages (`spec/sessions.md` §2): which rows, in which order.
//!
//! The index says which rows an expression matches and how well; filters and order are applied here, on the rows in
//! memory, so they never depend on what was written to SQLite when. Snippets and neighbours are made for the rows
//! that are shown, not for all that were found.

use std::cmp::Ordering;
use std::sync::Arc;

use super::index::Failure;
use super::message::{Decoded, MessageRow, RowState, parts_text};
use super::query::{self, Route, Substring};
use super::schema::FullText;
use super::snippet;
use super::store::SessionStore;
use super::{MessageId, SessionId};
use crate::behaviour::{BadSyntax, SessionRules, TrigramFailure};
use crate::text;

/// Characters of a neighbour shown beside a row.
const CONTEXT_CHARS: usize = 200;

/// The order of what was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Best first.
    #[default]
    Rank,
    /// Latest first, then best.
    Newest,
    /// Earliest first, then best.
    Oldest,
}

/// What to search for.
#[derive(Clone, Debug, Default)]
pub struct SearchQuery<'a> {
    /// What was typed.
    pub text: &'a str,
    /// Only sessions of these sources.
    pub sources: Option<&'a [Arc<str>]>,
    /// No sessions of these sources.
    pub excluded_sources: &'a [Arc<str>],
    /// Only messages of these roles.
    pub roles: Option<&'a [Arc<str>]>,
    /// Most rows.
    pub limit: usize,
    /// Rows passed over.
    pub offset: usize,
    /// The order; the substring search always gives the latest first.
    pub sort: Sort,
    /// Whether rows that the user took back count.
    pub include_inactive: bool,
}

/// How a row was found; needed again for its snippet.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Finder {
    FullText(FullText, String),
    Substring(Substring),
}

/// Rows found, in order.
#[derive(Clone, Debug)]
pub struct Hits {
    /// Places of the rows in the store.
    pub(super) rows: Vec<usize>,
    pub(super) finder: Option<Finder>,
}

impl Hits {
    /// Nothing found.
    pub(super) fn none() -> Self {
        Self { rows: Vec::new(), finder: None }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// SQLite failed while it searched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the search failed: {0}")]
pub struct SearchFailed(pub String);

/// A row found, with everything that a listing of matches shows (`spec/sessions.md` §2.4).
#[derive(Clone, Debug, PartialEq)]
pub struct SearchRow {
    /// The message.
    pub id: MessageId,
    /// Its session.
    pub session_id: SessionId,
    /// Who speaks.
    pub role: String,
    /// The passage around the match.
    pub snippet: String,
    /// When it was said, in seconds since the Unix epoch.
    pub timestamp: f64,
    /// The tool that it comes from.
    pub tool_name: Option<Arc<str>>,
    /// The session's source.
    pub source: Arc<str>,
    /// The session's model.
    pub model: Option<Arc<str>>,
    /// The session's start, in seconds since the Unix epoch.
    pub session_started: f64,
    /// The message before, the message itself and the one after, in order of time: role and first 200 characters.
    pub context: Vec<(String, String)>,
}

impl SessionStore {
    /// Finds messages. A query that is no full-text expression finds nothing.
    ///
    /// # Errors
    /// SQLite failed.
    pub fn search(&mut self, query: &SearchQuery<'_>, rules: &SessionRules) -> Result<Hits, SearchFailed> {
        let cleaned = query::clean(query.text, rules);
        match query::route(&cleaned) {
            Route::None => Ok(Hits::none()),
            Route::Main(expression) => self.search_main(query, &cleaned, expression, rules),
            Route::Substring(words) => Ok(self.search_substring(query, words, rules)),
            Route::Trigram(expression) => match self.ranked(query, FullText::Trigram, &expression, rules) {
                Ok(rows) => Ok(found(rows, FullText::Trigram, expression)),
                Err(Failure::Engine(error)) => Err(SearchFailed(error.to_string())),
                Err(Failure::Syntax) => match rules.trigram_failure {
                    TrigramFailure::Nothing => Ok(Hits::none()),
                    TrigramFailure::Substring => {
                        Ok(self.search_substring(query, query::substring_instead(&cleaned), rules))
                    }
                },
            },
        }
    }

    fn search_main(
        &mut self,
        query: &SearchQuery<'_>,
        cleaned: &str,
        expression: String,
        rules: &SessionRules,
    ) -> Result<Hits, SearchFailed> {
        let failed = |error: rusqlite::Error| SearchFailed(error.to_string());
        match self.ranked(query, FullText::Main, &expression, rules) {
            Ok(rows) => return Ok(found(rows, FullText::Main, expression)),
            Err(Failure::Engine(error)) => return Err(failed(error)),
            Err(Failure::Syntax) if rules.on_bad_syntax == BadSyntax::Nothing => return Ok(Hits::none()),
            Err(Failure::Syntax) => {}
        }
        let words = query::plain_words(cleaned);
        if words.is_empty() {
            return Ok(Hits::none());
        }
        match self.ranked(query, FullText::Main, &words, rules) {
            Ok(rows) => Ok(found(rows, FullText::Main, words)),
            Err(Failure::Engine(error)) => Err(failed(error)),
            Err(Failure::Syntax) => Ok(Hits::none()),
        }
    }

    /// The rows that an expression matches and the filters let through, in the order asked for.
    fn ranked(
        &mut self,
        query: &SearchQuery<'_>,
        table: FullText,
        expression: &str,
        rules: &SessionRules,
    ) -> Result<Vec<usize>, Failure> {
        let mut rows = self.matching(query, table, expression, rules, query.sort == Sort::Rank)?;
        if query.sort != Sort::Rank {
            rows.sort_by(|one, two| self.in_time(query.sort, one.0, two.0));
            // Only where two rows have one time does their rank matter.
            if rows.windows(2).any(|pair| self.in_time(query.sort, pair[0].0, pair[1].0) == Ordering::Equal) {
                rows = self.matching(query, table, expression, rules, true)?;
            }
        }
        rows.sort_by(|one, two| {
            let by_time = self.in_time(query.sort, one.0, two.0);
            by_time.then(one.1.total_cmp(&two.1)).then(one.0.cmp(&two.0))
        });
        Ok(rows.into_iter().skip(query.offset).take(query.limit).map(|(row, _)| row).collect())
    }

    /// The order of two rows by time, if the sort asks for one.
    fn in_time(&self, sort: Sort, one: usize, two: usize) -> Ordering {
        let time = |row: usize| self.messages[row].timestamp();
        match sort {
            Sort::Rank => Ordering::Equal,
            Sort::Newest => time(two).total_cmp(&time(one)),
            Sort::Oldest => time(one).total_cmp(&time(two)),
        }
    }

    /// The rows that an expression matches and the filters let through, with their ranks if asked for.
    fn matching(
        &mut self,
        query: &SearchQuery<'_>,
        table: FullText,
        expression: &str,
        rules: &SessionRules,
        ranked: bool,
    ) -> Result<Vec<(usize, f64)>, Failure> {
        let matches = self.index.matches(table, expression, &self.messages, ranked)?;
        let place = |(id, rank)| Some((self.message_place(MessageId(id))?, rank));
        let passes = |&(row, _): &(usize, f64)| {
            let row = &self.messages[row];
            self.passes(query, row) && is_findable(row, query, rules)
        };
        Ok(matches.into_iter().filter_map(place).filter(passes).collect())
    }

    pub(super) fn passes(&self, query: &SearchQuery<'_>, row: &MessageRow) -> bool {
        let is = |name: &str, list: &[Arc<str>]| list.iter().any(|known| **known == *name);
        let source = &self.owner(row).source;
        query.roles.is_none_or(|roles| is(row.message.role.as_str(), roles))
            && query.sources.is_none_or(|sources| is(source, sources))
            && !is(source, query.excluded_sources)
    }

    /// The passages of rows around what was found in them.
    ///
    /// # Errors
    /// SQLite failed.
    pub(super) fn snippets(&mut self, hits: &Hits, rows: &[usize]) -> Result<Vec<String>, SearchFailed> {
        let (table, expression) = match &hits.finder {
            None => return Ok(vec![String::new(); rows.len()]),
            Some(Finder::Substring(words)) => {
                let snippet = |&row: &usize| snippet::of_substring(&self.messages[row], words.first());
                return Ok(rows.iter().map(snippet).collect());
            }
            Some(Finder::FullText(table, expression)) => (*table, expression),
        };
        let texts: Vec<String> = rows.iter().map(|&row| self.messages[row].message.indexed_text()).collect();
        let marked = self.index.snippets(table, expression, &texts);
        let marked = marked.map_err(|error| SearchFailed(error.to_string()))?;
        Ok(match table {
            FullText::Main => marked,
            FullText::Trigram => {
                let phrases = query::phrases(expression);
                marked.iter().map(|marked| snippet::of_trigram(marked, &phrases)).collect()
            }
        })
    }

    /// Everything about the `n`-th row found.
    ///
    /// # Errors
    /// SQLite failed.
    pub fn search_row(&mut self, hits: &Hits, n: usize) -> Result<Option<SearchRow>, SearchFailed> {
        let Some(&place) = hits.rows.get(n) else { return Ok(None) };
        let snippet = self.snippets(hits, &[place])?.pop().unwrap_or_default();
        let row = &self.messages[place];
        let session = self.owner(row);
        Ok(Some(SearchRow {
            id: row.id,
            session_id: session.id.clone(),
            role: row.message.role.as_str().to_owned(),
            snippet,
            timestamp: row.timestamp(),
            tool_name: row.message.tool_name.clone(),
            source: Arc::clone(&session.source),
            model: session.model.clone(),
            session_started: session.started_at,
            context: self.neighbours(place),
        }))
    }

    fn neighbours(&self, place: usize) -> Vec<(String, String)> {
        let mut rows: Vec<&MessageRow> = self.sessions[self.messages[place].session]
            .messages
            .iter()
            .map(|&row| &self.messages[row])
            .collect();
        rows.sort_by(|one, two| one.timestamp().total_cmp(&two.timestamp()));
        let at = rows.iter().position(|row| row.id == self.messages[place].id).unwrap_or(0);
        let from = at.saturating_sub(1);
        let until = (at + 2).min(rows.len());
        rows[from..until].iter().map(|row| (row.message.role.as_str().to_owned(), beginning(row))).collect()
    }
}

fn found(rows: Vec<usize>, table: FullText, expression: String) -> Hits {
    Hits { rows, finder: Some(Finder::FullText(table, expression)) }
}

pub(super) fn is_findable(row: &MessageRow, query: &SearchQuery<'_>, rules: &SessionRules) -> bool {
    query.include_inactive
        || match row.state {
            RowState::Live => true,
            RowState::Archived => rules.find_archived,
            RowState::Rewound => false,
        }
}

/// The first characters of a message, as a neighbour shows them.
fn beginning(row: &MessageRow) -> String {
    match row.message.decoded() {
        Decoded::Empty => String::new(),
        Decoded::Text(content) => text::cut(content, CONTEXT_CHARS).to_owned(),
        Decoded::Structured(value) => text::cut(&parts_text(&value), CONTEXT_CHARS).to_owned(),
    }
}
