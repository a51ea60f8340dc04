//! The curator's commands (`spec/curator.md` §14): what a user can ask for beside a run.
//!
//! Each gives data and words; nothing prints. Snapshots and rollback are commands as well, and stand on
//! [`super::CuratorContext`].

mod answer;
mod archive;
mod own;
mod prune;
mod status;

pub use answer::CommandAnswer;
pub use archive::{archive, list_archived, restore};
pub use own::{adopt, notice, pause, pin, unmanaged};
pub use prune::{PruneAnswer, PruneAsk, prune};
pub use status::{Mode, RunAge, StateCounts, Status, status};
