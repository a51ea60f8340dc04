//! Messages around a message, and how the tool shows one (`spec/sessions.md` §3).

use serde::Serialize;
use serde_json::Value;

use super::ids::MessageId;
use super::message::{Decoded, MessageRow, RowState};
use super::store::SessionStore;
use crate::behaviour::SessionRules;
use crate::text::truthy;

/// Messages at the beginning and end of a session that are shown beside a window.
pub(super) const BOOKEND: usize = 3;

/// A stretch of a session around an anchor.
#[derive(Clone, Debug, Default)]
pub(super) struct Window<'a> {
    /// The rows in order.
    pub(super) rows: Vec<&'a MessageRow>,
    /// Rows before the anchor.
    pub(super) before: usize,
    /// Rows after it.
    pub(super) after: usize,
}

/// A window with what the session began and ended with, where the window does not reach that far.
#[derive(Clone, Debug, Default)]
pub(super) struct View<'a> {
    pub(super) rows: Vec<&'a MessageRow>,
    /// Counts before anything was filtered.
    pub(super) before: usize,
    pub(super) after: usize,
    pub(super) start: Vec<&'a MessageRow>,
    pub(super) end: Vec<&'a MessageRow>,
}

impl SessionStore {
    /// Up to `n` rows before the anchor, the anchor, up to `n` after it. Empty if the session has no such row.
    pub(super) fn around(
        &self,
        session: &str,
        anchor: MessageId,
        n: usize,
        rules: &SessionRules,
    ) -> Window<'_> {
        let places = self.place(session).map_or(&[][..], |place| &self.sessions[place].messages);
        let Ok(at) = places.binary_search_by_key(&anchor, |&row| self.messages[row].id) else {
            return Window::default();
        };
        let row = |&place: &usize| &self.messages[place];
        let shown = |row: &&MessageRow| rules.window_rewound || row.state != RowState::Rewound;
        let mut rows: Vec<&MessageRow> = places[..at].iter().rev().map(row).filter(shown).take(n).collect();
        rows.reverse();
        let before = rows.len();
        rows.push(row(&places[at]));
        rows.extend(places[at + 1..].iter().map(row).filter(shown).take(n));
        let after = rows.len() - before - 1;
        Window { rows, before, after }
    }

    /// The window of a hit: words of user and assistant only, the anchor always, with bookends.
    pub(super) fn anchored_view(
        &self,
        session: &str,
        anchor: MessageId,
        n: usize,
        rules: &SessionRules,
    ) -> View<'_> {
        let window = self.around(session, anchor, n, rules);
        let (Some(first), Some(last)) = (window.rows.first(), window.rows.last()) else {
            return View::default();
        };
        let (first, last) = (first.id, last.id);
        let shown = |row: &&MessageRow| row.message.role.is_talk() && has_words(row, rules);
        let in_time = |row: &&MessageRow| rules.window_rewound || row.state != RowState::Rewound;
        let start = self
            .rows_of(session)
            .take_while(|row| row.id < first)
            .filter(|row| shown(row) && in_time(row))
            .take(BOOKEND)
            .collect();
        let mut end: Vec<&MessageRow> = self
            .rows_of(session)
            .rev()
            .take_while(|row| row.id > last)
            .filter(|row| shown(row) && in_time(row))
            .take(BOOKEND)
            .collect();
        end.reverse();
        let (before, after) = (window.before, window.after);
        let rows =
            window.rows.into_iter().filter(|row| row.message.role.is_talk() || row.id == anchor).collect();
        View { rows, before, after, start, end }
    }
}

/// Whether there is anything to read: SQL's `length` stops at a NUL, so structured content has none in the
/// reference.
fn has_words(row: &MessageRow, rules: &SessionRules) -> bool {
    let content = row.message.content.as_deref().unwrap_or("");
    if rules.structured_bookends { !content.is_empty() } else { !row.message.content_before_nul().is_empty() }
}

/// A message as the tool shows it: null values are left out, but for the content.
#[derive(Serialize)]
pub(super) struct Shown<'a> {
    id: MessageId,
    role: &'a str,
    content: Decoded<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
    timestamp: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    anchor: Option<bool>,
}

impl<'a> Shown<'a> {
    pub(super) fn new(row: &'a MessageRow, anchor: Option<MessageId>) -> Self {
        let message = &row.message;
        let filled = |text: &'a Option<std::sync::Arc<str>>| text.as_deref().filter(|text| !text.is_empty());
        Self {
            id: row.id,
            role: message.role.as_str(),
            content: message.decoded(),
            tool_name: filled(&message.tool_name),
            tool_calls: message.calls.to_value().filter(truthy),
            tool_call_id: filled(&message.tool_call_id),
            timestamp: row.timestamp(),
            anchor: (anchor == Some(row.id)).then_some(true),
        }
    }

    pub(super) fn list(rows: &[&'a MessageRow], anchor: Option<MessageId>) -> Vec<Self> {
        rows.iter().map(|row| Self::new(row, anchor)).collect()
    }
}
