//! The directory that a run fills: made before anything is simulated, every file written whole or not at all.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use agent_core::stores::{DiskFiles, MemFiles, TreePath, copy_tree};
use anyhow::Context;
use reports::records::{Records, table_csv};
use tempfile::NamedTempFile;

/// A run's directory.
#[derive(Clone, Debug)]
pub(crate) struct OutDir {
    root: PathBuf,
}

impl OutDir {
    /// Makes the directory and its folders.
    ///
    /// # Errors
    /// The directory cannot be made or written to.
    pub(crate) fn create(root: &Path) -> anyhow::Result<Self> {
        for folder in ["traces", "records"] {
            let path = root.join(folder);
            fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()))?;
        }
        // Found out now rather than after an hour of simulation.
        NamedTempFile::new_in(root).with_context(|| format!("cannot write into {}", root.display()))?;
        Ok(Self { root: root.to_path_buf() })
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.root
    }

    /// A trace in the making.
    pub(crate) fn trace(&self, stem: &str) -> anyhow::Result<Draft> {
        Draft::new(&self.root.join("traces").join(format!("{stem}.jsonl")))
    }

    /// Writes a file in one step.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let mut draft = Draft::new(&self.root.join(name))?;
        draft.write_all(bytes).with_context(|| format!("cannot write {name}"))?;
        draft.keep()
    }

    /// Writes all record tables.
    pub(crate) fn records(&self, records: &Records) -> anyhow::Result<()> {
        for table in records.tables() {
            self.write(&format!("records/{}.csv", table.name()), table_csv(table).as_bytes())?;
        }
        Ok(())
    }

    /// Writes a simulated home out, in place of one that an earlier run left.
    pub(crate) fn home(&self, stem: &str, user: &str, home: &MemFiles) -> anyhow::Result<()> {
        let path = self.root.join("homes").join(stem).join(user);
        let fail = || format!("cannot write the home {}", path.display());
        if path.exists() {
            fs::remove_dir_all(&path).with_context(fail)?;
        }
        fs::create_dir_all(&path).with_context(fail)?;
        let mut disk = DiskFiles::open(&path).with_context(fail)?;
        copy_tree(home, &TreePath::root(), &mut disk, &TreePath::root()).with_context(fail)
    }
}

/// A file that is there only once it is whole.
#[derive(Debug)]
pub(crate) struct Draft {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
}

impl Draft {
    fn new(path: &Path) -> anyhow::Result<Self> {
        let parent = path.parent().expect("every output lies in the run's directory");
        let file = NamedTempFile::new_in(parent)
            .with_context(|| format!("cannot write into {}", parent.display()))?;
        Ok(Self { path: path.to_path_buf(), file: BufWriter::new(file) })
    }

    /// Puts the file in its place.
    pub(crate) fn keep(self) -> anyhow::Result<()> {
        let fail = || format!("cannot write {}", self.path.display());
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error).with_context(fail)?;
        file.as_file().sync_all().with_context(fail)?;
        file.persist(&self.path).map_err(|error| error.error).with_context(fail)?;
        Ok(())
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
