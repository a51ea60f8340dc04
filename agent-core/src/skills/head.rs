//! What list, view and index need of a `SKILL.md`: the header read leniently from its beginning
//! (`spec/skills.md` §9 and §10).

use super::frontmatter::Lenient;
use crate::text::yaml11::YamlValue;
use crate::text::{cut, fold_newlines, trim};

/// How much of a file is looked at, in characters. A header cut off there is unreadable.
const HEAD_CHARS: usize = 4000;

/// Longest name in a list, in characters.
const NAME_CHARS_MAX: usize = 64;

/// Longest description in a list, in characters; a longer one ends in three dots.
const DESCRIPTION_CHARS_MAX: usize = 1024;

/// The beginning of a `SKILL.md`.
#[derive(Clone, Debug, PartialEq)]
pub struct SkillHead {
    /// The header's fields.
    pub fields: YamlValue,
    /// The first line of the body that is neither blank nor a heading; empty if there is none.
    pub first_line: String,
}

impl SkillHead {
    /// Reads a file's bytes; `None` if they are not UTF-8.
    pub(crate) fn read(bytes: &[u8], accept_bom: bool) -> Option<Self> {
        let text = fold_newlines(std::str::from_utf8(bytes).ok()?);
        let lenient = Lenient::parse(cut(&text, HEAD_CHARS), accept_bom);
        let mut lines = trim(lenient.body).split('\n').map(trim);
        let first_line =
            lines.find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or("").to_owned();
        Some(Self { fields: lenient.fields, first_line })
    }

    /// The declared name, if there is one and it is text; `Ok(None)` if there is none.
    ///
    /// # Errors
    /// There is one and it is not text: such a skill is not listed.
    pub(crate) fn name(&self) -> Result<Option<&str>, NotText> {
        match self.fields.get("name") {
            None => Ok(None),
            Some(YamlValue::Text(name)) => Ok(Some(name)),
            Some(_) => Err(NotText),
        }
    }

    /// The name as a list shows it.
    ///
    /// # Errors
    /// It is not text.
    pub fn listed_name<'h>(&'h self, dir_name: &'h str) -> Result<&'h str, NotText> {
        Ok(cut(self.name()?.unwrap_or(dir_name), NAME_CHARS_MAX))
    }

    /// The description as a list shows it: declared, else the first line of the body.
    ///
    /// # Errors
    /// It is not text.
    pub fn listed_description(&self) -> Result<String, NotText> {
        let text = match self.fields.get("description").filter(|value| value.is_truthy()) {
            None => self.first_line.as_str(),
            Some(YamlValue::Text(text)) => text,
            Some(_) => return Err(NotText),
        };
        let short = cut(text, DESCRIPTION_CHARS_MAX);
        Ok(if short.len() == text.len() {
            text.to_owned()
        } else {
            format!("{}...", cut(text, DESCRIPTION_CHARS_MAX - 3))
        })
    }
}

/// A name or description that is not text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a name or description that is not text")]
pub struct NotText;
