//! Session store and search.
//!
//! Each case runs twice: over a store built row by row, whose index is filled by the search, and over one that was
//! exported and imported. Both must agree with the case.

use std::collections::BTreeMap;
use std::sync::Arc;

use agent_core::behaviour::{Behaviour, SessionRules, Settings, Version};
use agent_core::sessions::{
    Caller, MessageId, MessageRole, RowState, SearchContext, SessionRow, SessionStore, StoreError,
    StoredCalls, StoredMessage, call, clean_title, explain_query,
};
use agent_core::values::{SimTime, ToolCall};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::common::{file, run, same};

/// The schema version of the reference that made the cases.
const SCHEMA_VERSION: i64 = 22;

fn rules() -> SessionRules {
    Behaviour::resolve(&Settings::new(Version::V0_19)).sessions
}

/// JSON whose objects keep the order of their keys: the index holds them in that order.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
enum Ordered {
    Object(IndexMap<String, Ordered>),
    Array(Vec<Ordered>),
    Plain(Value),
}

#[derive(Deserialize)]
struct Corpora {
    corpora: Vec<Corpus>,
}

#[derive(Deserialize)]
struct Corpus {
    name: String,
    sessions: Vec<Value>,
    messages: Vec<StoredCase>,
}

#[derive(Deserialize)]
struct StoredCase {
    id: i64,
    session_id: String,
    role: String,
    content: Option<Ordered>,
    timestamp: f64,
    tool_name: Option<Arc<str>>,
    tool_call_id: Option<Arc<str>>,
    tool_calls: Option<Vec<Value>>,
    #[serde(default = "live")]
    active: u8,
    #[serde(default)]
    compacted: u8,
}

fn live() -> u8 {
    1
}

fn at(epoch: &Value) -> SimTime {
    #[expect(clippy::cast_possible_truncation, reason = "whole seconds of this century")]
    SimTime::from_millis((epoch.as_f64().expect("a time") * 1000.0) as i64)
}

fn text(value: &Value) -> Option<Arc<str>> {
    value.as_str().map(Arc::from)
}

impl StoredCase {
    fn message(&self) -> StoredMessage {
        let role = MessageRole::new(&self.role);
        let mut message = match &self.content {
            None => StoredMessage { role, ..StoredMessage::default() },
            Some(Ordered::Plain(Value::String(text))) => StoredMessage::text(role, text.as_str()),
            Some(parts) => StoredMessage::structured(role, parts),
        };
        message.timestamp = Some(self.timestamp);
        message.tool_name.clone_from(&self.tool_name);
        message.tool_call_id.clone_from(&self.tool_call_id);
        if let Some(calls) = &self.tool_calls {
            let calls = calls.iter().map(|call| ToolCall {
                id: text(&call["id"]).expect("an id"),
                name: text(&call["function"]["name"]).expect("a name"),
                arguments: text(&call["function"]["arguments"]).expect("arguments"),
            });
            message.calls = StoredCalls::Made(calls.collect());
        }
        message
    }

    fn state(&self) -> RowState {
        match (self.active, self.compacted) {
            (1, _) => RowState::Live,
            (_, 1) => RowState::Archived,
            _ => RowState::Rewound,
        }
    }
}

impl Corpus {
    fn store(&self) -> SessionStore {
        let mut store = SessionStore::new();
        for session in &self.sessions {
            let id = session["id"].as_str().expect("an id");
            let mut row = SessionRow::new(
                id,
                session["source"].as_str().expect("a source"),
                at(&session["started_at"]),
            );
            row.model = text(&session["model"]);
            row.title = text(&session["title"]);
            row.parent = session["parent_session_id"].as_str().map(Into::into);
            row.model_config = session
                .get("model_config")
                .filter(|config| !config.is_null())
                .map(|config| config.to_string().into());
            store.create_session(row);
        }
        for case in &self.messages {
            let id = store.append(&case.session_id, case.message(), SimTime::from_millis(0));
            assert_eq!(id, MessageId(case.id));
            store.set_message_state(id, case.state());
        }
        for session in &self.sessions {
            let id = session["id"].as_str().expect("an id");
            if let Some(reason) = session["end_reason"].as_str() {
                store.end_session(id, at(&session["ended_at"]), reason);
            }
            store.set_archived(id, session["archived"] == 1);
        }
        store
    }
}

/// Every corpus by name, and the bytes of its export.
fn corpora() -> BTreeMap<String, (Corpus, Vec<u8>)> {
    let corpora: Corpora =
        serde_json::from_str(&file("session_search_corpora.json")).expect("the corpora are JSON");
    corpora
        .corpora
        .into_iter()
        .map(|corpus| {
            let bytes = corpus.store().export(SCHEMA_VERSION).expect("a store exports");
            (corpus.name.clone(), (corpus, bytes))
        })
        .collect()
}

