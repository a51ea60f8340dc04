//! Bringing a skill back from the archive (`spec/skill-usage.md` §6).

use super::super::excluded::SKILL_FILE;
use super::super::library::Spot;
use super::archive::ARCHIVE;
use super::names::Usage;
use super::record::SkillState;
use super::sources::set_suppressed;
use crate::behaviour::{RestoreChoice, RestoreMatch};
use crate::stores::{Files, FilesError, Kind, TreePath, exists};

/// Digits of the stamp that a second archived copy's name ends in.
const STAMP_DIGITS: usize = 14;

/// A skill that came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// Where it lay.
    pub from: Spot,
    /// Where it lies now.
    pub to: Spot,
}

/// Why a skill was not restored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RestoreError {
    /// A hub skill has the name.
    #[error("a hub skill has this name")]
    ShadowsHub,
    /// A bundled skill has the name, and such skills are not pruned.
    #[error("a bundled skill has this name")]
    ShadowsBundled,
    /// There is no archive.
    #[error("there is no archive")]
    NoArchive,
    /// The archive holds nothing of the name.
    #[error("the archive holds no skill of this name")]
    NotFound,
    /// Something is at its place.
    #[error("something is at the skill's place")]
    DestinationExists,
    /// The move failed.
    #[error("the skill could not be moved")]
    Io(#[source] FilesError),
}

impl RestoreError {
    /// The kind in the specs.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::ShadowsHub => "restore-shadows-hub",
            Self::ShadowsBundled => "restore-shadows-bundled",
            Self::NoArchive => "no-archive",
            Self::NotFound => "archive-not-found",
            Self::DestinationExists => "destination-exists",
            Self::Io(_) => "io-error",
        }
    }
}

impl Usage<'_, '_> {
    /// Brings a skill back, by the name of its directory, to the top level of its root.
    ///
    /// # Errors
    /// See [`RestoreError`]; nothing was moved then.
    pub fn restore(&mut self, name: &str) -> Result<Restored, RestoreError> {
        if self.is_hub(name) {
            return Err(RestoreError::ShadowsHub);
        }
        if self.is_bundled(name) && !self.rules.usage.prune_builtins {
            return Err(RestoreError::ShadowsBundled);
        }
        let roots: Vec<Spot> = self
            .library
            .local_roots()
            .map(|root| root.spot.clone())
            .filter(|root| exists(self.library.files(root.tree), &root.path.below(&TreePath::new(ARCHIVE))))
            .collect();
        if roots.is_empty() {
            return Err(RestoreError::NoArchive);
        }
        let found = roots.into_iter().find_map(|root| {
            let archive = root.path.below(&TreePath::new(ARCHIVE));
            let path = self.choose(self.library.files(root.tree), &archive, name)?;
            Some((Spot { tree: root.tree, path }, root))
        });
        let (from, root) = found.ok_or(RestoreError::NotFound)?;
        let to = root.join(name).map_err(RestoreError::Io)?;
        if exists(self.library.files(root.tree), &to.path) {
            return Err(RestoreError::DestinationExists);
        }
        self.refresh();
        self.library.files_mut(root.tree).rename(&from.path, &to.path).map_err(RestoreError::Io)?;
        self.state.catalogue.changed(self.library, &to);
        // A name that stays suppressed keeps the installer away from a skill that is there anyway.
        let _ = set_suppressed(self.library, name, false);
        self.state.catalogue.accept(self.library);
        self.set_state(name, SkillState::Active);
        Ok(Restored { from, to })
    }

    /// The names of the archive's direct sub-directories, sorted, stamped ones included.
    pub fn archived_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .library
            .local_roots()
            .filter_map(|root| {
                let archive = root.spot.path.below(&TreePath::new(ARCHIVE));
                self.library.files(root.spot.tree).list(&archive).ok()
            })
            .flatten()
            .filter(|entry| entry.kind == Kind::Dir)
            .map(|entry| entry.name)
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn choose(&self, files: &dyn Files, archive: &TreePath, name: &str) -> Option<TreePath> {
        let mut dirs = Vec::new();
        collect_dirs(files, archive, &mut dirs);
        let rest_of = |dir: &TreePath| dir.name().strip_prefix(name)?.strip_prefix('-').map(str::to_owned);
        let is_stamp =
            |rest: &str| rest.len() == STAMP_DIGITS && rest.bytes().all(|byte| byte.is_ascii_digit());
        let rules = &self.rules.usage;
        if rules.restore_choice == RestoreChoice::Newest {
            // Only skills count here: a plain copy is older than every stamped one.
            let skills = dirs.iter().filter(|dir| exists(files, &dir.below(&TreePath::new(SKILL_FILE))));
            let stamp = |dir: &TreePath| match rest_of(dir) {
                Some(rest) if is_stamp(&rest) => Some(rest),
                _ => (dir.name() == name).then(String::new),
            };
            return skills.filter_map(|dir| Some((stamp(dir)?, dir))).max().map(|(_, dir)| dir.clone());
        }
        if let Some(dir) = dirs.iter().find(|dir| dir.name() == name) {
            return Some(dir.clone());
        }
        let fits = |dir: &&TreePath| {
            rest_of(dir).is_some_and(|rest| rules.restore_match == RestoreMatch::Prefix || is_stamp(&rest))
        };
        dirs.iter().filter(fits).max().cloned()
    }
}

/// Every directory below one, in path order.
fn collect_dirs(files: &dyn Files, dir: &TreePath, found: &mut Vec<TreePath>) {
    let Ok(entries) = files.list(dir) else { return };
    for entry in entries.into_iter().filter(|entry| entry.kind == Kind::Dir) {
        if let Ok(path) = dir.join(&entry.name) {
            found.push(path.clone());
            collect_dirs(files, &path, found);
        }
    }
}
