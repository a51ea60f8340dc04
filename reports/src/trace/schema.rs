//! The JSON Schema of a trace's lines, committed as `reports/trace.schema.json` and compared by a test.

use schemars::{JsonSchema, Schema, schema_for};

use super::event::Event;

/// A line that holds a long text for later events to refer to.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used; the writer has its own borrowed form")]
struct TextLine {
    /// Number of the event that needs the text first.
    n: u64,
    /// Simulated milliseconds since the scenario's start.
    at_ms: i64,
    /// The user.
    user: String,
    /// Always `text`.
    kind: TextKind,
    /// The text's digest: 128 bits of BLAKE3, 32 hexadecimal digits.
    digest: String,
    /// The text.
    text: String,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
enum TextKind {
    Text,
}

/// One line of a trace: an event, or a text.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum Line {
    /// An event.
    Event(Box<Event>),
    /// A text.
    Text(TextLine),
}

/// The schema of one line.
pub fn schema() -> Schema {
    schema_for!(Line)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Run with `UPDATE_SCHEMA=1` to write the file after a deliberate change.
    #[test]
    fn the_committed_schema_is_the_schema_of_the_types() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("trace.schema.json");
        let fresh = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            std::fs::write(&path, &fresh).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(committed == fresh, "trace.schema.json differs from the types; run with UPDATE_SCHEMA=1");
    }

    #[test]
    fn every_kind_is_in_the_schema_and_in_the_list_of_names() {
        let text = serde_json::to_string(&schema()).unwrap();
        for name in crate::trace::Kind::NAMES {
            assert!(text.contains(&format!("\"const\":\"{name}\"")), "{name} is not in the schema");
        }
        assert!(crate::trace::Kind::NAMES.is_sorted());
    }
}
