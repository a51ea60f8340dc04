//! What a waiting skill write would change, for the user's eye (`spec/skills.md` §8).

use similar::TextDiff;

use super::super::catalogue::Catalogue;
use super::super::library::Library;
use super::arguments::{Action, Arguments};
use crate::behaviour::SkillRules;
use crate::pending::PendingRecord;
use crate::stores::{TreePath, read_text};
use crate::text::fold_newlines;

/// The content of a new skill, or a unified diff against what is there now. A patch is shown as a plain replacement
/// of every occurrence, not by the fuzzy engine that will apply it.
pub fn pending_diff(library: &Library<'_>, rules: &SkillRules, record: &PendingRecord) -> String {
    let arguments = Arguments(&record.payload);
    let text = |key: &str| arguments.text(key).unwrap_or("");
    let path = match text("file_path") {
        "" => "SKILL.md",
        path => path,
    };
    let old = || present(library, rules, arguments.name(), path);
    match arguments.action() {
        Some(Action::Create) => text("content").to_owned(),
        Some(Action::Edit) => {
            unified("SKILL.md", &present(library, rules, arguments.name(), "SKILL.md"), text("content"))
        }
        Some(Action::Patch) if !text("old_string").is_empty() => {
            let old = old();
            unified(path, &old, &old.replace(text("old_string"), text("new_string")))
        }
        Some(Action::WriteFile) => unified(path, &old(), text("file_content")),
        _ => record.summary.clone(),
    }
}

/// The text of a skill's file; empty if there is none.
fn present(library: &Library<'_>, rules: &SkillRules, name: &str, path: &str) -> String {
    let mut catalogue = Catalogue::default();
    catalogue.refresh(library, rules);
    let file = catalogue.find(name).and_then(|skill| Some(skill.spot.below(&TreePath::parse(path)?)));
    let text = file
        .and_then(|file| library.real(&file))
        .filter(|file| library.root_of(file).is_some())
        .and_then(|file| read_text(library.files(file.tree), &file.path).ok());
    fold_newlines(&text.unwrap_or_default())
}

fn unified(path: &str, old: &str, new: &str) -> String {
    let diff = TextDiff::from_lines(old, new);
    diff.unified_diff().context_radius(3).header(&format!("a/{path}"), &format!("b/{path}")).to_string()
}
