//! Where a run leaves its results, so that they survive whatever happens.
//!
//! Everything is written into `.partial` first and put in its place at the end, in one sweep that can be taken up again
//! wherever it was broken off. Until then the results of an earlier run stay as they were: a full disk, a crash or a
//! kill leaves either the old results or the new ones, never a mixture. One run at a time holds the directory's lock.
//!
//! ```text
//! out/.lock              held while a run writes
//! out/.partial/state/    one file a finished cell: what --resume takes over
//! out/.partial/…         the results in the making
//! out/.old/              the results being replaced, while they are
//! ```

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use agent_core::stores::{DiskFiles, MemFiles, TreePath, copy_tree};
use anyhow::{Context, bail};
use tempfile::NamedTempFile;

/// What a run may leave in its directory; nothing else there is ever touched.
const RESULTS: [&str; 9] = [
    "run.json",
    "traces",
    "records",
    "homes",
    "junit.xml",
    "summary.md",
    "results.sqlite",
    "report.html",
    "plots",
];

/// The mark that `.partial` is whole and only waits to be put in place; it holds the names of what is new.
const WHOLE: &str = "WHOLE";

/// A run's directory, locked.
#[derive(Debug)]
pub(crate) struct Store {
    root: PathBuf,
    partial: PathBuf,
    _lock: File,
}

impl Store {
    /// Opens a directory for a run and makes it if need be. What an earlier run left unfinished is kept for `resume`
    /// and dropped otherwise.
    ///
    /// # Errors
    /// The directory cannot be made or written to, or another run holds it.
    pub(crate) fn open(root: &Path, resume: bool) -> anyhow::Result<Self> {
        fs::create_dir_all(root).with_context(|| format!("cannot make {}", root.display()))?;
        let lock = lock(root)?;
        let store = Self { root: root.to_path_buf(), partial: root.join(".partial"), _lock: lock };
        if store.partial.join(WHOLE).exists() {
            store.put_in_place()?;
        }
        if !resume {
            remove(&store.partial)?;
        }
        store.sweep_drafts()?;
        for folder in ["traces", "state"] {
            let path = store.partial.join(folder);
            fs::create_dir_all(&path).with_context(|| format!("cannot write into {}", root.display()))?;
        }
        // Found out now rather than after an hour of simulation.
        NamedTempFile::new_in(&store.partial)
            .with_context(|| format!("cannot write into {}", root.display()))?;
        Ok(store)
    }

