//! `write_file`.

use serde::Serialize;
use serde_json::{Map, Value};

use super::answer::{Mistake, answer};
use super::args::Args;
use super::path::Spot;
use super::read::file_lines;
use crate::stores::{Content, Files, Kind};
use crate::values::HomeAnswer;

/// Bytes of a file that the tools write.
pub(super) const FILE_BYTES_MAX: usize = 1_048_576;

/// Writes a whole file, making the directories above it.
///
/// Kinds: those of paths (see [`super::read_file`]), `missing-argument`, `bad-argument`, `is-directory`,
/// `not-a-directory`, `content-too-large`, `io-error`.
pub fn write_file(args: &Map<String, Value>, files: &mut dyn Files) -> HomeAnswer {
    answer(write(Args(args), files))
}

#[derive(Serialize)]
struct Written {
    success: bool,
    path: String,
    /// Whether there was no such file before.
    created: bool,
    lines: usize,
    bytes: usize,
}

fn write(args: Args<'_>, files: &mut dyn Files) -> Result<Written, Mistake> {
    let spot = Spot::find(files, args.needed_text("path")?)?;
    let content = args.needed_text("content")?;
    let created = spot.stat(files)?.is_none();
    store(files, &spot, content)?;
    Ok(Written {
        success: true,
        path: spot.shown,
        created,
        lines: file_lines(content).len(),
        bytes: content.len(),
    })
}

/// Puts a text at a place in one step, keeping whether it may be executed.
pub(super) fn store(files: &mut dyn Files, spot: &Spot, text: &str) -> Result<(), Mistake> {
    if text.len() > FILE_BYTES_MAX {
        let words = format!("{} bytes are more than the {FILE_BYTES_MAX} that a file may have.", text.len());
        return Err(Mistake::new("content-too-large", words));
    }
    let stat = spot.stat(files)?;
    if stat.is_some_and(|stat| stat.kind == Kind::Dir) {
        return Err(spot.is_directory());
    }
    let executable = stat.is_some_and(|stat| stat.executable);
    let content = Content::File { bytes: text.as_bytes().into(), executable };
    let trouble = |error| Mistake::of(&error, &spot.shown);
    if let Some(parent) = spot.real.parent() {
        files.create_dir(&parent).map_err(trouble)?;
    }
    files.replace(&spot.real, content).map_err(trouble)
}
