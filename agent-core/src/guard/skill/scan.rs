//! The scan of a skill directory or of one file (`spec/skill-guard.md` §1).

use super::ignore::Ignored;
use super::report::{Finding, ScanReport, Severity, Verdict};
use super::rules::{Rule, rules as list_of};
use super::structure::{self, WHOLE};
use super::trust::Trust;
use crate::behaviour::GuardRules;
use crate::guard::pattern::{Text, lowered};
use crate::guard::threats::is_invisible;
use crate::stores::{Files, FilesError, Resolved, TreePath, is_file, resolve, walk_files};
use crate::text::fold_newlines;
use crate::values::Stamp;

/// Only these are read, and files named `SKILL.md`.
const SCANNED_SUFFIXES: [&str; 23] = [
    ".md", ".txt", ".py", ".sh", ".bash", ".js", ".ts", ".rb", ".yaml", ".yml", ".json", ".toml", ".cfg",
    ".ini", ".conf", ".html", ".css", ".xml", ".tex", ".r", ".jl", ".pl", ".php",
];
const SKILL_FILE: &str = "SKILL.md";

/// A scan came to no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScanError {
    /// A link leads into a loop (the reference's scan fails of it; on a write that means "no block").
    #[error("the link {path} leads into a loop")]
    LinkLoop {
        /// The link, relative to the skill.
        path: String,
    },
    /// A file could not be read or the cache not be used.
    #[error(transparent)]
    Files(#[from] FilesError),
}

/// Scans a skill directory, or one file. An absent path has no findings.
///
/// # Errors
/// [`ScanError::LinkLoop`], where the rules let the scan fail of it.
pub fn scan(
    files: &dyn Files,
    path: &TreePath,
    source: &str,
    at: Stamp,
    rules: &GuardRules,
) -> Result<ScanReport, ScanError> {
    let mut findings = match resolve(files, path) {
        _ if is_file(files, path) => scan_file(files, path, path.name(), rules),
        Ok(Resolved::Inside(base)) => scan_directory(files, &base, rules)?,
        _ => vec![unreachable_skill()],
    };
    findings.sort_by(|one, two| one.key().cmp(&two.key()));
    Ok(ScanReport {
        skill_name: path.name().to_owned(),
        source: source.to_owned(),
        trust: Trust::of(source, rules),
        verdict: Verdict::over(&findings, rules),
        findings,
        scanned_at: at,
    })
}

/// The skill itself is a link out of the tree: nothing of it can be vouched for.
fn unreachable_skill() -> Finding {
    Finding {
        rule: "symlink_escape".into(),
        severity: Severity::Critical,
        category: "traversal".into(),
        file: WHOLE.to_owned(),
        line: 0,
        text: "the skill is a link that leads out of the tree or into a loop".to_owned(),
        about: "a link that leads out of the skill".into(),
    }
}

fn scan_directory(files: &dyn Files, base: &TreePath, rules: &GuardRules) -> Result<Vec<Finding>, ScanError> {
    let ignored = if rules.ignore_files { Ignored::read(files, base) } else { Ignored::nothing() };
    let mut findings = structure::check(files, base, &ignored, rules)?;
    walk_files(files, base, &mut |path, _| {
        let Some(inner) = path.strip(base).filter(|inner| !ignored.has(inner)) else { return };
        if let Some(real) = file_behind(files, path)
            && is_scanned(inner.name())
        {
            findings.extend(scan_file(files, &real, inner.as_str(), rules));
        }
    });
    Ok(findings)
}

/// The regular file that a file or link stands for; none for anything else.
pub(super) fn file_behind(files: &dyn Files, path: &TreePath) -> Option<TreePath> {
    if is_file(files, path) {
        return Some(path.clone());
    }
    match resolve(files, path) {
        Ok(Resolved::Inside(real)) if is_file(files, &real) => Some(real),
        _ => None,
    }
}

/// From the last dot on, lower-cased; empty if there is none, or only in the first or last place.
pub(super) fn suffix(name: &str) -> String {
    match name.rfind('.') {
        Some(at) if at > 0 && at + 1 < name.len() => name[at..].to_lowercase(),
        _ => String::new(),
    }
}

fn is_scanned(name: &str) -> bool {
    name == SKILL_FILE || SCANNED_SUFFIXES.contains(&suffix(name).as_str())
}

/// The findings in one file, shown under a name. Not text, or not of a kind that is read: none.
fn scan_file(files: &dyn Files, path: &TreePath, shown: &str, rules: &GuardRules) -> Vec<Finding> {
    let name = shown.rsplit('/').next().unwrap_or(shown);
    let bytes = if is_scanned(name) { files.read(path).ok() } else { None };
    match bytes.as_deref().map(std::str::from_utf8) {
        Some(Ok(text)) => scan_text(text, shown, rules),
        _ => Vec::new(),
    }
}

/// One line, prepared for matching when the first rule asks for it.
struct Line<'a> {
    text: &'a str,
    lowered: &'a str,
    ready: Option<Text>,
}

/// The findings in a text. A rule whose literals are nowhere in the file is not tried on any line.
fn scan_text(text: &str, shown: &str, rules: &GuardRules) -> Vec<Finding> {
    let text = fold_newlines(text);
    let folded = lowered(&text);
    let mut lines: Vec<Line<'_>> = text
        .split('\n')
        .zip(folded.split('\n'))
        .map(|(text, lowered)| Line { text, lowered, ready: None })
        .collect();
    let mut findings = Vec::new();
    for rule in list_of(rules.list).iter().filter(|rule| rule.pattern.may_be_in(&folded)) {
        for (at, line) in lines.iter_mut().enumerate() {
            if rule.pattern.may_be_in(line.lowered)
                && line.ready.get_or_insert_with(|| Text::of(line.lowered)).has(&rule.pattern)
            {
                findings.push(hit(rule, shown, at + 1, line.text));
            }
        }
    }
    for (at, line) in lines.iter().enumerate() {
        findings.extend(
            line.text.chars().find(|char| is_invisible(*char)).map(|char| invisible(char, shown, at + 1)),
        );
    }
    findings
}

fn hit(rule: &Rule, file: &str, line: usize, text: &str) -> Finding {
    Finding {
        rule: rule.id.into(),
        severity: rule.severity,
        category: rule.category.into(),
        file: file.to_owned(),
        line,
        text: Finding::quote(text),
        about: rule.about.into(),
    }
}

fn invisible(char: char, file: &str, line: usize) -> Finding {
    Finding {
        rule: "invisible_unicode".into(),
        severity: Severity::High,
        category: "injection".into(),
        file: file.to_owned(),
        line,
        text: format!("U+{:04X} ({})", u32::from(char), name_of(char)),
        about: "a character that nobody sees".into(),
    }
}

fn name_of(invisible: char) -> &'static str {
    match invisible {
        '\u{200b}' => "zero-width space",
        '\u{200c}' => "zero-width non-joiner",
        '\u{200d}' => "zero-width joiner",
        '\u{2060}' => "word joiner",
        '\u{2062}'..='\u{2064}' => "invisible operator",
        '\u{feff}' => "byte order mark",
        '\u{202a}'..='\u{202e}' => "text direction embedding",
        _ => "text direction isolate",
    }
}
