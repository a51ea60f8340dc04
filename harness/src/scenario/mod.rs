//! Scenarios: what a person writes, checked and resolved into what the simulation wants.
//!
//! All mistakes of all files are collected before anything runs. Nothing here simulates, and nothing outside reads the
//! files again.

mod arms;
mod commands;
mod expect;
mod file;
mod homes;
mod load;
mod model;
mod names;
mod past;
mod schema;
mod schema_work;
mod server;
mod stores;
mod timeline;
mod times;
mod turns;
mod work;

pub(crate) use arms::hint_for;
pub(crate) use expect::{EXPECT_NAMES, FAMILY_FIGURES};
pub use load::{Loaded, load};
pub(crate) use load::{read_small, reason_of, shown};
pub use model::{
    Arm, Begins, Expectation, Idle, IfBusy, Interrupt, Item, Moment, PastMessage, PastSession, PollTimes,
    Polls, Reaction, Scenario, Session, SharedStore, Surface, Turn, What,
};
pub(crate) use names::is_name;
pub(crate) use schema::{families_schema, rates_schema, scenario_schema, world_schema};
