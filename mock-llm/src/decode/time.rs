//! Durations (`12s`, `1h30m`) and instants (RFC 3339).

use std::time::Duration;

use jiff::Timestamp;

use super::Decoder;
use crate::yaml::{Node, Value};

/// Units in milliseconds, longest first.
const UNITS: [(&str, u64); 6] =
    [("w", 604_800_000), ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// The duration of a text such as `300ms`, `12s`, `1h30m`, `2d`, `14w`: whole numbers with units, the larger unit first.
/// A day has 24 hours. None if the text is none, or longer than 64 bits of milliseconds hold.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut millis: u64 = 0;
    let mut previous = usize::MAX;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number: u64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let place = UNITS.iter().position(|(unit, _)| *unit == &rest[..letters])?;
        if previous != usize::MAX && place <= previous {
            return None;
        }
        previous = place;
        millis = millis.checked_add(number.checked_mul(UNITS[place].1)?)?;
        rest = rest[letters..].trim_start_matches(' ');
    }
    (previous != usize::MAX).then(|| Duration::from_millis(millis))
}

/// The instant of an RFC 3339 text with offset, or of a date (its first moment in UTC).
pub fn parse_instant(text: &str) -> Option<Timestamp> {
    const DATE_BYTES: usize = "2026-01-05".len();
    if text.len() == DATE_BYTES { format!("{text}T00:00:00Z").parse().ok() } else { text.parse().ok() }
}

impl Decoder {
    /// A duration: `12s`, `1h30m`, `2d`, `14w`.
    pub fn duration(&self, node: &Node) -> Option<Duration> {
        const WANTED: &str = "a duration such as `12s`, `1h30m`, `2d`";
        if let Some(duration) = node.as_text().and_then(parse_duration) {
            return Some(duration);
        }
        let hint = match &node.value {
            Value::Int(number) => {
                Some(format!("add a unit: `{number}s`, `{number}m`, `{number}h`, `{number}d`"))
            }
            Value::Text(_) => {
                Some("units are ms, s, m, h, d, w; the larger one first, each at most once".to_owned())
            }
            _ => None,
        };
        self.wrong_with(node, WANTED, hint)
    }

    /// An instant: `2026-01-05T09:00:00Z`, or a date.
    pub fn instant(&self, node: &Node) -> Option<Timestamp> {
        const WANTED: &str = "an instant such as `2026-01-05T09:00:00Z`";
        let text = node.as_text();
        if let Some(instant) = text.and_then(parse_instant) {
            return Some(instant);
        }
        let zone_missing = text.is_some_and(|text| parse_instant(&format!("{text}Z")).is_some());
        self.wrong_with(
            node,
            WANTED,
            zone_missing.then(|| "add the offset: `Z` for UTC, or `+02:00`".to_owned()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_add_up() {
        let millis = |text: &str| parse_duration(text).map(|duration| duration.as_millis());
        assert_eq!(millis("300ms"), Some(300));
        assert_eq!(millis("12s"), Some(12_000));
        assert_eq!(millis("1h30m"), Some(5_400_000));
        assert_eq!(millis("1h 30m"), Some(5_400_000));
        assert_eq!(millis("14w"), Some(14 * 604_800_000));
        assert_eq!(millis("0d"), Some(0));
        for bad in ["", "12", "s", "1.5h", "-1s", "30m1h", "1s1s", "1x", "99999999999999999999s", "1 s", "1é"]
        {
            assert_eq!(millis(bad), None, "{bad}");
        }
    }

    #[test]
    fn instants_need_an_offset() {
        let millis = |text: &str| parse_instant(text).map(Timestamp::as_millisecond);
        assert_eq!(millis("1970-01-01T00:00:01Z"), Some(1_000));
        assert_eq!(millis("1970-01-01T02:00:00+02:00"), Some(0));
        assert_eq!(millis("1970-01-02"), Some(86_400_000));
        assert_eq!(millis("2026-01-05T09:00:00"), None);
        assert_eq!(millis("2026-13-05"), None);
    }
}
