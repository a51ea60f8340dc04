//! The tool in the versions: modes, limits, summaries, descriptions.

use serde_json::json;

use super::super::*;
use super::*;
use crate::behaviour::SessionRules;

fn talk() -> SessionStore {
    let mut store = SessionStore::new();
    for n in 0..12 {
        let id = format!("s{n:02}");
        open(&mut store, &id, if n == 5 { "subagent" } else { "cli" }, n * 100);
        say(&mut store, &id, &format!("falcon question {n}"), n * 100 + 1);
        answer(&mut store, &id, &format!("answer {n}"), n * 100 + 2);
        let mut result = StoredMessage::text(MessageRole::Tool, format!("heron {n}"));
        result.tool_name = Some("terminal".into());
        store.append(&id, result, at(n * 100 + 3));
    }
    open_child(&mut store, "child", "s00", 5000);
    say(&mut store, "child", "osprey child", 5001);
    store
}

fn begun(store: &mut SessionStore, args: &Value, rules: &SessionRules) -> SearchCall {
    let context = SearchContext {
        current_session: None,
        rules,
        utc_offset_secs: 0,
        caller: Caller::Loop,
        profiles: None,
    };
    begin(store, args, context)
}

#[test]
fn older_versions_have_two_modes_and_smaller_limits() {
    let mut store = talk();
    let old = rules(Version::V0_13);
    let (body, _) = ask(&mut store, &json!({ "limit": 50 }), None, &old);
    assert_eq!((body["mode"].as_str(), body["count"].as_u64()), (Some("recent"), Some(5)));
    // Arguments of later versions are not known.
    let (body, _) = ask(&mut store, &json!({ "session_id": "s01" }), None, &old);
    assert_eq!(body["mode"], "recent");
    let (body, _) = ask(&mut store, &json!({ "query": "falcon", "limit": 50 }), None, &rules(Version::V0_16));
    assert_eq!((body["mode"].as_str(), body["count"].as_u64()), (Some("discover"), Some(10)));
    // All roles by default; a delegate's session is not hidden yet.
    assert_eq!(finds(&mut store, "heron 5", &old), ["s05"]);
    assert!(finds(&mut store, "heron 5", &rules(Version::V0_16)).is_empty());
    assert_eq!(finds(&mut store, "\"question 5\"", &rules(Version::V0_16)), ["s05"]);
    assert!(finds(&mut store, "\"question 5\"", &rules(Version::V0_19)).is_empty());
}

#[test]
fn older_versions_name_the_root_of_the_lineage() {
    let mut store = talk();
    assert_eq!(finds(&mut store, "osprey", &rules(Version::V0_13)), ["s00"]);
    let (body, _) = ask(&mut store, &json!({ "query": "osprey" }), None, &rules(Version::V0_16));
    assert_eq!(body["results"][0]["session_id"], "child");
    assert_eq!(body["results"][0]["parent_session_id"], "s00");
}

#[test]
fn titles_cron_and_sort_came_later() {
    let mut store = talk();
    store.set_title("s03", "falcon").unwrap();
    open(&mut store, "job", "cron", 0);
    say(&mut store, "job", "falcon falcon falcon", 1);
    let (new, middle) = (rules(Version::V0_19), rules(Version::V0_16));
    assert_eq!(finds(&mut store, "falcon", &new)[0], "s03");
    assert_eq!(finds(&mut store, "falcon", &middle)[0], "job");
    assert!(!finds(&mut store, "falcon", &new).contains(&"job".to_owned()));
    let newest = |store: &mut SessionStore, rules: &SessionRules| {
        let args = json!({ "query": "falcon", "sort": "newest", "limit": 1 });
        ask(store, &args, None, rules).0["results"][0]["session_id"].clone()
    };
    assert_eq!(newest(&mut store, &middle), "s11");
    let unsorted = rules_with("sessions.sort", false);
    assert_eq!(newest(&mut store, &unsorted), "s03");
}

#[test]
fn archived_rows_are_found_since_0_19_only() {
    let mut store = talk();
    let summary = StoredMessage::text(MessageRole::User, "summary");
    store.compact_in_place("s01", [summary], at(9000)).unwrap();
    assert_eq!(finds(&mut store, "\"question 1\"", &rules(Version::V0_19)), ["s01"]);
    assert!(finds(&mut store, "\"question 1\"", &rules(Version::V0_16)).is_empty());
}

#[test]
fn a_colon_names_a_column_in_older_versions() {
    let cleaned = |version| explain_query("TODO: (fix)", &rules(version)).cleaned;
    assert_eq!(cleaned(Version::V0_16), "TODO:  fix");
    assert_eq!(cleaned(Version::V0_19), "TODO   fix");
    let long = "x".repeat(3000);
    assert_eq!(explain_query(&long, &rules(Version::V0_16)).cleaned.len(), 3000);
    assert_eq!(explain_query(&long, &rules(Version::September2026)).cleaned.len(), 2048);
}

