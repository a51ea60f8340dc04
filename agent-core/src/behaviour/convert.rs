//! How the reference converts odd values of its configuration (`spec/curator.md` §2).

use serde_json::Value;

use crate::text::{float_number, whole_number};

/// To a whole number: floats are cut toward zero, truth values are 1 and 0, text must be a plain whole number.
/// `None` for anything else.
pub(super) fn to_int(value: &Value) -> Option<i64> {
    match value {
        Value::Bool(truth) => Some(i64::from(*truth)),
        Value::Number(number) => number.as_i64().or_else(|| {
            let float = number.as_f64().filter(|float| float.is_finite())?;
            #[expect(clippy::cast_possible_truncation, reason = "a cast from float saturates")]
            Some(float.trunc() as i64)
        }),
        Value::String(text) => whole_number(text),
        _ => None,
    }
}

/// To a number; text is read as Python's `float` reads it. `None` for anything else.
pub(super) fn to_float(value: &Value) -> Option<f64> {
    match value {
        Value::Bool(truth) => Some(f64::from(u8::from(*truth))),
        Value::Number(number) => number.as_f64(),
        Value::String(text) => float_number(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn odd_values_convert_as_in_the_reference() {
        for (value, number) in [
            (json!(24), Some(24)),
            (json!(24.9), Some(24)),
            (json!(-0.9), Some(0)),
            (json!(true), Some(1)),
            (json!("24"), Some(24)),
            (json!("24.9"), None),
            (json!(null), None),
            (json!([1]), None),
        ] {
            assert_eq!(to_int(&value), number, "{value}");
        }
        for (value, number) in [(json!(false), Some(0.0)), (json!("1.5"), Some(1.5)), (json!("x"), None)] {
            assert_eq!(to_float(&value), number, "{value}");
        }
    }
}
