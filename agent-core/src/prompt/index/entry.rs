//! One skill as the index knows it, and what a category says of itself.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::skills::frontmatter::Lenient;
use crate::text;
use crate::text::yaml11::YamlValue;

/// Characters of a description that the index shows whole (`spec/prompt.md` §3.1).
const DESCRIPTION_CHARS: usize = 60;
/// Characters that stay of a longer one, before three dots.
const DESCRIPTION_CUT_CHARS: usize = 57;

/// When a skill is offered at all (`spec/prompt.md` §3.2).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Conditions {
    pub(super) fallback_for_toolsets: Vec<String>,
    pub(super) requires_toolsets: Vec<String>,
    pub(super) fallback_for_tools: Vec<String>,
    pub(super) requires_tools: Vec<String>,
}

impl Conditions {
    fn of(header: &Lenient<'_>) -> Self {
        let hermes = header.get("metadata").and_then(|metadata| metadata.get("hermes"));
        let list = |key: &str| hermes.and_then(|hermes| hermes.get(key)).map(texts).unwrap_or_default();
        Self {
            fallback_for_toolsets: list("fallback_for_toolsets"),
            requires_toolsets: list("requires_toolsets"),
            fallback_for_tools: list("fallback_for_tools"),
            requires_tools: list("requires_tools"),
        }
    }
}

/// A skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Name of its folder.
    pub(super) folder: Arc<str>,
    /// Its category.
    pub(super) category: Arc<str>,
    /// The name that it gives itself, else its folder's.
    pub(super) name: Arc<str>,
    /// The description as shown; empty for none.
    pub(super) description: Arc<str>,
    /// Systems that it is for; empty for all.
    pub(super) platforms: Vec<String>,
    /// Environments that it is for; empty for all.
    pub(super) environments: Vec<String>,
    /// When it is offered.
    pub(super) conditions: Conditions,
}

impl Entry {
    /// The skill of the `SKILL.md` at this path below a library; `None` for the file where it cannot be read.
    pub(super) fn new(path: &str, root_name: &str, file: Option<&str>, drop_bom: bool) -> Self {
        let (category, folder) = place(path, root_name);
        let header = Lenient::parse(file.unwrap_or(""), drop_bom);
        let name = header.get("name").map_or_else(|| folder.to_owned(), YamlValue::printed);
        Self {
            folder: folder.into(),
            category: category.into(),
            name: name.into(),
            description: shown(&header).into(),
            platforms: header.get("platforms").map(texts).unwrap_or_default(),
            environments: header.get("environments").map(texts).unwrap_or_default(),
            conditions: Conditions::of(&header),
        }
    }
}

/// Category and folder for a path (`spec/prompt.md` §3.1).
fn place<'a>(path: &'a str, root_name: &'a str) -> (&'a str, &'a str) {
    let Some((dir, _)) = path.rsplit_once('/') else { return (GENERAL, root_name) };
    match dir.rsplit_once('/') {
        Some((category, folder)) => (category, folder),
        None => (dir, dir),
    }
}

/// The category of what lies directly in a library's root.
pub(super) const GENERAL: &str = "general";

/// A description without blanks and quotes at its ends; empty for none.
fn described(header: &Lenient<'_>) -> String {
    let words = header.get("description").filter(|value| value.is_truthy()).map(YamlValue::printed);
    words.map_or(String::new(), |words| text::trim(&words).trim_matches(['\'', '"']).to_owned())
}

fn shown(header: &Lenient<'_>) -> String {
    let words = described(header);
    if words.chars().nth(DESCRIPTION_CHARS).is_none() {
        return words;
    }
    format!("{}...", text::cut(&words, DESCRIPTION_CUT_CHARS))
}

/// What a `DESCRIPTION.md` says of its category, never shortened; `None` for nothing.
pub(super) fn category_words(file: &str, drop_bom: bool) -> Option<Arc<str>> {
    let words = described(&Lenient::parse(file, drop_bom));
    (!words.is_empty()).then(|| words.into())
}

/// The category that a `DESCRIPTION.md` at this path describes.
pub(super) fn described_category(path: &str) -> &str {
    path.rsplit_once('/').map_or(GENERAL, |(dir, _)| dir)
}

/// A list of texts, or one text, without blanks at the ends and without empty ones.
fn texts(value: &YamlValue) -> Vec<String> {
    let items: Vec<String> = match value {
        YamlValue::List(items) => items.iter().map(YamlValue::printed).collect(),
        value if !value.is_truthy() => Vec::new(),
        value => vec![value.printed()],
    };
    items.iter().map(|item| text::trim(item).to_owned()).filter(|item| !item.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(file: &str) -> Entry {
        Entry::new("d/x/SKILL.md", "skills", Some(file), true)
    }

    #[test]
    fn descriptions_are_cut_at_60_characters() {
        let of = |len: usize| entry(&format!("---\ndescription: {}\n---\n", "é".repeat(len))).description;
        assert_eq!(&*of(60), "é".repeat(60));
        assert_eq!(&*of(61), format!("{}...", "é".repeat(57)));
        assert_eq!(&*entry("---\ndescription: \"'quoted'\"\n---\n").description, "quoted");
    }

    #[test]
    fn a_file_that_cannot_be_read_is_shown_by_its_folder() {
        let broken = Entry::new("a/b/x/SKILL.md", "skills", None, true);
        assert_eq!((&*broken.category, &*broken.folder, &*broken.name), ("a/b", "x", "x"));
        let lines = entry("---\nname: y\ndescription: a: b: [\n---\n");
        assert_eq!((&*lines.name, &*lines.description), ("y", "a: b: ["));
        assert_eq!(&*Entry::new("SKILL.md", "skills", Some("no header"), true).category, "general");
    }
}
