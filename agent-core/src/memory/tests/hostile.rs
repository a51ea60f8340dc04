//! Hostile and broken content: a named error or the specified guard, nothing lost, and the next call works.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::bench::{Bench, kind_of};
use crate::behaviour::Version;
use crate::memory::{PlaceError, Target};
use crate::stores::{Content, FaultPlan, FaultyFiles, Files, ReadOnlyFiles, TreePath, read_text};

const NOTES: &str = "memories/MEMORY.md";

fn add() -> Value {
    json!({"action": "add", "target": "memory", "content": "new fact"})
}

/// One call of each form on the notes.
fn every_form() -> [Value; 4] {
    [
        add(),
        json!({"action": "replace", "target": "memory", "old_text": "a", "content": "b"}),
        json!({"action": "remove", "target": "memory", "old_text": "a"}),
        json!({"target": "memory", "operations": [{"action": "add", "content": "b"}]}),
    ]
}

fn bench() -> Bench {
    Bench::new(Version::V0_19, &[])
}

fn link(bench: &mut Bench, at: &str, to: &str) {
    bench.home.create_dir(&TreePath::new("memories")).unwrap();
    bench.home.replace(&TreePath::new(at), Content::Link(to.to_owned())).unwrap();
}

#[test]
fn a_delimiter_inside_an_entry_splits_it_or_is_refused() {
    for content in ["p\n§\nq", "p\r\n§\r\nq", "p\n§"] {
        let mut faulty = bench();
        assert_eq!(faulty.add(content), "ok");
        assert_eq!(faulty.add("other"), "ok");
        faulty.load().unwrap();
        assert_ne!(faulty.notes(), [content, "other"]);

        let mut right = Bench::faultless(Version::V0_19, &[]);
        assert_eq!(right.add(content), "delimiter-in-content");
        let batch = json!({"operations": [{"action": "add", "content": "fine"}, {"action": "add", "content": content}]});
        assert_eq!(right.kind(&batch), "delimiter-in-content");
        assert_eq!(right.text(NOTES), None);
        assert_eq!(right.add("§"), "ok");
        assert_eq!(right.add("§\nq"), "ok");
    }
}

#[test]
fn carriage_returns_make_twins_or_are_folded() {
    let mut faulty = bench();
    let mut right = Bench::faultless(Version::V0_19, &[]);
    for _ in 0..2 {
        assert_eq!(faulty.add("a\r\nb"), "ok");
        assert_eq!(right.add("a\r\nb"), "ok");
    }
    assert_eq!(faulty.text(NOTES).unwrap(), "a\nb\n§\na\r\nb");
    assert_eq!(right.text(NOTES).unwrap(), "a\nb");
}

#[test]
fn nul_and_other_control_characters_are_text() {
    let mut bench = bench();
    assert_eq!(bench.add("a\0b\u{7}c\u{1b}[31m"), "ok");
    bench.load().unwrap();
    assert_eq!(bench.notes(), ["a\0b\u{7}c\u{1b}[31m"]);
    assert_eq!(bench.kind(&json!({"action": "remove", "old_text": "\0"})), "ok");
}

#[test]
fn ten_megabytes_do_not_fit_and_do_not_hurt() {
    let big = "x".repeat(10 << 20);
    let mut bench = bench();
    let answer = bench.call(&json!({"action": "add", "content": big}));
    assert_eq!(kind_of(&answer), "over-limit");
    assert!(answer.text.len() < 500 && answer.text.contains("10,485,760 chars"), "{}", answer.text);
    bench.put(NOTES, &big);
    bench.load().unwrap();
    assert_eq!(bench.add("small"), "over-limit");
    assert_eq!(bench.kind(&json!({"action": "remove", "old_text": "x"})), "drift-detected");
    assert_eq!(bench.text(NOTES).unwrap().len(), 10 << 20);
}

#[test]
fn broken_utf8_is_named_and_left_alone() {
    let bytes: &[u8] = b"good\n\xc2\xa7\nbad \xff\xfe";
    let mut bench = bench();
    bench.put("memories/USER.md", "Mira");
    bench.home.replace(&TreePath::new(NOTES), Content::bytes(bytes)).unwrap();
    let error = bench.load().unwrap_err();
    assert_eq!(error.kind(), "bad-encoding");
    insta::assert_snapshot!(error, @"memories/MEMORY.md is not UTF-8 text; it was left as it is and has to be repaired by hand");
    assert_eq!(bench.store.block(Target::Notes), None);
    for args in every_form() {
        assert_eq!(bench.kind(&args), "bad-encoding", "{args}");
        assert_eq!(&*bench.home.read(&TreePath::new(NOTES)).unwrap(), bytes);
    }
    assert_eq!(bench.kind(&json!({"action": "add", "target": "user", "content": "likes tea"})), "ok");
    assert_eq!(bench.text("memories/USER.md").unwrap(), "Mira\n§\nlikes tea");
}

