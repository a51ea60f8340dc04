//! What became of the skills that a pass removed (`spec/curator.md` §11): absorbed, or gone.
//!
//! Three signals, each read by its own function: what a delete declared ([`declared()`]), what the summary says
//! ([`Summary`]), what the other calls show ([`audit()`]). [`classify`] decides by precedence. All of it is pure.

mod audit;
mod calls;
mod decide;
mod declared;
mod summary;

pub(super) use audit::is_said;
pub use audit::{Evidence, audit};
pub use calls::{RecordedCall, cut_arguments};
pub use decide::{Classified, Consolidated, Destination, Pruned, Source, classify};
pub use declared::declared;
pub use summary::{Consolidation, Pruning, Summary};
