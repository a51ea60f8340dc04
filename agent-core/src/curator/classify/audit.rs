//! The third signal: which other calls mention a removed skill.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Map, Value};

use super::calls::RecordedCall;
use crate::text::{cut, is_word};

/// Characters of the evidence that are kept.
const SNIPPET_CHARS: usize = 80;
const PATH_FIELD: &str = "file_path";
const FIELDS: [&str; 4] = [PATH_FIELD, "file_content", "content", "new_string"];

/// A call that mentions a removed skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// Its action; `?` if it has none.
    pub action: String,
    /// The skill that it worked on.
    pub target: String,
    /// The removed skill.
    pub name: String,
    /// The beginning of the text that mentions it.
    pub snippet: String,
}

/// For each removed skill the first call on one of the destinations that mentions it.
pub fn audit(
    removed: &[String],
    destinations: &BTreeSet<String>,
    calls: &[RecordedCall],
) -> BTreeMap<String, Evidence> {
    let managed: Vec<Cow<'_, Map<String, Value>>> = calls.iter().filter_map(RecordedCall::managed).collect();
    let mut found = BTreeMap::new();
    for name in removed {
        let variants = variants(name);
        let evidence = managed.iter().find_map(|arguments| mention(name, &variants, arguments, destinations));
        found.extend(evidence.map(|evidence| (name.clone(), evidence)));
    }
    found
}

/// The name, and it with all hyphens or all underscores changed into the other.
fn variants(name: &str) -> [String; 3] {
    [name.to_owned(), name.replace('-', "_"), name.replace('_', "-")]
}

fn mention(
    name: &str,
    variants: &[String],
    arguments: &Map<String, Value>,
    destinations: &BTreeSet<String>,
) -> Option<Evidence> {
    let target = arguments.get("name").and_then(Value::as_str)?;
    if target == name || !destinations.contains(target) {
        return None;
    }
    let text = FIELDS.into_iter().find_map(|field| {
        let text = arguments.get(field).and_then(Value::as_str)?;
        let mentions = match field {
            PATH_FIELD => path_names(text, name),
            _ => variants.iter().any(|variant| is_said(text, variant)),
        };
        mentions.then_some(text)
    })?;
    let action = match arguments.get("action") {
        Some(Value::String(action)) => action.clone(),
        Some(action) if !action.is_null() => action.to_string(),
        _ => "?".to_owned(),
    };
    let snippet = cut(text, SNIPPET_CHARS).to_owned();
    Some(Evidence { action, target: target.to_owned(), name: name.to_owned(), snippet })
}

/// Whether a component of a path, its last extension dropped, is the name; hyphens and underscores are the same.
fn path_names(path: &str, name: &str) -> bool {
    let plain = |text: &str| text.replace('-', "_");
    let name = plain(name);
    path.split(['/', '\\']).any(|part| {
        let stem = part.rsplit_once('.').map_or(part, |(stem, _)| stem);
        plain(stem) == name
    })
}

/// Whether a text holds a name with word boundaries on both sides, as Python's `\b` has them.
pub(in crate::curator) fn is_said(text: &str, name: &str) -> bool {
    let (Some(first), Some(last)) = (name.chars().next(), name.chars().next_back()) else { return false };
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back().is_some_and(is_word);
        let after = text[at + name.len()..].chars().next().is_some_and(is_word);
        before != is_word(first) && after != is_word(last)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hyphen_is_a_boundary_and_a_letter_is_none() {
        assert!(is_said("see pdf-tools", "pdf") && is_said("(pdf)", "pdf"));
        assert!(!is_said("latest", "test") && !is_said("pdf_tools", "pdf") && !is_said("épdf", "pdf"));
        assert!(is_said("xpdf pdf", "pdf"), "a later place counts");
    }

    #[test]
    fn a_path_names_a_skill_by_a_whole_component() {
        assert!(path_names("references/pdf_extract.md", "pdf-extract"));
        assert!(path_names("pdf-extract\\x.md", "pdf-extract"));
        assert!(!path_names("references/pdf-extract-2.md", "pdf-extract"));
        assert!(!path_names("references/PDF-extract.md", "pdf-extract"));
    }
}
