//! Numbers that may not exist, and the one routine that prints floats.

use std::fmt;

use serde::{Serialize, Serializer};

/// Why a figure does not exist, in a few words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing(pub &'static str);

impl fmt::Display for Missing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0)
    }
}

impl Serialize for Missing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

/// A figure, or why there is none.
pub type Maybe<T = f64> = Result<T, Missing>;

/// The number with so many digits after the point, ties to even, without a sign for zero.
///
/// A number that is not finite is a mistake of whoever computed it; it prints as `null`, which no reader takes for a
/// figure.
pub fn number(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return "null".to_owned();
    }
    let text = format!("{value:.digits$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|char| matches!(char, '0' | '.')) => rest.to_owned(),
        _ => text,
    }
}

/// The number with its sign, plus included, as differences are printed.
pub fn signed(value: f64, digits: usize) -> String {
    let text = number(value, digits);
    let shown_zero = text.chars().all(|char| matches!(char, '0' | '.'));
    if text.starts_with(['-', 'n']) || shown_zero { text } else { format!("+{text}") }
}

/// A share as percent.
pub fn percent(share: f64, digits: usize) -> String {
    match number(share * 100.0, digits).as_str() {
        "null" => "null".to_owned(),
        text => format!("{text} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_print_in_one_way() {
        let cases =
            [(0.125, 2), (-0.001, 2), (-0.0, 0), (2.5, 0), (1e21, 1), (f64::NAN, 2), (f64::INFINITY, 2)];
        let shown: Vec<_> = cases.iter().map(|(value, digits)| number(*value, *digits)).collect();
        assert_eq!(shown, ["0.12", "0.00", "0", "2", "1000000000000000000000.0", "null", "null"]);
        assert_eq!([signed(1.5, 1), signed(-1.5, 1), signed(-0.01, 1)], ["+1.5", "-1.5", "0.0"]);
        assert_eq!([percent(0.1234, 1), percent(f64::NAN, 1)], ["12.3 %", "null"]);
    }
}
