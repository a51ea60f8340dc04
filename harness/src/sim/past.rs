//! Databases of sessions: what a home holds at the start, past sessions put into them, and what a kept home gets.
//!
//! A database that cannot be read is never written: searches say so, and the file stays as it is.

use std::collections::BTreeMap;
use std::sync::Arc;

use agent_core::sessions::{
    COMPANIONS, MessageRole, RowState, SessionRow, SessionStore, StoreError, StoredMessage,
};
use agent_core::stores::{Content, Files as _, MemFiles, TreePath, exists};
use agent_core::values::{SimDuration, SimTime};
use serde_json::json;

use super::files;
use super::user::User;
use crate::scenario::{PastMessage, PastSession, Scenario};

/// From one message to the next.
const PACE: SimDuration = SimDuration::from_secs(60);

/// The database of a home.
const DATABASE: &str = "state.db";

/// The sessions in the database of a home, none if it has no database.
pub(crate) fn open(home: &MemFiles) -> SessionStore {
    SessionStore::open(home, &TreePath::new(DATABASE))
        .unwrap_or_else(|error| SessionStore::unavailable(error.to_string()))
}

/// Writes the sessions into the home as its database.
pub(crate) fn close(home: &mut MemFiles, sessions: &mut SessionStore, schema: i64) -> anyhow::Result<()> {
    let bytes = match sessions.export(schema) {
        Ok(bytes) => bytes,
        Err(StoreError::Unavailable { .. }) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    // What another program kept beside the old database is in the new one; beside it, it would spoil it.
    for end in COMPANIONS {
        let path = TreePath::new(&format!("{DATABASE}{end}"));
        if exists(home, &path) {
            home.remove(&path)?;
        }
    }
    Ok(files::put(home, &TreePath::new(DATABASE), Content::bytes(bytes))?)
}

/// Stores what this user held before the start: in the own database, and in those of other profiles, which are files
/// of the home.
pub(crate) fn store(scenario: &Scenario, index: usize, user: &mut User, schema: i64) -> anyhow::Result<()> {
    let mut profiles: BTreeMap<Arc<str>, SessionStore> = BTreeMap::new();
    for session in scenario.past.iter().filter(|session| session.user.is_none_or(|owner| owner == index)) {
        let store = match &session.profile {
            None => &mut user.store,
            Some(profile) => profiles.entry(Arc::clone(profile)).or_default(),
        };
        add(store, session, scenario.start)?;
    }
    for (profile, mut store) in profiles {
        let path = TreePath::new("profiles").join(&profile)?.join(DATABASE)?;
        files::put(&mut user.home, &path, Content::bytes(store.export(schema)?))?;
    }
    Ok(())
}

fn add(store: &mut SessionStore, session: &PastSession, start: SimTime) -> anyhow::Result<()> {
    let began = start - session.ago;
    let mut row = SessionRow::new(&*session.id, Arc::clone(&session.source), began);
    row.parent = session.parent.as_deref().map(Into::into);
    if session.branch {
        row.model_config = Some(json!({"_branched_from": session.parent}).to_string().into());
    }
    store.create_session(row);
    if let Some(title) = &session.title {
        store.set_title(&session.id, title)?;
    }
    let mut at = began;
    for message in &session.messages {
        at = at + PACE;
        let id = store.append(&session.id, stored(message), at);
        if message.rewound {
            store.set_message_state(id, RowState::Rewound);
        }
    }
    if let Some(reason) = &session.ended {
        store.end_session(&session.id, at + PACE, reason);
    }
    Ok(())
}

fn stored(message: &PastMessage) -> StoredMessage {
    let role = if message.by_user { MessageRole::User } else { MessageRole::Assistant };
    match &message.picture {
        None => StoredMessage::text(role, Arc::clone(&message.text)),
        Some(picture) => StoredMessage::structured(
            role,
            &json!([
                {"type": "text", "text": message.text},
                {"type": "image_url", "image_url": {"url": picture}},
            ]),
        ),
    }
}
