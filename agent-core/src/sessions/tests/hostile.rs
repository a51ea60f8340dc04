//! Hostile content: bytes that are no database, damage, odd texts, huge ones.

use std::sync::LazyLock;

use proptest::prelude::*;
use rusqlite::{Connection, MAIN_DB};
use serde_json::json;

use super::super::*;
use super::*;

/// A store with enough rows that its database has several pages.
fn some_store() -> SessionStore {
    let mut store = SessionStore::new();
    open(&mut store, "s", "cli", 0);
    for n in 0..40 {
        say(&mut store, "s", &format!("falcon number {n} {}", "lorem ipsum ".repeat(20)), n);
    }
    store
}

#[test]
fn bytes_that_are_no_database_are_named() {
    let kind = |bytes: &[u8]| SessionStore::import(bytes).unwrap_err().kind();
    assert_eq!(kind(b"no database"), "db-corrupt");
    assert_eq!(kind(&[0x53; 5000]), "db-corrupt");
    let bytes = some_store().export(22).unwrap();
    assert_eq!(kind(&bytes[..bytes.len() / 2]), "db-corrupt");
    assert_eq!(SessionStore::import(b"").unwrap().message_count(), 0);
    let mut other = Connection::open_in_memory().unwrap();
    other.execute_batch("CREATE TABLE sessions (id TEXT); CREATE VIEW messages AS SELECT 1 AS id").unwrap();
    assert_eq!(kind(&other.serialize(MAIN_DB).unwrap()), "db-not-a-session-store");
}

#[test]
fn a_store_in_place_of_a_broken_database_answers_and_is_never_written() {
    let mut store = SessionStore::unavailable("file is not a database");
    say(&mut store, "s", "falcon", 0);
    assert_eq!(store.history("s").count(), 1);
    let (body, answer) = ask(&mut store, &json!({ "query": "falcon" }), None, &rules(Version::V0_19));
    assert_eq!(answer.kind.as_deref(), Some("db-unavailable"));
    assert!(body["error"].as_str().unwrap().contains("not a database"));
    assert_eq!(store.export(22).unwrap_err().kind(), "db-unavailable");
}

#[test]
fn a_damaged_index_is_rebuilt_once() {
    let mut store = some_store();
    let bytes = store.export(22).unwrap();
    let mut damaged = Connection::open_in_memory().unwrap();
    damaged.deserialize_read_exact(MAIN_DB, &*bytes, bytes.len(), false).unwrap();
    // The rows of the index stay, what finds them goes.
    damaged.execute("UPDATE messages_fts_data SET block = x'00ff00ff00ff' WHERE id > 10", []).unwrap();
    let bytes = damaged.serialize(MAIN_DB).unwrap().to_vec();
    let mut imported = SessionStore::import(&bytes).unwrap();
    assert_eq!(finds(&mut imported, "falcon", &rules(Version::V0_19)), ["s"]);
    let again = SessionStore::import(&imported.export(22).unwrap()).unwrap();
    assert_eq!(again.message_count(), 40);
}

#[test]
fn texts_with_nul_and_half_surrogates_are_kept_and_found() {
    let mut store = SessionStore::new();
    let newest = rules(Version::V0_19);
    open(&mut store, "s", "cli", 0);
    say(&mut store, "s", "before\0after falcon", 1);
    let mut odd =
        StoredMessage::text(MessageRole::User, "\0json:[{\"type\": \"text\", \"text\": \"plum \\ud83d\"}]");
    odd.calls = StoredCalls::Json("[{\"id\": \"\\ud83d\"}, 3]".into());
    store.append("s", odd, at(2));
    store.append(
        "s",
        StoredMessage { calls: StoredCalls::Json("[broken".into()), ..StoredMessage::default() },
        at(3),
    );
    let mut imported = SessionStore::import(&store.export(22).unwrap()).unwrap();
    for store in [&mut store, &mut imported] {
        assert_eq!(finds(store, "after", &newest), ["s"]);
        let (body, _) = ask(store, &json!({ "session_id": "s" }), None, &newest);
        assert_eq!(body["messages"][0]["content"], "before\0after falcon");
        assert_eq!(body["messages"][1]["content"][0]["text"], "plum \u{fffd}");
        assert_eq!(body["messages"][1]["tool_calls"][1], 3);
        assert_eq!(body["messages"][2].get("tool_calls"), None);
        assert_eq!(body["messages"][2]["content"], json!(null));
    }
}

#[test]
fn a_message_of_ten_megabytes_is_stored_searched_and_exported() {
    let mut store = SessionStore::new();
    let newest = rules(Version::V0_19);
    let mut huge = "lorem ipsum dolor ".repeat(600_000);
    huge.push_str("needle");
    open(&mut store, "s", "cli", 0);
    say(&mut store, "s", &huge, 1);
    let (body, _) = ask(&mut store, &json!({ "query": "needle" }), None, &newest);
    assert!(body["results"][0]["snippet"].as_str().unwrap().contains(">>>needle<<<"));
    assert!(body["results"][0]["snippet"].as_str().unwrap().len() < 1000);
    let bytes = store.export(22).unwrap();
    let imported = SessionStore::import(&bytes).unwrap();
    assert_eq!(imported.message(MessageId(1)).unwrap().message.content.as_deref(), Some(&*huge));
}

#[test]
fn deep_and_long_queries_find_nothing_or_something_but_never_fail() {
    let mut store = some_store();
    let newest = rules(Version::V0_19);
    let old = rules(Version::V0_13);
    for query in [
        "a OR ".repeat(5000),
        "\"".repeat(3001),
        "falcon NOT ".repeat(400),
        "( ".repeat(2000),
        "x".repeat(1_000_000),
        "\0".to_owned(),
        "falcon\0 number".to_owned(),
        "大别山".repeat(4000),
        "NEAR(falcon number, 2)".to_owned(),
        "content : falcon".to_owned(),
        "- content : falcon".to_owned(),
    ] {
        for rules in [&newest, &old] {
            let (body, _) = ask(&mut store, &json!({ "query": query }), None, rules);
            assert_eq!(body["success"], true);
        }
    }
}

static EXPORTED: LazyLock<Vec<u8>> = LazyLock::new(|| some_store().export(22).unwrap());

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 2, ..ProptestConfig::default() })]

    /// Whatever happened to the file: a named error, or a store that answers.
    #[test]
    fn damaged_bytes_never_panic(
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..60),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = EXPORTED.clone();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(mut store) = SessionStore::import(&bytes) {
            let newest = rules(Version::V0_19);
            for query in ["falcon", "大别山"] {
                let (_, answer) = ask(&mut store, &json!({ "query": query }), None, &newest);
                prop_assert!(matches!(answer.kind.as_deref(), None | Some("search-failed")));
            }
            let _ = store.export(22);
        }
    }
}
