//! The report of a run (`spec/curator.md` §13): `logs/curator/<time>/` with `run.json`, `REPORT.md` and, if a job
//! changed, `cron_rewrites.json`.

mod folder;
mod json;
mod markdown;
mod pass_report;

pub(super) use folder::Folder;
pub use pass_report::{PassReport, StateChange};
