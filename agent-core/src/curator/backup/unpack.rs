//! Reading an archive that may be anything: cut off, huge when unpacked, or made to write elsewhere.
//!
//! Everything happens in memory. [`unpack`] gives the whole tree or an error; nothing of a refused archive is ever
//! written. Refused are: absolute and climbing names, names given twice, what lies below a file or link, links that
//! are absolute or lead out of the tree, devices and other kinds, streams that are cut off, damaged, or followed by
//! more, and whatever passes [`ArchiveLimits`].

use std::collections::BTreeSet;
use std::io::Read as _;

use flate2::bufread::GzDecoder;
use tar::{Archive, EntryType};

use crate::stores::{Bytes, Content, Files, FilesError, MemFiles, Resolved, TreePath, resolve};

/// How much an archive may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchiveLimits {
    /// Bytes of the archive itself.
    pub archive_bytes: usize,
    /// Bytes once it is unpacked, headers included.
    pub unpacked_bytes: usize,
    /// Files, directories and links.
    pub members: usize,
}

impl ArchiveLimits {
    /// What a library can sensibly be: ours, the reference has no limit. A library of 10,000 skills of 20 kB has
    /// 200 MB in some 40,000 members.
    pub const LIBRARY: Self = Self { archive_bytes: 256 << 20, unpacked_bytes: 512 << 20, members: 200_000 };
}

/// Why an archive was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnpackError {
    /// It cannot be read.
    #[error("the archive cannot be read")]
    Unreadable(#[source] FilesError),
    /// It is no compressed archive, or its bytes were changed.
    #[error("the archive is damaged: {0}")]
    Damaged(String),
    /// It ends too early.
    #[error("the archive is cut off")]
    CutOff,
    /// It holds more than is allowed.
    #[error("the archive holds more than {0}")]
    TooLarge(&'static str),
    /// A name is absolute, climbs, or cannot be a name.
    #[error("the archive holds the impossible name {0:?}")]
    BadName(String),
    /// A name is given twice, or lies below a file or link.
    #[error("the archive says twice what {0:?} is")]
    Conflict(String),
    /// A link is absolute or leads out.
    #[error("the archive holds the link {name:?} that leads to {target:?}")]
    BadLink {
        /// Its name.
        name: String,
        /// Where it leads.
        target: String,
    },
    /// Neither file, directory nor link.
    #[error("the archive holds {0:?}, which is no file, directory or link")]
    BadKind(String),
}

/// One member of an archive as it stands there.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// Its name, undecodable bytes replaced.
    pub(super) name: String,
    /// What it is.
    pub(super) kind: MemberKind,
}

/// What a member is.
#[derive(Clone, Debug)]
pub(super) enum MemberKind {
    Dir,
    File {
        bytes: Bytes,
        executable: bool,
    },
    Link(String),
    /// The same content as an earlier member.
    Same(String),
    Other,
}

/// Reads all members and checks the whole stream.
pub(super) fn members(archive: &[u8], limits: &ArchiveLimits) -> Result<Vec<Member>, UnpackError> {
    let (tar, end) = inflate(archive, limits)?;
    if let Some(error) = end {
        return Err(error);
    }
    let (members, rest) = read_members(&tar, limits)?;
    // An archive ends in at least two empty blocks, and nothing follows them.
    if rest.len() < 1024 {
        return Err(UnpackError::CutOff);
    }
    if rest.iter().any(|byte| *byte != 0) {
        return Err(UnpackError::Damaged("something follows its end".to_owned()));
    }
    Ok(members)
}

/// Reads members as a forgiving reader does: what comes after the end marker, the checksum included, is not looked at.
pub(super) fn members_lenient(archive: &[u8], limits: &ArchiveLimits) -> Result<Vec<Member>, UnpackError> {
    let (tar, end) = inflate(archive, limits)?;
    match (read_members(&tar, limits), end) {
        (Ok((members, rest)), None) if rest.len() >= 512 || !members.is_empty() => Ok(members),
        (Ok((members, rest)), Some(_)) if rest.len() >= 512 => Ok(members),
        (_, Some(error)) | (Err(error), None) => Err(error),
        (Ok(_), None) => Err(UnpackError::Damaged("it is empty".to_owned())),
    }
}

/// The unpacked stream as far as it can be read, and why it cannot be read further.
fn inflate(archive: &[u8], limits: &ArchiveLimits) -> Result<(Vec<u8>, Option<UnpackError>), UnpackError> {
    if archive.len() > limits.archive_bytes {
        return Err(UnpackError::TooLarge("its bytes may be"));
    }
    let mut tar = Vec::new();
    let mut decoder = GzDecoder::new(archive);
    let bound = limits.unpacked_bytes as u64 + 1;
    let read = decoder.by_ref().take(bound).read_to_end(&mut tar);
    if tar.len() > limits.unpacked_bytes {
        return Err(UnpackError::TooLarge("its bytes may be once unpacked"));
    }
    let end = match read {
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof && !archive.is_empty() => {
            Some(UnpackError::CutOff)
        }
        Err(error) => Some(UnpackError::Damaged(error.to_string())),
        Ok(_) if !decoder.into_inner().is_empty() => {
            Some(UnpackError::Damaged("something follows its end".to_owned()))
        }
        Ok(_) => None,
    };
    Ok((tar, end))
}

