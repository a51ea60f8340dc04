//! The number of skills that a manifest states.

use super::{BACKUPS, STAGING};
use crate::behaviour::{BackupRules, Excluded};
use crate::skills::{is_excluded_name, is_support_name};
use crate::stores::{Files, Kind, TreePath};

const SKILL_FILE: &str = "SKILL.md";
const ARCHIVED: &str = ".archive";

/// The `SKILL.md` files below a skills directory, excluded directories left out. As in the reference, what an
/// interrupted rollback left in staging counts, too (`spec/curator-backup.md` §1).
pub(super) fn skill_files(
    files: &dyn Files,
    skills: &TreePath,
    rules: &BackupRules,
    excluded: Excluded,
) -> usize {
    Counter { files, rules, excluded }.below(skills)
}

struct Counter<'c> {
    files: &'c dyn Files,
    rules: &'c BackupRules,
    excluded: Excluded,
}

impl Counter<'_> {
    fn below(&self, dir: &TreePath) -> usize {
        let Ok(entries) = self.files.list(dir) else { return 0 };
        let is_skill = entries.iter().any(|entry| entry.name == SKILL_FILE && entry.kind != Kind::Dir);
        let dirs =
            entries.iter().filter(|entry| entry.kind == Kind::Dir && self.counts(&entry.name, is_skill));
        let below = dirs.filter_map(|entry| dir.join(&entry.name).ok()).map(|path| match path.name() {
            BACKUPS => self.staged(&path),
            _ => self.below(&path),
        });
        below.sum::<usize>() + usize::from(is_skill)
    }

    fn counts(&self, name: &str, beside_skill: bool) -> bool {
        if name == BACKUPS || (name == ARCHIVED && self.rules.counts_archived) {
            return true;
        }
        let belongs = beside_skill && is_support_name(self.excluded, name);
        !(belongs || is_excluded_name(self.excluded, name))
    }

    fn staged(&self, backups: &TreePath) -> usize {
        let Ok(entries) = self.files.list(backups) else { return 0 };
        let staged = entries.iter().filter(|entry| entry.name.starts_with(STAGING));
        staged.filter_map(|entry| backups.join(&entry.name).ok()).map(|path| self.below(&path)).sum()
    }
}
