//! Moving a skill into the archive (`spec/skill-usage.md` §6). Pins are not looked at here; callers do that.

use super::super::library::Spot;
use super::names::Usage;
use super::record::SkillState;
use super::sources::set_suppressed;
use crate::stores::{FilesError, TreePath, exists, is_dir};

/// The archive's directory in a root.
pub(super) const ARCHIVE: &str = ".archive";

/// A skill that was archived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archived {
    /// Where it lay.
    pub from: Spot,
    /// Where it lies now.
    pub to: Spot,
}

/// Why a skill was not archived.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    /// It lies in a directory that is not the agent's own.
    #[error("the skill lies in an external directory")]
    External,
    /// Its name is protected.
    #[error("the skill is protected")]
    Protected,
    /// It was installed from a hub.
    #[error("the skill was installed from a hub")]
    Hub,
    /// It came with the program, and such skills are not pruned.
    #[error("the skill came with the program")]
    Bundled,
    /// No skill declares the name.
    #[error("no skill declares this name")]
    NotFound,
    /// The move failed.
    #[error("the skill could not be moved")]
    Io(#[source] FilesError),
}

impl ArchiveError {
    /// The kind in the specs.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::External => "external",
            Self::Protected => "protected",
            Self::Hub => "hub",
            Self::Bundled => "bundled",
            Self::NotFound => "not-found",
            Self::Io(_) => "io-error",
        }
    }
}

impl Usage<'_, '_> {
    /// Archives the skill that declares this name and sets its state.
    ///
    /// # Errors
    /// See [`ArchiveError`]; nothing was moved then.
    pub fn archive(&mut self, name: &str) -> Result<Archived, ArchiveError> {
        let found = self.local(name);
        if found.is_none() && self.has_elsewhere(name) {
            return Err(ArchiveError::External);
        }
        if self.is_protected(name) {
            return Err(ArchiveError::Protected);
        }
        if self.is_hub(name) {
            return Err(ArchiveError::Hub);
        }
        let bundled = self.is_bundled(name);
        if bundled && !self.rules.usage.prune_builtins {
            return Err(ArchiveError::Bundled);
        }
        let skill = found.ok_or(ArchiveError::NotFound)?;
        let root = self.library.roots()[skill.root].spot.clone();
        // First the name, then the move: what is archived without its name being suppressed comes back by the next
        // update, while a suppressed name of a skill in its place does no harm.
        let suppressed = bundled && self.suppress(name).map_err(ArchiveError::Io)?;
        let moved = self.move_to_archive(&skill.spot, &root, &skill.dir_name);
        if moved.is_err() && suppressed {
            let _ = set_suppressed(self.library, name, false);
            self.state.catalogue.accept(self.library);
        }
        let to = moved.map_err(ArchiveError::Io)?;
        self.state.catalogue.changed(self.library, &skill.spot);
        self.set_state(name, SkillState::Archived);
        Ok(Archived { from: skill.spot, to })
    }

    /// Keeps the installer away from a bundled skill; says whether it was not kept away before.
    fn suppress(&mut self, name: &str) -> Result<bool, FilesError> {
        let changed = set_suppressed(self.library, name, true)?;
        self.state.catalogue.accept(self.library);
        Ok(changed)
    }

    fn move_to_archive(&mut self, from: &Spot, root: &Spot, dir_name: &str) -> Result<Spot, FilesError> {
        let archive = root.below(&TreePath::new(ARCHIVE));
        let stamped = format!("{dir_name}-{}", self.at.to_basic_seconds());
        let files = self.library.files_mut(root.tree);
        files.create_dir(&archive.path)?;
        let mut to = archive.join(dir_name)?;
        if exists(files, &to.path) {
            to = archive.join(&stamped)?;
            if is_dir(files, &to.path) {
                to = to.join(dir_name)?;
            }
        }
        files.rename(&from.path, &to.path)?;
        Ok(to)
    }
}
