//! Simulates self-improving agents over weeks of a described world, in seconds and with the same bytes every time.
//!
//! Data takes one road, and each stage reads only what the one before it made:
//!
//! ```text
//! scenario files ─load─▶ grid of cells ─simulate─▶ traces ─measure─▶ records ─▶ verdict · tables
//! ```
//!
//! # Invariants
//!
//! * All mistakes of all input files are found before anything runs; what loaded cannot fail for what was written.
//! * One cell is one thread of events. Results depend on its files, arm and seed, and on nothing else: not on other
//!   cells, the transport, the number of threads, the clock, the time zone or the locale.
//! * Nothing is executed on the host, and no host but loopback is contacted.
//! * A result file is there whole or not at all.
//! * One verdict makes table, `run.json` and exit code.

pub mod cli;
mod experiments;
mod families;
mod prompts_check;
mod run;
pub mod scenario;
mod show;
mod sim;
mod transport;
mod work;
mod world;

pub use sim::{Latencies, Pace};
pub use transport::TransportKind;
pub use work::Work;
pub use world::World;
