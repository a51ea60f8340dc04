//! What the tools answer, word for word, and what they never do.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::behaviour::{Behaviour, PatchRules, Settings, Version};
use crate::stores::{Content, Files, MemFiles, TreePath, read_text, walk_files, write_text};
use crate::values::HomeAnswer;

fn args(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("not an object: {other}"),
    }
}

fn rules() -> PatchRules {
    Behaviour::resolve(&Settings::new(Version::V0_19)).patch
}

fn work() -> MemFiles {
    let mut files = MemFiles::new("/work");
    let mut put = |path: &str, text: &str| write_text(&mut files, &TreePath::new(path), text).unwrap();
    put(
        "app.py",
        "import flask\n\napp = flask.Flask(__name__)\n\n@app.route(\"/health\")\ndef health():\n    return \"ok\"\n",
    );
    put("src/lib/util.py", "def add(a, b):\n    return a + b\n");
    put("src/notes.md", "# Notes\r\nadd a route\r\n");
    put("log.json", "{\"error\": \"none\", \"failed\": 0}\n");
    let mut place = |path: &str, content| files.replace(&TreePath::new(path), content).unwrap();
    place("logo.png", Content::bytes(vec![0x89, b'P', 0xff]));
    place("out", Content::Link("/etc".to_owned()));
    place("up", Content::Link("../secret".to_owned()));
    place("loop", Content::Link("loop".to_owned()));
    place("lib", Content::Link("src/lib".to_owned()));
    place("run.sh", Content::File { bytes: b"echo\n".as_slice().into(), executable: true });
    files
}

/// The loop's own test of a result (`spec/turn-loop.md` §6).
fn counts_as_failed(text: &str) -> bool {
    let head: String = text.chars().take(500).collect();
    head.contains("\"error\"") || head.contains("\"failed\"") || text.starts_with("Error")
}

/// The text of an answer and its kind, which must agree on whether it failed.
fn told(answer: HomeAnswer) -> String {
    assert_eq!(counts_as_failed(&answer.text), answer.kind.is_some(), "{}", answer.text);
    match answer.kind {
        Some(kind) => format!("[{kind}] {}", answer.text),
        None => answer.text,
    }
}

fn read(files: &MemFiles, value: Value) -> String {
    told(read_file(&args(value), files))
}

fn write(files: &mut MemFiles, value: Value) -> String {
    told(write_file(&args(value), files))
}

fn patched(files: &mut MemFiles, value: Value) -> String {
    told(patch(&args(value), files, &rules()))
}

fn searched(files: &MemFiles, value: Value) -> String {
    told(search_files(&args(value), files))
}

#[test]
fn descriptions_and_parameters() {
    let shown = |tool: crate::values::ToolSpec| {
        let parameters = serde_json::to_string_pretty(&tool.parameters).unwrap();
        format!("## {} ({:?})\n{}\n{parameters}", tool.name, tool.parallel, tool.description)
    };
    insta::assert_snapshot!(tool_specs().map(shown).join("\n\n"));
}

