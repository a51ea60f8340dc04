//! The header of a skill or category file as the index reads it (`spec/prompt.md` §3.1).

use serde_json::{Map, Value};

use crate::text;

/// The mapping between the fences; empty where there is none. YAML that cannot be read is taken line by line.
pub(super) fn read(file: &str, drop_bom: bool) -> Map<String, Value> {
    let file = if drop_bom { file.strip_prefix('\u{feff}').unwrap_or(file) } else { file };
    let Some(yaml) = between_fences(file) else { return Map::new() };
    let options = serde_saphyr::options! {
        strict_booleans: true,
        duplicate_keys: serde_saphyr::options::DuplicateKeyPolicy::LastWins,
    };
    match serde_saphyr::from_str_with_options::<Value>(yaml, options) {
        Ok(Value::Object(map)) => map,
        Ok(_) => Map::new(),
        Err(_) => by_lines(yaml),
    }
}

/// What lies between three hyphens at the beginning and a line of three hyphens, blanks allowed, and a line end.
fn between_fences(file: &str) -> Option<&str> {
    let body = file.strip_prefix("---")?;
    let mut from = 0;
    while let Some(at) = body[from..].find("\n---") {
        let start = from + at;
        let rest = &body[start + 4..];
        let blanks = rest.len() - text::trim_start(rest).len();
        if rest[..blanks].contains('\n') {
            return Some(&body[..start]);
        }
        from = start + 4;
    }
    None
}

/// `key: value` lines, split at the first colon.
fn by_lines(yaml: &str) -> Map<String, Value> {
    yaml.lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(key, value)| (text::trim(key).to_owned(), Value::from(text::trim(value))))
        .collect()
}

/// A value as Python prints it.
pub(super) fn printed(value: &Value) -> String {
    match value {
        Value::String(words) => words.clone(),
        other => python(other),
    }
}

fn python(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(words) if words.contains('\'') && !words.contains('"') => format!("\"{words}\""),
        Value::String(words) => format!("'{}'", words.replace('\\', "\\\\").replace('\'', "\\'")),
        Value::Array(items) => format!("[{}]", items.iter().map(python).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let pairs = map.iter().map(|(key, value)| format!("'{key}': {}", python(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
    }
}

/// Whether Python takes the value for false.
pub(super) fn falsy(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(words) => words.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
    }
}
