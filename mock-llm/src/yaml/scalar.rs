//! Plain scalars by the core schema of YAML 1.2, and the ones on which readers of YAML disagree.

use super::node::Value;

/// The value of a scalar without quotes.
pub(super) fn resolve(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Value::Float(f64::NAN),
        _ => {}
    }
    let (negative, unsigned) = match text.as_bytes() {
        [b'-', ..] => (true, &text[1..]),
        [b'+', ..] => (false, &text[1..]),
        _ => (false, text),
    };
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Value::Float(if negative { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    if let Some(value) = radix(text) {
        return value;
    }
    if is_number(unsigned) {
        let digits = unsigned.bytes().all(|byte| byte.is_ascii_digit());
        if let (true, Ok(number)) = (digits, text.parse()) {
            return Value::Int(number);
        }
        if let Ok(number) = text.parse() {
            return Value::Float(number);
        }
    }
    Value::Text(text.into())
}

/// `0o17` and `0x1F`.
fn radix(text: &str) -> Option<Value> {
    let (base, digits) = match text.get(..2)? {
        "0o" => (8, &text[2..]),
        "0x" => (16, &text[2..]),
        _ => return None,
    };
    let valid = !digits.is_empty() && digits.chars().all(|c| c.is_digit(base));
    valid.then(|| i64::from_str_radix(digits, base).map_or(Value::Float(f64::INFINITY), Value::Int))
}

/// The float form of the core schema, without sign.
fn is_number(text: &str) -> bool {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unzip();
    let mantissa = mantissa.unwrap_or(text);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let good_exponent = exponent.is_none_or(|exponent: &str| {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !digits.is_empty() && all_digits(digits)
    });
    all_digits(whole) && all_digits(fraction) && !(whole.is_empty() && fraction.is_empty()) && good_exponent
}

/// `0.5`, `-12.25`: what every reader takes for the same number.
pub(super) fn is_plain_decimal(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    unsigned.split_once('.').is_some_and(|(whole, fraction)| {
        digits(whole) && digits(fraction) && (whole == "0" || !whole.starts_with('0'))
    })
}

/// Text without quotes that other readers of YAML take for a truth value or a number.
pub(super) fn is_trap(text: &str) -> bool {
    const WORDS: [&str; 8] = ["yes", "no", "on", "off", "y", "n", "true", "false"];
    let is_word = text.len() <= 5 && WORDS.contains(&text.to_ascii_lowercase().as_str());
    let grouped = text.contains('_')
        && text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'.' | b'+' | b'-'));
    is_word || grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_by_the_core_schema() {
        for (text, value) in [
            ("", Value::Null),
            ("~", Value::Null),
            ("True", Value::Bool(true)),
            ("12", Value::Int(12)),
            ("+12", Value::Int(12)),
            ("-0", Value::Int(0)),
            ("012", Value::Int(12)),
            ("0x1F", Value::Int(31)),
            ("0o17", Value::Int(15)),
            ("1e3", Value::Float(1000.0)),
            (".5", Value::Float(0.5)),
            ("1.", Value::Float(1.0)),
            ("-1.5E-1", Value::Float(-0.15)),
            ("99999999999999999999", Value::Float(1e20)),
            ("-.inf", Value::Float(f64::NEG_INFINITY)),
        ] {
            assert_eq!(resolve(text), value, "{text}");
        }
        for text in [
            "no",
            "on",
            "y",
            "1:30",
            "2026-01-05",
            "1_000",
            "0x",
            "0b1",
            ".",
            "e3",
            "1e",
            "--1",
            "+",
            "1.2.3",
        ] {
            assert_eq!(resolve(text), Value::Text(text.into()), "{text}");
        }
    }

    #[test]
    fn knows_the_traps() {
        assert!(["No", "ON", "y", "1_000"].into_iter().all(is_trap));
        assert!(!["none", "1:30", "2026-01-05", "snake_case", "v1_2", ""].into_iter().any(is_trap));
        assert!(["0.5", "-12.25", "3.0"].into_iter().all(is_plain_decimal));
        assert!(![".5", "1.", "01.5", "1e3", "1", ""].into_iter().any(is_plain_decimal));
    }
}
