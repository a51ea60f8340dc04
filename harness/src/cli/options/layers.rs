//! Layers of options: a flag beats the environment beats `harness.toml` beats the default. Each value knows where it
//! came from.

use std::collections::BTreeMap;
use std::fmt;

use mock_llm::diagnose::{Diagnostic, Source, nearest_hint};
use toml::de::{DeTable, DeValue};

use super::table::{OPTIONS, OptionKind, OptionRow, find};

/// A value of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OptionValue {
    /// Of a switch.
    Switch(bool),
    /// Of a count.
    Count(u64),
    /// Of a choice or a text.
    Text(String),
    /// Of a list.
    List(Vec<String>),
}

impl fmt::Display for OptionValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Switch(on) => on.fmt(formatter),
            Self::Count(count) => count.fmt(formatter),
            Self::Text(text) => formatter.write_str(text),
            Self::List(items) => formatter.write_str(&items.join(" ")),
        }
    }
}

/// Where a value came from, weakest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OptionOrigin {
    /// Nobody said anything.
    Default,
    /// A file.
    File(String),
    /// An environment variable.
    Variable(String),
    /// The command line.
    Flag(String),
}

impl fmt::Display for OptionOrigin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("default"),
            Self::File(name) | Self::Variable(name) | Self::Flag(name) => formatter.write_str(name),
        }
    }
}

/// The values that were given, each with its origin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layers {
    values: BTreeMap<&'static str, (OptionValue, OptionOrigin)>,
}

impl Layers {
    /// Lays a file over what is there; its mistakes are returned.
    pub(crate) fn lay_file(&mut self, source: &Source) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let table = match DeTable::parse(&source.text) {
            Ok(table) => table,
            Err(error) => {
                let span = source.span(error.span().unwrap_or_default());
                return vec![Diagnostic::error(&source.name, span, format!("not TOML: {}", error.message()))];
            }
        };
        for (key, value) in table.get_ref() {
            let name: &str = key.get_ref();
            let Some(row) = find(name) else {
                let hint =
                    nearest_hint(name, OPTIONS.iter().map(|row| row.key).collect::<Vec<_>>().iter().copied());
                let message = format!("unknown option `{name}`");
                found.push(Diagnostic::error(&source.name, source.span(key.span()), message).hint_if(hint));
                continue;
            };
            match of_toml(row, value.get_ref()) {
                Some(value) => self.lay(row, value, OptionOrigin::File(source.name.to_string())),
                None => {
                    let message = format!("`{name}` takes {}", row.kind.wanted());
                    found.push(Diagnostic::error(&source.name, source.span(value.span()), message));
                }
            }
        }
        found
    }

    /// Lays the environment over what is there.
    ///
    /// # Errors
    /// A variable whose value its option does not take; in words.
    pub(crate) fn lay_environment(&mut self, get: impl Fn(&str) -> Option<String>) -> Result<(), String> {
        for row in OPTIONS {
            let variable = row.variable();
            let Some(text) = get(&variable).filter(|text| !text.is_empty()) else { continue };
            let Some(value) = of_text(row.kind, &text) else {
                return Err(format!("{variable} takes {}, found `{text}`", row.kind.wanted()));
            };
            self.lay(row, value, OptionOrigin::Variable(variable));
        }
        Ok(())
    }

    /// Lays one flag over what is there.
    pub(crate) fn lay_flag(&mut self, key: &str, value: OptionValue) {
        let row = find(key).expect("every flag has its row");
        self.lay(row, value, OptionOrigin::Flag(row.flag()));
    }

    fn lay(&mut self, row: &'static OptionRow, value: OptionValue, origin: OptionOrigin) {
        self.values.insert(row.key, (value, origin));
    }

    /// Every option with its value, in words, and where it came from.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (&'static OptionRow, String, OptionOrigin)> {
        OPTIONS.iter().map(|row| match self.values.get(row.key) {
            Some((value, origin)) => (row, value.to_string(), origin.clone()),
            None => (row, row.default.to_owned(), OptionOrigin::Default),
        })
    }

    /// Whether anybody said anything.
    pub(crate) fn given(&self, key: &str) -> bool {
        self.values.contains_key(key)
    }

    /// A switch.
    pub(crate) fn switch(&self, key: &str, default: bool) -> bool {
        match self.values.get(key) {
            Some((OptionValue::Switch(on), _)) => *on,
            _ => default,
        }
    }

    /// A count that was given.
    pub(crate) fn count(&self, key: &str) -> Option<u64> {
        match self.values.get(key) {
            Some((OptionValue::Count(count), _)) => Some(*count),
            _ => None,
        }
    }

    /// A text that was given.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        match self.values.get(key) {
            Some((OptionValue::Text(text), _)) => Some(text),
            _ => None,
        }
    }

    /// A list; empty if none was given.
    pub(crate) fn list(&self, key: &str) -> &[String] {
        match self.values.get(key) {
            Some((OptionValue::List(items), _)) => items,
            _ => &[],
        }
    }

    /// How messages speak of an option whose value is wrong: by where it came from.
    pub(crate) fn spoken(&self, key: &str) -> String {
        match self.values.get(key) {
            Some((_, OptionOrigin::Flag(name) | OptionOrigin::Variable(name))) => name.clone(),
            Some((_, OptionOrigin::File(name))) => format!("{key} in {name}"),
            Some((_, OptionOrigin::Default)) | None => key.to_owned(),
        }
    }
}