fn stores(corpora: &BTreeMap<String, (Corpus, Vec<u8>)>, case: &Value) -> [(&'static str, SessionStore); 2] {
    let (corpus, bytes) = &corpora[case["corpus"].as_str().expect("a corpus")];
    [
        ("memory", corpus.store()),
        ("imported", SessionStore::import(bytes).expect("what was exported is imported")),
    ]
}

#[test]
fn session_store() {
    let corpora = corpora();
    let rules = rules();
    run("session_store", |case| {
        let input = case["in"].as_str().expect("a text");
        let out = |found: Option<&str>| same("out", &json!(found), &case["out"]);
        match case["fn"].as_str().expect("a function") {
            "sanitize_fts_query" => {
                let plan = explain_query(input, &rules);
                same("out", &json!(plan.cleaned), &case["out"])?;
                same("route", &json!(plan.route), &case["route"])
            }
            "sanitize_title" => {
                let title = clean_title(input);
                same("kind", &json!(title.as_ref().err().map(StoreError::kind)), &case["kind"])?;
                out(title.unwrap_or_default().as_deref())
            }
            function => {
                for (name, store) in stores(&corpora, case) {
                    let found: Option<String> = match function {
                        "resolve_session_id" => store.resolve_by_id(input).map(|id| id.to_string()),
                        "resolve_session_by_title" => {
                            store.resolve_by_title(input, &rules).map(|id| id.to_string())
                        }
                        "next_title_in_lineage" => Some(store.next_title(input)),
                        "compression_tip" => Some(store.compression_tip(input, &rules).to_string()),
                        "lineage_root" => Some(store.lineage_root(input).to_string()),
                        other => return Err(format!("unknown function {other}")),
                    };
                    out(found.as_deref()).map_err(|why| format!("{name}: {why}"))?;
                }
                Ok(())
            }
        }
    });
}

#[test]
fn session_search() {
    let corpora = corpora();
    let rules = rules();
    run("session_search", |case| {
        for (name, mut store) in stores(&corpora, case) {
            let context = SearchContext {
                current_session: case["current_session_id"].as_str(),
                rules: &rules,
                utc_offset_secs: 0,
                caller: Caller::Command,
                profiles: None,
            };
            let answer = call(&mut store, &case["args"], context);
            let body: Value = serde_json::from_str(&answer.text).map_err(|error| error.to_string())?;
            let found = normalised(body, answer.kind.as_deref());
            same(name, &found, &case["expect"])?;
        }
        Ok(())
    });
}

/// An answer in the form of the cases.
fn normalised(body: Value, kind: Option<&str>) -> Value {
    let Value::Object(body) = body else { panic!("an answer is an object") };
    let keys: Vec<&String> = body.keys().collect();
    let mut found = Map::from_iter([("keys".to_owned(), json!(keys)), ("kind".to_owned(), json!(kind))]);
    for (key, value) in body {
        match key.as_str() {
            "error" | "message" => assert!(value.as_str().is_some_and(|words| !words.is_empty())),
            "warning" => {
                found.insert("rebound".to_owned(), json!(true));
            }
            "messages" => {
                let keys: std::collections::BTreeSet<&String> = items(&value)
                    .flat_map(|message| message.as_object().expect("a message").keys())
                    .collect();
                found.insert("message_keys".to_owned(), json!(keys));
                found.insert("anchor".to_owned(), anchor(&value));
                found.insert(key, ids(&value));
            }
            "results" => {
                found.insert(key, items(&value).map(entry).collect());
            }
            _ => {
                found.insert(key, value);
            }
        }
    }
    Value::Object(found)
}

fn entry(entry: &Value) -> Value {
    let mut entry = entry.as_object().expect("an entry").clone();
    if let Some(messages) = entry.get("messages") {
        let anchor = anchor(messages);
        entry.insert("anchor".to_owned(), anchor);
        for list in ["messages", "bookend_start", "bookend_end"] {
            let ids = ids(&entry[list]);
            entry.insert(list.to_owned(), ids);
        }
    }
    if entry.get("matched_role") == Some(&json!("session_title")) {
        let snippet = entry.remove("snippet").expect("a snippet");
        assert!(snippet.as_str().is_some_and(|words| !words.is_empty()));
    }
    Value::Object(entry)
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().expect("a list").iter()
}

fn ids(messages: &Value) -> Value {
    items(messages).map(|message| message["id"].clone()).collect()
}

fn anchor(messages: &Value) -> Value {
    let mut flagged = items(messages).filter(|message| message["anchor"] == true);
    let anchor = flagged.next().map_or(Value::Null, |message| message["id"].clone());
    assert!(flagged.next().is_none(), "one anchor at most");
    anchor
}
