//! What a run would do to a home, and who is within its reach: read, never written.
//!
//! Both look through [`ReadOnlyFiles`]: no lock, no side file, no change of any kind can come of them. What cannot be
//! known without writing (a rollback that was interrupted, a clock that the first poll would start) is said in words.

mod config;
mod plan;
mod reach;

pub use config::{HomeConfigError, home_config, warnings};
pub use plan::{Preview, PreviewStep, preview};
pub use reach::{HomeStatus, Reach, Why, status};

use super::context::{CuratorContext, CuratorState};
use crate::behaviour::{Behaviour, Settings};
use crate::skills::{Library, LibraryState, WriteBack};
use crate::stores::{Files, ReadOnlyFiles};
use crate::values::Stamp;

/// Runs the body on a home that cannot be changed.
fn on_read_only<T>(
    home: &dyn Files,
    at: Stamp,
    settings: &Settings,
    body: impl FnOnce(&mut CuratorContext<'_, '_>) -> T,
) -> T {
    let behaviour = Behaviour::resolve(settings);
    let mut files = ReadOnlyFiles(home);
    let mut skills = LibraryState::new(WriteBack::Later);
    let mut state = CuratorState::default();
    let mut library = Library::open(&mut files, &mut [], &behaviour.skills);
    body(&mut CuratorContext {
        library: &mut library,
        skills: &mut skills,
        state: &mut state,
        behaviour: &behaviour,
        at,
    })
}
