//! `search_files`.

use regex::{Regex, RegexBuilder};
use serde::Serialize;
use serde_json::{Map, Value};

use super::answer::{Mistake, answer};
use super::args::Args;
use super::path::{Spot, show};
use crate::stores::{Files, Kind, TreePath, walk_files};
use crate::text::{cut, glob_fits};
use crate::values::HomeAnswer;

const HITS_DEFAULT: usize = 50;
const HITS_MAX: usize = 500;
/// Characters of a hit's line.
const HIT_CHARS_MAX: usize = 300;
/// Larger files are passed over.
const FILE_BYTES_MAX: u64 = 1_048_576;
/// Bytes that a compiled pattern may take.
const PATTERN_BYTES_MAX: usize = 1_048_576;

/// Searches lines of text files by a regular expression, or file names by wildcards. Links are not followed.
///
/// Kinds: those of paths (see [`super::read_file`]), `missing-argument`, `bad-argument`, `bad-pattern`,
/// `file-not-found`.
pub fn search_files(args: &Map<String, Value>, files: &dyn Files) -> HomeAnswer {
    answer(search(Args(args), files))
}

#[derive(Serialize)]
struct Found {
    matches: Vec<String>,
    /// All hits, those beyond the limit too.
    total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// Files too large to be searched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    passed_over: Vec<String>,
}

impl Found {
    fn hit(&mut self, limit: usize, text: impl FnOnce() -> String) {
        self.total += 1;
        if self.matches.len() < limit {
            self.matches.push(text());
        } else {
            self.truncated = Some(true);
        }
    }
}

fn search(args: Args<'_>, files: &dyn Files) -> Result<Found, Mistake> {
    let pattern = args.needed_text("pattern")?;
    if pattern.is_empty() {
        return Err(Mistake::new("missing-argument", "`pattern` is empty."));
    }
    let limit = args.count("limit")?.unwrap_or(HITS_DEFAULT).min(HITS_MAX);
    let spot = Spot::find(files, args.text("path")?.unwrap_or("."))?;
    let Some(stat) = spot.stat(files)? else {
        return Err(Mistake::new("file-not-found", format!("{} does not exist.", spot.shown)));
    };
    let mut found = Found { matches: Vec::new(), total: 0, truncated: None, passed_over: Vec::new() };
    let each = |visit: &mut dyn FnMut(&TreePath, Kind)| {
        if stat.kind == Kind::Dir {
            walk_files(files, &spot.real, visit);
        } else {
            visit(&spot.real, stat.kind);
        }
    };
    match args.text("target")?.unwrap_or("content") {
        "content" => {
            let regex = compile(pattern)?;
            each(&mut |path, kind| {
                if kind == Kind::File {
                    search_lines(files, path, &regex, limit, &mut found);
                }
            });
        }
        "files" => each(&mut |path, _| {
            if name_fits(path, &spot.real, pattern) {
                found.hit(limit, || show(files, path));
            }
        }),
        other => {
            let words = format!("`target` is `content` or `files`, not `{}`.", cut(other, 40));
            return Err(Mistake::new("bad-argument", words));
        }
    }
    Ok(found)
}

fn compile(pattern: &str) -> Result<Regex, Mistake> {
    RegexBuilder::new(pattern).size_limit(PATTERN_BYTES_MAX).build().map_err(|error| {
        Mistake::new("bad-pattern", format!("The pattern is no regular expression: {error}."))
    })
}

fn search_lines(files: &dyn Files, path: &TreePath, regex: &Regex, limit: usize, found: &mut Found) {
    if files.stat(path).ok().flatten().is_none_or(|stat| stat.len > FILE_BYTES_MAX) {
        found.passed_over.push(show(files, path));
        return;
    }
    let Ok(bytes) = files.read(path) else { return };
    let Ok(text) = std::str::from_utf8(&bytes) else { return };
    for (at, line) in text.split('\n').enumerate() {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if regex.is_match(line) {
            found.hit(limit, || format!("{}:{}: {}", show(files, path), at + 1, cut(line, HIT_CHARS_MAX)));
        }
    }
}

/// Whether a file's name, or with a `/` in the pattern its path below the searched directory, fits. A pattern without
/// wildcards fits what contains it.
fn name_fits(path: &TreePath, base: &TreePath, pattern: &str) -> bool {
    let below = path.strip(base);
    let subject =
        if pattern.contains('/') { below.as_ref().map_or("", TreePath::as_str) } else { path.name() };
    if pattern.contains(['*', '?', '[']) { glob_fits(subject, pattern) } else { subject.contains(pattern) }
}
