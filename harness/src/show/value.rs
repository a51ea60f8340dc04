//! JSON as a person reads it: what is short on one line, what has lines of its own key by key.

use serde_json::{Map, Value};

/// A value is written on one line up to so many characters.
const ONE_LINE_CHARS_MAX: usize = 100;

/// The arguments of a call; a lone text without its key.
pub(super) fn arguments(args: &Value) -> String {
    match args.as_object().filter(|map| map.len() == 1).and_then(|map| map.values().next()) {
        Some(Value::String(text)) => text.clone(),
        _ => readable(args),
    }
}

/// The answer of a tool: JSON in readable form, any other text as it is.
pub(super) fn answer(text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(map)) => shell(&map).unwrap_or_else(|| readable(&Value::Object(map))),
        _ => text.to_owned(),
    }
}

/// The answer of a shell: its output, and the exit code where it tells something.
fn shell(map: &Map<String, Value>) -> Option<String> {
    let (output, code) = (map.get("output")?.as_str()?, map.get("exit_code")?.as_i64()?);
    if map.len() > 2 {
        return None;
    }
    Some(match (output.is_empty(), code) {
        (true, 0) => "(no output)".to_owned(),
        (false, 0) => output.to_owned(),
        (true, _) => format!("exit code {code}"),
        (false, _) => format!("exit code {code}: {output}"),
    })
}

/// A value on one line if it is short, otherwise key by key, texts of several lines last.
pub(super) fn readable(value: &Value) -> String {
    let compact = value.to_string();
    let is_short = compact.chars().count() <= ONE_LINE_CHARS_MAX && !compact.contains("\\n");
    match value {
        Value::Object(map) if !is_short => {
            let mut entries: Vec<String> = map.iter().map(|(key, value)| entry(key, value)).collect();
            entries.sort_by_key(|entry| entry.contains('\n'));
            entries.join("\n")
        }
        _ => compact,
    }
}

/// The report of a curator run without what is empty, zero or only says when it was.
pub(super) fn substance(report: &Value) -> String {
    const TIMES: [&str; 3] = ["duration_seconds", "started_at", "snapshot"];
    let Some(map) = report.as_object() else { return report.to_string() };
    let mut lines = Vec::new();
    for (key, value) in map.iter().filter(|(key, _)| !TIMES.contains(&key.as_str())) {
        match value {
            Value::Object(counts) if counts.values().all(Value::is_number) => {
                let counts = counts.iter().filter(|(_, count)| count.as_i64() != Some(0));
                lines.extend(counts.map(|(name, count)| format!("{name}: {count}")));
            }
            Value::Null | Value::Bool(false) => {}
            Value::Array(items) if items.is_empty() => {}
            Value::Object(map) if map.values().all(is_nothing) => {}
            value => lines.push(entry(key, value)),
        }
    }
    lines.join("\n")
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Number(number) => number.as_i64() == Some(0),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

fn entry(key: &str, value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Object(_) => readable(value),
        other => other.to_string(),
    };
    let text = text.trim_end_matches('\n');
    if text.contains('\n') {
        let lines: Vec<String> = text.lines().map(|line| format!("    {line}")).collect();
        format!("{key}:\n{}", lines.join("\n"))
    } else {
        format!("{key}: {text}")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_lone_text_needs_no_key_and_lines_stand_below_their_key() {
        assert_eq!(arguments(&json!({"command": "ls"})), "ls");
        assert_eq!(arguments(&json!({"path": "a", "limit": 3})), r#"{"limit":3,"path":"a"}"#);
        let args = json!({"path": "a.py", "content": "one\ntwo\n", "deep": {"x": "y\nz"}});
        insta::assert_snapshot!(arguments(&args), @r"
        path: a.py
        content:
            one
            two
        deep:
            x:
                y
                z
        ");
    }

    #[test]
    fn a_shell_says_its_exit_code_when_it_failed() {
        assert_eq!(answer(r#"{"output":"a\nb","exit_code":0}"#), "a\nb");
        assert_eq!(answer(r#"{"output":"","exit_code":0}"#), "(no output)");
        assert_eq!(answer(r#"{"output":"no such pod","exit_code":1}"#), "exit code 1: no such pod");
        assert_eq!(answer(r#"{"output":"","exit_code":1}"#), "exit code 1");
        assert_eq!(answer(r#"{"output":"x","exit_code":1,"error":"e"}"#).matches("exit_code").count(), 1);
    }

    #[test]
    fn a_report_is_shown_without_what_says_nothing() {
        let report = json!({
            "added": [], "archived": ["old"], "auto_transitions": {"archived": 1, "checked": 3, "seeded": 0},
            "cron_rewrites": {"jobs_scanned": 0, "rewrites": []}, "dry_run": false, "llm_error": null,
            "duration_seconds": 0.0,
        });
        assert_eq!(substance(&report), "archived: [\"old\"]\narchived: 1\nchecked: 3");
        assert_eq!(substance(&json!({})), "");
    }

    #[test]
    fn what_is_no_json_object_stays_as_it_is() {
        assert_eq!(answer("plain {"), "plain {");
        assert_eq!(answer("[1,  2]"), "[1,  2]");
    }
}
