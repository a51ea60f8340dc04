//! Hostile content: bytes that are no database, damage, odd texts, huge ones.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use proptest::prelude::*;
use rusqlite::{Connection, MAIN_DB};
use serde_json::json;

use super::super::*;
use super::*;
use crate::stores::{Content, Files as _, MemFiles, TreePath};

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

/// A database on disk that another program has open in this way.
fn used(mode: &str) -> (tempfile::TempDir, Connection) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    std::fs::write(&path, some_store().export(22).unwrap()).unwrap();
    let other = Connection::open(&path).unwrap();
    other.query_row(&format!("PRAGMA journal_mode = {mode}"), [], |_| Ok(())).unwrap();
    (folder, other)
}

/// A copy of that folder as a home.
fn copied(folder: &tempfile::TempDir) -> MemFiles {
    let mut home = MemFiles::new("/h");
    for entry in std::fs::read_dir(folder.path()).unwrap().map(Result::unwrap) {
        let path = TreePath::new(entry.file_name().to_str().unwrap());
        home.replace(&path, Content::bytes(std::fs::read(entry.path()).unwrap())).unwrap();
    }
    home
}

fn opened(home: &MemFiles) -> Result<SessionStore, StoreError> {
    SessionStore::open(home, &TreePath::new("state.db"))
}

const ONE_MORE: &str = "UPDATE sessions SET title = 'half'; \
     INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', 'kestrel', 99)";

#[test]
fn a_database_in_the_middle_of_a_write_is_named() {
    let (folder, other) = used("DELETE");
    // A cache of one page: what is not committed stands in the file already.
    other.execute_batch(&format!("PRAGMA cache_size = 1; BEGIN EXCLUSIVE; {ONE_MORE}")).unwrap();
    assert_eq!(opened(&copied(&folder)).unwrap_err(), StoreError::Locked);
    assert_eq!(StoreError::Locked.kind(), "db-locked");
    other.execute_batch("COMMIT").unwrap();
    let mut store = opened(&copied(&folder)).unwrap();
    assert_eq!(finds(&mut store, "kestrel", &rules(Version::V0_19)), ["s"]);
}

#[test]
fn rows_in_a_write_ahead_log_are_read_up_to_the_last_commit() {
    let (folder, other) = used("WAL");
    other
        .execute_batch(&format!("PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = 1; {ONE_MORE}"))
        .unwrap();
    other.execute_batch("BEGIN IMMEDIATE; UPDATE sessions SET title = 'not yet'").unwrap();
    let home = copied(&folder);
    let mut store = opened(&home).unwrap();
    assert_eq!(store.session("s").unwrap().title.as_deref(), Some("half"));
    assert_eq!(store.message_count(), 41);
    assert_eq!(finds(&mut store, "kestrel", &rules(Version::V0_19)), ["s"]);
    let alone = SessionStore::import(&home.read(&TreePath::new("state.db")).unwrap()).unwrap();
    assert_eq!(alone.message_count(), 40, "the file alone lacks it");
}

/// Wherever a log is cut off or damaged: what was committed before that, or the database without it.
#[test]
fn a_damaged_log_adds_whole_commits_or_nothing() {
    let (folder, other) = used("WAL");
    other.execute_batch("PRAGMA wal_autocheckpoint = 0").unwrap();
    for _ in 0..3 {
        other.execute_batch(ONE_MORE).unwrap();
    }
    let mut home = copied(&folder);
    let path = TreePath::new("state.db-wal");
    let log = home.read(&path).unwrap().to_vec();
    let mut counts = BTreeSet::new();
    for at in (0..log.len()).step_by(997) {
        let mut damaged = log.clone();
        damaged[at] ^= 0x55;
        for bytes in [damaged, log[..at].to_vec()] {
            home.replace(&path, Content::bytes(bytes)).unwrap();
            counts.insert(opened(&home).unwrap().message_count());
        }
    }
    assert!(counts.iter().all(|count| (40..=43).contains(count)) && counts.len() > 1, "{counts:?}");
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
