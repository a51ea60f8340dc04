//! Which directories hold no skills (`spec/skills.md` §2).
//!
//! The reference tests the components of the whole absolute path, so a home below a directory called `venv` hides
//! every skill. Here the path inside its tree is tested; where the tree lies does not matter.

use crate::behaviour::Excluded;
use crate::stores::{Files, TreePath, exists};

/// The support directories of a skill.
pub const SUPPORT_DIRS: [&str; 4] = ["references", "templates", "scripts", "assets"];

/// The main file of a skill.
pub(crate) const SKILL_FILE: &str = "SKILL.md";

const SHORT: &[&str] = &[".git", ".github", ".hub", ".archive"];

const FULL: &[&str] = &[
    ".git",
    ".github",
    ".hub",
    ".archive",
    ".venv",
    "venv",
    "node_modules",
    "site-packages",
    "__pycache__",
    ".tox",
    ".nox",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
];

/// Snapshots of the curator hold copies of skills; the reference forgets them (`spec/curator.md` §5).
const BACKUPS: &str = ".curator_backups";

/// Whether a directory of this name holds no skills, wherever it lies.
pub(crate) fn is_excluded_name(rule: Excluded, name: &str) -> bool {
    let names = if rule == Excluded::Short { SHORT } else { FULL };
    name == BACKUPS || names.contains(&name)
}

/// Whether a directory of this name beside a `SKILL.md` belongs to that skill.
pub(crate) fn is_support_name(rule: Excluded, name: &str) -> bool {
    rule == Excluded::Packages && SUPPORT_DIRS.contains(&name)
}

/// Whether no skill counts at or below this directory.
pub fn is_excluded(files: &dyn Files, rule: Excluded, dir: &TreePath) -> bool {
    let mut at = TreePath::root();
    for part in dir.components() {
        if is_excluded_name(rule, part) {
            return true;
        }
        if is_support_name(rule, part) && exists(files, &at.below(&TreePath::new(SKILL_FILE))) {
            return true;
        }
        at = at.below(&TreePath::new(part));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stores::{MemFiles, write_text};

    #[test]
    fn a_support_directory_needs_a_skill_beside_it() {
        let mut files = MemFiles::new("/home/agent/.hermes");
        write_text(&mut files, &TreePath::new("skills/a/SKILL.md"), "x").unwrap();
        let hidden = |path: &str, rule| is_excluded(&files, rule, &TreePath::new(path));
        assert!(hidden("skills/a/references/b", Excluded::Packages));
        assert!(!hidden("skills/a/references/b", Excluded::Full));
        assert!(!hidden("skills/references/b", Excluded::Packages));
        assert!(hidden("skills/venv/b", Excluded::Full) && !hidden("skills/venv/b", Excluded::Short));
        assert!(hidden("skills/.archive", Excluded::Short));
    }
}
