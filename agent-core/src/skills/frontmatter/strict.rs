//! The strict validator of `SKILL.md` texts (`spec/skills.md` §3.3).

use super::fence::{FENCE, split};
use crate::text::is_blank;
use crate::text::yaml11::{YamlErrorClass, YamlValue, parse};
use crate::values::Chars;

/// Longest printed description.
pub const DESCRIPTION_CHARS_MAX: usize = 1024;

const BOM: char = '\u{feff}';

/// What is wrong with a `SKILL.md`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrontmatterProblem {
    /// Only whitespace.
    EmptyContent,
    /// It does not begin with three hyphens.
    NoFrontmatter,
    /// No closing fence.
    Unclosed,
    /// The header is not YAML.
    BadYaml(String),
    /// The header holds a date or number that does not exist; the reference fails outside its own error class.
    BadValue(String),
    /// The header is not a mapping.
    NotMapping,
    /// No key `name`.
    MissingName,
    /// No key `description`.
    MissingDescription,
    /// The printed description is too long: so many characters.
    DescriptionTooLong(Chars),
    /// Nothing behind the header.
    EmptyBody,
}

/// A problem with its place: line and column from 1, in the whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontmatterError {
    /// What.
    pub problem: FrontmatterProblem,
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl FrontmatterError {
    /// The kind in the specs.
    pub const fn kind(&self) -> &'static str {
        match self.problem {
            FrontmatterProblem::EmptyContent => "empty-content",
            FrontmatterProblem::NoFrontmatter => "no-frontmatter",
            FrontmatterProblem::Unclosed => "unclosed-frontmatter",
            FrontmatterProblem::BadYaml(_) => "bad-yaml",
            FrontmatterProblem::BadValue(_) => "uncaught-error",
            FrontmatterProblem::NotMapping => "frontmatter-not-mapping",
            FrontmatterProblem::MissingName => "missing-name",
            FrontmatterProblem::MissingDescription => "missing-description",
            FrontmatterProblem::DescriptionTooLong(_) => "description-too-long",
            FrontmatterProblem::EmptyBody => "empty-body",
        }
    }
}

impl std::error::Error for FrontmatterError {}

impl std::fmt::Display for FrontmatterError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "SKILL.md line {}, column {}: ", self.line, self.column)?;
        match &self.problem {
            FrontmatterProblem::EmptyContent => formatter.write_str("the text is empty"),
            FrontmatterProblem::NoFrontmatter => {
                formatter.write_str("the text must begin with a line `---`, followed by name and description")
            }
            FrontmatterProblem::Unclosed => {
                formatter.write_str("the header is not closed: a line `---` at column 1 must follow it")
            }
            FrontmatterProblem::BadYaml(message) | FrontmatterProblem::BadValue(message) => {
                write!(formatter, "the header is not valid YAML: {message}")
            }
            FrontmatterProblem::NotMapping => {
                formatter.write_str("the header must consist of `key: value` lines")
            }
            FrontmatterProblem::MissingName => formatter.write_str("the header lacks `name`"),
            FrontmatterProblem::MissingDescription => formatter.write_str("the header lacks `description`"),
            FrontmatterProblem::DescriptionTooLong(found) => write!(
                formatter,
                "the description has {} characters; at most {DESCRIPTION_CHARS_MAX} are allowed",
                found.0
            ),
            FrontmatterProblem::EmptyBody => {
                formatter.write_str("nothing follows the header; write the instructions there")
            }
        }
    }
}

