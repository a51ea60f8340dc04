//! Quantities with the arithmetic they deserve and nothing else.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

/// A count of Unicode code points. Never bytes, never graphemes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Chars(pub usize);

impl Chars {
    /// The code points of a text.
    pub fn of(text: &str) -> Self {
        Self(text.chars().count())
    }

    /// The stated estimator of the whole project: four characters a token, rounded up
    /// (`spec/compression.md` §1, "ceil(characters / 4)").
    pub fn estimate_tokens(self) -> Tokens {
        Tokens(self.0.div_ceil(4) as u64)
    }
}

impl Add for Chars {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Chars {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sum for Chars {
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        items.fold(Self(0), Add::add)
    }
}

/// A count of model tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tokens(pub u64);

impl Add for Tokens {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sum for Tokens {
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        items.fold(Self(0), Add::add)
    }
}

/// A span of simulated time in milliseconds; never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SimDuration(u64);

impl SimDuration {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// A span of so many milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// A span of so many seconds.
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs * 1000)
    }

    /// A span of so many hours.
    pub const fn from_hours(hours: u64) -> Self {
        Self::from_secs(hours * 3600)
    }

    /// A span of so many days of 24 hours.
    pub const fn from_days(days: u64) -> Self {
        Self::from_hours(days * 24)
    }

    /// The span in milliseconds.
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// The span in seconds, with fractions.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    /// This span a whole number of times.
    pub const fn times(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

impl Add for SimDuration {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for SimDuration {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for SimDuration {
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        items.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for SimDuration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (secs, millis) = (self.0 / 1000, self.0 % 1000);
        match (secs, millis) {
            (0, millis) => write!(formatter, "{millis} ms"),
            (secs, 0) => write!(formatter, "{secs} s"),
            (secs, millis) => write!(formatter, "{secs}.{millis:03} s"),
        }
    }
}

/// An instant of simulated time: milliseconds since 1970-01-01T00:00:00Z.
///
/// The scenario's `start` fixes the first instant. Traces print the distance from it; the home's files print the
/// instant itself as ISO 8601 (see [`super::Stamp`]), so that a simulated home reads like a real one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SimTime(i64);

impl SimTime {
    /// The instant so many milliseconds after the Unix epoch.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the Unix epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// The span from `earlier` to this instant; zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> SimDuration {
        SimDuration(u64::try_from(self.0 - earlier.0).unwrap_or(0))
    }
}

impl Add<SimDuration> for SimTime {
    type Output = Self;
    fn add(self, span: SimDuration) -> Self {
        Self(self.0.saturating_add_unsigned(span.0))
    }
}

impl Sub<SimDuration> for SimTime {
    type Output = Self;
    fn sub(self, span: SimDuration) -> Self {
        Self(self.0.saturating_sub_unsigned(span.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_characters_make_a_token_and_a_rest_makes_one_more() {
        assert_eq!(Chars::of("").estimate_tokens(), Tokens(0));
        assert_eq!(Chars::of("abcd").estimate_tokens(), Tokens(1));
        assert_eq!(Chars::of("äöüßx").estimate_tokens(), Tokens(2));
    }

    #[test]
    fn durations_print_with_their_unit() {
        assert_eq!(SimDuration::from_millis(7).to_string(), "7 ms");
        assert_eq!(SimDuration::from_millis(2005).to_string(), "2.005 s");
        assert_eq!(SimDuration::from_secs(3).to_string(), "3 s");
    }
}