/// The members, and what lies behind the last one.
fn read_members<'t>(tar: &'t [u8], limits: &ArchiveLimits) -> Result<(Vec<Member>, &'t [u8]), UnpackError> {
    let damaged = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::UnexpectedEof => UnpackError::CutOff,
        _ => UnpackError::Damaged(error.to_string()),
    };
    let mut members = Vec::new();
    let mut end = 0;
    let mut archive = Archive::new(tar);
    for entry in archive.entries().map_err(damaged)? {
        let mut entry = entry.map_err(damaged)?;
        if members.len() == limits.members {
            return Err(UnpackError::TooLarge("members may be"));
        }
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let target = entry
            .link_name_bytes()
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default();
        let executable = entry.header().mode().unwrap_or(0) & 0o111 != 0;
        let start = usize::try_from(entry.raw_file_position()).unwrap_or(usize::MAX);
        let size = usize::try_from(entry.size()).unwrap_or(usize::MAX);
        end = start.saturating_add(size.saturating_add(511) / 512 * 512);
        let kind = match entry.header().entry_type() {
            EntryType::Directory => MemberKind::Dir,
            EntryType::Regular | EntryType::Continuous if name.ends_with('/') => MemberKind::Dir,
            EntryType::Regular | EntryType::Continuous => {
                let mut bytes = Vec::with_capacity(size.min(tar.len()));
                entry.read_to_end(&mut bytes).map_err(damaged)?;
                if bytes.len() != size {
                    return Err(UnpackError::CutOff);
                }
                MemberKind::File { bytes: bytes.into(), executable }
            }
            EntryType::Symlink => MemberKind::Link(target),
            EntryType::Link => MemberKind::Same(target),
            EntryType::XGlobalHeader => continue,
            _ => MemberKind::Other,
        };
        members.push(Member { name, kind });
    }
    Ok((members, tar.get(end..).unwrap_or_default()))
}

/// The tree in an archive.
///
/// # Errors
/// See [`UnpackError`].
pub(super) fn unpack(archive: &[u8], root: &str, limits: &ArchiveLimits) -> Result<MemFiles, UnpackError> {
    let mut tree = MemFiles::new(root);
    let mut links = Vec::new();
    let mut named = BTreeSet::new();
    for member in members(archive, limits)? {
        let path = path_of(&member.name)?;
        if path.parent().is_none() {
            continue;
        }
        if !named.insert(path.clone()) {
            return Err(UnpackError::Conflict(member.name));
        }
        if let MemberKind::Link(target) = &member.kind {
            links.push((path.clone(), target.clone()));
        }
        put(&mut tree, &path, &member)?;
    }
    for (path, target) in links {
        let leads_inside = matches!(resolve(&tree, &path), Ok(Resolved::Inside(_)));
        if target.starts_with('/') || !leads_inside {
            return Err(UnpackError::BadLink { name: path.as_str().to_owned(), target });
        }
    }
    Ok(tree)
}

/// The path of a member's name; `.` components and a final slash say nothing.
fn path_of(name: &str) -> Result<TreePath, UnpackError> {
    let bad = || UnpackError::BadName(name.to_owned());
    if name.starts_with('/') || name.contains('\u{fffd}') {
        return Err(bad());
    }
    let parts: Vec<&str> = name.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    TreePath::parse(&parts.join("/")).ok_or_else(bad)
}

fn put(tree: &mut MemFiles, path: &TreePath, member: &Member) -> Result<(), UnpackError> {
    let conflict = |_| UnpackError::Conflict(member.name.clone());
    if let Some(parent) = path.parent() {
        tree.create_dir(&parent).map_err(conflict)?;
    }
    let content = match &member.kind {
        MemberKind::Dir => return tree.create_dir(path).map_err(conflict),
        MemberKind::File { bytes, executable } => {
            Content::File { bytes: bytes.clone(), executable: *executable }
        }
        MemberKind::Link(target) => Content::Link(target.clone()),
        MemberKind::Same(target) => {
            let source = path_of(target)?;
            let bad = |_| UnpackError::BadLink { name: member.name.clone(), target: target.clone() };
            let bytes = tree.read(&source).map_err(bad)?;
            let stat = tree.stat(&source).map_err(bad)?;
            Content::File { bytes, executable: stat.is_some_and(|stat| stat.executable) }
        }
        MemberKind::Other => return Err(UnpackError::BadKind(member.name.clone())),
    };
    tree.replace(path, content).map_err(conflict)
}

/// Whether an archive could be rolled back to.
///
/// # Errors
/// See [`UnpackError`].
pub fn check_archive(archive: &[u8], limits: &ArchiveLimits) -> Result<(), UnpackError> {
    unpack(archive, "/library", limits).map(drop)
}

/// The first components of an archive's names, sorted, absolute ones as `/`; none if it cannot be read.
pub fn top_level(archive: &[u8], limits: &ArchiveLimits) -> Option<Vec<String>> {
    let members = members_lenient(archive, limits).ok()?;
    let first = |name: &str| match name.trim_start_matches("./").split('/').next() {
        Some("") => "/".to_owned(),
        part => part.unwrap_or("").to_owned(),
    };
    let names: BTreeSet<String> = members.iter().map(|member| first(&member.name)).collect();
    Some(names.into_iter().collect())
}
