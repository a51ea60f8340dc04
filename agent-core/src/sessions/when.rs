//! Instants as the database and the tool's answers hold them.
//!
//! The database holds seconds since the Unix epoch as a float; the tool shows local time. The offset from UTC is an
//! argument: this crate knows no time zone.

use jiff::Timestamp;
use jiff::tz::Offset;

use crate::values::SimTime;

/// Seconds since the Unix epoch.
pub(super) fn epoch(at: SimTime) -> f64 {
    at.as_millis() as f64 / 1000.0
}

/// `YYYYMMDD_HHMMSS` in local time.
pub(super) fn compact(at: SimTime, utc_offset_secs: i32) -> String {
    local(epoch(at), utc_offset_secs)
        .map_or_else(|| "00000000_000000".to_owned(), |time| time.strftime("%Y%m%d_%H%M%S").to_string())
}

/// The moment in words, as `March 02, 2026 at 12:00 AM`; `unknown` for none (`spec/sessions.md` §4.1).
pub(super) fn in_words(epoch: Option<f64>, utc_offset_secs: i32) -> String {
    epoch
        .and_then(|epoch| local(epoch, utc_offset_secs))
        .map_or_else(|| "unknown".to_owned(), |time| time.strftime("%B %d, %Y at %I:%M %p").to_string())
}

fn local(epoch: f64, utc_offset_secs: i32) -> Option<jiff::civil::DateTime> {
    let offset = Offset::from_seconds(utc_offset_secs).unwrap_or(Offset::UTC);
    // Outside this range jiff knows no date; it also keeps the conversion exact.
    if !(-62_000_000_000.0..=253_000_000_000.0).contains(&epoch) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
    let seconds = epoch.floor() as i64;
    Some(offset.to_datetime(Timestamp::from_second(seconds).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_time_in_words() {
        assert_eq!(in_words(Some(1_772_409_600.0), 0), "March 02, 2026 at 12:00 AM");
        assert_eq!(in_words(Some(1_772_409_600.9), 3600), "March 02, 2026 at 01:00 AM");
        assert_eq!(in_words(Some(1_772_409_600.0), -12 * 3600), "March 01, 2026 at 12:00 PM");
        for odd in [None, Some(f64::NAN), Some(f64::INFINITY), Some(1e300), Some(-1e300)] {
            assert_eq!(in_words(odd, 0), "unknown");
        }
        assert_eq!(compact(SimTime::from_millis(1_772_409_600_000), 0), "20260302_000000");
    }
}
