//! What a name may mean in a view (`spec/skills.md` §11).

use super::super::answer::Refusal;
use super::super::context::SkillContext;
use super::super::excluded::{SKILL_FILE, is_excluded};
use super::super::library::{Root, Spot};
use crate::behaviour::{Excluded, ViewLookup};
use crate::stores::{Kind, TreePath};

/// How many names a miss shows.
const SHOWN_NAMES: usize = 20;

/// A skill that a name means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// The number of its root.
    pub(super) root: usize,
    /// Its directory, as the name leads to it; none for a skill of one file.
    pub(super) dir: Option<Spot>,
    /// Its main file, as the name leads to it.
    pub(super) file: Spot,
    /// Its main file, links resolved; none if it leads out of the trees.
    pub(super) real: Option<Spot>,
}

impl SkillContext<'_, '_> {
    /// The one skill that a name means.
    pub(super) fn one_candidate(&self, name: &str) -> Result<Candidate, Refusal> {
        let mut found = self.candidates(name)?;
        match found.len() {
            1 => Ok(found.remove(0)),
            0 => {
                let names = self.listed_skills().into_iter().take(SHOWN_NAMES).map(|row| row.name);
                let refusal = Refusal::mistake("not-found", format!("there is no skill `{name}`"));
                Err(refusal.with("available_skills", names.collect::<Vec<_>>()))
            }
            count => {
                let paths = found.iter().map(|one| self.library.absolute(&one.file));
                let why = format!(
                    "{count} skills are called `{name}`; give the path below the skills, as category/name"
                );
                Err(Refusal::mistake("ambiguous-skill", why).with("matches", paths.collect::<Vec<_>>()))
            }
        }
    }

    fn candidates(&self, name: &str) -> Result<Vec<Candidate>, Refusal> {
        if self.rules().view_lookup == ViewLookup::Declared {
            check_name(name)?;
        }
        let mut found = Vec::new();
        let spaced = namespaced(name)?;
        for meant in [Some(name), spaced.as_deref()].into_iter().flatten() {
            for (number, root) in self.library.roots().iter().enumerate() {
                found.extend(self.direct(number, root, meant));
            }
            found.extend(self.by_walk(meant));
        }
        let mut unique: Vec<Candidate> = Vec::new();
        for candidate in found {
            let known = |other: &Candidate| match (&candidate.real, &other.real) {
                (Some(one), Some(two)) => one == two,
                _ => candidate.file == other.file,
            };
            if !unique.iter().any(known) {
                unique.push(candidate);
            }
        }
        Ok(unique)
    }

    /// The name taken as a path below a root: a directory with a main file, else a file.
    fn direct(&self, number: usize, root: &Root, name: &str) -> Option<Candidate> {
        let pieces: Vec<&str> = name.split('/').filter(|piece| !matches!(*piece, "" | ".")).collect();
        let path = TreePath::parse(&pieces.join("/")).filter(|path| !path.as_str().is_empty())?;
        let dir = root.spot.below(&path);
        // Only support directories hide a skill from its own path.
        let hides = if self.rules().view_lookup == ViewLookup::Declared {
            self.rules().excluded
        } else {
            Excluded::Full
        };
        let hidden =
            hides == Excluded::Packages && is_excluded(self.library.files(dir.tree), hides, &dir.path);
        if hidden {
            return None;
        }
        let main = dir.below(&TreePath::new(SKILL_FILE));
        if self.kind_behind(&dir) == Some(Kind::Dir) && self.kind_behind(&main).is_some() {
            return Some(self.candidate(number, Some(dir), main));
        }
        let file = dir.parent()?.join(&with_md_suffix(path.name())).ok()?;
        (self.kind_behind(&file) == Some(Kind::File)).then(|| self.candidate(number, None, file))
    }

    /// What the walk finds: by directory, by declared name, by file name.
    fn by_walk(&self, name: &str) -> Vec<Candidate> {
        let catalogue = &self.state.catalogue;
        let declared = self.rules().view_lookup == ViewLookup::Declared;
        let titled = catalogue.titled(name).filter(move |_| declared);
        let dirs = catalogue.in_dir(name).chain(titled).map(|skill| {
            let file = skill.spot.below(&TreePath::new(SKILL_FILE));
            Candidate { root: skill.root, dir: Some(skill.spot.clone()), file, real: skill.file.clone() }
        });
        let stem = name.rsplit('/').next().unwrap_or(name);
        let ending = format!("/{name}.md");
        let flat = catalogue
            .flat(stem)
            .filter(|(_, file)| format!("/{}", file.path.as_str()).ends_with(&ending))
            .map(|(root, file)| self.candidate(root, None, file));
        dirs.chain(flat).collect()
    }

    fn candidate(&self, root: usize, dir: Option<Spot>, file: Spot) -> Candidate {
        let real = self.library.real(&file);
        Candidate { root, dir, file, real }
    }

    /// What is there once links are followed; a link out of the trees counts as a file that cannot be read.
    fn kind_behind(&self, spot: &Spot) -> Option<Kind> {
        match self.library.real(spot) {
            Some(real) => self.library.files(real.tree).stat(&real.path).ok()?.map(|stat| stat.kind),
            None => Some(Kind::File),
        }
    }
}

/// Absolute and climbing names are refused.
fn check_name(name: &str) -> Result<(), Refusal> {
    let mut chars = name.chars();
    let drive = chars.next().is_some_and(|char| char.is_ascii_alphabetic()) && chars.next() == Some(':');
    let drive = drive && chars.next().is_none_or(|char| matches!(char, '/' | '\\'));
    if name.starts_with(['/', '\\']) || drive {
        return Err(Refusal::mistake("bad-name", "a skill is named, not given by an absolute path"));
    }
    if name.split(['/', '\\']).any(|piece| piece == "..") {
        return Err(Refusal::mistake("path-traversal", "the name climbs out of the skills"));
    }
    Ok(())
}

/// A name with a namespace as category and skill; there are no plugins here.
fn namespaced(name: &str) -> Result<Option<String>, Refusal> {
    let Some((space, bare)) = name.split_once(':') else { return Ok(None) };
    let good = |word: &str| {
        !word.is_empty() && word.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-'))
    };
    if !good(space) {
        let why = "a namespace consists of letters, digits, `_` and `-`";
        return Err(Refusal::mistake("bad-namespace", why));
    }
    Ok(Some(format!("{space}/{bare}")))
}

/// A file name with its last suffix replaced by `.md`; one without a suffix just gains it.
fn with_md_suffix(name: &str) -> String {
    let stem = match name.rfind('.') {
        Some(at) if at > 0 && at + 1 < name.len() => &name[..at],
        _ => name,
    };
    format!("{stem}.md")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked_before_anything_is_looked_up() {
        let kind = |name| check_name(name).err().map(|refusal| refusal.kind.to_string());
        for bad in ["/etc", "\\\\host", "C:\\x", "c:/x", "d:"] {
            assert_eq!(kind(bad).as_deref(), Some("bad-name"), "{bad}");
        }
        assert_eq!(kind("a/../b").as_deref(), Some("path-traversal"));
        assert_eq!(kind("ops:demo"), None);
        assert_eq!(namespaced("ops:demo").unwrap().as_deref(), Some("ops/demo"));
        assert!(namespaced("o.ps:demo").is_err());
        assert_eq!(
            (with_md_suffix("a.b"), with_md_suffix(".a"), with_md_suffix("a")),
            ("a.md".into(), ".a.md".into(), "a.md".into())
        );
    }
}
