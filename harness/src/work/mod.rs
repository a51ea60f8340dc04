//! Generated work: when users come, with which tasks, in which words.
//!
//! One line of a timeline can stand for ten thousand sessions, so work is drawn session by session when it is due, and
//! nothing of it is kept afterwards. Every draw is a keyed hash of (seed, purpose, user, work, number): the arms of a
//! scenario share their work, and one more draw never moves another.

mod arrivals;
mod draw;
mod log;

pub(crate) use arrivals::{Arrivals, Stream, Whose};
pub use draw::Work;
pub(crate) use draw::{Task, Tasks};
