//! What a plain scalar means (YAML 1.1 with the habits of `PyYAML`), and reading numbers, truth and dates.

use std::fmt::Write as _;

use jiff::civil;

use crate::text::trim;

/// The tag that a plain scalar gets.
pub(super) fn implicit_tag(text: &str) -> &'static str {
    if is_bool(text).is_some() {
        "bool"
    } else if is_float(text) {
        "float"
    } else if is_int(text) {
        "int"
    } else if text == "<<" {
        "merge"
    } else if matches!(text, "" | "~" | "null" | "Null" | "NULL") {
        "null"
    } else if Timestamp::split(text).is_some_and(|stamp| stamp.is_implicit(text)) {
        "timestamp"
    } else if text == "=" {
        "value"
    } else {
        "str"
    }
}

fn is_bool(text: &str) -> Option<bool> {
    let spelled = |word: &str| {
        let mut capital = word.to_owned();
        capital[..1].make_ascii_uppercase();
        text == word || text == capital || text == word.to_ascii_uppercase()
    };
    if ["yes", "true", "on"].into_iter().any(spelled) {
        Some(true)
    } else if ["no", "false", "off"].into_iter().any(spelled) {
        Some(false)
    } else {
        None
    }
}

/// The truth of a word under an explicit tag: any case.
pub(super) fn truth(text: &str) -> Option<bool> {
    match text.to_lowercase().as_str() {
        "yes" | "true" | "on" => Some(true),
        "no" | "false" | "off" => Some(false),
        _ => None,
    }
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['-', '+']).unwrap_or(text)
}

fn all(text: &str, fits: impl Fn(u8) -> bool) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte == b'_' || fits(byte))
}

fn begins_with_digit(text: &str) -> bool {
    text.starts_with(|char: char| char.is_ascii_digit())
}

/// Base 60: digits, then groups of a colon and a number below 60.
fn is_sexagesimal(text: &str) -> bool {
    let mut parts = text.split(':');
    let first = parts.next().unwrap_or("");
    let group = |part: &str| match part.as_bytes() {
        [only] => only.is_ascii_digit(),
        [ten, one] => (b'0'..=b'5').contains(ten) && one.is_ascii_digit(),
        _ => false,
    };
    let rest: Vec<&str> = parts.collect();
    all(first, |byte| byte.is_ascii_digit()) && !rest.is_empty() && rest.into_iter().all(group)
}

fn is_int(text: &str) -> bool {
    let text = unsigned(text);
    if let Some(digits) = text.strip_prefix("0b") {
        return all(digits, |byte| matches!(byte, b'0' | b'1'));
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return all(digits, |byte| byte.is_ascii_hexdigit());
    }
    if let Some(digits) = text.strip_prefix('0') {
        return digits.is_empty() || all(digits, |byte| matches!(byte, b'0'..=b'7'));
    }
    begins_with_digit(text) && (all(text, |byte| byte.is_ascii_digit()) || is_sexagesimal(text))
}

fn is_float(text: &str) -> bool {
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let bare = unsigned(text);
    if matches!(bare, ".inf" | ".Inf" | ".INF") {
        return true;
    }
    let (number, exponent) = match bare.find(['e', 'E']) {
        Some(at) => (&bare[..at], Some(&bare[at + 1..])),
        None => (bare, None),
    };
    let good_exponent = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['-', '+']).unwrap_or("");
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    let Some((whole, fraction)) = number.split_once('.') else { return false };
    let digits = |byte: u8| byte.is_ascii_digit();
    let good_fraction = fraction.is_empty() || all(fraction, digits);
    if whole.is_empty() {
        // A point in front takes no sign.
        return bare == text && begins_with_digit(fraction) && good_fraction && good_exponent;
    }
    if whole.contains(':') {
        return exponent.is_none() && begins_with_digit(whole) && is_sexagesimal(whole) && good_fraction;
    }
    begins_with_digit(whole) && all(whole, digits) && good_fraction && good_exponent
}

/// A whole number of any size: as it is, or its decimal text beyond 128 bits.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Whole {
    Small(i128),
    Big(String),
}

/// Digits that Python turns into a number by default.
const INT_DIGITS_MAX: usize = 4300;

/// Reads a whole number: binary, octal, hexadecimal, base 60 or decimal.
pub(super) fn whole(text: &str) -> Option<Whole> {
    let text = trim(text).replace('_', "");
    let negative = text.starts_with('-');
    let bare = unsigned(&text);
    let signed = |size: i128| Whole::Small(if negative { -size } else { size });
    if bare == "0" {
        return Some(Whole::Small(0));
    }
    let radix = |digits: &str, radix: u32| {
        // A sign inside is what Rust would take and Python would not.
        let digits = trim(digits);
        let clean = !digits.starts_with(['+', '-']);
        clean.then(|| i128::from_str_radix(digits, radix).ok()).flatten().map(signed)
    };
    if let Some(digits) = bare.strip_prefix("0b") {
        return radix(digits, 2);
    }
    if let Some(digits) = bare.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if bare.starts_with('0') {
        return radix(bare, 8);
    }
    if bare.contains(':') {
        let sum = bare
            .split(':')
            .try_fold(0_i128, |sum, part| sum.checked_mul(60)?.checked_add(part.parse::<u32>().ok()?.into()));
        return sum.map(signed);
    }
    if bare.is_empty() || !bare.bytes().all(|byte| byte.is_ascii_digit()) || bare.len() > INT_DIGITS_MAX {
        return None;
    }
    Some(
        bare.parse()
            .map_or_else(|_| Whole::Big(format!("{}{bare}", if negative { "-" } else { "" })), signed),
    )
}

