//! Listing the latest sessions (`spec/sessions.md` §4.4).

use serde::Serialize;

use super::Place;
use super::answer::success;
use crate::behaviour::ToolModes;
use crate::sessions::message::{MessageRole, MessageRow, before_nul};
use crate::sessions::session::{ENDED_BY_COMPRESSION, Session, SessionRow};
use crate::sessions::store::SessionStore;
use crate::text;
use crate::values::HomeAnswer;

/// Rows fetched beyond the limit, for those that are not shown.
const SPARE: usize = 5;

/// Characters of a preview that are looked at.
const PREVIEW_LOOKED_AT: usize = 63;

/// Characters of a preview before the dots.
const PREVIEW_CHARS: usize = 60;

#[derive(Serialize)]
struct Browsed<'a> {
    success: bool,
    mode: &'static str,
    results: Vec<Entry<'a>>,
    count: usize,
    message: &'static str,
}

#[derive(Serialize)]
struct Entry<'a> {
    session_id: &'a str,
    title: Option<&'a str>,
    source: &'a str,
    started_at: f64,
    last_active: f64,
    message_count: u32,
    preview: String,
}

/// A session of the listing: the root of a chain, shown as its newest part.
struct Listed<'a> {
    root: &'a SessionRow,
    tip: &'a Session,
}

/// The latest sessions.
pub(super) fn browse(store: &SessionStore, limit: usize, place: &Place<'_>) -> HomeAnswer {
    let rows = latest(store, place).into_iter().map(|session| listed(store, session, place));
    let rows: Vec<Listed<'_>> = if place.rules.browse_counts_shown {
        rows.filter(|row| is_shown(store, row, place)).take(limit).collect()
    } else {
        rows.take(limit + SPARE).filter(|row| is_shown(store, row, place)).take(limit).collect()
    };
    let results: Vec<Entry<'_>> = rows.iter().map(|row| entry(store, row)).collect();
    success(&Browsed {
        success: true,
        mode: match place.rules.modes {
            ToolModes::Two => "recent",
            ToolModes::Four => "browse",
        },
        count: results.len(),
        results,
        message: match place.rules.modes {
            ToolModes::Two => "The latest sessions. Give a `query` to search what was said in them.",
            ToolModes::Four => {
                "The latest sessions. Give a `session_id` to read one, or a `query` to search what was said in all."
            }
        },
    })
}

/// Sessions that a listing can show, latest activity of their chain first.
fn latest<'a>(store: &'a SessionStore, place: &Place<'_>) -> Vec<&'a Session> {
    let mut sessions: Vec<(f64, &Session)> = store
        .sessions
        .iter()
        .enumerate()
        .filter(|(_, session)| {
            !session.row.archived && !place.is_hidden(&session.row.source) && store.is_listable(session)
        })
        .map(|(at, session)| (store.chain_activity(at, place.rules.continuation), session))
        .collect();
    sessions.sort_by(|(one_active, one), (two_active, two)| {
        two_active
            .total_cmp(one_active)
            .then(two.row.started_at.total_cmp(&one.row.started_at))
            .then(two.row.id.cmp(&one.row.id))
    });
    sessions.into_iter().map(|(_, session)| session).collect()
}

fn listed<'a>(store: &'a SessionStore, session: &'a Session, place: &Place<'_>) -> Listed<'a> {
    let tip = if session.row.ended_by(ENDED_BY_COMPRESSION) {
        let tip = store.compression_tip(&session.row.id, place.rules);
        store.place(&tip).map_or(session, |at| &store.sessions[at])
    } else {
        session
    };
    Listed { root: &session.row, tip }
}

/// Whether a row is neither the caller's own session nor a branch.
fn is_shown(store: &SessionStore, row: &Listed<'_>, place: &Place<'_>) -> bool {
    if row.root.parent.is_some() {
        return false;
    }
    let Some(current) = &place.current else { return true };
    let id = &row.tip.row.id;
    let own_chain = !place.rules.browse_own_chain && store.lineage_root(id) == current.root;
    !own_chain && *id != current.id && *id != current.root
}

fn entry<'a>(store: &'a SessionStore, row: &Listed<'a>) -> Entry<'a> {
    let tip = &row.tip.row;
    Entry {
        session_id: &tip.id,
        title: tip.title.as_deref().filter(|title| !title.is_empty()),
        source: &row.root.source,
        started_at: row.root.started_at,
        last_active: row.tip.last_active(),
        message_count: tip.message_count,
        preview: preview(store, row.tip),
    }
}

/// The beginning of the first user's message, on one line.
fn preview(store: &SessionStore, session: &Session) -> String {
    let rows = session.messages.iter().map(|&row| &store.messages[row]);
    let said = |row: &&MessageRow| row.message.role == MessageRole::User && row.message.content.is_some();
    let first = rows.filter(said).min_by(|one, two| one.timestamp().total_cmp(&two.timestamp()));
    let content = first.and_then(|row| row.message.content.as_deref()).unwrap_or("");
    let looked_at = text::cut(before_nul(content), PREVIEW_LOOKED_AT).replace(['\n', '\r'], " ");
    let line = text::trim(&looked_at);
    let shown = text::cut(line, PREVIEW_CHARS);
    if shown.len() < line.len() { format!("{shown}...") } else { shown.to_owned() }
}
