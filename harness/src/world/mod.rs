//! The world: what tools answer, by rules over facts and workspace files. It knows nothing of agents, skills or
//! sessions, and never runs anything.

mod answer;
mod context;
mod decode;
pub(crate) mod keys;
mod model;
mod shell;
#[cfg(test)]
mod tests;

pub(crate) use answer::{Asked, WorldState};
pub(crate) use decode::{is_home_tool, world as decode_world};
pub use model::World;
