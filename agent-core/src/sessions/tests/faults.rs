//! Each fault on and off.

use std::collections::BTreeMap;

use serde_json::json;

use super::super::*;
use super::*;

/// The rules of 0.19 without one fault.
fn without(fault: &str) -> SessionRules {
    rules_with(&format!("faults.{fault}"), false)
}

fn other_profile() -> BTreeMap<String, ReadOnlyStore> {
    let mut store = SessionStore::new();
    open(&mut store, "far", "cli", 0);
    store.set_title("far", "Far away").unwrap();
    say(&mut store, "far", "an osprey", 1);
    let bytes = store.export(22).unwrap();
    BTreeMap::from([("work".to_owned(), ReadOnlyStore::import(&bytes).unwrap())])
}

fn ask_profile(args: &Value, caller: Caller, rules: &SessionRules) -> (Value, Option<String>) {
    let mut store = SessionStore::new();
    open(&mut store, "near", "cli", 0);
    say(&mut store, "near", "a falcon", 1);
    let mut profiles = other_profile();
    let context = SearchContext {
        current_session: Some("near"),
        rules,
        utc_offset_secs: 0,
        caller,
        profiles: Some(&mut profiles),
    };
    let answer = call(&mut store, args, context);
    (serde_json::from_str(&answer.text).unwrap(), answer.kind.as_deref().map(str::to_owned))
}

#[test]
fn other_profile_without_full_text() {
    let faulty = rules(Version::V0_19);
    let right = without("other_profile_without_full_text");
    let query = json!({ "query": "osprey", "profile": "work" });
    assert_eq!(ask_profile(&query, Caller::Command, &faulty).0["count"], 0);
    assert_eq!(ask_profile(&query, Caller::Command, &right).0["results"][0]["session_id"], "far");
    // Titles, reading, scrolling and listing work with the fault as well.
    let title = json!({ "query": "Far away", "profile": "work" });
    assert_eq!(
        ask_profile(&title, Caller::Command, &faulty).0["results"][0]["matched_role"],
        "session_title"
    );
    assert_eq!(
        ask_profile(&json!({ "profile": "work" }), Caller::Command, &faulty).0["results"][0]["session_id"],
        "far"
    );
    let read = ask_profile(&json!({ "session_id": "work/far" }), Caller::Loop, &faulty).0;
    assert_eq!((read["mode"].as_str(), read.get("profile")), (Some("read"), None));
    // Without a profile the others are looked at last.
    let read = ask_profile(&json!({ "session_id": "far" }), Caller::Loop, &faulty).0;
    assert_eq!(read["profile"], "work");
    let unknown = ask_profile(&json!({ "profile": "play" }), Caller::Command, &faulty);
    assert_eq!(unknown.1.as_deref(), Some("profile-error"));
}

#[test]
fn profile_argument_dropped() {
    let args = json!({ "profile": "work" });
    let listed = |rules: &SessionRules| ask_profile(&args, Caller::Loop, rules).0["results"].to_string();
    assert!(!listed(&rules(Version::V0_19)).contains("far"));
    assert!(listed(&without("profile_argument_dropped")).contains("far"));
}

#[test]
fn query_syntax_finds_nothing() {
    let mut store = SessionStore::new();
    say(&mut store, "s", "does the bridge's pillar hold? see src/main.rs", 0);
    let (faulty, right) = (rules(Version::V0_19), without("query_syntax_finds_nothing"));
    for query in ["bridge?", "the bridge's", "src/main.rs", "-bridge", "bridge AND NOT, pillar", "[pillar]"] {
        assert!(finds(&mut store, query, &faulty).is_empty(), "{query}");
        assert_eq!(finds(&mut store, query, &right), ["s"], "{query}");
    }
    assert!(finds(&mut store, "?!", &right).is_empty());
    assert!(finds(&mut store, "tunnel?", &right).is_empty());
}

#[test]
fn substring_ignores_operators() {
    let mut store = SessionStore::new();
    say(&mut store, "both", "广西 桂林", 0);
    say(&mut store, "one", "广西", 1);
    let (faulty, right) = (rules(Version::V0_19), without("substring_ignores_operators"));
    assert_eq!(finds(&mut store, "广西 NOT 桂林", &faulty), ["one", "both"]);
    assert_eq!(finds(&mut store, "广西 NOT 桂林", &right), ["one"]);
    assert_eq!(finds(&mut store, "广西 桂林", &faulty), ["one", "both"]);
    assert_eq!(finds(&mut store, "广西 AND 桂林", &right), ["both"]);
    assert_eq!(finds(&mut store, "海南 OR 桂林", &right), ["both"]);
}

