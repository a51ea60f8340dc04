//! Laws over random stores.

use proptest::prelude::*;
use serde_json::json;

use super::super::*;
use super::*;
use crate::behaviour::SessionRules;

/// What happens to a store.
#[derive(Clone, Debug)]
enum Step {
    Open { session: u8, source: u8, parent: Option<u8> },
    Say { session: u8, role: u8, words: Vec<u8>, structured: bool, seconds: i64 },
    Rewind { message: u8 },
    Compact { session: u8 },
    End { session: u8, compression: bool },
    Search { words: Vec<u8> },
}

const SOURCES: [&str; 5] = ["cli", "cron", "subagent", "tool", "telegram"];
const ROLES: [&str; 4] = ["user", "assistant", "tool", "system"];
const WORDS: [&str; 14] = [
    "falcon",
    "harbor",
    "falconry",
    "caf\u{e9}",
    "snake_case",
    "10.77.0.0",
    "AND",
    "not",
    "大别山",
    "广西",
    "服务器",
    "ok?",
    "\"two words\"",
    "lorem",
];

fn words(picked: &[u8]) -> String {
    let words: Vec<&str> = picked.iter().map(|&word| WORDS[usize::from(word) % WORDS.len()]).collect();
    words.join(" ")
}

fn step() -> impl Strategy<Value = Step> {
    let session = 0..6_u8;
    let some_words = proptest::collection::vec(any::<u8>(), 0..8);
    prop_oneof![
        2 => (session.clone(), 0..5_u8, proptest::option::of(0..6_u8))
            .prop_map(|(session, source, parent)| Step::Open { session, source, parent }),
        8 => (session.clone(), 0..4_u8, some_words.clone(), any::<bool>(), 0..50_i64).prop_map(
            |(session, role, words, structured, seconds)| Step::Say { session, role, words, structured, seconds }
        ),
        1 => (0..30_u8).prop_map(|message| Step::Rewind { message }),
        1 => session.clone().prop_map(|session| Step::Compact { session }),
        1 => (session, any::<bool>()).prop_map(|(session, compression)| Step::End { session, compression }),
        1 => some_words.prop_map(|words| Step::Search { words }),
    ]
}

fn take(store: &mut SessionStore, step: &Step, rules: &SessionRules) {
    let name = |session: u8| format!("s{session}");
    match step {
        Step::Open { session, source, parent } => {
            let mut row =
                SessionRow::new(&*name(*session), SOURCES[usize::from(*source)], at(i64::from(*session)));
            row.parent = parent.map(|parent| name(parent).as_str().into());
            row.title = (session % 2 == 0).then(|| words(&[*session]).into());
            store.create_session(row);
        }
        Step::Say { session, role, words: said, structured, seconds } => {
            let role = MessageRole::new(ROLES[usize::from(*role)]);
            let text = words(said);
            let mut message = if *structured {
                StoredMessage::structured(role, &json!([{ "type": "text", "text": text }]))
            } else {
                StoredMessage::text(role, text)
            };
            message.tool_name = said.first().map(|&word| words(&[word]).into());
            store.append(&name(*session), message, at(*seconds));
        }
        Step::Rewind { message } => {
            let id = MessageId(i64::from(*message));
            if let Some(owner) = store.message(id).map(|row| store.owner(row).id.clone()) {
                let _ = store.rewind(&owner, id);
            }
        }
        Step::Compact { session } => {
            let summary = StoredMessage::text(MessageRole::User, "falcon summary");
            let _ = store.compact_in_place(&name(*session), [summary], at(60));
        }
        Step::End { session, compression } => {
            store.end_session(&name(*session), at(70), if *compression { "compression" } else { "closed" });
        }
        Step::Search { words: wanted } => {
            ask(store, &json!({ "query": words(wanted) }), None, rules);
        }
    }
}

fn store_of(steps: &[Step], rules: &SessionRules) -> SessionStore {
    let mut store = SessionStore::new();
    for step in steps {
        take(&mut store, step, rules);
    }
    store
}

