//! `read_file`.

use std::fmt::Write;

use serde::Serialize;
use serde_json::{Map, Value};

use super::answer::{Mistake, answer};
use super::args::Args;
use super::path::Spot;
use crate::stores::Files;
use crate::text::cut;
use crate::values::{Chars, HomeAnswer};

/// Characters of one answer, line numbers included; the rest of a file is left for the next call.
pub(super) const ANSWER_CHARS_MAX: usize = 100_000;
/// Characters of one line; the rest of it is not shown.
pub(super) const LINE_CHARS_MAX: usize = 2000;

/// Reads a text file, whole or from line `offset` on, at most `limit` lines.
///
/// Kinds: `missing-argument`, `bad-argument`, `outside-workspace`, `path-traversal`, `bad-path`, `file-not-found`,
/// `is-directory`, `not-text`, `offset-past-end`, `io-error`.
pub fn read_file(args: &Map<String, Value>, files: &dyn Files) -> HomeAnswer {
    answer(read(Args(args), files))
}

#[derive(Serialize)]
struct Read {
    path: String,
    content: String,
    total_lines: usize,
    /// The lines shown, if not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
}

fn read(args: Args<'_>, files: &dyn Files) -> Result<Read, Mistake> {
    let spot = Spot::find(files, args.needed_text("path")?)?;
    let (offset, limit) = (args.count("offset")?.unwrap_or(1), args.count("limit")?);
    let text = spot.text(files)?;
    let lines = file_lines(&text);
    if offset > lines.len().max(1) {
        let words = format!("{} has only {} lines.", spot.shown, lines.len());
        return Err(Mistake::new("offset-past-end", words));
    }
    let wanted = limit.map_or(lines.len(), |limit| lines.len().min(offset - 1 + limit));
    let (content, end) = numbered(&lines, offset - 1, wanted);
    let partial = offset > 1 || end < lines.len();
    Ok(Read {
        path: spot.shown,
        content,
        total_lines: lines.len(),
        lines: partial.then(|| format!("{offset}-{end}")),
        next_offset: (end < lines.len()).then_some(end + 1),
    })
}

/// The lines of a file; a final newline ends the last line and begins none.
pub(super) fn file_lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    lines
}

/// Numbered lines as far as they fit, at least one, and where they end.
fn numbered(lines: &[&str], from: usize, wanted: usize) -> (String, usize) {
    let mut content = String::new();
    let mut room = ANSWER_CHARS_MAX;
    for (at, line) in lines.iter().enumerate().take(wanted).skip(from) {
        let shown = cut(line, LINE_CHARS_MAX);
        let dots = if shown.len() < line.len() { " …" } else { "" };
        let before = content.len();
        let gap = if at > from { "\n" } else { "" };
        write!(content, "{gap}{:>4}| {shown}{dots}", at + 1).expect("a string takes all");
        let taken = Chars::of(&content[before..]).0;
        if taken > room {
            content.truncate(before);
            return (content, at);
        }
        room -= taken;
    }
    (content, wanted)
}
