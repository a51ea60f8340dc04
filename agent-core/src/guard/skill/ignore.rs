//! Files that a skill excludes from its scan (`spec/skill-guard.md` §5).

use crate::stores::{Files, TreePath, read_text};
use crate::text::{glob_fits, trim, wide_lines};

const IGNORE_FILES: [&str; 2] = [".skillignore", ".clawhubignore"];
const NEVER_IGNORED: &str = "SKILL.md";

/// What the ignore files of a skill say.
pub(super) struct Ignored {
    patterns: Vec<IgnorePattern>,
    /// Whether this version knows ignore files at all.
    known: bool,
}

struct IgnorePattern {
    text: String,
    anchored: bool,
    directory: bool,
}

impl IgnorePattern {
    fn parse(line: &str) -> Option<Self> {
        let line = trim(line);
        if line.starts_with('#') {
            return None;
        }
        let text = line.trim_matches('/');
        // A lone run of slashes is no pattern, so both ends can be stripped at once.
        (!text.is_empty()).then(|| Self {
            text: text.to_owned(),
            anchored: line.starts_with('/'),
            directory: line.ends_with('/'),
        })
    }

    fn covers(&self, path: &str) -> bool {
        let below = path.strip_prefix(self.text.as_str()).is_some_and(|rest| rest.starts_with('/'));
        if self.directory {
            let inside = format!("/{path}/").contains(&format!("/{}/", self.text));
            return path == self.text || below || (!self.anchored && inside);
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        glob_fits(path, &self.text)
            || (!self.anchored
                && (glob_fits(name, &self.text)
                    || below
                    || (!self.text.contains('/') && path.split('/').any(|part| glob_fits(part, &self.text)))))
    }
}

impl Ignored {
    /// Reads the ignore files in the root of a skill; unreadable ones say nothing.
    pub(super) fn read(files: &dyn Files, skill: &TreePath) -> Self {
        let text = |name: &&str| read_text(files, &skill.join(name).ok()?).ok();
        let texts: Vec<String> = IGNORE_FILES.iter().filter_map(text).collect();
        let lines = texts.iter().flat_map(|text| wide_lines(text));
        Self { patterns: lines.filter_map(IgnorePattern::parse).collect(), known: true }
    }

    /// Nothing is ignored, not even the ignore files.
    pub(super) fn nothing() -> Self {
        Self { patterns: Vec::new(), known: false }
    }

    /// Whether a file, by its path in the skill, is left out.
    pub(super) fn has(&self, path: &TreePath) -> bool {
        match path.name() {
            NEVER_IGNORED => false,
            name if self.known && IGNORE_FILES.contains(&name) => true,
            _ => self.patterns.iter().any(|pattern| pattern.covers(path.as_str())),
        }
    }
}
