//! Floats as Python prints them.

/// Python's `repr` of a float: the shortest digits, an exponent below 1e-4 and from 1e16 on.
pub(super) fn python_float(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let size = number.abs();
    if size != 0.0 && !(1e-4..1e16).contains(&size) {
        let text = format!("{number:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, exponent) = match exponent.strip_prefix('-') {
            Some(rest) => ('-', rest),
            None => ('+', exponent),
        };
        return format!("{digits}e{sign}{exponent:0>2}");
    }
    let text = number.to_string();
    if text.contains('.') { text } else { text + ".0" }
}

#[cfg(test)]
mod tests {
    use super::python_float;

    #[test]
    fn prints_as_python_does() {
        for (number, text) in [
            (1.0, "1.0"),
            (-0.5, "-0.5"),
            (1e16, "1e+16"),
            (1.5e-5, "1.5e-05"),
            (123_456_789_012_345_680.0, "1.2345678901234568e+17"),
            (0.0001, "0.0001"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(python_float(number), text);
        }
    }
}