/// Checks a text and gives its header. `accept_bom` is a rule of the version.
///
/// # Errors
/// The first problem in the order of the spec, with its place.
pub fn validate(text: &str, accept_bom: bool) -> Result<YamlValue, FrontmatterError> {
    let at = |problem, line, column| FrontmatterError { problem, line, column };
    if is_blank(text) {
        return Err(at(FrontmatterProblem::EmptyContent, 1, 1));
    }
    let text = if accept_bom { text.trim_start_matches(BOM) } else { text };
    if !text.starts_with(FENCE) {
        return Err(at(FrontmatterProblem::NoFrontmatter, 1, 1));
    }
    let Some(parts) = split(text) else {
        return Err(at(FrontmatterProblem::Unclosed, lines(text), 1));
    };
    let closing = lines(parts.header) + 1;
    let header = parse(parts.header).map_err(|error| {
        // The header begins behind the three hyphens of the first line.
        let column = if error.line == 1 { error.column + FENCE.len() } else { error.column };
        let problem = match error.class {
            YamlErrorClass::Syntax => FrontmatterProblem::BadYaml(error.message),
            YamlErrorClass::Value => FrontmatterProblem::BadValue(error.message),
        };
        at(problem, error.line, column)
    })?;
    if header.as_map().is_none() {
        return Err(at(FrontmatterProblem::NotMapping, 2.min(closing), 1));
    }
    if header.get("name").is_none() {
        return Err(at(FrontmatterProblem::MissingName, closing, 1));
    }
    let Some(description) = header.get("description") else {
        return Err(at(FrontmatterProblem::MissingDescription, closing, 1));
    };
    let length = Chars::of(&description.printed());
    if length.0 > DESCRIPTION_CHARS_MAX {
        let line = line_of_key(parts.header, "description");
        return Err(at(FrontmatterProblem::DescriptionTooLong(length), line, 1));
    }
    if is_blank(parts.body) {
        return Err(at(FrontmatterProblem::EmptyBody, closing + 1, 1));
    }
    Ok(header)
}

/// The number of lines of a text; 1 for one without a line break.
fn lines(text: &str) -> usize {
    text.matches('\n').count() + 1
}

fn line_of_key(header: &str, key: &str) -> usize {
    let found = header.split('\n').position(|line| line.starts_with(key));
    found.map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        validate(text, true).unwrap_err().to_string()
    }

    #[test]
    fn problems_are_told_with_their_place() {
        let long = format!("---\nname: a\ndescription: {}\n---\nb\n", "d".repeat(1025));
        let all = [
            said(" \n"),
            said("x"),
            said("---\nname: a\n"),
            said("---\nname: a\ndescription: Use when: always\n---\nb\n"),
            said("--- \"\nname: a\n---\nb\n"),
            said("---\n- a\n---\nb\n"),
            said("---\nname: a\n---\nb\n"),
            said(&long),
            said("---\nname: a\ndescription: d\n---\n \n"),
            said("---\nname: 2026-13-01\ndescription: d\n---\nb\n"),
        ];
        insta::assert_snapshot!(all.join("\n"), @r"
        SKILL.md line 1, column 1: the text is empty
        SKILL.md line 1, column 1: the text must begin with a line `---`, followed by name and description
        SKILL.md line 3, column 1: the header is not closed: a line `---` at column 1 must follow it
        SKILL.md line 3, column 22: the header is not valid YAML: a second `: ` in one value; quote the value
        SKILL.md line 1, column 5: the header is not valid YAML: the closing quote is missing
        SKILL.md line 2, column 1: the header must consist of `key: value` lines
        SKILL.md line 3, column 1: the header lacks `description`
        SKILL.md line 3, column 1: the description has 1025 characters; at most 1024 are allowed
        SKILL.md line 5, column 1: nothing follows the header; write the instructions there
        SKILL.md line 2, column 7: the header is not valid YAML: `2026-13-01` looks like a date and is none; quote it
        ");
    }

    #[test]
    fn a_byte_order_mark_is_a_matter_of_the_version() {
        let text = "\u{feff}\u{feff}---\nname: a\ndescription: d\n---\nb\n";
        assert!(validate(text, true).is_ok());
        assert_eq!(validate(text, false).unwrap_err().kind(), "no-frontmatter");
    }
}