    /// The name of something in a directory that a run would replace, where no run has left it: the directory was never
    /// a run's, as far as can be told.
    pub(crate) fn foreign(root: &Path) -> Option<&'static str> {
        let is_ours = root.join(".lock").exists()
            || fs::read(root.join("run.json")).is_ok_and(|bytes| {
                serde_json::from_slice::<serde_json::Value>(&bytes)
                    .is_ok_and(|run| run.get("harness").is_some())
            });
        RESULTS.into_iter().find(|name| !is_ours && root.join(name).symlink_metadata().is_ok())
    }

    /// Its directory.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A file of the results in the making.
    pub(crate) fn draft(&self, name: &str) -> anyhow::Result<Draft> {
        Draft::new(self.partial.join(name))
    }

    /// Writes a file of the results in the making in one step.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let mut draft = self.draft(name)?;
        draft.write_all(bytes).with_context(|| format!("cannot write {name}"))?;
        draft.keep()
    }

    /// Reads a file of the results in the making.
    pub(crate) fn read(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.partial.join(name)).ok()
    }

    /// Reads a file of the results that are in place.
    pub(crate) fn read_placed(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.root.join(name)).ok()
    }

    /// Whether the results in the making hold this.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.partial.join(name).exists()
    }

    /// Takes a file or folder of the results that are in place over into those in the making.
    pub(crate) fn take_over(&self, name: &str) -> anyhow::Result<()> {
        let (from, to) = (self.root.join(name), self.partial.join(name));
        remove(&to)?;
        copy(&from, &to).with_context(|| format!("cannot take {name} over"))
    }

    /// Writes a simulated home out.
    pub(crate) fn home(&self, stem: &str, user: &str, home: &MemFiles) -> anyhow::Result<()> {
        let path = self.partial.join("homes").join(stem).join(user);
        let fail = || format!("cannot write the home of {stem}, {user}");
        remove(&path)?;
        fs::create_dir_all(&path).with_context(fail)?;
        let mut disk = DiskFiles::open(&path).with_context(fail)?;
        copy_tree(home, &TreePath::root(), &mut disk, &TreePath::root()).with_context(fail)
    }

    /// The results in the making are whole: they replace what is in place.
    ///
    /// # Errors
    /// They cannot be put in place. Opening the directory again goes on with it.
    pub(crate) fn publish(self) -> anyhow::Result<()> {
        remove(&self.partial.join("state"))?;
        let new: Vec<&str> = RESULTS.into_iter().filter(|name| self.has(name)).collect();
        self.write(WHOLE, new.join("\n").as_bytes()).with_context(|| self.misplaced())?;
        self.put_in_place()
    }

    /// Moves old results away and new ones in. Every step leaves a state from which this function goes on.
    fn put_in_place(&self) -> anyhow::Result<()> {
        let fail = || self.misplaced();
        let names = fs::read_to_string(self.partial.join(WHOLE)).with_context(fail)?;
        let old = self.root.join(".old");
        fs::create_dir_all(&old).with_context(fail)?;
        for name in RESULTS {
            let (new, placed, away) = (self.partial.join(name), self.root.join(name), old.join(name));
            let is_placed = names.lines().any(|new| new == name) && !new.exists();
            if placed.exists() && !is_placed {
                remove(&away)?;
                fs::rename(&placed, &away).with_context(fail)?;
            }
            if new.exists() {
                fs::rename(&new, &placed).with_context(fail)?;
            }
        }
        remove(&old)?;
        remove(&self.partial)
    }

    fn misplaced(&self) -> String {
        format!(
            "cannot put the results in place in {}; they wait in {}",
            self.root.display(),
            self.partial.display()
        )
    }

    /// Removes files that a killed run was in the middle of writing.
    fn sweep_drafts(&self) -> anyhow::Result<()> {
        for entry in walkdir::WalkDir::new(&self.partial).into_iter().flatten() {
            if entry.file_type().is_file() && entry.file_name().to_string_lossy().starts_with(DRAFT_PREFIX) {
                fs::remove_file(entry.path())
                    .with_context(|| format!("cannot remove {}", entry.path().display()))?;
            }
        }
        Ok(())
    }
}

/// How the names of files begin that are not whole yet.
const DRAFT_PREFIX: &str = ".draft-";

fn lock(root: &Path) -> anyhow::Result<File> {
    let path = root.join(".lock");
    let file = File::options().create(true).append(true).open(&path);
    let file = file.with_context(|| format!("cannot write into {}", root.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            bail!(
                "another run writes into {} ({} is locked); name another directory with --out",
                root.display(),
                path.display()
            )
        }
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("cannot lock {}", path.display()))
        }
    }
}

fn remove(path: &Path) -> anyhow::Result<()> {
    let outcome = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match outcome {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// Copies a file or a folder.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    if !from.is_dir() {
        return fs::copy(from, to).map(drop);
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Results are read by others, too: a draft has the permissions of any new file, not those of a secret.
#[cfg(unix)]
fn readable<'b, 'a, 's>(builder: &'b mut tempfile::Builder<'a, 's>) -> &'b mut tempfile::Builder<'a, 's> {
    use std::os::unix::fs::PermissionsExt as _;
    builder.permissions(fs::Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn readable<'b, 'a, 's>(builder: &'b mut tempfile::Builder<'a, 's>) -> &'b mut tempfile::Builder<'a, 's> {
    builder
}

/// A file that is there only once it is whole.
#[derive(Debug)]
pub(crate) struct Draft {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
    failed: bool,
}

impl Draft {
    fn new(path: PathBuf) -> anyhow::Result<Self> {
        let fail = || format!("cannot write {}", path.display());
        let parent = path.parent().expect("every result lies in the run's directory");
        fs::create_dir_all(parent).with_context(fail)?;
        let mut builder = tempfile::Builder::new();
        let file = readable(builder.prefix(DRAFT_PREFIX)).tempfile_in(parent).with_context(fail)?;
        Ok(Self { file: BufWriter::new(file), path, failed: false })
    }

