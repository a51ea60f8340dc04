//! Tests of the store as a whole.

mod compat;
mod faults;
mod hostile;
mod laws;
mod rows;
mod tool;

use serde_json::{Value, json};

use super::{Caller, MessageId, MessageRole, SearchContext, SessionRow, SessionStore, StoredMessage, call};
use crate::behaviour::{Behaviour, Origin, SessionRules, Settings, Version};
use crate::values::{HomeAnswer, SimTime};

/// The rules of a version.
fn rules(version: Version) -> SessionRules {
    Behaviour::resolve(&Settings::new(version)).sessions
}

/// The rules of 0.19 with one setting changed.
fn rules_with(key: &str, value: impl Into<Value>) -> SessionRules {
    let mut settings = Settings::new(Version::V0_19);
    settings.set(key, value.into(), Origin::CommandLine).unwrap();
    Behaviour::resolve(&settings).sessions
}

/// So many seconds after an arbitrary start.
fn at(seconds: i64) -> SimTime {
    SimTime::from_millis(1_770_000_000_000 + seconds * 1000)
}

/// Opens a session.
fn open(store: &mut SessionStore, id: &str, source: &str, seconds: i64) {
    store.create_session(SessionRow::new(id, source, at(seconds)));
}

/// Opens a session below another.
fn open_child(store: &mut SessionStore, id: &str, parent: &str, seconds: i64) {
    let mut row = SessionRow::new(id, "cli", at(seconds));
    row.parent = Some(parent.into());
    store.create_session(row);
}

/// Stores a user's message.
fn say(store: &mut SessionStore, session: &str, text: &str, seconds: i64) -> MessageId {
    store.append(session, StoredMessage::text(MessageRole::User, text), at(seconds))
}

/// Stores an assistant's message.
fn answer(store: &mut SessionStore, session: &str, text: &str, seconds: i64) -> MessageId {
    store.append(session, StoredMessage::text(MessageRole::Assistant, text), at(seconds))
}

/// Calls the tool as a model does.
fn ask(
    store: &mut SessionStore,
    args: &Value,
    current: Option<&str>,
    rules: &SessionRules,
) -> (Value, HomeAnswer) {
    let context = SearchContext {
        current_session: current,
        rules,
        utc_offset_secs: 0,
        caller: Caller::Loop,
        profiles: None,
    };
    let answer = call(store, args, context);
    (serde_json::from_str(&answer.text).unwrap(), answer)
}

/// The sessions that a query finds.
fn finds(store: &mut SessionStore, query: &str, rules: &SessionRules) -> Vec<String> {
    let (body, _) = ask(store, &json!({ "query": query, "limit": 10 }), None, rules);
    let results = body["results"].as_array().unwrap();
    results.iter().map(|entry| entry["session_id"].as_str().unwrap().to_owned()).collect()
}
