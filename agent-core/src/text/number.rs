//! Numbers as Python reads them from text, for values that a person or an older file wrote as text.

use super::trim;

/// Python's `int(text)` for ASCII digits: blanks around, one sign, single underscores between digits. `None` where it
/// raises. Beyond 64 bits it saturates.
pub fn whole_number(text: &str) -> Option<i64> {
    let text = trim(text);
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let single = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits.split('_').all(single) {
        return None;
    }
    let size = digits
        .bytes()
        .filter(|byte| *byte != b'_')
        .fold(0_i64, |sum, byte| sum.saturating_mul(10).saturating_add(i64::from(byte - b'0')));
    Some(if negative { -size } else { size })
}

/// Python's `float(text)` for ASCII digits; `inf` and `nan` in all their spellings included.
pub fn float_number(text: &str) -> Option<f64> {
    let text = trim(text);
    if !text.contains('_') {
        return text.parse().ok();
    }
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let placed = |at: usize| digit(at.checked_sub(1)) && digit(Some(at + 1));
    let good = bytes.iter().enumerate().all(|(at, byte)| *byte != b'_' || placed(at));
    if good { text.replace('_', "").parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_read_as_python_reads_them() {
        for (text, number) in [
            (" +1_000 ", Some(1000)),
            ("-7", Some(-7)),
            ("24.9", None),
            ("1__0", None),
            ("", None),
            ("--1", None),
            ("99999999999999999999", Some(i64::MAX)),
        ] {
            assert_eq!(whole_number(text), number, "{text:?}");
        }
    }

    #[test]
    fn floats_are_read_as_python_reads_them() {
        for (text, number) in
            [(" 0.5 ", 0.5), ("1e3", 1000.0), ("1_0.5", 10.5), ("-Infinity", f64::NEG_INFINITY)]
        {
            assert_eq!(float_number(text), Some(number), "{text:?}");
        }
        assert!(float_number("NaN").is_some_and(f64::is_nan));
        for bad in ["", "x", "_1", "1_", "1__0", "0x10", "1._5"] {
            assert_eq!(float_number(bad), None, "{bad:?}");
        }
    }
}
