//! Rows: opening, ending, storing, taking back, compacting, titles and lineage.

use std::sync::Arc;

use super::super::*;
use super::*;
use crate::behaviour::Continuation;
use crate::values::{Message, Tokens, ToolCall, Usage};

#[test]
fn opening_again_fills_only_what_is_empty() {
    let mut store = SessionStore::new();
    open(&mut store, "s", "cli", 0);
    let mut again = SessionRow::new("s", "cron", at(9));
    again.model = Some("m-1".into());
    store.create_session(again.clone());
    again.model = Some("m-2".into());
    again.cwd = Some("/work".into());
    store.create_session(again);
    let row = store.session("s").unwrap();
    assert_eq!((&*row.source, row.model.as_deref(), row.cwd.as_deref()), ("cli", Some("m-1"), Some("/work")));
    assert!((row.started_at - 1_770_000_000.0).abs() < 0.001);
}

#[test]
fn the_first_reason_of_an_end_stays_until_it_is_opened_again() {
    let mut store = SessionStore::new();
    open(&mut store, "s", "cli", 0);
    store.end_session("s", at(5), "closed");
    store.end_session("s", at(6), "compression");
    assert_eq!(store.session("s").unwrap().end_reason.as_deref(), Some("closed"));
    store.reopen("s");
    assert_eq!(store.session("s").unwrap().ended_at, None);
    store.end_session("s", at(7), "compression");
    assert_eq!(store.session("s").unwrap().end_reason.as_deref(), Some("compression"));
}

#[test]
fn storing_shares_texts_and_counts() {
    let mut store = SessionStore::new();
    open(&mut store, "s", "cli", 0);
    let words: Arc<str> = "look at this".into();
    let call = |id: &str| ToolCall { id: id.into(), name: "terminal".into(), arguments: "{}".into() };
    store.append("s", (&Message::user(Arc::clone(&words))).into(), at(1));
    let asking = Message::Assistant {
        text: crate::values::AssistantText::default(),
        calls: Arc::from([call("a"), call("b")]),
        synthetic: None,
    };
    store.append("s", (&asking).into(), at(2));
    store.add_usage("s", Usage { prompt: Tokens(100), cached: Tokens(60), completion: Tokens(7) });
    let row = store.session("s").unwrap();
    assert_eq!((row.message_count, row.tool_call_count), (2, 2));
    assert_eq!((row.tokens.input, row.tokens.cache_read, row.tokens.output), (40, 60, 7));
    let first = store.history("s").next().unwrap();
    assert!(Arc::ptr_eq(first.message.content.as_ref().unwrap(), &words));
    let again: Vec<Message> = store.history("s").map(|row| row.message.to_message()).collect();
    assert_eq!(again, [Message::user(words), asking]);
}

#[test]
fn a_message_without_a_session_is_not_lost() {
    let mut store = SessionStore::new();
    let id = say(&mut store, "nobody opened me", "hello", 3);
    assert_eq!(store.message(id).unwrap().message.content.as_deref(), Some("hello"));
    assert_eq!(&*store.session("nobody opened me").unwrap().source, "unknown");
}

#[test]
fn a_time_of_its_own_wins_over_the_time_of_storing() {
    let mut store = SessionStore::new();
    let mut message = StoredMessage::text(MessageRole::User, "x");
    message.timestamp = Some(12.5);
    let id = store.append("s", message.clone(), at(0));
    message.timestamp = Some(f64::NAN);
    let other = store.append("s", message, at(0));
    let millis = |id| (store.message(id).unwrap().timestamp() * 1000.0).to_string();
    assert_eq!([millis(id), millis(other)], ["12500", "1770000000000"]);
}

#[test]
fn rewinding_takes_back_a_users_message_and_what_follows() {
    let mut store = SessionStore::new();
    open(&mut store, "s", "cli", 0);
    let ids = [
        say(&mut store, "s", "one", 1),
        answer(&mut store, "s", "two", 2),
        say(&mut store, "s", "three", 3),
        answer(&mut store, "s", "four", 4),
    ];
    assert_eq!(store.rewind("s", ids[1]).unwrap_err().kind(), "not-a-user-message");
    assert_eq!(store.rewind("s", MessageId(99)).unwrap_err().kind(), "message-not-found");
    assert_eq!(store.rewind("t", ids[0]).unwrap_err().kind(), "session-not-found");
    assert_eq!(store.rewind("s", ids[2]), Ok(2));
    assert_eq!(store.rewind("s", ids[2]), Ok(0));
    assert_eq!(store.session("s").unwrap().rewind_count, 2);
    let live: Vec<MessageId> = store.history("s").map(|row| row.id).collect();
    assert_eq!(live, ids[..2]);
    open(&mut store, "t", "cli", 5);
    assert_eq!(store.rewind("t", ids[0]).unwrap_err().kind(), "message-not-found");
}

#[test]
fn compaction_archives_and_counts_the_live_rows() {
    let mut store = SessionStore::new();
    open(&mut store, "s", "cli", 0);
    for n in 0..5 {
        say(&mut store, "s", &format!("old {n}"), n);
    }
    let summary =
        [MessageRole::User, MessageRole::Assistant].map(|role| StoredMessage::text(role, "summary"));
    let ids = store.compact_in_place("s", summary, at(9)).unwrap();
    assert_eq!(ids, [MessageId(6), MessageId(7)]);
    assert_eq!(store.session("s").unwrap().message_count, 2);
    let states: Vec<RowState> = store.rows_of("s").map(|row| row.state).collect();
    assert_eq!(states[..5], [RowState::Archived; 5]);
    assert_eq!(store.history("s").count(), 2);
    assert!(store.compact_in_place("t", [], at(9)).is_err());
}

