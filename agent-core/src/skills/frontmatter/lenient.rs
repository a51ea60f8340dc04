//! The lenient parser of list, view and index (`spec/skills.md` §9).

use super::fence::{FENCE, split};
use crate::text::trim;
use crate::text::yaml11::{Loader, YamlValue, parse_as};

/// A `SKILL.md` taken apart as far as it goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Lenient<'s> {
    /// The fields of the header in order; none if there is no header or it is not a mapping.
    pub fields: YamlValue,
    /// What follows the header; the whole text without one.
    pub body: &'s str,
    /// Why the header was read by lines only, if it was.
    pub fallback: Option<crate::text::yaml11::YamlError>,
}

impl<'s> Lenient<'s> {
    /// Takes a text apart. `accept_bom` is a rule of the version.
    pub fn parse(text: &'s str, accept_bom: bool) -> Self {
        let text = if accept_bom { text.strip_prefix('\u{feff}').unwrap_or(text) } else { text };
        let none = YamlValue::Map(Vec::new());
        if !text.starts_with(FENCE) {
            return Self { fields: none, body: text, fallback: None };
        }
        let Some(parts) = split(text) else { return Self { fields: none, body: text, fallback: None } };
        match parse_as(parts.header, Loader::C) {
            Ok(fields @ YamlValue::Map(_)) => Self { fields, body: parts.body, fallback: None },
            Ok(_) => Self { fields: none, body: parts.body, fallback: None },
            Err(error) => Self { fields: by_lines(parts.header), body: parts.body, fallback: Some(error) },
        }
    }

    /// A field.
    pub fn get(&self, key: &str) -> Option<&YamlValue> {
        self.fields.get(key)
    }
}

/// Each line with a colon, cut at the first one; the last of equal keys wins.
fn by_lines(header: &str) -> YamlValue {
    let mut pairs: Vec<(YamlValue, YamlValue)> = Vec::new();
    for (key, value) in trim(header).split('\n').filter_map(|line| line.split_once(':')) {
        let (key, value) = (YamlValue::Text(trim(key).to_owned()), YamlValue::Text(trim(value).to_owned()));
        match pairs.iter_mut().find(|(known, _)| *known == key) {
            Some((_, older)) => *older = value,
            None => pairs.push((key, value)),
        }
    }
    YamlValue::Map(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_header_is_read_by_lines() {
        let text = "---\nname: a: b\n x : 'y'\nname: c\n---\nbody\n";
        let lenient = Lenient::parse(text, true);
        let field = |key| lenient.get(key).and_then(YamlValue::as_str);
        assert_eq!((field("name"), field("x"), lenient.body), (Some("c"), Some("'y'"), "body\n"));
        assert_eq!(lenient.fallback.map(|error| error.line), Some(2));
    }

    #[test]
    fn early_versions_lose_the_header_behind_a_byte_order_mark() {
        let text = "\u{feff}---\nname: a\n---\nb\n";
        assert!(Lenient::parse(text, true).get("name").is_some());
        let lost = Lenient::parse(text, false);
        assert_eq!((lost.get("name"), lost.body), (None, text));
    }
}
