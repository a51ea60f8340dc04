//! JSON as Python's `json.dumps(…, ensure_ascii=False)` writes it on one line: a blank after each comma and colon,
//! non-ASCII kept. Results of tools are read by models, and their length counts, so the blanks matter.

use std::io;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::Formatter;

struct PythonLine;

impl Formatter for PythonLine {
    fn begin_array_value<W: io::Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: io::Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

/// The value on one line, keys in the order in which the type gives them.
///
/// # Panics
/// The type's own serialiser fails or has keys that are no text; the crate's types do neither.
pub fn json_line<T: Serialize + ?Sized>(value: &T) -> String {
    let mut bytes = Vec::with_capacity(128);
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, PythonLine);
    value.serialize(&mut serializer).expect("values of this crate have text keys and no failing serialiser");
    String::from_utf8(bytes).expect("JSON is written as UTF-8")
}

/// Python's truth of a value.
pub fn truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(truth) => *truth,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn blanks_stand_where_python_puts_them() {
        let value = json!({"a": [1, "ä\n"], "b": {}, "c": []});
        assert_eq!(json_line(&value), r#"{"a": [1, "ä\n"], "b": {}, "c": []}"#);
    }
}
