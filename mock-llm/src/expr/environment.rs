//! The one minijinja environment: strict, with fuel, and with the functions that need no context.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use minijinja::value::{Kwargs, Value};
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior};
use regex::Regex;

/// Instructions of one evaluation, or so many times 64 bytes of text. A condition takes some dozens.
const FUEL: u64 = 100_000;
/// Compiled patterns that a thread keeps.
const PATTERNS_MAX: usize = 256;
/// Bytes of a compiled pattern.
const PATTERN_BYTES_MAX: usize = 1 << 20;

/// Functions that every place knows.
pub(super) const GLOBAL_NAMES: [&str; 4] = ["capture", "dict", "json", "range"];

/// Filters that an expression may use: all of minijinja's that give the same result everywhere.
pub(super) const FILTERS: [&str; 44] = [
    "abs",
    "attr",
    "batch",
    "bool",
    "capitalize",
    "chain",
    "count",
    "d",
    "default",
    "dictsort",
    "escape",
    "e",
    "first",
    "float",
    "format",
    "groupby",
    "indent",
    "int",
    "items",
    "join",
    "last",
    "length",
    "lines",
    "list",
    "lower",
    "map",
    "max",
    "min",
    "pprint",
    "reject",
    "rejectattr",
    "replace",
    "reverse",
    "round",
    "select",
    "selectattr",
    "slice",
    "sort",
    "split",
    "string",
    "sum",
    "title",
    "trim",
    "unique",
];
/// More filters, in their own table for the sake of line lengths.
pub(super) const FILTERS_MORE: [&str; 4] = ["safe", "tojson", "upper", "zip"];

/// Tests that an expression may use after `is`.
pub(super) const TESTS: [&str; 36] = [
    "boolean",
    "defined",
    "divisibleby",
    "endingwith",
    "eq",
    "equalto",
    "escaped",
    "even",
    "false",
    "filter",
    "float",
    "ge",
    "greaterthan",
    "gt",
    "in",
    "int",
    "integer",
    "iterable",
    "le",
    "lessthan",
    "lower",
    "lt",
    "mapping",
    "ne",
    "none",
    "number",
    "odd",
    "safe",
    "sameas",
    "sequence",
    "startingwith",
    "string",
    "test",
    "true",
    "undefined",
    "upper",
];

/// The environment that compiles and evaluates everything.
pub(super) static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    // Names what was undefined in the error. Fixed, because the default differs between debug and release builds.
    environment.set_debug(true);
    environment.remove_global("debug");
    environment.remove_global("namespace");
    environment.add_function(
        "capture",
        |pattern: &str, text: Option<&str>, group: Option<usize>, kwargs: Kwargs| {
            let named: Option<usize> = kwargs.get("group")?;
            kwargs.assert_all_used()?;
            capture(pattern, text, group.or(named).unwrap_or(1))
        },
    );
    environment.add_function("json", |text: Option<&str>| {
        text.and_then(lenient_json).map_or(Value::from(()), |json| Value::from(minijinja::value::Serde(json)))
    });
    environment
});

/// `capture(regex, text, group=1)`: the group of the first match; none where nothing fits.
fn capture(pattern: &str, text: Option<&str>, group: usize) -> Result<Value, Error> {
    let Some(text) = text else { return Ok(Value::from(())) };
    with_pattern(pattern, |regex| {
        let found = regex
            .captures(text)
            .and_then(|captures| captures.get(group).map(|found| found.as_str().to_owned()));
        found.map_or(Value::from(()), Value::from)
    })
}

/// Compiles a pattern within its limits.
pub(super) fn pattern(pattern: &str) -> Result<Regex, regex::Error> {
    regex::RegexBuilder::new(pattern).size_limit(PATTERN_BYTES_MAX).build()
}

fn with_pattern<T>(text: &str, use_it: impl FnOnce(&Regex) -> T) -> Result<T, Error> {
    thread_local! {
        static PATTERNS: RefCell<BTreeMap<String, Regex>> = const { RefCell::new(BTreeMap::new()) };
    }
    PATTERNS.with_borrow_mut(|patterns| {
        if !patterns.contains_key(text) {
            let compiled = pattern(text)
                .map_err(|error| Error::new(ErrorKind::InvalidOperation, format!("bad pattern: {error}")))?;
            if patterns.len() >= PATTERNS_MAX {
                patterns.clear();
            }
            patterns.insert(text.to_owned(), compiled);
        }
        Ok(use_it(&patterns[text]))
    })
}

/// The first JSON object or list that a text contains, whatever stands around it (`spec/wire.md`: results are often JSON
/// with a warning after it); else the whole text as a JSON scalar.
pub fn lenient_json(text: &str) -> Option<serde_json::Value> {
    /// Brackets that are tried as a beginning, so that a text full of them stays cheap.
    const STARTS_MAX: usize = 32;
    for (start, _) in text.match_indices(['{', '[']).take(STARTS_MAX) {
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<serde_json::Value>();
        if let Some(Ok(value)) = values.next() {
            return Some(value);
        }
    }
    serde_json::from_str(text.trim()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_filter_and_test_exists() {
        let mut state = ENVIRONMENT.empty_state();
        for filter in FILTERS.into_iter().chain(FILTERS_MORE) {
            let kind = state.apply_filter(filter, &[Value::from("x")]).err().map(|error| error.kind());
            assert_ne!(kind, Some(ErrorKind::UnknownFilter), "{filter}");
        }
        for test in TESTS {
            let kind = state.perform_test(test, &[Value::from("x")]).err().map(|error| error.kind());
            assert_ne!(kind, Some(ErrorKind::UnknownTest), "{test}");
        }
        let globals: Vec<&str> = ENVIRONMENT.globals().map(|(name, _)| name).collect();
        assert_eq!(globals, GLOBAL_NAMES);
    }

    #[test]
    fn json_is_found_in_its_surroundings() {
        assert_eq!(lenient_json("{\"a\": 1}\nwarning: [x]"), Some(serde_json::json!({"a": 1})));
        assert_eq!(lenient_json("note {not json} [1, 2] end"), Some(serde_json::json!([1, 2])));
        assert_eq!(lenient_json(" 12 "), Some(serde_json::json!(12)));
        assert_eq!(lenient_json("nothing"), None);
    }
}
