//! What the user reads of a staged write (`spec/skills.md` §8).

use super::arguments::{Action, Arguments};
use crate::text::{cut, trim};
use crate::values::Chars;

/// Characters of a description.
const DESCRIPTION_CHARS: usize = 140;

/// From this size on a text is measured in KB.
const KILO: usize = 1024;

/// One line that tells a proposal from others.
pub(super) fn gist(action: Action, arguments: Arguments<'_>) -> String {
    let name = arguments.name();
    let path = arguments.text("file_path").unwrap_or("");
    match action {
        Action::Create | Action::Edit => match arguments.text("content").filter(|text| !text.is_empty()) {
            Some(content) => {
                let verb = if action == Action::Create { "create" } else { "rewrite" };
                format!("{verb} '{name}'{} ({})", described(content), size(content))
            }
            None => format!("{} '{name}'", action.as_str()),
        },
        Action::Patch => {
            let file = if path.is_empty() { "SKILL.md" } else { path };
            let count = |key: &str| lines(arguments.text(key).unwrap_or(""));
            format!("patch '{name}' {file} (+{}/-{} lines)", count("new_string"), count("old_string"))
        }
        Action::Delete => format!("delete skill '{name}'"),
        Action::WriteFile => format!("write {path} in '{name}'"),
        Action::RemoveFile => format!("remove {path} from '{name}'"),
    }
}

/// The first `description:` line anywhere, without blanks and quotes around it.
fn described(content: &str) -> String {
    let line = content.lines().find_map(|line| trim(line).strip_prefix("description:"));
    let text = line.map_or("", |line| trim(line).trim_matches(['"', '\'']));
    if text.is_empty() { String::new() } else { format!(" — {}", cut(text, DESCRIPTION_CHARS)) }
}

fn size(content: &str) -> String {
    match Chars::of(content).0 {
        chars if chars < KILO => format!("{chars} chars"),
        chars => format!("{} KB", chars / KILO + 1),
    }
}

fn lines(text: &str) -> usize {
    if text.is_empty() { 0 } else { text.matches('\n').count() + 1 }
}