#[test]
fn a_trigram_failure_falls_back_since_0_19() {
    let mut store = SessionStore::new();
    say(&mut store, "s", "大别山项目", 0);
    let query = "大别山项 AND NOT 桂林服务器";
    assert_eq!(explain_query(query, &rules(Version::V0_19)).route, "trigram");
    assert_eq!(finds(&mut store, query, &rules(Version::V0_19)), ["s"]);
    assert!(finds(&mut store, query, &rules(Version::V0_16)).is_empty());
}

#[test]
fn summaries_are_asked_for_and_put_into_the_answer() {
    let mut store = talk();
    let old = rules(Version::V0_13);
    let SearchCall::Summarise(plan) =
        begun(&mut store, &json!({ "query": "osprey OR \"question 2\"" }), &old)
    else {
        panic!("a query needs summaries")
    };
    let sessions: Vec<&str> = plan.groups.iter().map(|group| group.session.as_str()).collect();
    assert_eq!(sessions, ["s00", "s02"]);
    insta::assert_snapshot!(plan.request(1), @r##"
    Topic: osprey OR "question 2"
    Source: cli
    Begun: February 02, 2026 at 02:43 AM

    Transcript:
    [user] falcon question 2

    [assistant] answer 2

    [tool terminal] heron 2
    "##);
    let answer = finish_search(&plan, vec![Some("It was solved.".to_owned()), Some("  ".to_owned())]);
    insta::assert_snapshot!(answer.text, @r#"{"success":true,"mode":"query","query":"osprey OR \"question 2\"","results":[{"session_id":"s00","when":"February 02, 2026 at 02:40 AM","source":"cli","model":null,"title":null,"summary":"It was solved."},{"session_id":"s02","when":"February 02, 2026 at 02:43 AM","source":"cli","model":null,"title":null,"summary":"[no summary could be made; the session begins like this]\n[user] falcon question 2\n\n[assistant] answer 2\n\n[tool terminal] heron 2"}],"count":2,"sessions_searched":2}"#);
    let none = finish_search(&plan, Vec::new());
    assert_eq!(none.text.matches("no summary could be made").count(), 2);
}

#[test]
fn nothing_to_summarise_is_answered_at_once() {
    let mut store = talk();
    let old = rules(Version::V0_13);
    let SearchCall::Done(answer) = begun(&mut store, &json!({ "query": "nothing" }), &old) else {
        panic!("there is nothing to summarise")
    };
    assert!(answer.text.contains("\"count\":0"));
    // With summaries asked for in a later version, its other modes stay.
    let new = rules_with("sessions.search", "fts_summary");
    assert!(matches!(begun(&mut store, &json!({ "query": "osprey" }), &new), SearchCall::Summarise(_)));
    assert!(matches!(begun(&mut store, &json!({ "session_id": "s01" }), &new), SearchCall::Done(_)));
}

#[test]
fn a_long_preview_is_cut() {
    let mut store = SessionStore::new();
    say(&mut store, "s", &"falcon ".repeat(200), 0);
    let (body, _) = ask(&mut store, &json!({ "query": "falcon" }), None, &rules(Version::V0_13));
    let summary = body["results"][0]["summary"].as_str().unwrap();
    assert!(summary.ends_with(" [cut]"));
    assert_eq!(summary.lines().nth(1).unwrap().chars().count(), 500 + " [cut]".len());
}

#[test]
fn errors_have_kinds() {
    let mut store = talk();
    let new = rules(Version::V0_19);
    let mut kind = |args, current| ask(&mut store, &args, current, &new).1.kind.as_deref().map(str::to_owned);
    let scroll = |session: &str, anchor: Value| json!({ "session_id": session, "around_message_id": anchor });
    assert_eq!(kind(scroll("s01", json!("x")), None).as_deref(), Some("bad-anchor"));
    assert_eq!(kind(scroll("s01", json!([])), None).as_deref(), Some("bad-anchor"));
    assert_eq!(kind(scroll("s01", json!(999)), None).as_deref(), Some("anchor-not-in-session"));
    assert_eq!(kind(scroll("none", json!(1)), None).as_deref(), Some("session-not-found"));
    assert_eq!(kind(scroll("none", json!(1)), Some("none")).as_deref(), Some("current-lineage"));
    assert_eq!(kind(scroll("s00", json!(1)), Some("child")).as_deref(), Some("current-lineage"));
    assert_eq!(kind(json!({ "session_id": "none" }), None).as_deref(), Some("session-not-found"));
    assert_eq!(kind(json!({ "session_id": "work/s01" }), None).as_deref(), Some("profile-error"));
}

#[test]
fn a_model_reads_this_of_the_tool() {
    let shown = |version| {
        let spec = tool_spec(&rules(version));
        format!("{}\n\n{}", spec.description, serde_json::to_string_pretty(&spec.parameters).unwrap())
    };
    assert_eq!(shown(Version::April2026), shown(Version::V0_13));
    assert_eq!(shown(Version::V0_19), shown(Version::September2026));
    insta::assert_snapshot!(shown(Version::V0_13), @r##"
    Finds past sessions with this user.

    Which arguments you give decides what happens:
    - `query`: searches all past sessions and returns those that fit best.
    - nothing: lists the latest sessions with their first words.

    Query syntax: all words must occur in one message. `OR` between words takes either, `NOT` excludes the next word, `"two words"` is a phrase, `deploy*` is any word that begins so. Operators are in capitals. The session that you are in is not searched.

    Use it before you ask the user to repeat something, when they speak of earlier work ("as we did last time"), and when a task looks like one that was solved before. A few distinct words find more than a sentence; several words joined by `OR` find more than words that must all occur.

    What was said then is no proof of how things are now. If the user names a file, a page or a service, look at that first and use past sessions for the story behind it.

    Each session found is summarised for you by a model with regard to your query: what the problem was, what was tried, what solved it. A summary can leave out or mistake a detail.

    {
      "properties": {
        "limit": {
          "description": "Most sessions returned, 1 to 5; 3 if left out.",
          "type": "integer"
        },
        "query": {
          "description": "Words to search for. Leave it out to list the latest sessions.",
          "type": "string"
        },
        "role_filter": {
          "description": "Roles to search, separated by commas, e.g. `user` or `user,assistant,tool`.",
          "type": "string"
        }
      },
      "required": [],
      "type": "object"
    }
    "##);
    insta::assert_snapshot!(shown(Version::V0_19), @r##"
    Finds and reads what was said in past sessions with this user. The stored messages themselves come back; nothing is summarised.

    Which arguments you give decides what happens:
    - `query`: searches all past sessions. Each hit names its session, shows the passage, the messages around it, and how the session began and ended.
    - `session_id` with `around_message_id`: shows that message and its neighbours. To move on, call again with the number of the last message shown; to move back, with the number of the first.
    - `session_id` alone: reads the session. Of a long one the middle is left out.
    - nothing: lists the latest sessions with their first words.

    Query syntax: all words must occur in one message. `OR` between words takes either, `NOT` excludes the next word, `"two words"` is a phrase, `deploy*` is any word that begins so. Operators are in capitals. The session that you are in is not searched.

    Use it before you ask the user to repeat something, when they speak of earlier work ("as we did last time"), and when a task looks like one that was solved before. A few distinct words find more than a sentence.

    What was said then is no proof of how things are now. If the user names a file, a page or a service, look at that first and use past sessions for the story behind it.

    {
      "properties": {
        "around_message_id": {
          "description": "With `session_id`: the number of the message to look around.",
          "type": "integer"
        },
        "limit": {
          "description": "Most sessions returned, 1 to 10; 3 if left out.",
          "type": "integer"
        },
        "profile": {
          "description": "Search the sessions of another profile of this user.",
          "type": "string"
        },
        "query": {
          "description": "Words to search for. Leave it out to list the latest sessions.",
          "type": "string"
        },
        "role_filter": {
          "description": "Roles to search, separated by commas, e.g. `user` or `user,assistant,tool`.",
          "type": "string"
        },
        "session_id": {
          "description": "A session to read. `profile/id` reads one of another profile.",
          "type": "string"
        },
        "sort": {
          "description": "Order by time. Left out, the best match comes first.",
          "enum": [
            "newest",
            "oldest"
          ],
          "type": "string"
        },
        "window": {
          "description": "Messages on each side of that message, 1 to 20; 5 if left out.",
          "type": "integer"
        }
      },
      "required": [],
      "type": "object"
    }
    "##);
}

#[test]
fn a_model_reads_these_answers() {
    let mut store = SessionStore::new();
    open(&mut store, "a", "cli", 0);
    store.set_title("a", "Falconry").unwrap();
    for n in 0..32 {
        say(&mut store, "a", &format!("falcon {n}"), n);
    }
    open_child(&mut store, "b", "a", 100);
    say(&mut store, "b", "an osprey", 101);
    let new = rules(Version::V0_19);
    let mut shown = |args: Value| {
        let text = ask(&mut store, &args, None, &new).1.text;
        // The messages themselves are no words of ours.
        let mut body: Value = serde_json::from_str(&text).unwrap();
        if let Some(messages) = body.get_mut("messages") {
            *messages = json!(messages.as_array().unwrap().len());
        }
        body.to_string()
    };
    let scroll = |session: &str, anchor: i64| json!({ "session_id": session, "around_message_id": anchor, "window": 1 });
    let answers = [
        shown(json!({ "query": "osprey" })),
        shown(json!({ "query": "Falconry" })),
        shown(json!({ "query": "heron" })),
        shown(json!({ "session_id": "a" })),
        shown(scroll("a", 33)),
        shown(scroll("a", 99)),
        shown(scroll("none", 1)),
        shown(json!({ "session_id": "a", "around_message_id": "x" })),
        shown(json!({ "session_id": "work/a" })),
        shown(json!({})),
    ];
    insta::assert_snapshot!(answers.join("\n"), @r##"
    {"count":1,"mode":"discover","query":"osprey","results":[{"bookend_end":[],"bookend_start":[],"match_message_id":33,"matched_role":"user","messages":[{"anchor":true,"content":"an osprey","id":33,"role":"user","timestamp":1770000101.0}],"messages_after":0,"messages_before":0,"model":null,"parent_session_id":"a","session_id":"b","snippet":"an >>>osprey<<<  ","source":"cli","title":"Falconry","when":"February 02, 2026 at 02:40 AM"}],"sessions_searched":1,"success":true}
    {"count":1,"mode":"discover","query":"Falconry","results":[{"bookend_end":[{"content":"falcon 29","id":30,"role":"user","timestamp":1770000029.0},{"content":"falcon 30","id":31,"role":"user","timestamp":1770000030.0},{"content":"falcon 31","id":32,"role":"user","timestamp":1770000031.0}],"bookend_start":[{"content":"falcon 0","id":1,"role":"user","timestamp":1770000000.0},{"content":"falcon 1","id":2,"role":"user","timestamp":1770000001.0},{"content":"falcon 2","id":3,"role":"user","timestamp":1770000002.0}],"match_message_id":1,"matched_role":"session_title","messages":[{"anchor":true,"content":"falcon 0","id":1,"role":"user","timestamp":1770000000.0},{"content":"falcon 1","id":2,"role":"user","timestamp":1770000001.0},{"content":"falcon 2","id":3,"role":"user","timestamp":1770000002.0},{"content":"falcon 3","id":4,"role":"user","timestamp":1770000003.0},{"content":"falcon 4","id":5,"role":"user","timestamp":1770000004.0},{"content":"falcon 5","id":6,"role":"user","timestamp":1770000005.0}],"messages_after":5,"messages_before":0,"model":null,"session_id":"a","snippet":"[the title of this session is: Falconry]","source":"cli","title":"Falconry","when":"February 02, 2026 at 02:40 AM"}],"sessions_searched":1,"success":true}
    {"count":0,"message":"Nothing was found. Other words, fewer words, or OR between them may find more.","mode":"discover","query":"heron","results":[],"success":true}
    {"message":"2 messages between the first 20 and the last 10 are left out. To read them, call again with this `session_id` and the number of a message as `around_message_id`.","message_count":32,"messages":30,"mode":"read","session_id":"a","session_meta":{"model":null,"source":"cli","title":"Falconry","when":"February 02, 2026 at 02:40 AM"},"success":true,"truncated":true}
    {"around_message_id":33,"messages":1,"messages_after":0,"messages_before":0,"mode":"scroll","session_id":"b","session_meta":{"model":null,"source":"cli","title":null,"when":"February 02, 2026 at 02:41 AM"},"success":true,"warning":"Message 33 lies in session b of the same lineage, which is shown instead of a.","window":1}
    {"error":"Message 99 is not in session a. Take a number from an earlier result.","success":false}
    {"error":"There is no session none. Search or list sessions to see which there are.","success":false}
    {"error":"`around_message_id` must be the number of a message.","success":false}
    {"error":"There is no profile named `work` whose sessions can be searched.","success":false}
    {"count":1,"message":"The latest sessions. Give a `session_id` to read one, or a `query` to search what was said in all.","mode":"browse","results":[{"last_active":1770000031.0,"message_count":32,"preview":"falcon 0","session_id":"a","source":"cli","started_at":1770000000.0,"title":"Falconry"}],"success":true}
    "##);
    let (_, own) = ask(&mut store, &scroll("a", 1), Some("b"), &new);
    insta::assert_snapshot!(own.text, @r#"{"success":false,"error":"This session belongs to the conversation that you are in. Scrolling is for past ones."}"#);
}
