//! When users come.

use std::collections::VecDeque;
use std::sync::Arc;

use agent_core::values::{Draws, SimDuration, SimTime};

use super::log::ln;

const DAY_MS: i64 = 86_400_000;

/// How the sessions of a piece of work are spread in time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Arrivals {
    /// At equal distances, the first at the beginning.
    Every(SimDuration),
    /// At random, so many on average in a span, each independent of the others.
    Poisson {
        /// The span.
        per: SimDuration,
        /// The mean number of arrivals in it.
        mean: f64,
    },
    /// So many on each day from Monday to Friday, spread over the working hours.
    WorkingDays {
        /// Beginning of the working hours, since midnight UTC.
        opens: SimDuration,
        /// Their end.
        closes: SimDuration,
        /// Arrivals of a day.
        per_day: u32,
    },
}

/// The arrivals of one user's work in order, drawn one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    arrivals: Arrivals,
    draws: Draws,
    start: SimTime,
    user: Arc<str>,
    work: Arc<str>,
    from: SimDuration,
    until: SimDuration,
    /// Arrivals drawn so far.
    drawn: u64,
    /// The last one, for those that are counted from it.
    last: SimDuration,
    /// What is left of the day drawn last, and that day since the Unix epoch.
    today: VecDeque<SimDuration>,
    day: i64,
}

/// Whose arrivals: the keys of their draws.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whose<'a> {
    pub(crate) user: &'a Arc<str>,
    pub(crate) work: &'a Arc<str>,
}

impl Stream {
    /// The arrivals from one instant up to another, both counted from the scenario's start, the last one left out.
    pub(crate) fn new(
        arrivals: Arrivals,
        draws: Draws,
        start: SimTime,
        whose: Whose<'_>,
        from: SimDuration,
        until: SimDuration,
    ) -> Self {
        Self {
            arrivals,
            draws,
            start,
            user: Arc::clone(whose.user),
            work: Arc::clone(whose.work),
            from,
            until,
            drawn: 0,
            last: from,
            today: VecDeque::new(),
            day: (start + from).as_millis().div_euclid(DAY_MS) - 1,
        }
    }

    fn every(&mut self, every: SimDuration) -> SimDuration {
        self.from + every.times(self.drawn - 1)
    }

    /// The gap to the last arrival is exponential, its own draw.
    fn poisson(&mut self, per: SimDuration, mean: f64) -> SimDuration {
        let unit = self.draws.unit(&["arrival", &self.user, &self.work, &self.drawn.to_string()]);
        let gap = -ln(1.0 - unit) * per.as_millis() as f64 / mean;
        // A gap beyond the end is as good as any other one beyond it.
        let most = self.until.as_millis() as f64;
        self.last += whole_ms(gap.min(most).round());
        self.last
    }

    fn working_days(&mut self, opens: SimDuration, closes: SimDuration, per_day: u32) -> Option<SimDuration> {
        loop {
            if let Some(at) = self.today.pop_front() {
                return Some(at);
            }
            self.day += 1;
            let midnight = SimTime::from_millis(self.day * DAY_MS);
            if midnight >= self.start + self.until {
                return None;
            }
            // The first day of the epoch was a Thursday.
            if (self.day + 3).rem_euclid(7) >= 5 {
                continue;
            }
            let (window, day) = ((closes.as_millis() - opens.as_millis()) as f64, self.day.to_string());
            let mut times: Vec<SimTime> = (0..per_day)
                .map(|number| {
                    let key = ["arrival", &self.user, &self.work, &day, &number.to_string()];
                    midnight + opens + whole_ms(self.draws.unit(&key) * window)
                })
                .collect();
            times.sort_unstable();
            let (start, from) = (self.start, self.start + self.from);
            self.today.extend(times.into_iter().filter(|at| *at >= from).map(|at| at.since(start)));
        }
    }
}

/// The whole milliseconds of a time that is not negative and ends within a scenario.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "such times fit by far")]
fn whole_ms(ms: f64) -> SimDuration {
    SimDuration::from_millis(ms as u64)
}

/// Arrivals since the scenario's start, ascending.
impl Iterator for Stream {
    type Item = SimDuration;

