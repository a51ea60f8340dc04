//! ISO 8601 stamps as the home's files hold them, at microsecond resolution.
//!
//! Reading follows the ISO parser of Python 3.11 (`datetime.fromisoformat`) as far as `spec/skill-usage.md` §5 and
//! `spec/curator.md` §1 need it: date only, `T`, a blank or any other single separator, basic and extended forms,
//! fractions of any length (cut at microseconds), ISO weeks, `Z` and offsets down to fractions of a second.
//! A stamp without a zone is UTC. Writing gives `+00:00` and microseconds only when they are not zero.

use std::fmt;
use std::ops::Sub;

use jiff::civil;
use serde::{Deserialize, Serialize};

use super::units::SimTime;

const MICROS_PER_SECOND: i64 = 1_000_000;

/// An instant as read from or written to a file: microseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Stamp(i64);

impl Stamp {
    /// The instant so many microseconds after the Unix epoch.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Microseconds since the Unix epoch.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// Seconds since the Unix epoch, with fractions, as Python's `time.time()` would print them.
    pub fn as_epoch_seconds(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// This instant as simulated time; fractions of a millisecond are cut.
    pub fn to_sim(self) -> SimTime {
        SimTime::from_millis(self.0.div_euclid(1000))
    }

    /// Reads an ISO 8601 stamp; `None` where Python 3.11's `fromisoformat` raises.
    pub fn parse(text: &str) -> Option<Self> {
        parse_iso(text)
    }

    /// The instant so many days of 24 hours earlier; saturates at the ends of time.
    pub fn minus_days(self, days: i64) -> Self {
        Self(self.0.saturating_sub(days.saturating_mul(86_400 * MICROS_PER_SECOND)))
    }

    /// Date and time in UTC.
    pub fn civil_utc(self) -> civil::DateTime {
        let micros = self.0.clamp(-62_135_596_800_000_000, 253_402_300_799_999_999);
        epoch()
            .checked_add(jiff::SignedDuration::from_micros(micros))
            .expect("clamped to the years 1 to 9999")
    }

    /// The instant in the basic form `YYYYMMDDHHMMSS` (UTC), as archive suffixes have it.
    pub fn to_basic_seconds(self) -> String {
        self.civil_utc().strftime("%Y%m%d%H%M%S").to_string()
    }
}

impl From<SimTime> for Stamp {
    fn from(time: SimTime) -> Self {
        Self(time.as_millis().saturating_mul(1000))
    }
}

impl Sub for Stamp {
    /// Microseconds.
    type Output = i64;
    fn sub(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let civil = self.civil_utc();
        write!(formatter, "{}", civil.strftime("%Y-%m-%dT%H:%M:%S"))?;
        let micros = self.0.rem_euclid(MICROS_PER_SECOND);
        if micros != 0 {
            write!(formatter, ".{micros:06}")?;
        }
        formatter.write_str("+00:00")
    }
}

fn parse_iso(text: &str) -> Option<Stamp> {
    if !text.is_ascii() && text.chars().count() < 7 {
        return None;
    }
    let (date_len, date) = parse_date(text)?;
    let rest = &text[date_len..];
    if rest.is_empty() {
        return micros_of(date, 0);
    }
    // Any single character separates date and time.
    let separator = rest.chars().next()?;
    let time = &rest[separator.len_utf8()..];
    let (clock, offset) = match time.find(['+', '-', 'Z']) {
        Some(at) => (clock_micros(&time[..at], true)?, parse_offset(&time[at..])?),
        None => (clock_micros(time, false)?, 0),
    };
    micros_of(date, clock - offset)
}

fn epoch() -> civil::DateTime {
    civil::DateTime::constant(1970, 1, 1, 0, 0, 0, 0)
}

fn micros_of(date: civil::Date, micros_of_day: i64) -> Option<Stamp> {
    let midnight = date.to_datetime(civil::Time::midnight());
    let seconds = midnight.duration_since(epoch()).as_secs();
    let micros = seconds.checked_mul(MICROS_PER_SECOND)?.checked_add(micros_of_day)?;
    Some(Stamp(micros))
}

/// Length of the date part in bytes and the date.
fn parse_date(text: &str) -> Option<(usize, civil::Date)> {
    let bytes = text.as_bytes();
    let year = i16::try_from(digits(bytes, 0, 4)?).ok()?;
    let extended = bytes.get(4) == Some(&b'-');
    let mut at = if extended { 5 } else { 4 };
    if bytes.get(at) == Some(&b'W') {
        let week = digits(bytes, at + 1, 2)?;
        at += 3;
        let has_day = if extended {
            // A digit where the separator of a time would stand makes the hyphen that separator.
            bytes.get(at) == Some(&b'-') && !bytes.get(10).is_some_and(u8::is_ascii_digit)
        } else {
            // Digits in a row are read as a day and hours where that leaves an even number of them.
            let run = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            run == 1 || (run >= 2 && (at + run) % 2 == 1)
        };
        at += usize::from(extended && has_day);
        let day = if has_day {
            at += 1;
            digits(bytes, at - 1, 1)?
        } else {
            1
        };
        let weekday = civil::Weekday::from_monday_one_offset(i8::try_from(day).ok()?).ok()?;
        let date = civil::ISOWeekDate::new(year, i8::try_from(week).ok()?, weekday).ok()?.date();
        return Some((at, date));
    }
    let month = digits(bytes, at, 2)?;
    at += 2;
    if extended {
        if bytes.get(at) != Some(&b'-') {
            return None;
        }
        at += 1;
    }
    let day = digits(bytes, at, 2)?;
    let date = civil::Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
    (year > 0).then_some((at + 2, date))
}

/// Microseconds since midnight.
fn clock_micros(text: &str, has_zone: bool) -> Option<i64> {
    let Clock { hour, minute, second, micros } = Clock::parse(text, has_zone)?;
    let inside = hour < 24 && minute < 60 && second < 60;
    inside.then_some(((hour * 60 + minute) * 60 + second) * MICROS_PER_SECOND + micros)
}

/// An offset may be any span below a day, whatever its minutes and seconds.
fn parse_offset(text: &str) -> Option<i64> {
    if let Some(rest) = text.strip_prefix('Z') {
        return rest.is_empty().then_some(0);
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let Clock { hour, minute, second, micros } = Clock::parse(&text[1..], false)?;
    let seconds = (hour * 60 + minute) * 60 + second;
    // An offset of no whole second is none.
    let span = if seconds == 0 { 0 } else { seconds * MICROS_PER_SECOND + micros };
    (span < 86_400 * MICROS_PER_SECOND).then_some(sign * span)
}

#[derive(Default)]
struct Clock {
    hour: i64,
    minute: i64,
    second: i64,
    micros: i64,
}

impl Clock {
    /// Hours, then minutes and seconds with or without colons, then a fraction, which may follow any of them. Python
    /// passes over what stands between that and a zone, so a zone forgives a rest.
    fn parse(text: &str, has_zone: bool) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut fields = [0_i64; 3];
        let mut at = 0;
        let mut colons = false;
        let made =
            |fields: [i64; 3], micros| Self { hour: fields[0], minute: fields[1], second: fields[2], micros };
        for index in 0..fields.len() {
            fields[index] = digits(bytes, at, 2)?;
            let next = bytes.get(at + 2).copied();
            at += 3;
            if index == 0 {
                colons = next == Some(b':');
            }
            if at >= bytes.len() {
                return (next.is_none() || has_zone).then(|| made(fields, 0));
            }
            match next {
                Some(b':') if colons => {}
                Some(b'.' | b',') => break,
                _ if colons => return None,
                _ => at -= 1,
            }
        }
        let count = (bytes.len() - at).min(6);
        let scale = 10_i64.pow(u32::try_from(6 - count).ok()?);
        let micros = digits(bytes, at, count)? * scale;
        let rest = bytes[at + count..].iter().all(u8::is_ascii_digit);
        (rest || has_zone).then(|| made(fields, micros))
    }
}

fn digits(bytes: &[u8], at: usize, count: usize) -> Option<i64> {
    let part = bytes.get(at..at + count)?;
    part.iter().try_fold(0_i64, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_python_reads() {
        let noon = Stamp::parse("2026-06-01T12:00:00+00:00").unwrap();
        for same in [
            "2026-06-01T12:00:00Z",
            "2026-06-01 12:00",
            "20260601T120000",
            "2026-06-01T14:00:00+02:00",
            "2026-06-01T12:00:00.000000",
            "2026-W23-1T12",
            "2026-06-01T12,0",
        ] {
            assert_eq!(Stamp::parse(same), Some(noon), "{same}");
        }
        for bad in
            ["", "soon", "2026-13-01", "2026-06-01T", "2026-06-01T25:00", "2026-06-01T12:00:00.", "2026-6-1"]
        {
            assert_eq!(Stamp::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_ends_of_time_are_read_and_written() {
        for text in ["0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59.999999+00:00"] {
            assert_eq!(Stamp::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Stamp::from_micros(i64::MAX).to_string(), "9999-12-31T23:59:59.775807+00:00");
    }

    #[test]
    fn writes_microseconds_only_when_there_are_any() {
        let whole = Stamp::parse("2026-01-05T09:00:00Z").unwrap();
        assert_eq!(whole.to_string(), "2026-01-05T09:00:00+00:00");
        assert_eq!(
            Stamp::from_micros(whole.as_micros() + 5000).to_string(),
            "2026-01-05T09:00:00.005000+00:00"
        );
        assert_eq!(whole.to_basic_seconds(), "20260105090000");
    }
}
