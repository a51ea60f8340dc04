//! The machine as its callers see it: events in, wishes out, in simulated time. One module a promise.

mod arrivals;
mod compression;
mod defer;
mod delegates;
mod faults;
mod hostile;
mod interrupts;
mod laws;
mod parity;
mod replies;
mod retries;
mod reviews;
#[path = "../rig/mod.rs"]
mod rig;
mod rounds;
mod scene;
mod sessions;
