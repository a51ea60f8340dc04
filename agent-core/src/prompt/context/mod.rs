//! Context files: what the project and the home say to the agent (`spec/prompt.md` §4).
//!
//! Exactly one source of the project is used, the first with content. Every text is scanned before it enters the
//! prompt; a finding replaces it. The scan itself comes in as a function, since it belongs to the guard.

mod cap;
mod source;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use cap::cut_to;
use source::{Found, project};

use super::library::{PromptLibrary, PromptName};
use crate::behaviour::ContextRules;
use crate::stores::{Files, TreePath};
use crate::text;
use crate::values::{Chars, Tokens};

/// Gives the ids of what is found in a text; none for a harmless one.
pub type Scan<'a> = &'a dyn Fn(&str) -> Vec<Cow<'static, str>>;

/// The name of the persona file in the home.
const SOUL: &str = "SOUL.md";

/// What all sources have in common.
#[derive(Clone, Copy)]
pub struct ContextInput<'a> {
    /// The tree in which the working directory lies.
    pub workspace: &'a dyn Files,
    /// The working directory.
    pub cwd: &'a TreePath,
    /// Whether the working directory is only a fallback and lies in the program's own install tree.
    pub in_install_tree: bool,
    /// Where the user speaks: `cli`, `tui`, `telegram` …
    pub surface: &'a str,
    /// The model's window, where it is known.
    pub window: Option<Tokens>,
    /// The scan of texts.
    pub scan: Scan<'a>,
}

/// A text that was taken up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextSource {
    /// How it is named: the label of a section, `.cursorrules` for a set of rules, `SOUL.md`.
    pub label: String,
    /// Its characters, label included, before any cut.
    pub chars: Chars,
    /// Ids of findings; a text with findings is replaced by a placeholder.
    pub findings: Vec<Cow<'static, str>>,
    /// Whether it was cut.
    pub cut: bool,
}

/// The block of context files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContextBlock {
    /// The text; empty where there is nothing.
    pub text: String,
    /// What went into it, in order.
    pub sources: Vec<ContextSource>,
    /// What the user is told: texts that were cut.
    pub warnings: Vec<String>,
}

/// The persona, ready for the prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Soul {
    /// The text, scanned and cut.
    pub text: String,
    /// Where it came from.
    pub source: ContextSource,
    /// What the user is told.
    pub warnings: Vec<String>,
}

/// `SOUL.md` of a home, scanned and cut; `None` where it is blank. `home` is the path by which prompts name the home.
pub fn soul(file: &str, home: &str, input: &ContextInput<'_>, rules: &ContextRules) -> Option<Soul> {
    let words = text::trim(file);
    if words.is_empty() {
        return None;
    }
    let section = source::scanned(SOUL, words, input.scan, rules);
    let found = Found { label: SOUL.to_owned(), text: section.text, findings: section.findings };
    let place = format!("{home}/{SOUL}");
    let (text, source, warning) = finish(found, &place, input.window, rules);
    Some(Soul { text, source, warnings: warning.into_iter().collect() })
}

/// The block: the project's source, then the persona unless it became the identity (then leave `soul` out).
pub fn block(
    input: &ContextInput<'_>,
    soul: Option<&Soul>,
    library: &PromptLibrary,
    rules: &ContextRules,
) -> ContextBlock {
    let mut block = ContextBlock::default();
    let mut sections = Vec::new();
    let foreign = input.in_install_tree && !matches!(input.surface, "cli" | "tui");
    if !(foreign && rules.skip_install_tree)
        && let Some(found) = project(input, rules)
    {
        let place = format!("{}/{}", directory(input), found.label);
        let (text, source, warning) = finish(found, &place, input.window, rules);
        sections.push(text);
        block.sources.push(source);
        block.warnings.extend(warning);
    }
    if let Some(soul) = soul {
        sections.push(soul.text.clone());
        block.sources.push(soul.source.clone());
        block.warnings.extend(soul.warnings.iter().cloned());
    }
    if !sections.is_empty() {
        let intro = library.get(PromptName::ContextIntro);
        block.text = format!("{HEADING}\n\n{intro}\n\n{}", sections.join("\n"));
    }
    block
}

/// The heading of the block.
const HEADING: &str = "# Project context";

fn directory(input: &ContextInput<'_>) -> String {
    let root = input.workspace.root().trim_end_matches('/');
    if *input.cwd == TreePath::root() { root.to_owned() } else { format!("{root}/{}", input.cwd.as_str()) }
}

/// Cuts a source to its cap and notes what happened.
fn finish(
    found: Found,
    place: &str,
    window: Option<Tokens>,
    rules: &ContextRules,
) -> (String, ContextSource, Option<String>) {
    let chars = Chars::of(&found.text);
    let cut = cut_to(&found.text, &found.label, place, cap::limit(window, rules));
    let warning = cut
        .as_ref()
        .filter(|_| rules.warns)
        .map(|cut| format!("{}: {} of {} characters fit into the prompt", found.label, cut.kept, chars.0));
    let source = ContextSource { label: found.label, chars, findings: found.findings, cut: cut.is_some() };
    (cut.map_or(found.text, |cut| cut.text), source, warning)
}
