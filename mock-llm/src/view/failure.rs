//! The loop's own test of a failed result, read from its text (`spec/turn-loop.md` §6).

use serde_json::Value;

use crate::preset::Preset;

/// How much of a result is looked at.
const LOOKED_AT_CHARS: usize = 500;

/// Whether a client's loop calls a result failed: a shell by its exit code alone, a file write never once it landed, any
/// other tool if the beginning holds the keys `error` or `failed`, or starts with the word Error.
pub fn is_failure(preset: &Preset, tool: &str, text: &str) -> bool {
    let is = |list: &[String]| list.iter().any(|name| name == tool);
    if is(&preset.shells) {
        return first_value(text)
            .and_then(|value| value.get("exit_code")?.as_i64())
            .is_some_and(|code| code != 0);
    }
    let landed = || first_value(text).is_some_and(|value| value.get("success") == Some(&Value::Bool(true)));
    if is(&preset.writers) && landed() {
        return false;
    }
    let end = text.char_indices().nth(LOOKED_AT_CHARS).map_or(text.len(), |(index, _)| index);
    let start = &text[..end];
    start.starts_with("Error") || start.contains("\"error\"") || start.contains("\"failed\"")
}

/// A result may carry a remark after its JSON: the first value counts.
fn first_value(text: &str) -> Option<Value> {
    serde_json::Deserializer::from_str(text).into_iter::<Value>().next()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_fail_each_in_their_way() {
        let preset = Preset::hermes();
        let failed = |tool: &str, text: &str| is_failure(&preset, tool, text);
        assert!(failed("terminal", r#"{"output": "x", "exit_code": 1}"#));
        assert!(!failed("terminal", r#"{"output": "\"error\"", "exit_code": 0} [Note: …]"#));
        assert!(!failed("terminal", "Error: words alone do not count"));
        assert!(failed("memory", r#"{"success": false, "error": "full"}"#));
        assert!(failed("x", "Error: no such tool"));
        assert!(!failed("write_file", r#"{"success": true, "note": "\"error\" in text"}"#));
        assert!(failed("patch", r#"{"success": false, "error": "no match"}"#));
        assert!(!failed("x", &format!("{}\"error\"", "ä".repeat(500))));
    }
}
