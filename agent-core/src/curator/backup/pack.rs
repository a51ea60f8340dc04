//! A tree as a compressed archive, in memory.
//!
//! Entries come sorted, directories before what they hold; links are stored as links. The compressed stream carries
//! neither name nor time of its own, so the same tree gives the same bytes.

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};

use super::is_apart;
use crate::stores::{Files, FilesError, Kind, Stat, TreePath, Trouble};

/// The compression of the reference.
const LEVEL: u32 = 6;
/// The longest link target that fits the plain header.
const PLAIN_TARGET_BYTES: usize = 100;
const NANOS_PER_SECOND: i64 = 1_000_000_000;
const GIT: &str = ".git";

/// Packs the skills directory, snapshots and hub data left out; `.git` directories only if they are asked for.
///
/// # Errors
/// Something cannot be read, or is no file, directory or link that an archive can hold.
pub(super) fn pack(files: &dyn Files, skills: &TreePath, git: bool) -> Result<Vec<u8>, FilesError> {
    let encoder = GzEncoder::new(Vec::new(), Compression::new(LEVEL));
    let mut packer = Packer { files, skills, git, tar: Builder::new(encoder) };
    for entry in files.list(skills)? {
        if !is_apart(&entry.name) {
            packer.add(&skills.join(&entry.name)?)?;
        }
    }
    let failed = |error: std::io::Error| FilesError::new(skills, Trouble::Host(error.to_string()));
    packer.tar.into_inner().and_then(GzEncoder::finish).map_err(failed)
}

struct Packer<'p> {
    files: &'p dyn Files,
    skills: &'p TreePath,
    git: bool,
    tar: Builder<GzEncoder<Vec<u8>>>,
}

impl Packer<'_> {
    fn add(&mut self, path: &TreePath) -> Result<(), FilesError> {
        if !self.git && path.name() == GIT {
            return Ok(());
        }
        let stat = self.files.stat(path)?.ok_or_else(|| FilesError::new(path, Trouble::Absent))?;
        let name = path.strip(self.skills).unwrap_or_else(|| path.clone());
        let added = match stat.kind {
            Kind::Dir => {
                let mut header = header(&stat, EntryType::Directory, 0o755, 0);
                self.tar.append_data(&mut header, format!("{name}/"), std::io::empty())
            }
            Kind::File => {
                let bytes = self.files.read(path)?;
                let mode = if stat.executable { 0o755 } else { 0o644 };
                let mut header = header(&stat, EntryType::Regular, mode, bytes.len() as u64);
                self.tar.append_data(&mut header, name.as_str(), &*bytes)
            }
            Kind::Link => {
                let target = self.files.read_link(path)?;
                self.add_link(&stat, &name, &target)
            }
        };
        added.map_err(|error| FilesError::new(path, Trouble::Host(error.to_string())))?;
        if stat.kind == Kind::Dir {
            for entry in self.files.list(path)? {
                self.add(&path.join(&entry.name)?)?;
            }
        }
        Ok(())
    }

    /// A short target is stored as it is written; the library would drop a leading `./`.
    fn add_link(&mut self, stat: &Stat, name: &TreePath, target: &str) -> std::io::Result<()> {
        let mut header = header(stat, EntryType::Symlink, 0o777, 0);
        if target.len() > PLAIN_TARGET_BYTES {
            return self.tar.append_link(&mut header, name.as_str(), target);
        }
        header.set_link_name_literal(target)?;
        self.tar.append_data(&mut header, name.as_str(), std::io::empty())
    }
}

fn header(stat: &Stat, kind: EntryType, mode: u32, size: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(size);
    header.set_mtime(u64::try_from(stat.modified_ns.div_euclid(NANOS_PER_SECOND)).unwrap_or(0));
    header
}
