//! Swapping a checked tree in: unpacked aside, then moved, then committed by one rename.
//!
//! ```text
//! .rollback-staging-<time>/new/…          the snapshot's tree, whole
//! .rollback-staging-<time>/journal.json   what goes out and what comes in, written before the first move
//! .rollback-staging-<time>/old/…          the live entries, moved out
//! .rollback-done-<time>/                  the same after the commit: to be thrown away
//! ```
//!
//! Until the commit everything can be undone from the journal and from where things lie; that is what a failure does
//! at once and what [`super::recover`] does after a crash. So the library is the one from before or the one from the
//! snapshot, never between.

use serde::{Deserialize, Serialize};

use super::{DONE, STAGING, backups_dir, is_apart};
use crate::stores::{
    Content, Files, FilesError, MemFiles, TreePath, copy_tree, exists, read_text, remove_tree,
};

const NEW: &str = "new";
const OLD: &str = "old";
const JOURNAL: &str = "journal.json";
const GIT: &str = ".git";

/// What a rollback moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Journal {
    version: u32,
    out: Vec<String>,
    into: Vec<String>,
}

/// The journal's format.
const VERSION: u32 = 1;

/// At which point a swap failed. The live tree is as before, unless `stranded` says that it could not be put back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SwapError {
    pub(super) at: SwapStep,
    pub(super) error: FilesError,
    /// The staging directory, if something of the live tree is still in it.
    pub(super) stranded: Option<TreePath>,
}

/// The steps of a swap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SwapStep {
    /// Making the staging directory.
    Stage,
    /// Unpacking aside.
    Unpack,
    /// Moving the live entries out.
    Out,
    /// Moving the new ones in, and the commit.
    Into,
}

struct Swap<'s> {
    skills: &'s TreePath,
    staging: TreePath,
}

/// Puts a tree in the place of the live one. `carry_git` takes the live `.git` directories over into it.
pub(super) fn swap(
    home: &mut dyn Files,
    skills: &TreePath,
    tree: &MemFiles,
    name: &str,
    carry_git: bool,
) -> Result<(), SwapError> {
    let staging = backups_dir(skills).below(&TreePath::new(&format!("{STAGING}{name}")));
    let swap = Swap { skills, staging };
    let clean = |home: &mut dyn Files, at: SwapStep, error: FilesError| {
        let _ = remove_tree(home, &swap.staging);
        SwapError { at, error, stranded: None }
    };
    home.create_dir(&swap.staging).map_err(|error| clean(home, SwapStep::Stage, error))?;
    let new = swap.place(NEW);
    copy_tree(tree, &TreePath::root(), home, &new).map_err(|error| clean(home, SwapStep::Unpack, error))?;
    if carry_git {
        // Copied, not moved: until the commit the live tree must be able to come back whole.
        carry(home, skills, &new).map_err(|error| clean(home, SwapStep::Unpack, error))?;
    }
    let journal = swap.journal(home).map_err(|error| clean(home, SwapStep::Out, error))?;
    let moved = swap.run(home, &journal);
    match moved {
        Ok(()) => {
            // Whatever is left of it is thrown away by the next snapshot.
            let _ = remove_tree(home, &swap.done());
            Ok(())
        }
        Err((at, error)) => {
            let stranded = undo(home, skills, &swap.staging).is_err().then(|| swap.staging.clone());
            Err(SwapError { at, error, stranded })
        }
    }
}

impl Swap<'_> {
    fn place(&self, name: &str) -> TreePath {
        self.staging.below(&TreePath::new(name))
    }

    fn done(&self) -> TreePath {
        let time = self.staging.name().strip_prefix(STAGING).unwrap_or("");
        let parent = self.staging.parent().unwrap_or_default();
        parent.below(&TreePath::new(&format!("{DONE}{time}")))
    }

    fn journal(&self, home: &mut dyn Files) -> Result<Journal, FilesError> {
        let names = |entries: Vec<crate::stores::Entry>| {
            entries.into_iter().map(|entry| entry.name).filter(|name| !is_apart(name)).collect()
        };
        let out = names(home.list(self.skills)?);
        let into = names(home.list(&self.place(NEW))?);
        let journal = Journal { version: VERSION, out, into };
        home.create_dir(&self.place(OLD))?;
        let text = serde_json::to_string_pretty(&journal).expect("texts always serialise");
        home.replace(&self.place(JOURNAL), Content::text(&text))?;
        Ok(journal)
    }

    fn run(&self, home: &mut dyn Files, journal: &Journal) -> Result<(), (SwapStep, FilesError)> {
        let (new, old) = (self.place(NEW), self.place(OLD));
        let step = |home: &mut dyn Files, name: &str, from: &TreePath, to: &TreePath| {
            home.rename(&from.join(name)?, &to.join(name)?)
        };
        for name in &journal.out {
            step(home, name, self.skills, &old).map_err(|error| (SwapStep::Out, error))?;
        }
        for name in &journal.into {
            step(home, name, &new, self.skills).map_err(|error| (SwapStep::Into, error))?;
        }
        home.rename(&self.staging, &self.done()).map_err(|error| (SwapStep::Into, error))
    }
}