fn queries() -> impl Strategy<Value = Vec<Vec<u8>>> {
    proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..4), 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 6, ..ProptestConfig::default() })]

    /// Filled by searches in between, filled at once, exported and imported: the answers are the same bytes.
    #[test]
    fn memory_and_sqlite_sessions_rank_alike(
        steps in proptest::collection::vec(step(), 1..60),
        queries in queries(),
        sort in proptest::sample::select(vec!["", "newest", "oldest"]),
        roles in proptest::sample::select(vec!["", "user", "assistant,tool"]),
    ) {
        for version in Version::ALL {
            let rules = rules(version);
            let mut lazy = store_of(&steps, &rules);
            let unsearched: Vec<Step> =
                steps.iter().filter(|step| !matches!(step, Step::Search { .. })).cloned().collect();
            let bytes = store_of(&unsearched, &rules).export(rules.schema_version).unwrap();
            let mut imported = SessionStore::import(&bytes).unwrap();
            prop_assert_eq!(imported.message_count(), lazy.message_count());
            for query in &queries {
                let args =
                    json!({ "query": words(query), "limit": 10, "sort": sort, "role_filter": roles });
                for current in [None, Some("s1")] {
                    let one = ask(&mut lazy, &args, current, &rules).1;
                    let two = ask(&mut imported, &args, current, &rules).1;
                    prop_assert_eq!(one, two);
                }
            }
            let listing = ask(&mut lazy, &json!({ "limit": 10 }), Some("s1"), &rules).1;
            prop_assert_eq!(listing, ask(&mut imported, &json!({ "limit": 10 }), Some("s1"), &rules).1);
        }
    }

    /// An import holds the rows that were exported, and the same steps give the same bytes.
    #[test]
    fn rows_survive_a_round_trip(steps in proptest::collection::vec(step(), 1..60)) {
        let rules = rules(Version::V0_19);
        let mut store = store_of(&steps, &rules);
        let bytes = store.export(22).unwrap();
        prop_assert!(store_of(&steps, &rules).export(22).unwrap() == bytes);
        let imported = SessionStore::import(&bytes).unwrap();
        let sessions = |store: &SessionStore| store.sessions().cloned().collect::<Vec<SessionRow>>();
        prop_assert_eq!(sessions(&imported), sessions(&store));
        prop_assert_eq!(&imported.messages, &store.messages);
        prop_assert_eq!(imported.next_id, store.next_id);
    }

    /// What the filters exclude is never found.
    #[test]
    fn a_search_never_returns_what_the_filters_exclude(
        steps in proptest::collection::vec(step(), 1..60),
        query in proptest::collection::vec(any::<u8>(), 1..3),
        roles in proptest::sample::subsequence(ROLES.to_vec(), 1..4),
        excluded in proptest::sample::subsequence(SOURCES.to_vec(), 0..4),
        included in proptest::option::of(proptest::sample::subsequence(SOURCES.to_vec(), 1..4)),
        limit in 0..9_usize,
        offset in 0..3_usize,
    ) {
        let rules = rules_with("faults.substring_shows_rewound", false);
        let mut store = store_of(&steps, &rules);
        let list = |names: &[&str]| names.iter().map(|&name| name.into()).collect::<Vec<std::sync::Arc<str>>>();
        let (role_list, excluded_list) = (list(&roles), list(&excluded));
        let included_list = included.as_deref().map(list);
        let text = words(&query);
        let search = SearchQuery {
            text: &text,
            sources: included_list.as_deref(),
            excluded_sources: &excluded_list,
            roles: Some(&role_list),
            limit,
            offset,
            sort: Sort::Newest,
            include_inactive: false,
        };
        let hits = store.search(&search, &rules).unwrap();
        prop_assert!(hits.len() <= limit);
        let mut times = Vec::new();
        for n in 0..hits.len() {
            let row = store.search_row(&hits, n).unwrap().unwrap();
            prop_assert!(roles.contains(&&*row.role));
            prop_assert!(!excluded.contains(&&*row.source));
            prop_assert!(included.as_ref().is_none_or(|sources| sources.contains(&&*row.source)));
            prop_assert!(store.message(row.id).unwrap().state != RowState::Rewound);
            prop_assert!(row.context.len() <= 3 && !row.context.is_empty());
            times.push(row.timestamp);
        }
        prop_assert!(times.is_sorted_by(|one, two| one >= two));
    }

    /// The tool never shows the caller's own lineage, nor a lineage twice, nor a hidden source.
    #[test]
    fn the_callers_lineage_is_never_found(
        steps in proptest::collection::vec(step(), 1..60),
        query in proptest::collection::vec(any::<u8>(), 1..3),
        current in 0..6_u8,
    ) {
        for version in Version::ALL {
            let rules = rules(version);
            let mut store = store_of(&steps, &rules);
            let current = format!("s{current}");
            let own = store.lineage_root(&current);
            let (body, _) = ask(&mut store, &json!({ "query": words(&query), "limit": 10 }), Some(&current), &rules);
            let mut roots = std::collections::BTreeSet::new();
            for entry in body["results"].as_array().unwrap() {
                let root = store.lineage_root(entry["session_id"].as_str().unwrap());
                prop_assert!(root != own);
                prop_assert!(roots.insert(root));
            }
        }
    }

    /// Any text is a query: nothing panics, and cleaning what is clean changes nothing but operators at the ends.
    #[test]
    fn any_text_is_a_query(query in "\\PC{0,40}|[\"*+(){}^:_.a大-]{0,30}") {
        let rules = rules(Version::V0_19);
        let mut store = SessionStore::new();
        say(&mut store, "s", "a falcon 大别山项目", 0);
        let (body, answer) = ask(&mut store, &json!({ "query": query }), None, &rules);
        prop_assert!(body["success"] == true, "{}", answer.text);
        let lenient = rules_with("faults.query_syntax_finds_nothing", false);
        let (body, answer) = ask(&mut store, &json!({ "query": query }), None, &lenient);
        prop_assert!(body["success"] == true, "{}", answer.text);
    }

    /// Any arguments give an answer.
    #[test]
    fn any_arguments_give_an_answer(
        key in proptest::sample::select(vec![
            "query", "session_id", "around_message_id", "window", "limit", "sort", "role_filter", "profile",
        ]),
        value in prop_oneof![
            Just(json!(null)), Just(json!([1])), Just(json!({"a": 1})), Just(json!(true)),
            any::<i64>().prop_map(|number| json!(number)), any::<f64>().prop_map(|number| json!(number)),
            "\\PC{0,12}".prop_map(|text| json!(text)),
        ],
        base in proptest::sample::select(vec![
            json!({}), json!({"query": "falcon"}), json!({"session_id": "s"}),
            json!({"session_id": "s", "around_message_id": 1}),
        ]),
    ) {
        let mut store = SessionStore::new();
        say(&mut store, "s", "a falcon", 0);
        let mut args = base;
        args[key] = value;
        for version in Version::ALL {
            let (body, answer) = ask(&mut store, &args, None, &rules(version));
            prop_assert_eq!(body["success"] == true, answer.kind.is_none());
        }
    }
}