#[test]
fn a_byte_order_mark_stays_in_its_entry() {
    let mut bench = bench();
    bench.put(NOTES, "\u{feff}a\n§\nb");
    bench.load().unwrap();
    assert_eq!(bench.notes(), ["\u{feff}a", "b"]);
}

#[test]
fn links_inside_the_home_are_followed_and_survive() {
    for (at, to, real) in [
        (NOTES, "../data/notes.md", "data/notes.md"),
        (NOTES, "/home/agent/.hermes/data/notes.md", "data/notes.md"),
        ("memories", "data", "data/MEMORY.md"),
    ] {
        let mut bench = bench();
        bench.put(real, "old fact");
        if at == NOTES {
            link(&mut bench, at, to);
        } else {
            bench.home.replace(&TreePath::new(at), Content::Link(to.to_owned())).unwrap();
        }
        bench.load().unwrap();
        assert_eq!(bench.notes(), ["old fact"]);
        assert_eq!(bench.kind(&add()), "ok");
        assert_eq!(bench.home.read_link(&TreePath::new(at)).unwrap(), to);
        assert_eq!(bench.text(real).unwrap(), "old fact\n§\nnew fact");
        bench.put(real, "old fact\n§\n\n§\nother");
        assert_eq!(bench.kind(&json!({"action": "remove", "old_text": "old"})), "drift-detected");
    }
}

#[test]
fn links_out_of_the_home_are_refused_by_name() {
    for (at, to) in [(NOTES, "/etc/passwd"), (NOTES, "../../../secret"), ("memories", "/srv/shared")] {
        let mut bench = bench();
        if at == NOTES {
            link(&mut bench, at, to);
        } else {
            bench.home.replace(&TreePath::new(at), Content::Link(to.to_owned())).unwrap();
        }
        assert!(matches!(bench.load(), Err(PlaceError::LinkOutside { .. })));
        for args in every_form() {
            let answer = bench.call(&args);
            assert_eq!(kind_of(&answer), "link-outside-home", "{args}");
            assert!(answer.refused);
        }
        assert_eq!(bench.home.read_link(&TreePath::new(at)).unwrap(), to);
    }
}

#[test]
fn loops_and_things_in_the_files_place_are_named() {
    let mut looped = bench();
    link(&mut looped, NOTES, "MEMORY.md");
    let mut to_directory = bench();
    to_directory.put("data/file", "");
    link(&mut to_directory, NOTES, "../data");
    let mut directory = bench();
    directory.home.create_dir(&TreePath::new(NOTES)).unwrap();
    let mut file_above = bench();
    file_above.put("memories", "no directory");
    let mut lock = bench();
    lock.home.create_dir(&TreePath::new("memories/MEMORY.md.lock")).unwrap();
    let mut lock_link = bench();
    link(&mut lock_link, "memories/MEMORY.md.lock", "/tmp/lock");
    for (mut bench, kind) in [
        (looped, "link-loop"),
        (to_directory, "write-failed"),
        (directory, "write-failed"),
        (file_above, "write-failed"),
        (lock, "lock-failed"),
        (lock_link, "lock-failed"),
    ] {
        assert_eq!(bench.kind(&add()), kind);
        assert_eq!(bench.notes(), [""; 0]);
        if kind == "lock-failed" {
            assert_eq!(bench.kind(&json!({"action": "add", "target": "user", "content": "x"})), "ok");
        }
    }
}