    fn next(&mut self) -> Option<SimDuration> {
        self.drawn += 1;
        let at = match self.arrivals {
            Arrivals::Every(every) => self.every(every),
            Arrivals::Poisson { per, mean } => self.poisson(per, mean),
            Arrivals::WorkingDays { opens, closes, per_day } => self.working_days(opens, closes, per_day)?,
        };
        (at < self.until).then_some(at)
    }
}

#[cfg(test)]
mod tests {
    use agent_core::values::Seed;
    use proptest::prelude::*;

    use super::*;

    /// Monday, 2026-01-05T09:00:00Z.
    const START: SimTime = SimTime::from_millis(1_767_603_600_000);

    fn arrivals() -> impl Strategy<Value = Arrivals> {
        prop_oneof![
            (1_u64..50).prop_map(|hours| Arrivals::Every(SimDuration::from_hours(hours))),
            (1_u64..20, 0.1_f64..40.0)
                .prop_map(|(days, mean)| Arrivals::Poisson { per: SimDuration::from_days(days), mean }),
            (0_u64..12, 1_u64..12, 1_u32..5).prop_map(|(opens, hours, per_day)| Arrivals::WorkingDays {
                opens: SimDuration::from_hours(opens),
                closes: SimDuration::from_hours(opens + hours),
                per_day,
            }),
        ]
    }

    fn stream(arrivals: Arrivals, seed: u64, user: &str, from: u64, days: u64) -> Stream {
        let (user, work) = (user.into(), "daily".into());
        let from = SimDuration::from_hours(from);
        let until = from + SimDuration::from_days(days);
        Stream::new(arrivals, Draws::new(Seed(seed)), START, Whose { user: &user, work: &work }, from, until)
    }

    proptest! {
        #[test]
        fn are_sorted_within_bounds_and_the_same_again(
            arrivals in arrivals(), seed: u64, from in 0_u64..200, days in 0_u64..40,
        ) {
            let all: Vec<SimDuration> = stream(arrivals, seed, "ana", from, days).collect();
            let (first, end) = (SimDuration::from_hours(from), SimDuration::from_hours(from + 24 * days));
            prop_assert!(all.windows(2).all(|pair| pair[0] <= pair[1]));
            prop_assert!(all.iter().all(|at| (first..end).contains(at)));
            prop_assert_eq!(&all, &stream(arrivals, seed, "ana", from, days).collect::<Vec<_>>());
            // A longer life begins with the shorter one.
            let longer: Vec<SimDuration> = stream(arrivals, seed, "ana", from, days + 7).collect();
            prop_assert_eq!(&longer[..all.len()], &all[..]);
        }
    }

    #[test]
    fn working_days_are_weekdays_and_within_hours() {
        let arrivals = Arrivals::WorkingDays {
            opens: SimDuration::from_hours(9),
            closes: SimDuration::from_hours(17),
            per_day: 2,
        };
        let all: Vec<SimDuration> = stream(arrivals, 1, "ana", 0, 28).collect();
        let of_day = |at: &SimDuration| (at.as_millis() + 9 * 3_600_000) % 86_400_000 / 3_600_000;
        assert!(all.iter().all(|at| (9..17).contains(&of_day(at))));
        let days: std::collections::BTreeSet<u64> =
            all.iter().map(|at| (at.as_millis() + 9 * 3_600_000) / 86_400_000).collect();
        assert_eq!(
            (days.len(), all.len()),
            (20, 40),
            "four weeks of five days, two each, from nine o'clock on"
        );
        assert!(days.iter().all(|day| day % 7 < 5), "the scenario starts on a Monday");
    }

    #[test]
    fn the_mean_of_a_poisson_process_is_its_mean_and_users_differ() {
        let arrivals = Arrivals::Poisson { per: SimDuration::from_days(7), mean: 7.0 };
        let count = |user: &str| stream(arrivals, 3, user, 0, 7 * 500).count() as f64 / 500.0;
        assert!((count("ana") - 7.0).abs() < 0.4, "{}", count("ana"));
        assert_ne!(
            stream(arrivals, 3, "ana", 0, 70).collect::<Vec<_>>(),
            stream(arrivals, 3, "ben", 0, 70).collect::<Vec<_>>()
        );
    }
}
