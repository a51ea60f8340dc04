//! The machine: an [`Agent`] takes events with their time and answers with wishes.

mod event;
mod request;

pub use event::{Command, Event, Wish};
pub use request::{ModelFault, ModelOutcome, ModelRequest, ToolAnswer, ToolOutcome, TurnEnd};
