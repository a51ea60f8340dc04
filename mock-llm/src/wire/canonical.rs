//! JSON in one form: compact, keys sorted. Clients rewrite arguments, so values are compared and never texts.

use serde_json::Value;

/// A value as compact JSON with sorted keys, whatever order its mappings have.
pub fn canonical_json(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value);
    out
}

fn write(out: &mut String, value: &Value) {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort_unstable();
            out.push('{');
            for (index, key) in keys.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                write(out, &map[key]);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(out, item);
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_are_sorted_at_every_level() {
        let value: Value = serde_json::from_str(r#"{"b": [{"z": 1, "a": null}], "a": "x\n"}"#).unwrap();
        assert_eq!(canonical_json(&value), r#"{"a":"x\n","b":[{"a":null,"z":1}]}"#);
        assert_eq!(canonical_json(&json!(1.5)), "1.5");
    }
}
