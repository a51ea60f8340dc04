//! Loading cases and reporting those that fail, by id.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

/// The folder with the cases.
#[expect(clippy::disallowed_methods, reason = "a test reads where its cases lie")]
pub(crate) fn folder() -> PathBuf {
    std::env::var_os("VECTORS_DIR").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors"),
        |given| {
            // A relative folder is meant from where cargo was called; tests run in the crate's own folder.
            let given = PathBuf::from(given);
            let from_workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(&given);
            if given.is_relative() && !given.exists() && from_workspace.exists() {
                from_workspace
            } else {
                given
            }
        },
    )
}

/// The text of a file of the folder.
pub(crate) fn file(name: &str) -> String {
    let path = folder().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Runs every case of `NAME.jsonl`. A case passes only if `check` says so; all failures are shown with their ids.
/// A file that is not in the folder is an error: nothing may pass by not being there.
pub(crate) fn run(name: &str, check: impl Fn(&Value) -> Result<(), String>) {
    let text = file(&format!("{name}.jsonl"));
    let cases: Vec<Value> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).expect("a case is one JSON object"))
        .collect();
    assert!(!cases.is_empty(), "{name}: no case");
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            check(case).err().map(|why| format!("{}: {why}", case["id"].as_str().unwrap_or("?")))
        })
        .collect();
    assert!(
        failures.is_empty(),
        "{name}: {} of {} cases fail\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n")
    );
}

/// Fails with both values unless they are equal.
pub(crate) fn same(what: &str, found: &Value, expected: &Value) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: found {found}, expected {expected}")) }
}

/// A text value of the skill vectors: a string, or pieces to repeat and join.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(_) => value["concat"]
            .as_array()
            .expect("pieces")
            .iter()
            .map(|piece| {
                let times = piece["n"].as_u64().unwrap_or(1);
                piece["s"].as_str().expect("text").repeat(usize::try_from(times).expect("a small number"))
            })
            .collect(),
        other => panic!("not a text value: {other}"),
    }
}
