//! Everything that happens in a cell, on its way into the trace and into the records.
//!
//! Events are numbered here and nowhere else. Records are measured from the same events that are written, so that a
//! run that keeps no traces measures the same figures.

use std::io::Write;
use std::sync::Arc;

use agent_core::values::{Place, SessionName, SimTime};
use reports::measure::Measure;
use reports::records::Records;
use reports::trace::{Event, Kind, SCHEMA_VERSION, TraceWriter};
use reports::{CellOutcome, Evidence};

use super::driver::CellInput;
use super::notes;
use crate::scenario::Scenario;

/// Where the events of a cell go.
pub(crate) struct Recorder<'a> {
    start: SimTime,
    next: u64,
    /// None where no trace is wanted.
    trace: Option<TraceWriter<Box<dyn Write + 'a>>>,
    measure: Measure,
    #[cfg(test)]
    plant: Option<crate::run::plant::Plant>,
}

impl<'a> Recorder<'a> {
    /// A recorder that writes the trace there. The caller buffers.
    pub(crate) fn new(scenario: &Scenario, out: Box<dyn Write + 'a>) -> Self {
        Self { trace: Some(TraceWriter::new(out)), ..Self::measuring(scenario) }
    }

    /// A recorder that measures and writes no trace.
    pub(crate) fn measuring(scenario: &Scenario) -> Self {
        let measure = scenario.prices.clone().map_or_else(Measure::new, Measure::with_prices);
        Self {
            start: scenario.start,
            next: 1,
            trace: None,
            measure,
            #[cfg(test)]
            plant: None,
        }
    }

    /// The same with a planted mistake.
    #[cfg(test)]
    pub(crate) fn planted(self, plant: Option<crate::run::plant::Plant>) -> Self {
        Self { plant, ..self }
    }

    /// The first event of a trace.
    pub(crate) fn start(&mut self, input: &CellInput<'_>) -> anyhow::Result<()> {
        let (scenario, rates) = (input.scenario, input.arm.rates.as_ref());
        self.of_cell(
            self.start,
            Kind::CellStart {
                schema: SCHEMA_VERSION,
                scenario: Arc::clone(&scenario.name),
                arm: Arc::clone(&input.arm.name),
                seed: input.seed.0,
                start_ms: scenario.start.as_millis(),
                version: input.settings.version().as_str().into(),
                digest: Arc::clone(&input.digest),
                evidence: rates.map_or(Evidence::Counted, |rates| rates.evidence()),
                world: rates.map_or_else(|| "".into(), |rates| Arc::clone(&rates.world)),
                settings: input.varied.clone(),
            },
        )
    }

    /// The last event of a trace.
    pub(crate) fn end(&mut self, now: SimTime, outcome: CellOutcome, reason: &str) -> anyhow::Result<()> {
        let digest = self.trace.as_ref().map(TraceWriter::digest).unwrap_or_default().into();
        self.of_cell(now, Kind::CellEnd { outcome, reason: reason.into(), digest })
    }

    /// Finishes the trace and gives the records.
    pub(crate) fn finish(self) -> anyhow::Result<Records> {
        self.trace.map(TraceWriter::finish).transpose()?;
        Ok(self.measure.finish())
    }

    /// An event that concerns the whole cell.
    pub(crate) fn of_cell(&mut self, now: SimTime, kind: Kind) -> anyhow::Result<()> {
        let event = Event::of_cell(self.next, self.at_ms(now), kind);
        self.write(&event)
    }

    /// An event of a user, outside any conversation.
    pub(crate) fn of_user(&mut self, now: SimTime, user: &Arc<str>, kind: Kind) -> anyhow::Result<()> {
        let mut event = Event::of_cell(self.next, self.at_ms(now), kind);
        event.user = Arc::clone(user);
        self.write(&event)
    }

    /// An event of a user beside a conversation of this session, if of any.
    pub(crate) fn of_session(
        &mut self,
        now: SimTime,
        user: &Arc<str>,
        session: Option<&SessionName>,
        kind: Kind,
    ) -> anyhow::Result<()> {
        let mut event = Event::of_cell(self.next, self.at_ms(now), kind);
        event.user = Arc::clone(user);
        event.session = session.map(|name| name.as_str().into());
        self.write(&event)
    }

    /// An event of a conversation.
    pub(crate) fn of_place(
        &mut self,
        now: SimTime,
        user: &Arc<str>,
        place: &Place,
        kind: Kind,
    ) -> anyhow::Result<()> {
        let event = Event {
            n: self.next,
            at_ms: self.at_ms(now),
            user: Arc::clone(user),
            session: place.session.as_ref().map(|name| name.as_str().into()),
            conversation: Some(place.conversation.0),
            role: Some(notes::role(place.role)),
            turn: place.turn,
            iteration: place.iteration,
            kind,
        };
        self.write(&event)
    }

    fn at_ms(&self, now: SimTime) -> i64 {
        now.as_millis() - self.start.as_millis()
    }

    fn write(&mut self, event: &Event) -> anyhow::Result<()> {
        self.next += 1;
        #[cfg(test)]
        let event = &spoilt(event, self.plant);
        self.measure.push(event);
        match &mut self.trace {
            Some(trace) => Ok(trace.write(event)?),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
fn spoilt(event: &Event, plant: Option<crate::run::plant::Plant>) -> Event {
    let mut event = event.clone();
    if let Some(plant) = plant {
        plant.spoil(&mut event);
    }
    event
}