/// Puts back what an interrupted swap moved, and clears its staging directory. It may be called again after a failure.
pub(super) fn undo(home: &mut dyn Files, skills: &TreePath, staging: &TreePath) -> Result<(), FilesError> {
    let place = |name: &str| staging.below(&TreePath::new(name));
    let (new, old, journal_file) = (place(NEW), place(OLD), place(JOURNAL));
    if let Some(journal) = read_journal(home, &journal_file) {
        for name in journal.into.iter().rev() {
            let (live, aside) = (skills.join(name)?, new.join(name)?);
            if !exists(home, &aside) && exists(home, &live) {
                home.rename(&live, &aside)?;
            }
        }
        for name in journal.out.iter().rev() {
            let (live, aside) = (skills.join(name)?, old.join(name)?);
            if exists(home, &aside) {
                home.rename(&aside, &live)?;
            }
        }
        // From here on nothing of the live tree is in staging, and the journal must not be followed again.
        home.remove(&journal_file)?;
    }
    let _ = remove_tree(home, staging);
    Ok(())
}

/// Whether a staging directory has a journal, so that it can be undone.
pub(super) fn has_journal(files: &dyn Files, staging: &TreePath) -> bool {
    read_journal(files, &staging.below(&TreePath::new(JOURNAL))).is_some()
}

/// Whether nothing of a live tree can be in a staging directory of this kind.
pub(super) fn is_clear(files: &dyn Files, staging: &TreePath) -> bool {
    let Ok(entries) = files.list(staging) else { return false };
    entries.iter().all(|entry| match entry.name.as_str() {
        NEW | JOURNAL => true,
        OLD => files.list(&staging.below(&TreePath::new(OLD))).is_ok_and(|inner| inner.is_empty()),
        _ => false,
    })
}

fn read_journal(files: &dyn Files, path: &TreePath) -> Option<Journal> {
    let journal: Journal = serde_json::from_str(&read_text(files, path).ok()?).ok()?;
    (journal.version == VERSION).then_some(journal)
}

/// Copies every live `.git` into the new tree, where its parent is still there.
fn carry(home: &mut dyn Files, live: &TreePath, new: &TreePath) -> Result<(), FilesError> {
    let mut found = Vec::new();
    find_git(home, live, &mut found);
    for path in found {
        let Some(below) = path.strip(live) else { continue };
        let target = new.below(&below);
        let parent_stays = target.parent().is_some_and(|parent| crate::stores::is_dir(home, &parent));
        if parent_stays && !exists(home, &target) {
            copy_within(home, &path, &target)?;
        }
    }
    Ok(())
}

fn find_git(files: &dyn Files, dir: &TreePath, found: &mut Vec<TreePath>) {
    let Ok(entries) = files.list(dir) else { return };
    for entry in entries.into_iter().filter(|entry| entry.kind == crate::stores::Kind::Dir) {
        if is_apart(&entry.name) {
            continue;
        }
        let Ok(path) = dir.join(&entry.name) else { continue };
        if entry.name == GIT {
            found.push(path);
        } else {
            find_git(files, &path, found);
        }
    }
}

fn copy_within(home: &mut dyn Files, source: &TreePath, target: &TreePath) -> Result<(), FilesError> {
    let mut held = MemFiles::new("/carried");
    copy_tree(home, source, &mut held, &TreePath::root())?;
    copy_tree(&held, &TreePath::root(), home, target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stores::write_text;

    #[test]
    fn an_undo_may_be_repeated_and_never_takes_what_is_live() {
        let mut home = MemFiles::new("/home/agent/.hermes");
        let (skills, staging) =
            (TreePath::new("skills"), TreePath::new("skills/.curator_backups/.rollback-staging-x"));
        write_text(&mut home, &TreePath::new("skills/a/SKILL.md"), "live").unwrap();
        let place = |name: &str| staging.join(name).unwrap();
        // A swap stopped after the undo had begun to clear: the journal is gone, so nothing may be moved.
        write_text(&mut home, &place("old/x"), "x").unwrap();
        home.remove(&place("old/x")).unwrap();
        undo(&mut home, &skills, &staging).unwrap();
        undo(&mut home, &skills, &staging).unwrap();
        assert_eq!(read_text(&home, &TreePath::new("skills/a/SKILL.md")).unwrap(), "live");
        assert!(!exists(&home, &staging));
    }
}