fn of_toml(row: &OptionRow, value: &DeValue<'_>) -> Option<OptionValue> {
    match (row.kind, value) {
        (OptionKind::Switch, DeValue::Boolean(on)) => Some(OptionValue::Switch(*on)),
        (OptionKind::Count(_), DeValue::Integer(number)) if number.radix() == 10 => {
            of_text(row.kind, number.as_str())
        }
        (OptionKind::Choice(_) | OptionKind::Text, DeValue::String(text)) => of_text(row.kind, text),
        (OptionKind::List, DeValue::String(text)) => Some(OptionValue::List(vec![text.to_string()])),
        (OptionKind::List, DeValue::Array(items)) => {
            let texts = items.iter().map(|item| item.get_ref().as_str().map(str::to_owned));
            Some(OptionValue::List(texts.collect::<Option<_>>()?))
        }
        _ => None,
    }
}

fn of_text(kind: OptionKind, text: &str) -> Option<OptionValue> {
    Some(match kind {
        OptionKind::Switch => OptionValue::Switch(match text {
            "true" | "1" => true,
            "false" | "0" => false,
            _ => return None,
        }),
        OptionKind::Count(least) => {
            OptionValue::Count(text.replace('_', "").parse().ok().filter(|count| *count >= least)?)
        }
        OptionKind::Choice(words) => OptionValue::Text(words.iter().find(|word| **word == text)?.to_string()),
        OptionKind::Text => OptionValue::Text(Some(text).filter(|text| !text.trim().is_empty())?.to_owned()),
        OptionKind::List => OptionValue::List(
            text.split(',').map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect(),
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_beats_a_variable_beats_the_file_beats_the_default() {
        let mut layers = Layers::default();
        let file = Source::new("harness.toml", "jobs = 3\nseed = 3\nrepeat = 3\narm = ['july', 'may']\n");
        assert_eq!(layers.lay_file(&file), []);
        let environment = |name: &str| match name {
            "HARNESS_SEED" | "HARNESS_REPEAT" => Some("2".to_owned()),
            "HARNESS_PROGRESS" => Some("false".to_owned()),
            _ => None,
        };
        layers.lay_environment(environment).unwrap();
        layers.lay_flag("repeat", OptionValue::Count(1));
        let shown: Vec<String> = layers
            .rows()
            .filter(|(.., origin)| *origin != OptionOrigin::Default)
            .map(|(row, value, origin)| format!("{} = {value} ({origin})", row.key))
            .collect();
        insta::assert_snapshot!(shown.join("\n"), @r"
        arm = july may (harness.toml)
        seed = 2 (HARNESS_SEED)
        repeat = 1 (--repeat)
        jobs = 3 (harness.toml)
        progress = false (HARNESS_PROGRESS)
        ");
    }

    #[test]
    fn mistakes_of_the_file_have_their_place() {
        let source =
            Source::new("harness.toml", "job = 3\ntransport = \"carrier pigeon\"\nseed = 0x10\nset = [1]\n");
        let mut sources = mock_llm::diagnose::Sources::default();
        sources.add(&source);
        let found = Layers::default().lay_file(&source);
        let shown = mock_llm::diagnose::render(&found, &sources, mock_llm::diagnose::Look::default());
        insta::assert_snapshot!(shown, @r#"
         × unknown option `job`
          ╭─[harness.toml:1:1]
        1 │ job = 3
          · ───
        2 │ transport = "carrier pigeon"
          ╰────
         hint: did you mean `jobs`?

         × `transport` takes one of http, direct
          ╭─[harness.toml:2:13]
        1 │ job = 3
        2 │ transport = "carrier pigeon"
          ·             ────────────────
        3 │ seed = 0x10
          ╰────

         × `seed` takes a whole number from 0
          ╭─[harness.toml:3:8]
        2 │ transport = "carrier pigeon"
        3 │ seed = 0x10
          ·        ────
        4 │ set = [1]
          ╰────

         × `set` takes a list of texts
          ╭─[harness.toml:4:7]
        3 │ seed = 0x10
        4 │ set = [1]
          ·       ───
          ╰────
        "#);
        let source = Source::new("harness.toml", "jobs = \n");
        assert_eq!(Layers::default().lay_file(&source).len(), 1);
    }

    #[test]
    fn mistakes_of_the_environment_are_told() {
        let error =
            Layers::default().lay_environment(|name| (name == "HARNESS_JOBS").then(|| "0".to_owned()));
        assert_eq!(error.unwrap_err(), "HARNESS_JOBS takes a whole number from 1, found `0`");
    }
}