#[test]
fn substring_shows_rewound() {
    let mut store = SessionStore::new();
    let id = say(&mut store, "s", "撤回", 0);
    store.rewind("s", id).unwrap();
    assert_eq!(finds(&mut store, "撤回", &rules(Version::V0_19)), ["s"]);
    assert!(finds(&mut store, "撤回", &without("substring_shows_rewound")).is_empty());
}

#[test]
fn windows_show_rewound() {
    let mut store = SessionStore::new();
    for (n, words) in ["one", "two", "three", "falcon"].into_iter().enumerate() {
        say(&mut store, "s", words, i64::try_from(n).unwrap());
    }
    store.set_message_state(MessageId(2), RowState::Rewound);
    let mut scrolled = |anchor: i64, rules: &SessionRules| {
        let args = json!({ "session_id": "s", "around_message_id": anchor });
        let (body, _) = ask(&mut store, &args, None, rules);
        let ids = body["messages"].as_array().unwrap().iter().map(|message| message["id"].as_i64().unwrap());
        (ids.collect::<Vec<i64>>(), body["messages_before"].as_u64().unwrap())
    };
    assert_eq!(scrolled(4, &rules(Version::V0_19)), (vec![1, 2, 3, 4], 3));
    assert_eq!(scrolled(4, &without("windows_show_rewound")), (vec![1, 3, 4], 2));
    assert_eq!(scrolled(2, &without("windows_show_rewound")), (vec![1, 2, 3, 4], 1));
}

#[test]
fn structured_messages_count_as_empty() {
    let mut store = SessionStore::new();
    let picture = json!([{ "type": "text", "text": "look" }]);
    store.append("s", StoredMessage::structured(MessageRole::User, &picture), at(0));
    for n in 1..9 {
        say(&mut store, "s", "lorem", n);
    }
    say(&mut store, "s", "falcon", 9);
    let mut first = |rules: &SessionRules| {
        ask(&mut store, &json!({ "query": "falcon" }), None, rules).0["results"][0]["bookend_start"][0]["id"]
            .clone()
    };
    assert_eq!(first(&rules(Version::V0_19)), 2);
    assert_eq!(first(&without("structured_messages_count_as_empty")), 1);
}

#[test]
fn numbered_title_beats_exact() {
    let mut store = SessionStore::new();
    for (n, (id, title)) in [("a", "Plan"), ("b", "Plan #2")].into_iter().enumerate() {
        open(&mut store, id, "cli", i64::try_from(n).unwrap());
        store.set_title(id, title).unwrap();
    }
    let resolved = |rules: &SessionRules| store.resolve_by_title("Plan", rules).unwrap().to_string();
    assert_eq!(resolved(&rules(Version::V0_19)), "b");
    assert_eq!(resolved(&without("numbered_title_beats_exact")), "a");
}

#[test]
fn browse_spends_slots() {
    let mut store = SessionStore::new();
    for n in 0..3 {
        open(&mut store, &format!("s{n}"), "cli", n);
    }
    for n in 0..8 {
        let mut branch = SessionRow::new(&*format!("b{n}"), "cli", at(100 + n));
        branch.parent = Some("s0".into());
        branch.model_config = Some("{\"_branched_from\": \"s0\"}".into());
        store.create_session(branch);
    }
    let mut listed = |rules: &SessionRules| ask(&mut store, &json!({}), None, rules).0["count"].clone();
    assert_eq!(listed(&rules(Version::V0_19)), 0);
    assert_eq!(listed(&without("browse_spends_slots")), 3);
}

#[test]
fn browse_lists_current_chain() {
    let mut store = SessionStore::new();
    open(&mut store, "a", "cli", 0);
    store.rotate("a", SessionRow::new("b", "cli", at(1)), [], at(1)).unwrap();
    store.rotate("b", SessionRow::new("c", "cli", at(2)), [], at(2)).unwrap();
    let mut listed = |rules: &SessionRules| ask(&mut store, &json!({}), Some("b"), rules).0["count"].clone();
    assert_eq!(listed(&rules(Version::V0_19)), 1);
    assert_eq!(listed(&without("browse_lists_current_chain")), 0);
}

#[test]
fn every_fault_of_the_area_has_a_test() {
    let here = include_str!("faults.rs");
    for fault in crate::behaviour::faults().filter(|fault| fault.field.starts_with("sessions.")) {
        assert!(here.contains(&format!("fn {}()", fault.name)), "{}", fault.name);
    }
}
