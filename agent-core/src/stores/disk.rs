//! A tree on disk: the only module of the crate that touches the host.
//!
//! Writes go to a temporary file in the same directory, are flushed to the device and renamed over the target.
//! Directories on the way are checked to be real ones, so that no link leads out of the root.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::files::{Bytes, Content, Entry, Files, FilesError, Kind, Stat, Trouble, check_content};
use super::tree::TreePath;

/// A tree below a directory of the host.
#[derive(Debug)]
pub struct DiskFiles {
    base: PathBuf,
    root: String,
    held: Vec<TreePath>,
}

impl DiskFiles {
    /// Opens an existing directory as a tree. Its own path may lead over links; paths below it may not.
    ///
    /// # Errors
    /// It does not exist, is not a directory, or its path is not UTF-8.
    pub fn open(base: &Path) -> Result<Self, FilesError> {
        let named = |trouble| FilesError { path: base.display().to_string(), trouble };
        let real = fs::canonicalize(base).map_err(|error| named(trouble_of(&error)))?;
        if !real.is_dir() {
            return Err(named(Trouble::NotADirectory));
        }
        let root = real.to_str().ok_or_else(|| named(Trouble::NotUtf8))?.to_owned();
        Ok(Self { base: real, root, held: Vec::new() })
    }

    /// The host path of a tree path whose directories are all real ones.
    fn host(&self, path: &TreePath) -> Result<PathBuf, FilesError> {
        let mut host = self.base.clone();
        let mut parts = path.components().peekable();
        while let Some(part) = parts.next() {
            host.push(part);
            if parts.peek().is_none() {
                break;
            }
            match fs::symlink_metadata(&host) {
                Ok(meta) if meta.is_symlink() => return Err(FilesError::new(path, Trouble::ThroughLink)),
                Ok(_) => {}
                Err(error) if is_absence(&error) => {}
                Err(error) => return Err(FilesError::new(path, trouble_of(&error))),
            }
        }
        Ok(host)
    }

    fn meta(&self, path: &TreePath) -> Result<Option<(PathBuf, fs::Metadata)>, FilesError> {
        let host = self.host(path)?;
        match fs::symlink_metadata(&host) {
            Ok(meta) => Ok(Some((host, meta))),
            Err(error) if is_absence(&error) => Ok(None),
            Err(error) => Err(FilesError::new(path, trouble_of(&error))),
        }
    }

    fn must_meta(&self, path: &TreePath) -> Result<(PathBuf, fs::Metadata), FilesError> {
        self.meta(path)?.ok_or_else(|| FilesError::new(path, Trouble::Absent))
    }
}

/// Whether nothing is there: no such name, or a file where a directory would have to be.
fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn trouble_of(error: &io::Error) -> Trouble {
    match error.kind() {
        io::ErrorKind::NotFound => Trouble::Absent,
        io::ErrorKind::AlreadyExists => Trouble::Exists,
        io::ErrorKind::NotADirectory => Trouble::NotADirectory,
        io::ErrorKind::IsADirectory => Trouble::NotAFile,
        io::ErrorKind::DirectoryNotEmpty => Trouble::NotEmpty,
        io::ErrorKind::InvalidFilename => Trouble::BadPath,
        _ => Trouble::Host(error.to_string()),
    }
}

fn kind_of(file_type: fs::FileType) -> Kind {
    if file_type.is_symlink() {
        Kind::Link
    } else if file_type.is_dir() {
        Kind::Dir
    } else {
        Kind::File
    }
}

#[cfg(unix)]
fn is_executable(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    meta.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_meta: &fs::Metadata) -> bool {
    false
}

#[cfg(unix)]
fn make_executable(file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn make_executable(_file: &fs::File) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn make_link(target: &str, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, at)
}

#[cfg(not(unix))]
fn make_link(_target: &str, _at: &Path) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

fn modified_ns(meta: &fs::Metadata) -> i64 {
    let Ok(modified) = meta.modified() else { return 0 };
    match modified.duration_since(std::time::UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |nanos| -nanos),
    }
}

fn write_whole(host: &Path, content: &Content) -> io::Result<()> {
    let parent = host.parent().ok_or(io::ErrorKind::InvalidInput)?;
    match content {
        Content::File { bytes, executable } => {
            let mut file = tempfile::Builder::new().prefix(".write-").suffix(".tmp").tempfile_in(parent)?;
            file.write_all(bytes)?;
            if *executable {
                make_executable(file.as_file())?;
            }
            file.as_file().sync_all()?;
            file.persist(host).map_err(|error| error.error)?;
            Ok(())
        }
        Content::Link(target) => {
            let dir = tempfile::Builder::new().prefix(".link-").tempdir_in(parent)?;
            let made = dir.path().join("link");
            make_link(target, &made)?;
            fs::rename(&made, host)
        }
    }
}

impl Files for DiskFiles {
    fn root(&self) -> &str {
        &self.root
    }

