//! Which file of the project speaks, and what of it.

use std::borrow::Cow;

use super::{ContextInput, Scan};
use crate::behaviour::ContextRules;
use crate::stores::{Entry, Files, Kind, Resolved, TreePath, exists, is_file, read_text, resolve};
use crate::text;

/// A source of the project.
pub(super) struct Found {
    pub(super) label: String,
    pub(super) text: String,
    pub(super) findings: Vec<Cow<'static, str>>,
}

/// A scanned text.
pub(super) struct Section {
    pub(super) label: String,
    pub(super) text: String,
    pub(super) findings: Vec<Cow<'static, str>>,
}

impl Section {
    fn titled(&self) -> String {
        format!("## {}\n\n{}", self.label, self.text)
    }
}

/// The first source with content.
pub(super) fn project(input: &ContextInput<'_>, rules: &ContextRules) -> Option<Found> {
    let one = |section: Section| {
        let text = section.titled();
        Found { label: section.label, text, findings: section.findings }
    };
    let named = |names: &[&str]| {
        names.iter().find_map(|name| {
            let words = content(input.workspace, &input.cwd.join(name).ok()?)?;
            Some(scanned(name, &words, input.scan, rules))
        })
    };
    own_file(input, rules)
        .map(one)
        .or_else(|| named(&["AGENTS.md", "agents.md"]).map(one))
        .or_else(|| named(&["CLAUDE.md", "claude.md"]).map(one))
        .or_else(|| cursor_rules(input, rules))
}

/// `.hermes.md` or `HERMES.md`, in the working directory or above it up to the root of the repository. The first that
/// exists decides, even if it is blank.
fn own_file(input: &ContextInput<'_>, rules: &ContextRules) -> Option<Section> {
    let files = input.workspace;
    let above: Vec<TreePath> = std::iter::successors(Some(input.cwd.clone()), TreePath::parent).collect();
    let git = |dir: &TreePath| dir.join(".git").is_ok_and(|path| exists(files, &path));
    let searched = above.iter().position(git).map_or(1, |at| at + 1);
    let candidates =
        above[..searched].iter().flat_map(|dir| [".hermes.md", "HERMES.md"].map(|name| dir.join(name)));
    let path = candidates.flatten().find(|path| real_file(files, path).is_some())?;
    let words = content(files, &path)?;
    Some(scanned(path.name(), without_header(&words), input.scan, rules))
}

/// The file at a path, its links followed inside the tree.
fn real_file(files: &dyn Files, path: &TreePath) -> Option<TreePath> {
    match resolve(files, path) {
        Ok(Resolved::Inside(real)) if is_file(files, &real) => Some(real),
        _ => None,
    }
}

/// A file's text, trimmed; `None` for a blank, absent or unreadable one.
fn content(files: &dyn Files, path: &TreePath) -> Option<String> {
    let words = read_text(files, &real_file(files, path)?).ok()?;
    let words = text::trim(&words);
    (!words.is_empty()).then(|| text::fold_newlines(words))
}

/// A text without its YAML header, unless nothing else is in it.
fn without_header(words: &str) -> &str {
    let Some(after) = words.strip_prefix("---") else { return words };
    let body = after.find("\n---").map_or("", |at| text::trim(&after[at + 4..]));
    if body.is_empty() { words } else { body }
}

/// Scans a text; a finding leaves a placeholder in its place.
pub(super) fn scanned(label: &str, words: &str, scan: Scan<'_>, rules: &ContextRules) -> Section {
    let words = if rules.drop_bom { words.strip_prefix('\u{feff}').unwrap_or(words) } else { words };
    let findings = scan(words);
    let text = if findings.is_empty() {
        words.to_owned()
    } else {
        format!(
            "[BLOCKED: {label} is left out, because its text reads like an attempt to take over the agent ({}). \
             The file itself is unchanged.]",
            findings.join(", ")
        )
    };
    Section { label: label.to_owned(), text, findings }
}

/// `.cursorrules` and `.cursor/rules/*.mdc`, all of them, each followed by a blank line.
fn cursor_rules(input: &ContextInput<'_>, rules: &ContextRules) -> Option<Found> {
    let files = input.workspace;
    let mut found = Found { label: ".cursorrules".to_owned(), text: String::new(), findings: Vec::new() };
    let mut add = |label: &str| {
        let words = input.cwd.join(label).ok().and_then(|path| content(files, &path));
        if let Some(words) = words {
            let section = scanned(label, &words, input.scan, rules);
            found.text.push_str(&section.titled());
            found.text.push_str("\n\n");
            found.findings.extend(section.findings);
        }
    };
    add(".cursorrules");
    for entry in rule_files(input) {
        add(&format!(".cursor/rules/{}", entry.name));
    }
    (!found.text.is_empty()).then_some(found)
}

fn rule_files(input: &ContextInput<'_>) -> Vec<Entry> {
    let dir = input.cwd.join(".cursor/rules").ok();
    let real = dir.and_then(|dir| match resolve(input.workspace, &dir) {
        Ok(Resolved::Inside(real)) => Some(real),
        _ => None,
    });
    let entries = real.and_then(|real| input.workspace.list(&real).ok()).unwrap_or_default();
    entries
        .into_iter()
        .filter(|entry| {
            entry.kind != Kind::Dir && entry.name.rsplit_once('.').is_some_and(|(_, kind)| kind == "mdc")
        })
        .collect()
}
