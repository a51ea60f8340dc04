//! A look at the library after a pass: do links resolve, is absorbed content still there, does every job find its
//! skills, did every removed skill go somewhere (`spec/curator.md` §18, `spec/metrics.md`).
//!
//! It judges by lines and names, not by meaning: a share of lines says how much of the text was kept, not whether it
//! is still understood.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use regex::Regex;
use serde::Serialize;

use super::classify::{Classified, is_said};
use super::context::CuratorContext;
use super::jobs::{JobStore, is_found};
use super::pass::PassStart;
use crate::skills::{SkillDir, Spot, Tree};
use crate::stores::{Files, Kind, TreePath, exists, is_dir, walk_files};
use crate::text::{is_word, trim};

/// Below this share of kept lines a merge is flagged, in thousandths (`spec/metrics.md`, curator retention).
pub const KEPT_PERMILLE_MIN: usize = 400;
/// Word characters that make a line worth counting: rules, fences and bullets alone are not.
const LINE_WORD_CHARS_MIN: usize = 4;
const ARCHIVE: &str = ".archive";

static LINK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\]\(\s*([^)\s]+)|((?:references|templates|scripts|assets)/[\w./-]*\w)")
        .expect("a literal pattern is well formed")
});

/// A link in an umbrella that leads to nothing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct BrokenLink {
    /// The skill.
    pub skill: String,
    /// The file with the link, relative to the skill.
    pub file: String,
    /// Where it leads.
    pub target: String,
}

/// How much of an absorbed skill can still be found in the one that absorbed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Retention {
    /// The absorbed skill.
    pub name: String,
    /// The one that absorbed it.
    pub into: String,
    /// Its lines.
    pub lines: usize,
    /// Those found.
    pub kept: usize,
    /// Whether fewer than two in five were found.
    pub flagged: bool,
}

/// A scheduled job that names a skill which cannot be found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DanglingJob {
    /// Its name.
    pub job: String,
    /// The skill.
    pub skill: String,
    /// Where it names it: `skills`, or, for a skill that the pass removed, `prompt`, `script` or `workdir`, which
    /// nothing rewrites.
    pub field: &'static str,
}

/// What the look found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// Links of umbrellas that lead to nothing.
    pub broken_links: Vec<BrokenLink>,
    /// How much of each absorbed skill was kept.
    pub retention: Vec<Retention>,
    /// Jobs that point at nothing.
    pub dangling_jobs: Vec<DanglingJob>,
    /// Removed skills of which nobody can say where they went.
    pub unverified_removals: Vec<String>,
    /// Whether all is well.
    pub ok: bool,
}

impl Verification {
    /// What is wrong, line by line.
    pub(super) fn lines(&self) -> Vec<String> {
        let links = self.broken_links.iter();
        let links =
            links.map(|one| format!("`{}`, {}: `{}` leads to nothing", one.skill, one.file, one.target));
        let thin = self.retention.iter().filter(|one| one.flagged);
        let thin = thin
            .map(|one| format!("`{}` → `{}`: {} of {} lines kept", one.name, one.into, one.kept, one.lines));
        let jobs = self.dangling_jobs.iter();
        let jobs = jobs.map(|one| {
            format!("job {} names `{}` in its {}, which cannot be found", one.job, one.skill, one.field)
        });
        let gone =
            self.unverified_removals.iter().map(|name| format!("`{name}` was removed without a target"));
        links.chain(thin).chain(jobs).chain(gone).collect()
    }
}

