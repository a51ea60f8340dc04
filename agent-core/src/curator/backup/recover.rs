//! After a crash: rollbacks that were interrupted are undone.

use super::{DONE, STAGING, aside, backups_dir};
use crate::behaviour::BackupRules;
use crate::stores::{Files, TreePath, remove_tree};

/// What was found of interrupted rollbacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Staging directories whose rollback was undone.
    pub undone: Vec<String>,
    /// Staging directories that hold something and have no journal: the reference leaves such ones. They are kept, to
    /// be looked at by a person.
    pub kept: Vec<String>,
}

/// Undoes every rollback of a home that was interrupted. It costs one look at one directory where there is none.
pub fn recover(home: &mut dyn Files, skills: &TreePath, rules: &BackupRules) -> Recovered {
    let backups = backups_dir(skills);
    let mut recovered = Recovered::default();
    for entry in home.list(&backups).unwrap_or_default() {
        let Ok(path) = backups.join(&entry.name) else { continue };
        if entry.name.starts_with(DONE) {
            let _ = remove_tree(home, &path);
        } else if entry.name.starts_with(STAGING) {
            let with_journal = aside::has_journal(home, &path);
            if with_journal && aside::undo(home, skills, &path).is_ok() {
                recovered.undone.push(entry.name);
            } else if !with_journal && aside::is_clear(home, &path) && !rules.delete_stranded {
                let _ = remove_tree(home, &path);
            } else {
                recovered.kept.push(entry.name);
            }
        }
    }
    recovered
}

/// The staging directories of interrupted rollbacks, relative to the home; nothing is changed.
pub fn interrupted(home: &dyn Files, skills: &TreePath) -> Vec<String> {
    let backups = backups_dir(skills);
    let entries = home.list(&backups).unwrap_or_default();
    let names = entries.into_iter().map(|entry| entry.name).filter(|name| name.starts_with(STAGING));
    names.map(|name| format!("{backups}/{name}")).collect()
}
