//! References of scheduled jobs to skills (`spec/curator.md` §12, `spec/curator-backup.md` §6).
//!
//! The store is `cron/jobs.json`: an object with a list `jobs`, or a bare list. Only `skills` and `skill` of a job are
//! ever changed; everything else of the store is kept as it is.
//!
//! Deliberately not here: running jobs, and references in their scripts and prompts, which nothing follows.

mod links;
mod names;
mod rewrite;
mod store;

pub use links::{LinkChange, LinkReport, MissingJob, restore_links};
pub use names::{JobSkills, is_found, named_skills};
pub(super) use rewrite::restore_store;
pub use rewrite::{JobRewrite, Moves, RewriteReport, rewrite};
pub(super) use store::{JobStore, STORE, jobs_of, without_mark};
