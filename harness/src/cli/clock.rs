//! The wall clock, for what a person is told and for `volatile` in `run.json`. No result depends on it.

use std::time::Instant;

/// A clock that was started.
#[derive(Debug)]
pub(super) struct Clock {
    started_at: String,
    started: Instant,
}

impl Clock {
    /// Starts now.
    #[expect(clippy::disallowed_methods, reason = "for `volatile` in run.json and nothing else")]
    pub(super) fn start() -> Self {
        Self { started_at: jiff::Timestamp::now().to_string(), started: Instant::now() }
    }

    /// When it was started, ISO 8601 in UTC.
    pub(super) fn started_at(&self) -> &str {
        &self.started_at
    }

    /// Milliseconds since then.
    pub(super) fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// This instant, for a look at a real home when no other is named.
pub(super) fn now() -> jiff::Timestamp {
    jiff::Timestamp::now()
}
