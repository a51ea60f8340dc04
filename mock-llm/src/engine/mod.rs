//! From a request to an answer: position, choice, steps, faults.
//!
//! An answer is a function of request, seed, conversation key, simulated time and attempt; the only state is the journal of
//! the cell, and of that only the count of attempts is ever read back. So a resumed session needs no memory of the
//! server's, and the same conversation gives the same bytes over any transport.

mod answer;
mod asking;
mod choose;
mod fault;
mod index;
mod journal;
mod miss;
mod position;
mod render;
mod walk;

pub use answer::{Answer, Context, Delivery};
pub use asking::Engine;
pub(crate) use index::Indexes;
pub use journal::{Fired, Journal};
pub use miss::{Miss, MissKind, Near};
pub use position::{Frame, Position};

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
