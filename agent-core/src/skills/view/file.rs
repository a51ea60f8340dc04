//! The view of one file of a skill (`spec/skills.md` §11).

use super::super::answer::{Fields, Refusal};
use super::super::context::SkillContext;
use super::super::library::{Spot, Whereabouts};
use super::linked::{available_files, suffix};
use crate::stores::{Kind, TreePath};
use crate::text::fold_newlines;

/// A file that was read.
pub(super) struct FileView {
    /// What the model reads.
    pub(super) fields: Fields,
    /// The spot of the file, if it is text: then it counts as read.
    pub(super) text_at: Option<Spot>,
}

impl SkillContext<'_, '_> {
    /// Reads any file inside a skill's directory.
    pub(super) fn view_file(&self, name: &str, dir: &Spot, path: &str) -> Result<FileView, Refusal> {
        if path.split('/').any(|piece| piece == "..") {
            return Err(Refusal::mistake("path-traversal", format!("`{path}` climbs out of the skill")));
        }
        let spot = self.inside(dir, path)?;
        let files = self.library.files(spot.tree);
        let stat = files.stat(&spot.path).ok().flatten();
        match stat.map(|stat| stat.kind) {
            Some(Kind::File) => {}
            Some(_) => {
                return Err(Refusal::mistake(
                    "io-error",
                    format!("{path} is a directory; name a file in it"),
                ));
            }
            None => {
                let refusal = Refusal::mistake("file-not-found", format!("`{name}` has no file {path}"));
                return Err(refusal.with("available_files", available_files(self.library, dir)));
            }
        }
        let bytes =
            files.read(&spot.path).map_err(|error| Refusal::mistake("io-error", error.to_string()))?;
        let fields = Fields::default().with("name", name).with("file", path);
        let file_type = suffix(path.trim_end_matches('/').rsplit('/').next().unwrap_or(path));
        Ok(match std::str::from_utf8(&bytes) {
            Ok(text) => FileView {
                fields: fields.with("content", fold_newlines(text)).with("file_type", file_type),
                text_at: Some(spot),
            },
            Err(_) => {
                let words = format!("[binary file: {path}, {} bytes]", bytes.len());
                let fields =
                    fields.with("content", words).with("file_type", file_type).with("is_binary", true);
                FileView { fields, text_at: None }
            }
        })
    }

    /// The spot of a path, which must lie inside the skill once links are followed.
    fn inside(&self, dir: &Spot, path: &str) -> Result<Spot, Refusal> {
        let escape = || Refusal::mistake("path-escape", format!("`{path}` leads out of the skill"));
        let pieces: Vec<&str> = path.split('/').filter(|piece| !matches!(*piece, "" | ".")).collect();
        let inner =
            TreePath::parse(&pieces.join("/")).filter(|_| !path.starts_with('/')).ok_or_else(escape)?;
        let base = self.library.real(dir).ok_or_else(escape)?;
        match self.library.resolve(&dir.below(&inner)) {
            Ok(Whereabouts::Inside(real)) if real.is_at_or_below(&base) => Ok(real),
            _ => Err(escape()),
        }
    }
}
