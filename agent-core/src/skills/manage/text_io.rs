//! Reading and writing the texts of a skill (`spec/skills.md` §4).

use super::super::answer::Refusal;
use super::super::library::{Library, Spot};
use crate::stores::{FilesError, exists, read_text, write_text};
use crate::text::fold_newlines;
use crate::values::Chars;

/// Most characters of a `SKILL.md`, of the result of a patch, and of a supporting file.
pub(super) const TEXT_CHARS_MAX: usize = 100_000;

/// Most bytes of a supporting file.
const FILE_BYTES_MAX: usize = 1_048_576;

/// A text that was in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Old {
    /// As it stands.
    pub(super) raw: String,
    /// With every line end an LF, as the reference reads it.
    pub(super) folded: String,
}

impl Old {
    /// Reads a file.
    ///
    /// # Errors
    /// `uncaught-error`: it is no file, or not UTF-8.
    pub(super) fn read(library: &Library<'_>, spot: &Spot) -> Result<Self, Refusal> {
        let raw = read_text(library.files(spot.tree), &spot.path).map_err(|error| failed("read", &error))?;
        let folded = fold_newlines(&raw);
        Ok(Self { raw, folded })
    }
}

/// A failure of the host's.
pub(super) fn failed(what: &str, error: &FilesError) -> Refusal {
    Refusal::mistake("uncaught-error", format!("the file could not be {what}: {error}"))
}

/// Writes a text in one step, making the directories above it. The new file is never executable, as the reference
/// leaves it.
/// After a failure the directories that were made for it are gone again.
pub(super) fn write(library: &mut Library<'_>, spot: &Spot, text: &str) -> Result<(), FilesError> {
    let files = library.files_mut(spot.tree);
    let mut new_dirs = Vec::new();
    let mut dir = spot.path.parent();
    while let Some(missing) = dir.filter(|dir| !exists(files, dir)) {
        dir = missing.parent();
        new_dirs.push(missing);
    }
    write_text(files, &spot.path, text).inspect_err(|_| {
        for dir in &new_dirs {
            let _ = files.remove(dir);
        }
    })
}

/// The limit of every text.
///
/// # Errors
/// `content-too-large`.
pub(super) fn check_chars(text: &str) -> Result<(), Refusal> {
    let length = Chars::of(text).0;
    if length <= TEXT_CHARS_MAX {
        return Ok(());
    }
    let why = format!(
        "{length} characters are too many; at most {TEXT_CHARS_MAX} are allowed. Move detail into files"
    );
    Err(Refusal::mistake("content-too-large", why))
}

/// The limits of a supporting file.
///
/// # Errors
/// `file-too-large`, then `content-too-large`.
pub(super) fn check_file(text: &str) -> Result<(), Refusal> {
    if text.len() > FILE_BYTES_MAX {
        let why = format!("{} bytes are too many; at most {FILE_BYTES_MAX} are allowed", text.len());
        return Err(Refusal::mistake("file-too-large", why));
    }
    check_chars(text)
}