#[test]
fn hand_edits_are_kept_beside() {
    let edited = "# My notes\n\nkept by hand\n§\n\n§\nlast";
    let mut bench = bench();
    bench.put(NOTES, edited);
    bench.load().unwrap();
    let answer = bench.call(&json!({"action": "remove", "old_text": "last"}));
    insta::assert_snapshot!(answer.text, @r#"{"success": false, "error": "MEMORY.md holds text that this tool did not write (blank entries, stray delimiters or an entry above the limit). Nothing was changed, so that nothing is lost.", "drift_backup": "/home/agent/.hermes/memories/MEMORY.md.bak.1767603600", "remediation": "Look at the file and the copy, keep what is worth keeping, and bring the file into the form of entries separated by a line with the section sign alone. Then try again."}"#);
    assert_eq!(bench.text("memories/MEMORY.md.bak.1767603600").unwrap(), edited);
    assert_eq!(bench.text(NOTES).unwrap(), edited);

    let mut home = bench.home.clone();
    let mut broken = FaultyFiles::new(&mut home, FaultPlan::From(1));
    let answer = bench.call_on(&mut broken, &json!({"action": "remove", "old_text": "last"}));
    assert_eq!(kind_of(&answer), "drift-detected");
    assert!(answer.text.contains("\"drift_backup\": \"(the copy could not be written: "), "{}", answer.text);
}

#[test]
fn a_home_open_for_reading_only_is_not_written() {
    let mut bench = bench();
    bench.put(NOTES, "a");
    bench.load().unwrap();
    let home = bench.home.clone();
    for args in every_form() {
        let answer = bench.call_on(&mut ReadOnlyFiles(&home), &args);
        assert_eq!(kind_of(&answer), "lock-failed", "{args}");
    }
}

#[test]
fn a_failing_disk_leaves_the_file_before_or_after() {
    for args in every_form() {
        for fault in 1..3 {
            let mut bench = bench();
            bench.put(NOTES, "a\n§\nc");
            bench.load().unwrap();
            let mut home = bench.home.clone();
            let mut files = FaultyFiles::new(&mut home, FaultPlan::From(fault));
            let answer = bench.call_on(&mut files, &args);
            let after = read_text(&home, &TreePath::new(NOTES)).unwrap();
            match &*kind_of(&answer) {
                "write-failed" => {
                    assert_eq!(after, "a\n§\nc", "{args}");
                    assert_eq!(bench.notes(), ["a", "c"]);
                }
                "ok" => {
                    assert_ne!(after, "a\n§\nc", "{args}");
                    assert_eq!(after, bench.notes().join("\n§\n"));
                }
                other => panic!("{other}"),
            }
        }
    }
}

#[test]
fn wrong_types_are_answered() {
    let mut bench = bench();
    bench.put(NOTES, "a");
    bench.load().unwrap();
    for (args, kind) in [
        (json!([]), "bad-argument"),
        (json!("add"), "bad-argument"),
        (json!(null), "bad-argument"),
        (json!({"action": "add", "content": 7}), "bad-argument"),
        (json!({"action": "add", "content": ["x"]}), "bad-argument"),
        (json!({"action": "add", "content": 0}), "content-required"),
        (json!({"action": "add", "content": false}), "content-required"),
        (json!({"action": "replace", "old_text": {"a": 1}, "content": "x"}), "bad-argument"),
        (json!({"action": "remove", "old_text": 7}), "bad-argument"),
        (json!({"action": ["add"], "content": "x"}), "unknown-action"),
        (json!({"action": "add", "target": 7, "content": "x"}), "invalid-target"),
        (json!({"operations": [7]}), "bad-argument"),
        (json!({"operations": ["add x"]}), "bad-argument"),
        (json!({"operations": [{"action": "add", "content": 7}]}), "bad-argument"),
        (json!({"operations": [0, {}]}), "unknown-action"),
        (json!({"operations": {}, "action": "add", "content": "b"}), "ok"),
    ] {
        assert_eq!(bench.kind(&args), kind, "{args}");
    }
    assert_eq!(bench.notes(), ["a", "b"]);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop::sample::select(vec!["", "add", "replace", "remove", "memory", "user", "a", " ", "\n§\n"])
            .prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let keys = prop::sample::select(vec![
            "action",
            "target",
            "content",
            "old_text",
            "operations",
            "restate",
            "what",
            "why",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(keys.prop_map(str::to_owned), inner, 0..5)
                .prop_map(|keys| Value::Object(keys.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_arguments_get_an_answer(calls in prop::collection::vec(any_json(), 1..6), restate in any::<bool>()) {
        let mut bench = Bench::new(Version::September2026, &[("defence.restate", restate.into())]);
        for args in &calls {
            let answer = bench.call(args);
            let json: Value = serde_json::from_str(&answer.text).unwrap();
            prop_assert_eq!(json["success"] == true, answer.kind.is_none());
            let start: String = answer.text.chars().take(500).collect();
            prop_assert_eq!(answer.kind.is_some(), start.contains("\"error\""));
        }
    }
}