/// Reads a number with a point: infinity, not-a-number, base 60 or decimal.
pub(super) fn float(text: &str) -> Option<f64> {
    let text = trim(text).replace('_', "").to_lowercase();
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    let bare = unsigned(&text);
    match bare {
        ".inf" => return Some(sign * f64::INFINITY),
        ".nan" => return Some(f64::NAN),
        _ => {}
    }
    if bare.contains(':') {
        let mut sum = 0.0;
        for part in bare.split(':') {
            sum = sum * 60.0 + decimal(part)?;
        }
        return Some(sign * sum);
    }
    decimal(bare).map(|number| sign * number)
}

fn decimal(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'+' | b'-'));
    plain.then(|| text.parse().ok()).flatten()
}

/// The parts of a date, or of a date with a time.
pub(super) struct Timestamp<'s> {
    date: [&'s str; 3],
    time: Option<Time<'s>>,
}

struct Time<'s> {
    clock: [&'s str; 3],
    fraction: &'s str,
    /// Sign, hours and minutes of the offset; no sign for `Z`.
    zone: Option<(Option<char>, &'s str, &'s str)>,
}

fn is_digits(text: &str, least: usize, most: usize) -> bool {
    (least..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

impl<'s> Timestamp<'s> {
    /// Takes a text apart; `None` if it does not have the form of a date.
    pub(super) fn split(text: &'s str) -> Option<Self> {
        let date_end = text.find(['T', 't', ' ', '\t']).unwrap_or(text.len());
        let (date, rest) = text.split_at(date_end);
        let mut parts = date.splitn(3, '-');
        let date = [parts.next()?, parts.next()?, parts.next()?];
        let good = is_digits(date[0], 4, 4) && is_digits(date[1], 1, 2) && is_digits(date[2], 1, 2);
        if !good {
            return None;
        }
        if rest.is_empty() {
            return Some(Self { date, time: None });
        }
        let clock = match rest.strip_prefix(['T', 't']) {
            Some(clock) => clock,
            None => rest.trim_start_matches([' ', '\t']),
        };
        Some(Self { date, time: Some(Time::split(clock)?) })
    }

    /// Whether a plain scalar of this form is taken as a date: a date alone must have all its digits.
    fn is_implicit(&self, text: &str) -> bool {
        self.time.is_some() || text.len() == 10
    }

    /// The text that Python prints of it; `None` if there is no such date. The flag says whether it has a time.
    pub(super) fn print(&self) -> Option<(String, bool)> {
        let number = |text: &str| text.parse::<i16>().ok();
        let small = |text: &str| text.parse::<i8>().ok();
        let [year, month, day] = self.date;
        let date = civil::Date::new(number(year)?, small(month)?, small(day)?).ok()?;
        if date.year() < 1 {
            return None;
        }
        let Some(time) = &self.time else { return Some((date.to_string(), false)) };
        Some((format!("{date} {}", time.print()?), true))
    }
}

impl<'s> Time<'s> {
    fn split(text: &'s str) -> Option<Self> {
        let (hour, rest) = text.split_once(':')?;
        let (minute, rest) = rest.split_once(':')?;
        let second = rest.get(..2)?;
        let mut rest = &rest[2..];
        let good = is_digits(hour, 1, 2) && is_digits(minute, 2, 2) && is_digits(second, 2, 2);
        if !good {
            return None;
        }
        let mut fraction = "";
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(|char: char| !char.is_ascii_digit()).unwrap_or(after.len());
            (fraction, rest) = after.split_at(end);
        }
        let zone = match rest.trim_start_matches([' ', '\t']) {
            "" if rest.is_empty() => None,
            "Z" => Some((None, "", "")),
            offset => {
                let sign = offset.chars().next().filter(|sign| matches!(sign, '+' | '-'))?;
                let (hours, minutes) = match offset[1..].split_once(':') {
                    Some((hours, minutes)) => (hours, Some(minutes)),
                    None => (&offset[1..], None),
                };
                let good = is_digits(hours, 1, 2) && minutes.is_none_or(|minutes| is_digits(minutes, 2, 2));
                if !good {
                    return None;
                }
                Some((Some(sign), hours, minutes.unwrap_or("0")))
            }
        };
        Some(Self { clock: [hour, minute, second], fraction, zone })
    }

    fn print(&self) -> Option<String> {
        let number = |text: &str| text.parse::<u32>().ok();
        let [hour, minute, second] = self.clock;
        let (hour, minute, second) = (number(hour)?, number(minute)?, number(second)?);
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let mut text = format!("{hour:02}:{minute:02}:{second:02}");
        let micros = format!("{:0<6}", self.fraction.get(..6).unwrap_or(self.fraction));
        if number(&micros)? != 0 {
            text.push('.');
            text.push_str(&micros);
        }
        if let Some((sign, hours, minutes)) = self.zone {
            let (hours, minutes) = if sign.is_none() { (0, 0) } else { (number(hours)?, number(minutes)?) };
            let offset = hours * 60 + minutes;
            if offset >= 24 * 60 {
                return None;
            }
            let sign = if offset == 0 { '+' } else { sign.unwrap_or('+') };
            // Writing to a text cannot fail.
            let _ = write!(text, "{sign}{:02}:{:02}", offset / 60, offset % 60);
        }
        Some(text)
    }
}
