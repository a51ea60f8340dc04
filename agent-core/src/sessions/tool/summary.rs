//! Results that a model summarises (`spec/sessions.md` §6): the plan of the calls, and the answer of what came back.
//!
//! The core does not call models: whoever holds a [`SearchPlan`] makes one call of role `summary` for each group;
//! [`SearchPlan::request`] is what the prompt `session_summary` is followed by.

use std::fmt::Write as _;
use std::sync::Arc;

use serde::Serialize;

use super::answer::success;
use super::discover::{Picked, mode};
use super::{Place, SearchCall};
use crate::behaviour::ResultSession;
use crate::sessions::SessionId;
use crate::sessions::message::{MessageRole, MessageRow};
use crate::sessions::query;
use crate::sessions::store::SessionStore;
use crate::text;
use crate::values::HomeAnswer;

/// Longest transcript given to the model, in characters: our own limit, about 25,000 tokens.
const TRANSCRIPT_CHARS_MAX: usize = 100_000;

/// Characters kept of a tool's result, half from each end: results are long and seldom what a search is after.
const TOOL_CHARS_MAX: usize = 500;

/// Characters of the transcript shown where no summary came.
const PREVIEW_CHARS: usize = 500;

/// Sessions found, to be summarised.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchPlan {
    /// One group a session, best first.
    pub groups: Vec<Group>,
    query: String,
    mode: &'static str,
}

/// A session found.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The session.
    pub session: SessionId,
    /// What was said in it, cut around the first match.
    pub transcript: String,
    when: String,
    source: Arc<str>,
    model: Option<Arc<str>>,
    title: Option<Arc<str>>,
}

impl SearchPlan {
    /// The message that asks for the summary of the `n`-th group.
    ///
    /// # Panics
    /// There is no such group.
    pub fn request(&self, n: usize) -> String {
        let group = &self.groups[n];
        format!(
            "Topic: {}\nSource: {}\nBegun: {}\n\nTranscript:\n{}",
            self.query, group.source, group.when, group.transcript
        )
    }
}

/// The plan for the lineages picked; done at once if there is nothing to summarise.
pub(super) fn plan(store: &SessionStore, query: &str, picked: &[Picked], place: &Place<'_>) -> SearchCall {
    let groups = picked.iter().filter_map(|picked| group(store, query, picked, place)).collect();
    let plan = SearchPlan { groups, query: query.to_owned(), mode: mode(place) };
    if plan.groups.is_empty() {
        SearchCall::Done(finish_search(&plan, Vec::new()))
    } else {
        SearchCall::Summarise(plan)
    }
}

fn group(store: &SessionStore, query: &str, picked: &Picked, place: &Place<'_>) -> Option<Group> {
    let root = store.session(&picked.root);
    let owner = store.session(&picked.session)?;
    let session = match place.rules.result_session {
        ResultSession::Root => root.unwrap_or(owner),
        ResultSession::Owner => owner,
    };
    let about = root.unwrap_or(owner);
    let transcript = transcript(store.history(&session.id));
    (!transcript.is_empty()).then(|| Group {
        session: session.id.clone(),
        transcript: excerpt(&transcript, query),
        when: place.when(Some(about.started_at)),
        source: Arc::clone(&about.source),
        model: about.model.clone(),
        title: about.title.clone(),
    })
}

#[derive(Serialize)]
struct Summarised<'a> {
    success: bool,
    mode: &'static str,
    query: &'a str,
    results: Vec<Entry<'a>>,
    count: usize,
    sessions_searched: usize,
}

#[derive(Serialize)]
struct Entry<'a> {
    session_id: &'a str,
    when: &'a str,
    source: &'a str,
    model: Option<&'a str>,
    title: Option<&'a str>,
    summary: String,
}

