//! A rollback as the reference makes it (`spec/curator-backup.md` §5, steps 4 to 8): with its traces. For the fault
//! `rollback_extracts_in_place`.

use super::unpack::{Member, MemberKind, members_lenient};
use super::{ArchiveLimits, STAGING, UnpackError, backups_dir, is_apart};
use crate::stores::{Content, Files, FilesError, MemFiles, Resolved, TreePath, is_dir, remove_tree, resolve};

/// How it failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum InPlaceError {
    /// No staging directory; nothing was touched.
    Staging(FilesError),
    /// The live tree could not be moved out and was moved back.
    Out(FilesError),
    /// The archive could not be unpacked; the live tree was moved back over what had been written.
    Unpack(String),
    /// An error that nobody catches: the live tree stays in staging.
    Escaped(String),
}

/// Moves the live tree out, unpacks the archive in its place, and moves it back if that fails.
pub(super) fn roll_back(
    home: &mut dyn Files,
    skills: &TreePath,
    archive: &TreePath,
    name: &str,
) -> Result<(), InPlaceError> {
    let staging = backups_dir(skills).below(&TreePath::new(&format!("{STAGING}{name}")));
    home.create_dir(&staging).map_err(InPlaceError::Staging)?;
    let mut staged = Vec::new();
    if let Err(error) = move_out(home, skills, &staging, &mut staged) {
        put_back(home, skills, &staging, &staged);
        return Err(InPlaceError::Out(error));
    }
    match extract(home, skills, archive) {
        Ok(()) => {
            let _ = remove_tree(home, &staging);
            Ok(())
        }
        Err(InPlaceError::Unpack(why)) => {
            put_back(home, skills, &staging, &staged);
            Err(InPlaceError::Unpack(why))
        }
        Err(other) => Err(other),
    }
}

fn move_out(
    home: &mut dyn Files,
    skills: &TreePath,
    staging: &TreePath,
    staged: &mut Vec<String>,
) -> Result<(), FilesError> {
    for entry in home.list(skills)? {
        if !is_apart(&entry.name) {
            home.rename(&skills.join(&entry.name)?, &staging.join(&entry.name)?)?;
            staged.push(entry.name);
        }
    }
    Ok(())
}

/// Moves staged entries back: where a directory of the name has been unpacked, into it. Then drops the staging
/// directory with whatever is left in it.
fn put_back(home: &mut dyn Files, skills: &TreePath, staging: &TreePath, staged: &[String]) {
    for name in staged {
        let (Ok(from), Ok(mut to)) = (staging.join(name), skills.join(name)) else { continue };
        if is_dir(home, &to) {
            let Ok(inside) = to.join(name) else { continue };
            to = inside;
        }
        let _ = home.rename(&from, &to);
    }
    let _ = remove_tree(home, staging);
}

fn extract(home: &mut dyn Files, skills: &TreePath, archive: &TreePath) -> Result<(), InPlaceError> {
    let failed = |why: String| InPlaceError::Unpack(why);
    let bytes = home.read(archive).map_err(|error| failed(error.to_string()))?;
    let members = members_lenient(&bytes, &ArchiveLimits::LIBRARY).map_err(|error| match error {
        UnpackError::CutOff => InPlaceError::Escaped(error.to_string()),
        other => failed(other.to_string()),
    })?;
    for member in &members {
        if member.name.starts_with('/') || member.name.split('/').any(|part| part == "..") {
            return Err(failed(UnpackError::BadName(member.name.clone()).to_string()));
        }
    }
    for member in members {
        write_member(home, skills, &member).map_err(failed)?;
    }
    Ok(())
}

fn write_member(home: &mut dyn Files, skills: &TreePath, member: &Member) -> Result<(), String> {
    let parts: Vec<&str> = member.name.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let below =
        TreePath::parse(&parts.join("/")).ok_or_else(|| format!("the impossible name {}", member.name))?;
    let path = skills.below(&below);
    let io = |error: FilesError| error.to_string();
    if let Some(parent) = path.parent() {
        home.create_dir(&parent).map_err(io)?;
    }
    match &member.kind {
        MemberKind::Dir => home.create_dir(&path).map_err(io),
        MemberKind::File { bytes, executable } => {
            let content = Content::File { bytes: bytes.clone(), executable: *executable };
            home.replace(&path, content).map_err(io)
        }
        MemberKind::Link(target) => {
            if !leads_inside(&below, target) {
                return Err(format!("the link {below} leads to {target}"));
            }
            home.replace(&path, Content::Link(target.clone())).map_err(io)
        }
        MemberKind::Same(source) => {
            let source = TreePath::parse(source).ok_or_else(|| format!("the impossible name {source}"))?;
            let bytes = home.read(&skills.below(&source)).map_err(io)?;
            home.replace(&path, Content::bytes(bytes)).map_err(io)
        }
        MemberKind::Other => Err(format!("{below} is no file, directory or link")),
    }
}

/// Whether a link stays within the tree, its own target not followed further.
fn leads_inside(at: &TreePath, target: &str) -> bool {
    if target.starts_with('/') {
        return false;
    }
    let mut alone = MemFiles::new("/library");
    let parent = at.parent().unwrap_or_default();
    let made = alone.create_dir(&parent).and_then(|()| alone.replace(at, Content::Link(target.to_owned())));
    made.is_ok() && matches!(resolve(&alone, at), Ok(Resolved::Inside(_)))
}
