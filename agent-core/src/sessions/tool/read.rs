//! Reading one session: whole, or around a message (`spec/sessions.md` §4.2, §4.3).

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::Place;
use super::answer::{failure, success};
use super::args::whole;
use crate::sessions::import::ReadOnlyStore;
use crate::sessions::message::MessageRow;
use crate::sessions::session::SessionRow;
use crate::sessions::store::SessionStore;
use crate::sessions::window::Shown;
use crate::sessions::{MessageId, SessionId};
use crate::values::HomeAnswer;

/// A session of more messages is shown without its middle.
const READ_MAX: usize = 30;

/// Messages shown of the beginning of such a session.
const READ_HEAD: usize = 20;

/// Messages shown of its end.
const READ_TAIL: usize = 10;

#[derive(Serialize)]
struct Meta<'a> {
    when: String,
    source: &'a str,
    model: Option<&'a str>,
    title: Option<&'a str>,
}

impl<'a> Meta<'a> {
    fn new(row: &'a SessionRow, place: &Place<'_>) -> Self {
        Self {
            when: place.when(Some(row.started_at)),
            source: &row.source,
            model: row.model.as_deref(),
            title: row.title.as_deref().filter(|title| !title.is_empty()),
        }
    }
}

#[derive(Serialize)]
struct Scrolled<'a> {
    success: bool,
    mode: &'static str,
    session_id: &'a str,
    around_message_id: MessageId,
    session_meta: Meta<'a>,
    window: usize,
    messages: Vec<Shown<'a>>,
    messages_before: usize,
    messages_after: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
}

/// The messages around one message.
pub(super) fn scroll(
    store: &SessionStore,
    session: &str,
    anchor: &Value,
    window: usize,
    place: &Place<'_>,
) -> HomeAnswer {
    let Some(anchor) = whole(Some(anchor)).map(MessageId) else {
        return failure("bad-anchor", "`around_message_id` must be the number of a message.");
    };
    let root = store.lineage_root(session);
    if place.is_own(&root) {
        let words = "This session belongs to the conversation that you are in. Scrolling is for past ones.";
        return failure("current-lineage", words);
    }
    let Some(mut row) = store.session(session) else { return not_found(session) };
    let mut found = store.around(session, anchor, window, place.rules);
    let mut warning = None;
    if found.rows.is_empty() {
        let Some(owner) = owner_in_lineage(store, anchor, &root) else {
            let words = format!(
                "Message {anchor} is not in session {session}. Take a number from an earlier result."
            );
            return failure("anchor-not-in-session", &words);
        };
        warning = Some(format!(
            "Message {anchor} lies in session {} of the same lineage, which is shown instead of {session}.",
            owner.id
        ));
        row = owner;
        found = store.around(&row.id, anchor, window, place.rules);
    }
    success(&Scrolled {
        success: true,
        mode: "scroll",
        session_id: &row.id,
        around_message_id: anchor,
        session_meta: Meta::new(row, place),
        window,
        messages: Shown::list(&found.rows, Some(anchor)),
        messages_before: found.before,
        messages_after: found.after,
        warning,
    })
}

/// The session that holds a message, if it belongs to this lineage.
fn owner_in_lineage<'a>(
    store: &'a SessionStore,
    anchor: MessageId,
    root: &SessionId,
) -> Option<&'a SessionRow> {
    let owner = store.owner(store.message(anchor)?);
    (store.lineage_root(&owner.id) == *root).then_some(owner)
}

#[derive(Serialize)]
struct Read<'a> {
    success: bool,
    mode: &'static str,
    session_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<&'a str>,
    session_meta: Meta<'a>,
    message_count: usize,
    truncated: bool,
    messages: Vec<Shown<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

/// A whole session, without its middle if it is long. A session that is not here is looked for in the other profiles.
pub(super) fn read(
    store: &SessionStore,
    session: &str,
    place: &Place<'_>,
    others: Option<&BTreeMap<String, ReadOnlyStore>>,
) -> HomeAnswer {
    if let Some(row) = store.session(session) {
        return show(store, row, None, place);
    }
    let elsewhere = others.into_iter().flatten().find_map(|(profile, other)| {
        let other = other.store();
        other.session(session).map(|row| show(other, row, Some(profile), place))
    });
    elsewhere.unwrap_or_else(|| not_found(session))
}

fn show(store: &SessionStore, row: &SessionRow, profile: Option<&str>, place: &Place<'_>) -> HomeAnswer {
    let all: Vec<&MessageRow> = store.history(&row.id).collect();
    let truncated = all.len() > READ_MAX;
    let mut shown = Shown::list(if truncated { &all[..READ_HEAD] } else { &all }, None);
    if truncated {
        shown.extend(Shown::list(&all[all.len() - READ_TAIL..], None));
    }
    let message = truncated.then(|| {
        format!(
            "{} messages between the first {READ_HEAD} and the last {READ_TAIL} are left out. To read them, call again \
             with this `session_id` and the number of a message as `around_message_id`.",
            all.len() - READ_HEAD - READ_TAIL
        )
    });
    success(&Read {
        success: true,
        mode: "read",
        session_id: &row.id,
        profile,
        session_meta: Meta::new(row, place),
        message_count: all.len(),
        truncated,
        messages: shown,
        message,
    })
}

fn not_found(session: &str) -> HomeAnswer {
    let words = format!("There is no session {session}. Search or list sessions to see which there are.");
    failure("session-not-found", &words)
}