/// Looks at the library after a pass.
pub(super) fn verify(
    context: &mut CuratorContext<'_, '_>,
    start: &PassStart,
    classified: &Classified,
) -> Verification {
    let skills = context.usage().all_skills();
    let files = |spot: &Spot| context.library.files(spot.tree);
    let by_name =
        |name: &str| skills.iter().find(|skill| &*skill.declared == name || &*skill.dir_name == name);
    let mut found = Verification::default();
    let mut umbrellas: BTreeSet<&str> = classified.consolidated.iter().map(|one| one.into.as_str()).collect();
    umbrellas.extend(classified.added.iter().map(String::as_str));
    for umbrella in umbrellas {
        if let Some(skill) = by_name(umbrella) {
            found.broken_links.extend(broken_links(files(&skill.spot), umbrella, &skill.spot.path));
        }
    }
    for one in &classified.consolidated {
        let (Some(umbrella), Some(lines)) = (by_name(&one.into), absorbed_lines(context, start, &one.name))
        else {
            continue;
        };
        let now: BTreeSet<String> =
            lines_below(files(&umbrella.spot), &umbrella.spot.path).into_iter().collect();
        let kept = lines.iter().filter(|line| now.contains(*line)).count();
        let flagged = kept * 1000 < lines.len() * KEPT_PERMILLE_MIN;
        let (name, into) = (one.name.clone(), one.into.clone());
        found.retention.push(Retention { name, into, lines: lines.len(), kept, flagged });
    }
    found.dangling_jobs = dangling_jobs(context.library.home(), &skills, &classified.removed);
    let targeted: BTreeSet<&str> = classified
        .consolidated
        .iter()
        .filter(|one| by_name(&one.into).is_some())
        .map(|one| one.name.as_str())
        .collect();
    let gone = classified.removed.iter().filter(|name| !targeted.contains(name.as_str()));
    found.unverified_removals = gone.cloned().collect();
    found.ok = found.lines().is_empty();
    found
}

fn extension(path: &TreePath) -> &str {
    path.name().rsplit_once('.').map_or("", |(_, extension)| extension)
}

fn is_text(path: &TreePath) -> bool {
    matches!(extension(path), "md" | "txt" | "sh" | "py" | "yaml" | "yml" | "json" | "toml" | "js" | "ts")
}

