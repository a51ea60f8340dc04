//! Compatibility: what other programs find in an exported file, and what we take from theirs.

use std::collections::BTreeSet;

use rusqlite::{Connection, MAIN_DB};

use super::super::*;
use super::*;

fn exported() -> (SessionStore, Vec<u8>) {
    let mut store = SessionStore::new();
    open(&mut store, "a", "cli", 0);
    store.set_title("a", "Falconry").unwrap();
    say(&mut store, "a", "falcon one", 1);
    let mut result = StoredMessage::text(MessageRole::Tool, "ok");
    result.tool_name = Some("terminal".into());
    store.append("a", result, at(2));
    say(&mut store, "a", "taken back", 3);
    store.rewind("a", MessageId(3)).unwrap();
    store.end_session("a", at(4), "compression");
    open_child(&mut store, "b", "a", 5);
    say(&mut store, "b", "a structured harbor", 6);
    let bytes = store.export(22).unwrap();
    (store, bytes)
}

/// A database of a file, as any program opens it.
fn on_disk(bytes: &[u8]) -> (tempfile::TempDir, Connection) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    std::fs::write(&path, bytes).unwrap();
    (folder, Connection::open(path).unwrap())
}

fn texts(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection.prepare(sql).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

fn number(connection: &Connection, sql: &str) -> i64 {
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn the_file_has_what_the_reference_expects() {
    let (_, bytes) = exported();
    let (_folder, connection) = on_disk(&bytes);
    assert_eq!(texts(&connection, "PRAGMA integrity_check"), ["ok"]);
    assert_eq!(texts(&connection, "SELECT \"table\" FROM pragma_foreign_key_check"), Vec::<String>::new());
    assert_eq!(texts(&connection, "PRAGMA encoding"), ["UTF-8"]);
    assert_eq!(texts(&connection, "PRAGMA journal_mode = WAL"), ["wal"]);
    assert_eq!(number(&connection, "SELECT count(*) * 100 + max(version) FROM schema_version"), 122);
    let tables: BTreeSet<String> = texts(
        &connection,
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%~_%~_%' ESCAPE '~'",
    )
    .into_iter()
    .collect();
    for table in ["sessions", "messages", "schema_version", "messages_fts", "sqlite_sequence"] {
        assert!(tables.contains(table), "{table} in {tables:?}");
    }
    let triggers = texts(&connection, "SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name");
    insta::assert_snapshot!(triggers.join(" "), @r#"messages_fts_delete messages_fts_insert messages_fts_trigram_delete messages_fts_trigram_insert messages_fts_trigram_update messages_fts_update"#);
    let sessions = texts(&connection, "SELECT name FROM pragma_table_info('sessions')");
    insta::assert_snapshot!(sessions.join(" "), @r#"id source model model_config system_prompt parent_session_id started_at ended_at end_reason message_count tool_call_count input_tokens output_tokens cache_read_tokens title archived rewind_count cwd git_branch git_repo_root profile_name"#);
    let messages = texts(&connection, "SELECT name FROM pragma_table_info('messages')");
    insta::assert_snapshot!(messages.join(" "), @r#"id session_id role content tool_call_id tool_calls tool_name timestamp token_count finish_reason reasoning reasoning_content reasoning_details platform_message_id observed active compacted api_content"#);
    let sql = texts(&connection, "SELECT sql FROM sqlite_master WHERE name = 'messages_fts_trigram'");
    assert!(sql[0].contains("trigram"));
}

#[test]
fn another_program_goes_on_writing_and_we_take_it_over() {
    let (_, bytes) = exported();
    let (folder, connection) = on_disk(&bytes);
    texts(&connection, "PRAGMA journal_mode = WAL");
    connection.execute_batch("PRAGMA foreign_keys = ON").unwrap();
    connection
        .execute("INSERT INTO messages (session_id, role, content, timestamp) VALUES ('b', 'user', 'an osprey 大别山', 7.5)", [])
        .unwrap();
    assert_eq!(connection.last_insert_rowid(), 5);
    connection.execute("UPDATE messages SET active = 0, compacted = 1 WHERE id = 1", []).unwrap();
    for (table, word) in [("messages_fts", "osprey"), ("messages_fts_trigram", "大别山")] {
        let sql = format!("SELECT rowid FROM {table} WHERE {table} MATCH '{word}'");
        assert_eq!(number(&connection, &sql), 5);
        connection.execute(&format!("INSERT INTO {table} ({table}) VALUES ('integrity-check')"), []).unwrap();
    }
    assert_eq!(number(&connection, "PRAGMA wal_checkpoint(TRUNCATE)"), 0);
    let bytes = std::fs::read(folder.path().join("state.db")).unwrap();
    assert_eq!(bytes[18..20], [2, 2], "the file asks for a write-ahead log");
    let mut store = SessionStore::import(&bytes).unwrap();
    assert_eq!(finds(&mut store, "osprey", &rules(Version::V0_19)), ["b"]);
    assert_eq!(store.message(MessageId(1)).unwrap().state, RowState::Archived);
    assert_eq!(say(&mut store, "b", "next", 9), MessageId(6));
}

#[test]
fn ids_are_kept_and_never_given_out_again() {
    let (store, bytes) = exported();
    let mut imported = SessionStore::import(&bytes).unwrap();
    assert_eq!(imported.messages, store.messages);
    let (_folder, connection) = on_disk(&bytes);
    connection.execute_batch("DELETE FROM messages WHERE id IN (2, 4)").unwrap();
    let mut gaps = SessionStore::import(&connection_bytes(connection)).unwrap();
    let ids: Vec<i64> = gaps.messages.iter().map(|row| row.id.0).collect();
    assert_eq!(ids, [1, 3]);
    assert_eq!(say(&mut gaps, "a", "x", 9), MessageId(5));
    assert_eq!(say(&mut imported, "a", "x", 9), MessageId(5));
    let again = SessionStore::import(&gaps.export(22).unwrap()).unwrap();
    assert_eq!(again.messages, gaps.messages);
}

fn connection_bytes(mut connection: Connection) -> Vec<u8> {
    connection.serialize(MAIN_DB).unwrap().to_vec()
}

#[test]
fn an_older_layout_is_read_and_completed() {
    let old = Connection::open_in_memory().unwrap();
    old.execute_batch(
        "CREATE TABLE schema_version (version INTEGER NOT NULL);
         INSERT INTO schema_version VALUES (6);
         CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, started_at REAL NOT NULL, mood TEXT);
         CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content, timestamp, active INTEGER);
         INSERT INTO sessions VALUES ('a', 'cli', 5, 'good');
         INSERT INTO messages VALUES (3, 'a', 'user', x'66616c636f6e', '12.5', NULL);
         INSERT INTO messages VALUES (4, 'gone', 'user', 17, NULL, 0);
         CREATE VIRTUAL TABLE messages_fts USING fts5(content, content=messages, content_rowid=id);",
    )
    .unwrap();
    let mut store = SessionStore::import(&connection_bytes(old)).unwrap();
    let row = store.message(MessageId(3)).unwrap();
    assert_eq!(
        (row.message.content.as_deref(), row.timestamp(), row.state),
        (Some("falcon"), 12.5, RowState::Live)
    );
    let row = store.message(MessageId(4)).unwrap();
    assert_eq!(
        (row.message.content.as_deref(), row.timestamp(), row.state),
        (Some("17"), 0.0, RowState::Rewound)
    );
    assert_eq!(finds(&mut store, "falcon", &rules(Version::V0_19)), ["a"]);
    say(&mut store, "a", "an osprey", 9);
    let bytes = store.export(22).unwrap();
    let (_folder, connection) = on_disk(&bytes);
    assert_eq!(
        texts(&connection, "SELECT mood FROM sessions WHERE id = 'a'"),
        ["good"],
        "what is not ours stays"
    );
    assert_eq!(number(&connection, "SELECT version FROM schema_version"), 22);
    assert_eq!(number(&connection, "SELECT count(*) FROM messages WHERE compacted = 0"), 3);
    assert_eq!(SessionStore::import(&bytes).unwrap().message_count(), 3);
}

#[test]
fn an_empty_store_has_all_tables() {
    let bytes = SessionStore::new().export(14).unwrap();
    let (_folder, connection) = on_disk(&bytes);
    for table in ["sessions", "messages", "messages_fts", "messages_fts_trigram"] {
        assert_eq!(number(&connection, &format!("SELECT count(*) FROM {table}")), 0);
    }
    assert_eq!(number(&connection, "SELECT version FROM schema_version"), 14);
}

#[test]
fn a_newer_version_stays_declared() {
    let (_, bytes) = exported();
    let (_folder, connection) = on_disk(&bytes);
    connection.execute_batch("UPDATE schema_version SET version = 30").unwrap();
    let mut store = SessionStore::import(&connection_bytes(connection)).unwrap();
    let (_folder, connection) = on_disk(&store.export(22).unwrap());
    assert_eq!(number(&connection, "SELECT version FROM schema_version"), 30);
}

#[test]
fn a_title_can_move_between_two_exports() {
    let (mut store, _) = exported();
    store.set_title("b", "Falconry").unwrap();
    store.set_title("a", "Before").unwrap();
    let again = SessionStore::import(&store.export(22).unwrap()).unwrap();
    assert_eq!(again.session("b").unwrap().title.as_deref(), Some("Falconry"));
    assert_eq!(again.session("a").unwrap().title.as_deref(), Some("Before"));
}