    /// Whether writing failed: a full disk, not a mistake of who wrote.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed
    }

    /// Puts the file in its place.
    pub(crate) fn keep(self) -> anyhow::Result<()> {
        let fail = || format!("cannot write {}", self.path.display());
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error).with_context(fail)?;
        file.persist(&self.path).map_err(|error| error.error).with_context(fail)?;
        Ok(())
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let outcome = self.file.write(bytes);
        self.failed |= outcome.is_err();
        outcome
    }

    fn flush(&mut self) -> io::Result<()> {
        let outcome = self.file.flush();
        self.failed |= outcome.is_err();
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(root: &Path) -> Vec<String> {
        let mut files: Vec<String> = walkdir::WalkDir::new(root)
            .into_iter()
            .flatten()
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| {
                let name = entry.path().strip_prefix(root).unwrap().to_string_lossy().into_owned();
                let text = fs::read_to_string(entry.path()).unwrap();
                if text.is_empty() { name } else { format!("{name}: {text}") }
            })
            .collect();
        files.sort();
        files
    }

    /// A directory with old results, and new ones in the making.
    fn replaced() -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), false).unwrap();
        for (name, text) in [("run.json", "old"), ("traces/a", "old"), ("homes/x/y", "old")] {
            store.write(name, text.as_bytes()).unwrap();
        }
        store.publish().unwrap();
        fs::write(dir.path().join("notes.txt"), "mine").unwrap();
        let store = Store::open(dir.path(), false).unwrap();
        for (name, text) in [("run.json", "new"), ("traces/b", "new"), ("state/b", "new")] {
            store.write(name, text.as_bytes()).unwrap();
        }
        (dir, store)
    }

    const OLD: [&str; 5] = [".lock", "homes/x/y: old", "notes.txt: mine", "run.json: old", "traces/a: old"];
    const NEW: [&str; 4] = [".lock", "notes.txt: mine", "run.json: new", "traces/b: new"];

    #[test]
    fn new_results_replace_old_ones_and_nothing_else() {
        let (dir, store) = replaced();
        store.publish().unwrap();
        assert_eq!(files(dir.path()), NEW);
    }

    #[test]
    fn an_unfinished_run_leaves_the_old_results_and_can_be_resumed_or_dropped() {
        let (dir, store) = replaced();
        drop(store);
        let placed = |root: &Path| {
            files(root).into_iter().filter(|name| !name.starts_with(".partial")).collect::<Vec<_>>()
        };
        assert_eq!(placed(dir.path()), OLD);
        let store = Store::open(dir.path(), true).unwrap();
        assert_eq!(store.read("state/b").as_deref(), Some(&b"new"[..]));
        drop(store);
        let store = Store::open(dir.path(), false).unwrap();
        assert_eq!(store.read("state/b"), None);
        assert_eq!(placed(dir.path()), OLD);
    }

    #[test]
    fn putting_in_place_goes_on_wherever_it_was_broken_off() {
        for done in 0..=RESULTS.len() * 2 {
            let (dir, store) = replaced();
            remove(&store.partial.join("state")).unwrap();
            store.write(WHOLE, b"run.json\ntraces").unwrap();
            let old = dir.path().join(".old");
            fs::create_dir_all(&old).unwrap();
            for (step, name) in RESULTS.iter().flat_map(|name| [(0, name), (1, name)]).take(done) {
                let (new, placed, away) = (store.partial.join(name), dir.path().join(name), old.join(name));
                if step == 0 && placed.exists() {
                    fs::rename(&placed, &away).unwrap();
                } else if step == 1 && new.exists() {
                    fs::rename(&new, &placed).unwrap();
                }
            }
            drop(store);
            Store::open(dir.path(), false).unwrap();
            let placed: Vec<_> = files(dir.path());
            assert_eq!(placed, NEW, "broken off after {done} steps");
        }
    }

    #[test]
    fn one_run_at_a_time_holds_the_directory() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), false).unwrap();
        let error = Store::open(dir.path(), false).unwrap_err().to_string();
        assert!(error.contains("another run writes into"), "{error}");
        drop(store);
        Store::open(dir.path(), false).unwrap();
    }
}
