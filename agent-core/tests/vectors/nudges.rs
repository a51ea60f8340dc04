//! Nudge counters.
