//! Paths of supporting files (`spec/skills.md` §3.5).

use super::super::answer::Refusal;
use super::super::excluded::{SKILL_FILE, SUPPORT_DIRS};
use super::super::library::{Library, Spot, Whereabouts};
use crate::behaviour::ExplicitSkillMd;
use crate::stores::TreePath;

/// A path that passed the rules that need no look at the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FilePath {
    /// The pieces, or none for an absolute path, which escapes by itself.
    relative: Option<TreePath>,
    /// Whether it names a `SKILL.md`.
    pub(super) is_skill_file: bool,
}

/// Rules 1 to 5. A backslash is an ordinary character; a leading slash is a piece of its own.
///
/// # Errors
/// `path-traversal`, `path-not-allowed` or `path-is-directory`.
pub(super) fn check(path: &str, skill_md: ExplicitSkillMd) -> Result<FilePath, Refusal> {
    let absolute = path.starts_with('/');
    let pieces: Vec<&str> = path.split('/').filter(|piece| !matches!(*piece, "" | ".")).collect();
    if pieces.contains(&"..") {
        let why = format!("`{path}` climbs out of the skill; give a path inside it");
        return Err(Refusal::mistake("path-traversal", why));
    }
    let count = pieces.len() + usize::from(absolute);
    let names_skill_file = skill_md != ExplicitSkillMd::Refused
        && pieces.last() == Some(&SKILL_FILE)
        && (1..=2).contains(&count);
    let relative = (!absolute).then(|| TreePath::parse(&pieces.join("/"))).flatten();
    if names_skill_file {
        return Ok(FilePath { relative, is_skill_file: true });
    }
    let first = if absolute { "/" } else { pieces.first().copied().unwrap_or("") };
    if !SUPPORT_DIRS.contains(&first) {
        let why = format!("`{path}` must lie under one of {}", SUPPORT_DIRS.join(", "));
        return Err(Refusal::mistake("path-not-allowed", why));
    }
    if count == 1 {
        let why = format!("`{path}` is a directory; name a file in it, such as `{first}/notes.md`");
        return Err(Refusal::mistake("path-is-directory", why));
    }
    Ok(FilePath { relative, is_skill_file: false })
}

/// A file of a skill: where its name is and where its links lead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The path in the skill's directory.
    pub(super) inner: TreePath,
    /// The spot of that name.
    pub(super) named: Spot,
    /// The spot of that name with the links on the way followed, but not its own: what a removal removes.
    pub(super) entry: Spot,
    /// The spot where it really lies.
    pub(super) real: Spot,
}

/// Rule 6: the path joined to the skill, its links followed, must stay inside.
///
/// # Errors
/// `path-escape`.
pub(super) fn resolve(
    library: &Library<'_>,
    skill: &Spot,
    path: &str,
    checked: &FilePath,
) -> Result<Target, Refusal> {
    let escape = || Refusal::mistake("path-escape", format!("`{path}` leads out of the skill"));
    let inner = checked.relative.clone().ok_or_else(escape)?;
    let named = skill.below(&inner);
    let base = library.real(skill).ok_or_else(escape)?;
    let parent = named.parent().and_then(|parent| library.real(&parent)).ok_or_else(escape)?;
    let entry = parent.join(named.path.name()).map_err(|_| escape())?;
    match library.resolve(&named) {
        Ok(Whereabouts::Inside(real)) if real.is_at_or_below(&base) && entry.is_at_or_below(&base) => {
            Ok(Target { inner, named, entry, real })
        }
        _ => Err(escape()),
    }
}
