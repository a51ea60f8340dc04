//! Proposals: writes to memory or skills that wait for the user's word (`spec/memory.md` §8,
//! `spec/background-review.md` §7).
//!
//! One JSON file a proposal, `pending/<memory|skills>/<id>.json`, in the reference's own format. This module keeps
//! the files; it knows neither what a payload means nor whether it may be applied.
//!
//! # Invariants
//!
//! * A record is written whole or not at all, and never over another one.
//! * Records staged one after the other are listed in that order, also when they were staged at one instant.
//! * A name from outside is only ever used as the name of one file in the subsystem's own directory.

mod notice;
mod record;
mod store;

pub use notice::announcement;
pub use record::{PendingRecord, Proposal, Subsystem, summary};
pub use store::{count, delete, get, list, stage};