#[test]
fn rotating_continues_in_a_child_with_the_next_title() {
    let mut store = SessionStore::new();
    open(&mut store, "a", "cli", 0);
    store.set_title("a", "Garden  plan").unwrap();
    let summary = StoredMessage::text(MessageRole::User, "summary");
    store.rotate("a", SessionRow::new("b", "cli", at(5)), [summary], at(5)).unwrap();
    store.rotate("b", SessionRow::new("c", "cli", at(6)), [], at(6)).unwrap();
    let row = |id: &str| store.session(id).unwrap();
    assert_eq!(row("a").end_reason.as_deref(), Some("compression"));
    assert_eq!(row("b").title.as_deref(), Some("Garden plan #2"));
    assert_eq!(row("c").title.as_deref(), Some("Garden plan #3"));
    assert_eq!(store.compression_tip("a", &rules(Version::V0_19)).as_str(), "c");
    assert_eq!(store.lineage_root("c").as_str(), "a");
    assert!(store.rotate("none", SessionRow::new("d", "cli", at(6)), [], at(6)).is_err());
}

#[test]
fn a_title_belongs_to_one_session() {
    let mut store = SessionStore::new();
    open(&mut store, "a", "cli", 0);
    open(&mut store, "b", "cli", 1);
    assert_eq!(store.set_title("a", " Plan\u{200b} \n A ").unwrap().as_deref(), Some("Plan A"));
    assert_eq!(store.set_title("b", "Plan A").unwrap_err().kind(), "title-in-use");
    assert_eq!(store.set_title("a", "Plan A").unwrap().as_deref(), Some("Plan A"));
    assert_eq!(store.set_title("a", &"x".repeat(101)).unwrap_err().kind(), "title-too-long");
    assert_eq!(store.set_title("none", "x").unwrap_err().kind(), "session-not-found");
    assert_eq!(store.auto_title("a", "Other"), Ok(false));
    assert_eq!(store.auto_title("b", "Other"), Ok(true));
    assert_eq!(store.set_title("a", " ").unwrap(), None);
    assert_eq!(store.set_title("b", "Plan A").unwrap().as_deref(), Some("Plan A"));
}

#[test]
fn a_continuation_takes_the_title_of_its_ancestor() {
    let mut store = SessionStore::new();
    open(&mut store, "a", "cli", 0);
    store.set_title("a", "Plan").unwrap();
    for (child, parent) in [("b", "a"), ("c", "b")] {
        store.end_session(parent, at(5), "compression");
        open_child(&mut store, child, parent, 6);
    }
    assert_eq!(store.set_title("c", "Plan").unwrap().as_deref(), Some("Plan"));
    assert_eq!(store.session("a").unwrap().title, None);
    // A branch is no continuation.
    let mut branch = SessionRow::new("d", "cli", at(7));
    branch.parent = Some("a".into());
    branch.model_config = Some("{\"_branched_from\": \"a\"}".into());
    store.create_session(branch);
    store.set_title("a", "Root").unwrap();
    assert_eq!(store.set_title("d", "Root").unwrap_err().kind(), "title-in-use");
}

#[test]
fn older_versions_ask_that_a_continuation_starts_after_the_end() {
    let mut store = SessionStore::new();
    open(&mut store, "a", "cli", 0);
    store.end_session("a", at(10), "compression");
    open_child(&mut store, "early", "a", 5);
    let tip = |store: &SessionStore, version| store.compression_tip("a", &rules(version)).to_string();
    assert_eq!(tip(&store, Version::V0_19), "early");
    assert_eq!(tip(&store, Version::V0_16), "a");
    assert_eq!(rules(Version::April2026).continuation, Continuation::AfterEnd);
    open_child(&mut store, "late", "a", 12);
    assert_eq!(tip(&store, Version::V0_16), "late");
}

#[test]
fn the_tip_prefers_compressed_children_then_open_ones() {
    let mut store = SessionStore::new();
    let newest = rules(Version::V0_19);
    open(&mut store, "a", "cli", 0);
    store.end_session("a", at(1), "compression");
    open_child(&mut store, "ended", "a", 90);
    store.end_session("ended", at(95), "closed");
    assert_eq!(store.compression_tip("a", &newest).as_str(), "ended");
    open_child(&mut store, "open", "a", 2);
    assert_eq!(store.compression_tip("a", &newest).as_str(), "open");
    open_child(&mut store, "compressed", "a", 1);
    store.end_session("compressed", at(3), "compression");
    assert_eq!(store.compression_tip("a", &newest).as_str(), "compressed");
    let mut tool = SessionRow::new("tool", "tool", at(50));
    tool.parent = Some("compressed".into());
    store.create_session(tool);
    assert_eq!(store.compression_tip("a", &newest).as_str(), "compressed");
}

#[test]
fn a_missing_parent_is_the_root_and_a_circle_ends() {
    let mut store = SessionStore::new();
    open_child(&mut store, "a", "gone", 0);
    assert_eq!(store.lineage_root("a").as_str(), "gone");
    open_child(&mut store, "x", "y", 0);
    open_child(&mut store, "y", "x", 0);
    assert_eq!(store.lineage_root("x").as_str(), "x");
    for id in ["x", "y"] {
        store.end_session(id, at(1), "compression");
    }
    // Neither of these may run forever.
    store.compression_tip("x", &rules(Version::V0_19));
    assert_eq!(store.set_title("x", "T").unwrap().as_deref(), Some("T"));
    assert!(store.set_title("y", "T").is_ok());
}

#[test]
fn an_id_is_made_of_the_local_time() {
    let id = SessionId::of_start(SimTime::from_millis(1_772_409_600_000), 3600, "0a1b2c");
    assert_eq!(id.as_str(), "20260302_010000_0a1b2c");
}
