//! The loop's own test of whether a tool result is a failure (`spec/turn-loop.md` §6).

use serde_json::Value;

use crate::text;

/// How much of a result is looked at.
const LOOKED_AT_CHARS: usize = 500;

/// Whether the loop calls a result failed. A shell fails by its exit code alone; a file write that landed never
/// fails; everything else fails if its beginning holds the keys `error` or `failed`, or starts with the word Error.
pub(crate) fn is_failure(tool: &str, result: &str) -> bool {
    match tool {
        "terminal" => exit_code(result).is_some_and(|code| code != 0),
        "write_file" | "patch" if landed(result) => false,
        _ => looks_failed(result),
    }
}

/// A tool result may carry a remark behind its JSON, so the first value alone is read.
fn first_value(result: &str) -> Option<Value> {
    serde_json::Deserializer::from_str(result).into_iter::<Value>().next()?.ok()
}

fn exit_code(result: &str) -> Option<i64> {
    first_value(result)?.get("exit_code")?.as_i64()
}

fn landed(result: &str) -> bool {
    first_value(result).is_some_and(|value| value.get("success") == Some(&Value::Bool(true)))
}

fn looks_failed(result: &str) -> bool {
    let start = text::cut(result, LOOKED_AT_CHARS);
    start.starts_with("Error") || start.contains("\"error\"") || start.contains("\"failed\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_fail_by_exit_code_and_others_by_their_words() {
        assert!(is_failure("terminal", r#"{"output": "x", "exit_code": 1}"#));
        assert!(!is_failure("terminal", r#"{"output": "\"error\"", "exit_code": 0} [Note: …]"#));
        assert!(is_failure("memory", r#"{"success": false, "error": "full"}"#));
        assert!(!is_failure("memory", r#"{"success": true}"#));
        assert!(is_failure("x", "Error: no such tool"));
        assert!(!is_failure("write_file", r#"{"success": true, "note": "\"error\" in text"}"#));
        assert!(!is_failure("x", &format!("{}\"error\"", "a".repeat(500))));
    }
}