fn text_of(files: &dyn Files, path: &TreePath) -> String {
    files.read(path).map_or_else(|_| String::new(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn broken_links(files: &dyn Files, skill: &str, root: &TreePath) -> BTreeSet<BrokenLink> {
    let mut broken = BTreeSet::new();
    walk_files(files, root, &mut |path, kind| {
        if kind != Kind::File || extension(path) != "md" {
            return;
        }
        let dir = path.parent().unwrap_or_default();
        for found in LINK.captures_iter(&text_of(files, path)) {
            let Some(target) = found.get(1).or_else(|| found.get(2)).map(|part| part.as_str()) else {
                continue;
            };
            if !leads_somewhere(files, root, &dir, target) {
                let file = path.strip(root).unwrap_or_default().as_str().to_owned();
                broken.insert(BrokenLink { skill: skill.to_owned(), file, target: target.to_owned() });
            }
        }
    });
    broken
}

/// Whether a link resolves from its file's directory or from the skill's; what is no relative path is not judged.
fn leads_somewhere(files: &dyn Files, root: &TreePath, dir: &TreePath, target: &str) -> bool {
    let target = target.split(['#', '?']).next().unwrap_or("");
    let foreign = target.is_empty()
        || target.contains("://")
        || target.starts_with(['/', '~', '<', '{', '$', '\\'])
        || target.starts_with("mailto:");
    foreign
        || [dir, root].into_iter().filter_map(|base| beside(base, target)).any(|path| exists(files, &path))
}

/// The path that a relative target names from a directory; none if it climbs out of the tree.
fn beside(base: &TreePath, target: &str) -> Option<TreePath> {
    let mut parts: Vec<&str> = base.components().collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    TreePath::parse(&parts.join("/"))
}

/// The lines of an absorbed skill: as it was before the pass where that is known, else as it was archived.
fn absorbed_lines(context: &CuratorContext<'_, '_>, start: &PassStart, name: &str) -> Option<Vec<String>> {
    let place = start.place(name)?;
    if let (Some(home), Tree::Home) = (start.home_before(), place.spot.tree) {
        return Some(lines_below(home, &place.spot.path)).filter(|lines| !lines.is_empty());
    }
    let root = context.library.root_of(&place.spot)?;
    let files = context.library.files(root.spot.tree);
    let archive = root.spot.path.below(&TreePath::new(ARCHIVE));
    let stamped = |rest: &str| {
        let digits = rest.strip_prefix('-').unwrap_or("");
        rest.is_empty() || (digits.len() == 14 && digits.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let entries = files.list(&archive).ok()?;
    let newest = entries
        .iter()
        .filter(|entry| entry.name.strip_prefix(&*place.dir_name).is_some_and(stamped))
        .filter_map(|entry| archive.join(&entry.name).ok())
        .rfind(|path| is_dir(files, path))?;
    Some(lines_below(files, &newest)).filter(|lines| !lines.is_empty())
}

/// The lines of all texts of a skill, headers left out, in one plain form.
fn lines_below(files: &dyn Files, root: &TreePath) -> Vec<String> {
    let mut lines = Vec::new();
    walk_files(files, root, &mut |path, kind| {
        if kind == Kind::File && is_text(path) {
            let text = text_of(files, path);
            lines.extend(body_of(&text).lines().filter_map(plain_line));
        }
    });
    lines
}

/// A text without its header.
fn body_of(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("---\n") else { return text };
    rest.split_once("\n---\n").map_or(text, |(_, body)| body)
}

/// A line without marks, blanks and case; none if hardly anything is left.
fn plain_line(line: &str) -> Option<String> {
    let marks = |char: char| char.is_ascii_punctuation() || char.is_ascii_digit() || char.is_whitespace();
    let plain = trim(line).trim_start_matches(marks).trim_end_matches(|char: char| !is_word(char));
    let words: Vec<&str> = plain.split_whitespace().collect();
    let enough = plain.chars().filter(|char| is_word(*char)).count() >= LINE_WORD_CHARS_MIN;
    enough.then(|| words.join(" ").to_lowercase())
}

fn dangling_jobs(home: &dyn Files, skills: &[Arc<SkillDir>], removed: &[String]) -> Vec<DanglingJob> {
    let Ok(Some(store)) = JobStore::read(home) else { return Vec::new() };
    let known: BTreeSet<&str> =
        skills.iter().flat_map(|skill| [&*skill.declared, &*skill.dir_name]).collect();
    let mut dangling = Vec::new();
    for job in store.named() {
        for name in job.skills {
            if !is_found(&name, |last| known.contains(last)) {
                dangling.push(DanglingJob { job: job.name.clone(), skill: name, field: "skills" });
            }
        }
        for (field, text) in job.texts {
            let gone = removed.iter().filter(|name| !known.contains(name.as_str()) && is_said(text, name));
            let gone = gone.map(|name| DanglingJob { job: job.name.clone(), skill: name.clone(), field });
            dangling.extend(gone);
        }
    }
    dangling
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stores::{MemFiles, write_text};

    #[test]
    fn links_are_looked_up_from_the_file_and_from_the_skill() {
        let mut files = MemFiles::new("/home/agent/.hermes");
        let put = |files: &mut MemFiles, path: &str, text: &str| {
            write_text(files, &TreePath::new(path), text).unwrap();
        };
        put(
            &mut files,
            "skills/u/SKILL.md",
            "[a](references/a.md) [b](./references/none.md#x) see `scripts/run.sh`, \
             [web](https://example.org/x) [top](#top) and references/<topic>.md",
        );
        put(&mut files, "skills/u/references/a.md", "[back](../SKILL.md) [beside](b.md) references/a.md");
        let found = broken_links(&files, "u", &TreePath::new("skills/u"));
        let found: Vec<_> = found.iter().map(|one| (one.file.as_str(), one.target.as_str())).collect();
        assert_eq!(
            found,
            [
                ("SKILL.md", "./references/none.md#x"),
                ("SKILL.md", "scripts/run.sh"),
                ("references/a.md", "b.md")
            ]
        );
    }

    #[test]
    fn lines_are_compared_without_marks() {
        assert_eq!(plain_line("  - **Push** the image first."), plain_line("## push** the image first"));
        assert_eq!(plain_line("---"), None);
        assert_eq!(body_of("---\nname: a\n---\nbody"), "body");
    }
}
