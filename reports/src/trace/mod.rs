//! The trace of a cell: the ordered events that every figure is computed from, one JSON line each.
//!
//! Here stand the types, a streaming writer, a reader and the JSON Schema. What the figures are stands in
//! [`crate::records`]. A trace deliberately says nothing that cannot repeat: no wall clock, no host, no path.

mod event;
mod kinds;
mod reader;
#[cfg(test)]
pub(crate) mod samples;
mod schema;
#[cfg(test)]
mod tests;
mod text;
mod writer;

pub use event::{
    Counters, Event, Kind, LibraryState, ListedSkill, MemoryState, NearRule, PromptPart, ReviewCause,
    Setting, TokenCounts,
};
pub use reader::{TraceError, TraceReader};
pub use schema::schema;
pub use text::{Data, INLINE_BYTES_MAX, Text};
pub use writer::TraceWriter;

/// Version of the trace format. It changes when a field or kind changes its meaning or goes; additions keep it.
pub const SCHEMA_VERSION: u32 = 1;

/// The kind of the lines that hold long texts.
const TEXT_KIND: &str = "text";