/// The answer of a plan and the summaries in the order of its groups. Where none came, or a blank one, the result
/// holds the beginning of the transcript.
pub fn finish_search(plan: &SearchPlan, summaries: Vec<Option<String>>) -> HomeAnswer {
    let mut summaries = summaries.into_iter();
    let results: Vec<Entry<'_>> = plan
        .groups
        .iter()
        .map(|group| Entry {
            session_id: &group.session,
            when: &group.when,
            source: &group.source,
            model: group.model.as_deref(),
            title: group.title.as_deref(),
            summary: summaries
                .next()
                .flatten()
                .filter(|summary| !text::is_blank(summary))
                .unwrap_or_else(|| preview(&group.transcript)),
        })
        .collect();
    success(&Summarised {
        success: true,
        mode: plan.mode,
        query: &plan.query,
        count: results.len(),
        sessions_searched: results.len(),
        results,
    })
}

fn preview(transcript: &str) -> String {
    let shown = text::cut(transcript, PREVIEW_CHARS);
    let dots = if shown.len() < transcript.len() { " [cut]" } else { "" };
    format!("[no summary could be made; the session begins like this]\n{shown}{dots}")
}

/// A conversation as text, one paragraph a message.
fn transcript<'a>(rows: impl Iterator<Item = &'a MessageRow>) -> String {
    let mut transcript = String::new();
    for row in rows {
        let message = &row.message;
        let content = message.content_text();
        let separator = if transcript.is_empty() { "" } else { "\n\n" };
        // Writing to a string cannot fail.
        let _ = match &message.role {
            MessageRole::Tool => write!(
                transcript,
                "{separator}[tool {}] {}",
                message.tool_name.as_deref().unwrap_or("result"),
                middle_cut(&content)
            ),
            role => write!(transcript, "{separator}[{}] {content}", role.as_str()),
        };
        if let Some(calls) = message.calls.to_json() {
            let _ = write!(transcript, "\n[calls] {}", middle_cut(&calls));
        }
    }
    transcript
}

/// Beginning and end of a long text.
fn middle_cut(content: &str) -> String {
    let half = TOOL_CHARS_MAX / 2;
    let head = text::cut(content, half);
    let tail = text::cut_last(content, half);
    if head.len() + tail.len() >= content.len() {
        return content.to_owned();
    }
    format!("{head} [...] {tail}")
}

/// The part of a transcript around the first word of the query that it holds.
fn excerpt(transcript: &str, query: &str) -> String {
    let chars = transcript.chars().count();
    if chars <= TRANSCRIPT_CHARS_MAX {
        return transcript.to_owned();
    }
    let words = query.split(|char: char| !char.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty() && !query::is_operator(word));
    let first = words.filter_map(|word| find_ignoring_case(transcript, word)).min().unwrap_or(0);
    let before = transcript[..first].chars().count();
    let start = before.saturating_sub(TRANSCRIPT_CHARS_MAX / 4).min(chars - TRANSCRIPT_CHARS_MAX);
    let part: String = transcript.chars().skip(start).take(TRANSCRIPT_CHARS_MAX).collect();
    let earlier = if start > 0 { "[earlier messages left out]\n\n" } else { "" };
    let later = if start + TRANSCRIPT_CHARS_MAX < chars { "\n\n[later messages left out]" } else { "" };
    format!("{earlier}{part}{later}")
}

/// Where a word stands, ASCII letters compared without regard to case.
fn find_ignoring_case(text: &str, word: &str) -> Option<usize> {
    text.as_bytes().windows(word.len()).position(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_transcript_is_cut_around_the_match() {
        let mut text = "lorem ".repeat(40_000);
        text.insert_str(120_000, "Falcon");
        let cut = excerpt(&text, "where is the FALCON?");
        assert!(cut.starts_with("[earlier messages left out]"));
        assert!(cut.ends_with("[later messages left out]"));
        assert!(cut.contains("Falcon"));
        assert_eq!(excerpt("short", "x"), "short");
        let end = excerpt(&"x ".repeat(100_000), "nothing");
        assert!(end.starts_with("x ") && end.ends_with("left out]"));
    }

    #[test]
    fn long_results_lose_their_middle() {
        assert_eq!(middle_cut(&"a".repeat(500)), "a".repeat(500));
        let cut = middle_cut(&"\u{e4}".repeat(501));
        assert_eq!(cut.chars().filter(|&char| char == '\u{e4}').count(), 500);
    }
}
