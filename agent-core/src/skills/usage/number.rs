//! Truth and whole numbers as Python takes them from JSON values.

use serde_json::Value;

pub(super) use crate::text::truthy;
use crate::text::whole_number;

/// A counter's value (`spec/skill-usage.md` §3): falsy is 0, whole-number text is parsed, a float is cut toward
/// zero, true is 1. `None` for anything else. Beyond 64 bits it saturates.
pub(super) fn counter(value: Option<&Value>) -> Option<i64> {
    let Some(value) = value.filter(|value| truthy(value)) else { return Some(0) };
    match value {
        Value::Bool(_) => Some(1),
        Value::Number(number) => number.as_i64().or_else(|| {
            let float = number.as_f64().filter(|float| float.is_finite())?;
            #[expect(clippy::cast_possible_truncation, reason = "a cast from float saturates")]
            Some(float.trunc() as i64)
        }),
        Value::String(text) => whole_number(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn counters_are_read_as_python_reads_them() {
        for (value, number) in [
            (json!(null), Some(0)),
            (json!([]), Some(0)),
            (json!({}), Some(0)),
            (json!(""), Some(0)),
            (json!(true), Some(1)),
            (json!(2.9), Some(2)),
            (json!(-2.9), Some(-2)),
            (json!(" +1_000 "), Some(1000)),
            (json!("2.0"), None),
            (json!("1__0"), None),
            (json!([1]), None),
            (json!({"a": 1}), None),
        ] {
            assert_eq!(counter(Some(&value)), number, "{value}");
        }
        assert_eq!(counter(None), Some(0));
    }
}
