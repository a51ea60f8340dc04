//! The curator: transitions, schedule, weeks of runs, classification, snapshots, archive (`spec/curator.md`).

mod archive;
mod classify;
mod rollback;
mod schedule;
mod timeline;
mod transitions;
mod world;