#[test]
fn reads_whole_files_and_parts() {
    let files = work();
    insta::assert_snapshot!(read(&files, json!({"path": "src/lib/util.py"})), @r#"{"path": "/work/src/lib/util.py", "content": "   1| def add(a, b):\n   2|     return a + b", "total_lines": 2}"#);
    insta::assert_snapshot!(read(&files, json!({"path": "/work/app.py", "offset": 5, "limit": 2})), @r#"{"path": "/work/app.py", "content": "   5| @app.route(\"/health\")\n   6| def health():", "total_lines": 7, "lines": "5-6", "next_offset": 7}"#);
    insta::assert_snapshot!(read(&files, json!({"path": "./lib//util.py", "offset": 2, "limit": null})), @r#"{"path": "/work/lib/util.py", "content": "   2|     return a + b", "total_lines": 2, "lines": "2-2"}"#);
    insta::assert_snapshot!(read(&files, json!({"path": "log.json"})), @r#"{"path": "/work/log.json", "content": "   1| {\"error\": \"none\", \"failed\": 0}", "total_lines": 1}"#);
    insta::assert_snapshot!(read(&files, json!({"path": "src/notes.md"})), @r#"{"path": "/work/src/notes.md", "content": "   1| # Notes\r\n   2| add a route\r", "total_lines": 2}"#);
}

#[test]
fn reading_fails_in_words() {
    let files = work();
    for (value, kind) in [
        (json!({}), "missing-argument"),
        (json!({"path": ""}), "missing-argument"),
        (json!({"path": 3}), "bad-argument"),
        (json!({"path": "app.py", "limit": 0}), "bad-argument"),
        (json!({"path": "app.py", "offset": "two"}), "bad-argument"),
        (json!({"path": "none.py"}), "file-not-found"),
        (json!({"path": "app.py/x"}), "file-not-found"),
        (json!({"path": "src"}), "is-directory"),
        (json!({"path": "logo.png"}), "not-text"),
        (json!({"path": "app.py", "offset": 8}), "offset-past-end"),
        (json!({"path": "a\u{0}b"}), "bad-path"),
        (json!({"path": "loop"}), "bad-path"),
    ] {
        let told = read(&files, value.clone());
        assert!(told.starts_with(&format!("[{kind}] ")), "{value}: {told}");
    }
    insta::assert_snapshot!(read(&files, json!({"path": "none.py"})), @r#"[file-not-found] {"success": false, "error": "/work/none.py does not exist."}"#);
    insta::assert_snapshot!(read(&files, json!({"path": "src"})), @r#"[is-directory] {"success": false, "error": "/work/src is a directory; search_files with target `files` lists it."}"#);
    insta::assert_snapshot!(read(&files, json!({"path": ["a"]})), @r#"[bad-argument] {"success": false, "error": "`path` takes text, not a list."}"#);
    insta::assert_snapshot!(read(&files, json!({"path": "/etc/passwd"})), @r#"[outside-workspace] {"success": false, "error": "/etc/passwd lies outside the working directory /work, which is all there is here."}"#);
    insta::assert_snapshot!(read(&files, json!({"path": "src/../app.py"})), @r#"[path-traversal] {"success": false, "error": "src/../app.py climbs with `..`; name the file from the working directory on."}"#);
    insta::assert_snapshot!(read(&files, json!({"path": "app.py", "offset": 9})), @r#"[offset-past-end] {"success": false, "error": "/work/app.py has only 7 lines."}"#);
}

#[test]
fn long_files_are_continued_and_long_lines_cut() {
    let mut files = work();
    let text = format!("{}\n{}", "x".repeat(2001), "0123456789\n".repeat(9000));
    write_text(&mut files, &TreePath::new("long.txt"), &text).unwrap();
    let answer: Value = serde_json::from_str(&read(&files, json!({"path": "long.txt"}))).unwrap();
    let content = answer["content"].as_str().unwrap();
    assert!(content.chars().count() <= read::ANSWER_CHARS_MAX);
    assert_eq!(content.lines().next().unwrap(), format!("   1| {} …", "x".repeat(read::LINE_CHARS_MAX)));
    let next = answer["next_offset"].as_u64().unwrap();
    assert_eq!(answer["lines"], format!("1-{}", next - 1));
    let rest: Value =
        serde_json::from_str(&read(&files, json!({"path": "long.txt", "offset": next}))).unwrap();
    assert!(rest["content"].as_str().unwrap().ends_with("9001| 0123456789"));
    assert_eq!(rest["next_offset"], Value::Null);
    write_text(&mut files, &TreePath::new("empty"), "").unwrap();
    insta::assert_snapshot!(read(&files, json!({"path": "empty"})), @r#"{"path": "/work/empty", "content": "", "total_lines": 0}"#);
}

#[test]
fn writes_and_overwrites() {
    let mut files = work();
    insta::assert_snapshot!(write(&mut files, json!({"path": "k8s/base/deployment.yaml", "content": "a: ä\nb: 2\n"})), @r#"{"success": true, "path": "/work/k8s/base/deployment.yaml", "created": true, "lines": 2, "bytes": 11}"#);
    insta::assert_snapshot!(write(&mut files, json!({"path": "/work/run.sh", "content": ""})), @r#"{"success": true, "path": "/work/run.sh", "created": false, "lines": 0, "bytes": 0}"#);
    assert!(files.stat(&TreePath::new("run.sh")).unwrap().unwrap().executable, "it may still be run");
    insta::assert_snapshot!(write(&mut files, json!({"path": "lib/new.py", "content": "x"})), @r#"{"success": true, "path": "/work/lib/new.py", "created": true, "lines": 1, "bytes": 1}"#);
    assert_eq!(read_text(&files, &TreePath::new("src/lib/new.py")).unwrap(), "x", "through a link inside");
    for (value, kind) in [
        (json!({"path": "x"}), "missing-argument"),
        (json!({"path": "x", "content": {"a": 1}}), "bad-argument"),
        (json!({"path": "src", "content": ""}), "is-directory"),
        (json!({"path": ".", "content": ""}), "is-directory"),
        (json!({"path": "app.py/x", "content": ""}), "not-a-directory"),
        (json!({"path": "out/passwd", "content": ""}), "outside-workspace"),
        (json!({"path": "up", "content": ""}), "outside-workspace"),
        (json!({"path": "up/x", "content": ""}), "outside-workspace"),
        (json!({"path": "loop", "content": ""}), "bad-path"),
        (json!({"path": "../x", "content": ""}), "path-traversal"),
        (json!({"path": "/workshop/x", "content": ""}), "outside-workspace"),
        (json!({"path": "~/x", "content": ""}), "outside-workspace"),
        (json!({"path": "x", "content": "x".repeat(1_048_577)}), "content-too-large"),
    ] {
        let told = write(&mut files, value);
        assert!(told.starts_with(&format!("[{kind}] ")), "{told}");
    }
}

#[test]
fn patches_and_shows_the_change() {
    let mut files = work();
    let route = json!({"path": "app.py", "old_string": "return \"ok\"", "new_string": "return \"ok\", 200"});
    insta::assert_snapshot!(patched(&mut files, route), @r#"{"success": true, "path": "/work/app.py", "replacements": 1, "change": "@@ line 7 @@\n @app.route(\"/health\")\n def health():\n-    return \"ok\"\n+    return \"ok\", 200\n "}"#);
    let loose = json!({"path": "app.py", "old_string": "def health( ):", "new_string": "def alive():"});
    insta::assert_snapshot!(patched(&mut files, loose), @r#"{"success": true, "path": "/work/app.py", "replacements": 1, "found_by": "context_aware", "change": "@@ line 6 @@\n \n @app.route(\"/health\")\n-def health():\n+def alive():\n     return \"ok\", 200\n "}"#);
    let all = json!({"path": "src/lib/util.py", "old_string": "a", "new_string": "", "replace_all": true});
    insta::assert_snapshot!(patched(&mut files, all), @r#"{"success": true, "path": "/work/src/lib/util.py", "replacements": 3, "change": "@@ line 1 @@\n-def add(a, b):\n-    return a + b\n+def dd(, b):\n+    return  + b\n "}"#);
    let before = read_text(&files, &TreePath::new("app.py")).unwrap();
    let twice = json!({"path": "app.py", "old_string": "app", "new_string": "x"});
    insta::assert_snapshot!(patched(&mut files, twice), @r#"[ambiguous-match] {"success": false, "error": "/work/app.py was not changed: the text to replace fits 2 places; quote more lines around it so that it fits one, or set replace_all to change every one."}"#);
    let none = json!({"path": "app.py", "old_string": "app = fastapi.FastAPI()\nrun()", "new_string": "x"});
    insta::assert_snapshot!(patched(&mut files, none), @r#"[no-match] {"success": false, "error": "/work/app.py was not changed: the text to replace was not found, neither exactly nor with tolerance for blanks and small differences.\n\nThe nearest lines are:\n   1| import flask\n   2| \n   3| app = flask.Flask(__name__)\n   4| \n   5| @app.route(\"/health\")\n   6| def alive():"}"#);
    insta::assert_snapshot!(patched(&mut files, json!({"path": "app.py", "old_string": "app"})), @r#"[missing-argument] {"success": false, "error": "`new_string` is missing."}"#);
    insta::assert_snapshot!(patched(&mut files, json!({"path": "logo.png", "old_string": "P", "new_string": "x"})), @r#"[not-text] {"success": false, "error": "/work/logo.png is not a text file."}"#);
    assert_eq!(
        read_text(&files, &TreePath::new("app.py")).unwrap(),
        before,
        "a failed patch changes nothing"
    );
}

#[test]
fn a_large_change_is_shown_in_part() {
    let mut files = work();
    write_text(&mut files, &TreePath::new("big"), &"a\n".repeat(100)).unwrap();
    let told = patched(
        &mut files,
        json!({"path": "big", "old_string": "a", "new_string": "b", "replace_all": true}),
    );
    let answer: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(answer["replacements"], 100);
    assert!(answer["change"].as_str().unwrap().ends_with("-a\n(140 more lines of the change)\n "));
}

#[test]
fn searches_lines_and_names() {
    let files = work();
    insta::assert_snapshot!(searched(&files, json!({"pattern": r"\bdef \w+"})), @r#"{"matches": ["/work/app.py:6: def health():", "/work/src/lib/util.py:1: def add(a, b):"], "total": 2}"#);
    insta::assert_snapshot!(searched(&files, json!({"pattern": "route$", "path": "src"})), @r#"{"matches": ["/work/src/notes.md:2: add a route"], "total": 1}"#);
    insta::assert_snapshot!(searched(&files, json!({"pattern": "error|failed", "limit": 1, "path": "log.json"})), @r#"{"matches": ["/work/log.json:1: {\"error\": \"none\", \"failed\": 0}"], "total": 1}"#);
    insta::assert_snapshot!(searched(&files, json!({"pattern": ".", "limit": 2})), @r#"{"matches": ["/work/app.py:1: import flask", "/work/app.py:3: app = flask.Flask(__name__)"], "total": 11, "truncated": true}"#);
    insta::assert_snapshot!(searched(&files, json!({"pattern": "*.py", "target": "files"})), @r#"{"matches": ["/work/app.py", "/work/src/lib/util.py"], "total": 2}"#);
    insta::assert_snapshot!(searched(&files, json!({"pattern": "lib/*", "target": "files", "path": "src"})), @r#"{"matches": ["/work/src/lib/util.py"], "total": 1}"#);
    insta::assert_snapshot!(searched(&files, json!({"pattern": "o", "target": "files"})), @r#"{"matches": ["/work/log.json", "/work/logo.png", "/work/loop", "/work/out", "/work/src/notes.md"], "total": 5}"#);
    insta::assert_snapshot!(searched(&files, json!({"pattern": "zzz"})), @r#"{"matches": [], "total": 0}"#);
    insta::assert_snapshot!(searched(&files, json!({"pattern": "(", "target": "content"})), @r#"[bad-pattern] {"success": false, "error": "The pattern is no regular expression: regex parse error:\n    (\n    ^\nerror: unclosed group."}"#);
    for (value, kind) in [
        (json!({}), "missing-argument"),
        (json!({"pattern": ""}), "missing-argument"),
        (json!({"pattern": "a", "target": "names"}), "bad-argument"),
        (json!({"pattern": "a", "path": "none"}), "file-not-found"),
        (json!({"pattern": "a", "path": "out"}), "outside-workspace"),
        (json!({"pattern": r"(\w{500}){500}"}), "bad-pattern"),
    ] {
        let told = searched(&files, value);
        assert!(told.starts_with(&format!("[{kind}] ")), "{told}");
    }
}

#[test]
fn a_list_is_kept_merged_and_taken_over() {
    let mut list = TodoList::default();
    let mut run = |value: Value| told(todo(&args(value), &mut list));
    let items = json!([
        {"id": "build", "content": "Build the image", "status": "in_progress"},
        {"id": 2, "content": "Push it", "status": "pending"},
    ]);
    insta::assert_snapshot!(run(json!({"todos": items})), @r#"{"summary": {"total": 2, "pending": 1, "in_progress": 1, "completed": 0, "cancelled": 0}, "todos": [{"id": "build", "content": "Build the image", "status": "in_progress"}, {"id": "2", "content": "Push it", "status": "pending"}]}"#);
    let change = json!([
        {"id": "build", "content": "Build the image", "status": "completed"},
        {"id": "apply", "content": "Apply", "status": "pending"},
    ]);
    insta::assert_snapshot!(run(json!({"todos": change, "merge": true})), @r#"{"summary": {"total": 3, "pending": 2, "in_progress": 0, "completed": 1, "cancelled": 0}, "todos": [{"id": "build", "content": "Build the image", "status": "completed"}, {"id": "2", "content": "Push it", "status": "pending"}, {"id": "apply", "content": "Apply", "status": "pending"}]}"#);
    insta::assert_snapshot!(run(json!({"todos": [{"id": "x", "content": "y", "status": "done"}]})), @r#"[bad-argument] {"success": false, "error": "`todos[0].status` is one of pending, in_progress, completed, cancelled."}"#);
    insta::assert_snapshot!(run(json!({"todos": [{"id": "x", "content": " "}]})), @r#"[missing-argument] {"success": false, "error": "`todos[0].content` is missing or blank."}"#);
    insta::assert_snapshot!(run(json!({"todos": ["build"]})), @r#"[bad-argument] {"success": false, "error": "`todos[0]` takes an object, not text."}"#);
    let shown = run(json!({}));
    assert_eq!(TodoList::from_answer(&shown).as_ref(), Some(&list), "failed calls changed nothing");
    assert_eq!(list.items().len(), 3);
    assert_eq!(TodoList::from_answer("{}"), None);
    let many: Vec<Value> =
        (0..201).map(|id| json!({"id": id, "content": "x", "status": "pending"})).collect();
    assert!(told(todo(&args(json!({"todos": many})), &mut list)).starts_with("[too-many-items]"));
    let empty = told(todo(&args(json!({"todos": []})), &mut list));
    assert!(empty.contains("\"total\": 0") && list.items().is_empty());
}

/// Every file and link with its content.
fn all(files: &MemFiles) -> Vec<(String, String)> {
    let mut found = Vec::new();
    walk_files(files, &TreePath::root(), &mut |path, _| {
        let content = match files.read_link(path) {
            Ok(target) => target,
            Err(_) => format!("{:?}", files.read(path)),
        };
        found.push((path.to_string(), content));
    });
    found
}

proptest! {
    /// Whatever path is named, a write changes at most one file, and a failed one nothing.
    #[test]
    fn a_write_changes_one_file_or_nothing(
        parts in prop::collection::vec(
            prop::sample::select(vec!["..", ".", "", "src", "lib", "out", "up", "loop", "app.py", "new", "\u{ff0e}\u{ff0e}", "~", "/work", "/etc", "a\u{0}"]),
            0..5,
        ),
        patches: bool,
    ) {
        let mut files = work();
        let before = all(&files);
        let path = parts.join("/");
        let answer = if patches {
            patch(&args(json!({"path": path, "old_string": "app", "new_string": "x", "replace_all": true})), &mut files, &rules())
        } else {
            write_file(&args(json!({"path": path, "content": "x"})), &mut files)
        };
        let after = all(&files);
        let changed: Vec<_> = after.iter().filter(|entry| !before.contains(entry)).collect();
        prop_assert_eq!(changed.len(), usize::from(answer.kind.is_none()), "{} {:?}", path, answer);
        prop_assert!(after.len() - before.len() <= changed.len());
        prop_assert_eq!(counts_as_failed(&answer.text), answer.kind.is_some());
    }
}
