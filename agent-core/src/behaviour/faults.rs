//! Faults of the reference as switches `faults.<name>`.

use super::version::Version;
use super::{
    compression, curator, delegation, guard, memory, nudges, patch, prompt, review, sessions, skills,
    staging, turn,
};

/// One known mistake of the reference.
#[derive(Clone, Copy, Debug)]
pub struct FaultRow {
    /// The name after `faults.`, in snake case.
    pub name: &'static str,
    /// Which versions have it, in the order of [`Version::ALL`].
    pub versions: [bool; 5],
    /// The rule that it decides.
    pub field: &'static str,
    /// What happens with the fault on.
    pub on: &'static str,
    /// What happens with it off.
    pub off: &'static str,
    /// Where it was reported or found.
    pub report: &'static str,
}

impl FaultRow {
    /// Whether a version has it.
    pub fn is_in(&self, version: Version) -> bool {
        self.versions[version.column()]
    }
}

/// All faults, area by area.
pub fn faults() -> impl Iterator<Item = &'static FaultRow> {
    [
        nudges::FAULTS,
        review::FAULTS,
        turn::FAULTS,
        memory::FAULTS,
        staging::FAULTS,
        skills::FAULTS,
        patch::FAULTS,
        guard::FAULTS,
        curator::FAULTS,
        prompt::FAULTS,
        sessions::FAULTS,
        compression::FAULTS,
        delegation::FAULTS,
    ]
    .into_iter()
    .flatten()
}
