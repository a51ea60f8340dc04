//! Days: at the end of each, the state of library and memory goes into the trace.
//!
//! Days are counted from the scenario's start, 24 hours each, whatever the calendar says. They are no entries of the
//! queue: before anything of a later day happens, the days that ended are closed, so that what is due at midnight
//! belongs to the new day.

use agent_core::machine::{Command, Event};
use agent_core::values::{SimDuration, SimTime};
use reports::trace::Kind;

use super::driver::{Driver, Owner, PLATFORM};

const DAY: SimDuration = SimDuration::from_days(1);

/// Which day it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DayClock {
    start: SimTime,
    /// The day that is not closed yet.
    day: u32,
}

impl DayClock {
    /// A clock at the first instant of day 0.
    pub(crate) fn new(start: SimTime) -> Self {
        Self { start, day: 0 }
    }

    /// The day of an instant.
    pub(crate) fn day_of(&self, now: SimTime) -> u32 {
        u32::try_from(now.since(self.start).as_millis() / DAY.as_millis()).unwrap_or(u32::MAX)
    }

    /// The end of the day that is not closed yet.
    fn end(&self) -> SimTime {
        self.start + DAY.times(u64::from(self.day) + 1)
    }
}

impl Driver<'_> {
    /// Closes the days that end before or at this instant.
    pub(super) fn close_days(&mut self, at: SimTime) -> anyhow::Result<()> {
        while self.days.end() <= at {
            self.now = self.days.end();
            self.close_day()?;
        }
        Ok(())
    }

    /// Closes the day on which the last thing happened.
    pub(super) fn close_last_day(&mut self) -> anyhow::Result<()> {
        self.now = self.days.end();
        self.close_day()
    }

    /// What the agents held back for speed goes into their homes, then the state of each is taken down.
    fn close_day(&mut self) -> anyhow::Result<()> {
        for user in 0..self.users.len() {
            self.feed(Owner { user, session: None }, Event::Command(Command::Flush))?;
            let user = &mut self.users[user];
            let (library, memory) = user.survey.take(&mut user.home, &mut self.stores, &user.tools, PLATFORM);
            let polls = std::mem::take(&mut user.polls.today);
            let kind = Kind::Day { day: self.days.day, library, memory, polls };
            self.recorder.of_user(self.now, &user.name, kind)?;
        }
        self.days.day += 1;
        Ok(())
    }
}
