//! The simulation of one cell: an event queue, agents with homes in memory, a world, a scripted model.
//!
//! Deterministic: the same scenario, arm and seed give the same events in the same order. Nothing here looks at a
//! clock, draws at random or knows how many cells run beside it.

mod days;
mod driver;
mod files;
mod items;
mod keys;
mod latency;
mod learning;
#[cfg(test)]
mod learning_tests;
mod notes;
mod past;
mod perform;
mod places;
mod queue;
mod recorder;
mod stores;
mod survey;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod turns;
mod user;
mod work;

pub(crate) use driver::{CellInput, Driver, Ending};
pub use latency::{Latencies, Pace};
pub(crate) use past::close as write_sessions;
pub(crate) use recorder::Recorder;