    fn stat(&self, path: &TreePath) -> Result<Option<Stat>, FilesError> {
        Ok(self.meta(path)?.map(|(_, meta)| {
            let kind = kind_of(meta.file_type());
            let is_file = kind == Kind::File;
            Stat {
                kind,
                len: if is_file { meta.len() } else { 0 },
                executable: is_file && is_executable(&meta),
                modified_ns: modified_ns(&meta),
            }
        }))
    }

    fn list(&self, path: &TreePath) -> Result<Vec<Entry>, FilesError> {
        let (host, meta) = self.must_meta(path)?;
        if !meta.is_dir() {
            return Err(FilesError::new(path, Trouble::NotADirectory));
        }
        let mut entries = Vec::new();
        for entry in fs::read_dir(&host).map_err(|error| FilesError::new(path, trouble_of(&error)))? {
            let entry = entry.map_err(|error| FilesError::new(path, trouble_of(&error)))?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let file_type = entry.file_type().map_err(|error| FilesError::new(path, trouble_of(&error)))?;
            entries.push(Entry { name, kind: kind_of(file_type) });
        }
        entries.sort_by(|one, two| one.name.cmp(&two.name));
        Ok(entries)
    }

    fn read(&self, path: &TreePath) -> Result<Bytes, FilesError> {
        let (host, meta) = self.must_meta(path)?;
        if !meta.is_file() {
            return Err(FilesError::new(path, Trouble::NotAFile));
        }
        fs::read(&host).map(Arc::from).map_err(|error| FilesError::new(path, trouble_of(&error)))
    }

    fn read_link(&self, path: &TreePath) -> Result<String, FilesError> {
        let (host, meta) = self.must_meta(path)?;
        if !meta.is_symlink() {
            return Err(FilesError::new(path, Trouble::NotALink));
        }
        let target = fs::read_link(&host).map_err(|error| FilesError::new(path, trouble_of(&error)))?;
        target.into_os_string().into_string().map_err(|_| FilesError::new(path, Trouble::NotUtf8))
    }

    fn revision(&self, _path: &TreePath) -> Option<u64> {
        None
    }

    fn replace(&mut self, path: &TreePath, content: Content) -> Result<(), FilesError> {
        check_content(path, &content)?;
        match self.meta(path)? {
            Some((_, meta)) if meta.is_dir() => return Err(FilesError::new(path, Trouble::NotAFile)),
            _ => {}
        }
        let host = self.host(path)?;
        write_whole(&host, &content).map_err(|error| FilesError::new(path, trouble_of(&error)))
    }

    fn create_dir(&mut self, path: &TreePath) -> Result<(), FilesError> {
        match self.meta(path)? {
            Some((_, meta)) if meta.is_dir() => return Ok(()),
            Some((_, meta)) if meta.is_symlink() => return Err(FilesError::new(path, Trouble::Exists)),
            Some(_) => return Err(FilesError::new(path, Trouble::NotADirectory)),
            None => {}
        }
        let host = self.host(path)?;
        fs::create_dir_all(&host).map_err(|error| FilesError::new(path, trouble_of(&error)))
    }

    fn rename(&mut self, from: &TreePath, to: &TreePath) -> Result<(), FilesError> {
        let (source, meta) = self.must_meta(from)?;
        match self.meta(to)? {
            Some(_) if from == to => return Ok(()),
            Some((_, there)) if meta.is_dir() || there.is_dir() => {
                return Err(FilesError::new(to, Trouble::Exists));
            }
            _ => {}
        }
        if meta.is_dir() && to.strip(from).is_some() {
            return Err(FilesError::new(to, Trouble::BadPath));
        }
        let target = self.host(to)?;
        fs::rename(source, target).map_err(|error| FilesError::new(to, trouble_of(&error)))
    }

    fn remove(&mut self, path: &TreePath) -> Result<(), FilesError> {
        if path.parent().is_none() {
            return Err(FilesError::new(path, Trouble::BadPath));
        }
        let (host, meta) = self.must_meta(path)?;
        let removed = if meta.is_dir() { fs::remove_dir(host) } else { fs::remove_file(host) };
        removed.map_err(|error| FilesError::new(path, trouble_of(&error)))
    }

    fn with_lock(&mut self, path: &TreePath, body: &mut dyn FnMut(&mut dyn Files)) -> Result<(), FilesError> {
        if let Some((_, meta)) = self.meta(path)?
            && !meta.is_file()
        {
            return Err(FilesError::new(path, Trouble::NotAFile));
        }
        if self.held.contains(path) {
            body(self);
            return Ok(());
        }
        let host = self.host(path)?;
        let named = |error: io::Error| FilesError::new(path, trouble_of(&error));
        let lock = fs::OpenOptions::new().create(true).append(true).open(host).map_err(named)?;
        lock.lock().map_err(named)?;
        self.held.push(path.clone());
        body(self);
        self.held.pop();
        // Dropping the handle would release it as well; an unlock that fails is worth a word.
        lock.unlock().map_err(named)
    }
}
