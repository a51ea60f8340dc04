//! From a cell's events to its records: one pass, event by event, with memory for the rows and what is still open.
//!
//! Nothing else makes figures. The measure never fails: an event that fits nothing (an answer without a call, a
//! session that was never opened) is counted as far as it can be, so that the records of a broken cell show what
//! there was. Definitions stand at the rows' fields.

mod calls;
mod days;
mod finish;
mod knowledge;
mod lessons;
mod nudges;
mod reviews;
mod sessions;
mod state;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::money::Prices;
use crate::records::{CellRow, Records};
use crate::trace::{Event, Kind};
use state::{Key, Users};

/// Measures one cell.
#[derive(Debug, Default)]
pub struct Measure {
    prices: Option<Prices>,
    key: Key,
    cell: CellRow,
    start_ms: i64,
    users: Users,
    records: Records,
}

impl Measure {
    /// A measure without prices: money columns stay empty.
    pub fn new() -> Self {
        Self::default()
    }

    /// A measure that prices each request.
    pub fn with_prices(prices: Prices) -> Self {
        Self { prices: Some(prices), ..Self::default() }
    }

    /// Takes in the next event of the trace.
    pub fn push(&mut self, event: &Event) {
        self.cell.events += 1;
        match &event.kind {
            Kind::CellStart { .. } => self.cell_start(event),
            Kind::CellEnd { outcome, reason, .. } => {
                self.cell.outcome = Some(*outcome);
                self.cell.reason = Arc::clone(reason.shared());
            }
            Kind::Miss { .. } => self.cell.misses += 1,
            _ => self.push_of_user(event),
        }
    }

    /// The records of all that was pushed.
    pub fn finish(mut self) -> Records {
        self.finish_skills();
        self.finish_writes();
        self.finish_curator();
        self.finish_cell();
        self.records.sort();
        self.records
    }

    fn cell_start(&mut self, event: &Event) {
        let Kind::CellStart {
            scenario, arm, seed, start_ms, version, digest, evidence, world, settings, ..
        } = &event.kind
        else {
            return;
        };
        self.key = Key {
            scenario: Arc::clone(scenario),
            arm: Arc::clone(arm),
            seed: *seed,
            user: Arc::from(""),
            evidence: *evidence,
        };
        self.start_ms = *start_ms;
        let settings: Vec<_> =
            settings.iter().map(|setting| format!("{}={}", setting.key, setting.value)).collect();
        self.cell = CellRow {
            scenario: Arc::clone(scenario),
            arm: Arc::clone(arm),
            seed: *seed,
            version: Arc::clone(version),
            world: Arc::clone(world),
            settings: settings.join(" ").into(),
            digest: Arc::clone(digest),
            started_at: self.stamp(0),
            evidence: *evidence,
            events: self.cell.events,
            ..CellRow::default()
        };
    }

    fn push_of_user(&mut self, event: &Event) {
        match &event.kind {
            Kind::SessionStart { .. }
            | Kind::SessionEnd { .. }
            | Kind::TurnStart { .. }
            | Kind::TurnEnd { .. }
            | Kind::Interrupt
            | Kind::Steer { .. }
            | Kind::Compression { .. } => self.session_event(event),
            Kind::ModelCall { .. }
            | Kind::ModelAnswer { .. }
            | Kind::ToolCall { .. }
            | Kind::ToolAnswer { .. } => self.call_event(event),
            Kind::Nudge { which, event: what, why } => self.nudge(event, *which, *what, why),
            Kind::ReviewStart { .. } | Kind::ReviewEnd { .. } => self.review_event(event),
            Kind::Write { .. } | Kind::Visible { .. } | Kind::Load { .. } | Kind::Skill { .. } => {
                self.knowledge_event(event);
            }
            Kind::Hazard { .. } | Kind::Lesson { .. } => self.lesson_event(event),
            Kind::Day { .. } | Kind::CuratorRun { .. } => self.day_event(event),
            Kind::CellStart { .. }
            | Kind::CellEnd { .. }
            | Kind::Message { .. }
            | Kind::Retry { .. }
            | Kind::Delegate { .. }
            | Kind::CuratorIdle { .. }
            | Kind::Change { .. }
            | Kind::Unanswered { .. }
            | Kind::Notice { .. }
            | Kind::Miss { .. } => {}
        }
        self.extend_session(event);
    }

    /// The instant so many milliseconds after the scenario's start, as ISO 8601 in UTC.
    fn stamp(&self, at_ms: i64) -> Arc<str> {
        let millis = self.start_ms.saturating_add(at_ms);
        jiff::Timestamp::from_millisecond(millis).map_or_else(|_| "".into(), |stamp| stamp.to_string().into())
    }
}
