//! Spans and instants of a scenario as simulated time.

use std::time::Duration;

use agent_core::values::{SimDuration, SimTime};
use mock_llm::decode::{Decoder, parse_instant};
use mock_llm::yaml::Node;

/// Longer spans are mistakes: no scenario runs for a century.
const SPAN_MAX: SimDuration = SimDuration::from_days(36_525);

/// The scenario's clock: places in time are spans from its start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    pub(super) start: SimTime,
}

impl Clock {
    /// A place in time: a span from the start, or an instant not before it.
    pub(super) fn at(self, d: &Decoder, node: &Node) -> Option<SimDuration> {
        let Some(instant) = node.as_text().and_then(parse_instant) else { return span(d, node) };
        let instant = SimTime::from_millis(instant.as_millisecond());
        if instant < self.start {
            d.error(node.span, "this instant lies before the scenario's start");
            return None;
        }
        Some(instant.since(self.start))
    }
}

/// A span.
pub(super) fn span(d: &Decoder, node: &Node) -> Option<SimDuration> {
    let span = from_std(d.duration(node)?);
    if span > SPAN_MAX {
        d.error(node.span, "this span is longer than a century");
        return None;
    }
    Some(span)
}

/// A span of at least a millisecond.
pub(super) fn positive_span(d: &Decoder, node: &Node) -> Option<SimDuration> {
    let span = span(d, node)?;
    if span == SimDuration::ZERO {
        d.error(node.span, "this span must be longer than nothing");
        return None;
    }
    Some(span)
}

fn from_std(duration: Duration) -> SimDuration {
    SimDuration::from_millis(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}
