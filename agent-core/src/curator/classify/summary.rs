//! The second signal: the structured block at the end of a summary.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use crate::behaviour::SummaryReading;
use crate::text::trim;
use crate::text::yaml11::{self, YamlValue};

static BLOCK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?is)```(?:yaml|yml)\s*\n(.*?)\n```").expect("a literal pattern is well formed")
});

/// A skill that is said to be absorbed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Consolidation {
    /// Its name.
    pub from: String,
    /// The skill that absorbed it.
    pub into: String,
    /// Why; may be empty.
    pub reason: String,
}

/// A skill that is said to be dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pruning {
    /// Its name.
    pub name: String,
    /// Why; may be empty.
    pub reason: String,
}

/// Both lists of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Absorbed skills.
    pub consolidations: Vec<Consolidation>,
    /// Dropped skills.
    pub prunings: Vec<Pruning>,
}

impl Summary {
    /// Reads the block of a final answer. Anything wrong gives empty lists.
    pub fn read(text: &str, reading: SummaryReading) -> Self {
        let mut blocks = BLOCK.captures_iter(text).filter_map(|found| found.get(1)).map(|body| body.as_str());
        match reading {
            SummaryReading::Strict => blocks.next().and_then(Self::of_yaml).unwrap_or_default(),
            SummaryReading::Tolerant => {
                let blocks: Vec<&str> = blocks.collect();
                blocks.into_iter().rev().find_map(Self::of_any).unwrap_or_default()
            }
        }
    }

    fn of_yaml(body: &str) -> Option<Self> {
        let value = yaml11::parse(body).ok()?;
        value.as_map()?;
        let entries = |key: &str| value.get(key).and_then(YamlValue::as_list).unwrap_or_default();
        let text = |entry: &YamlValue, key: &str| {
            let text = entry.get(key).and_then(YamlValue::as_str).map(trim)?;
            (!text.is_empty()).then(|| text.to_owned())
        };
        let reason = |entry: &YamlValue| text(entry, "reason").unwrap_or_default();
        let consolidations = entries("consolidations").iter().filter_map(|entry| {
            let (from, into) = (text(entry, "from")?, text(entry, "into")?);
            Some(Consolidation { from, into, reason: reason(entry) })
        });
        let prunings = entries("prunings")
            .iter()
            .filter_map(|entry| Some(Pruning { name: text(entry, "name")?, reason: reason(entry) }));
        Some(Self { consolidations: consolidations.collect(), prunings: prunings.collect() })
    }

    /// A block with one of the lists, as YAML or line by line; none for another block.
    fn of_any(body: &str) -> Option<Self> {
        let is_ours = body.lines().any(|line| {
            ["consolidations:", "prunings:"].iter().any(|key| line.trim_start().starts_with(key))
        });
        is_ours.then(|| Self::of_yaml(body).unwrap_or_else(|| Self::of_lines(body)))
    }

    /// Reads what a person would read: a list's name, a hyphen for each entry, a key and the rest of its line.
    fn of_lines(body: &str) -> Self {
        let mut summary = Self::default();
        let mut in_prunings = false;
        let mut entry = BTreeMap::new();
        for line in body.lines() {
            let (starts, rest) = match trim(line).strip_prefix("- ") {
                Some(rest) => (true, trim(rest)),
                None => (false, trim(line)),
            };
            let Some((key, value)) = rest.split_once(':') else { continue };
            let list = matches!(key, "consolidations" | "prunings");
            if starts || list {
                summary.take(std::mem::take(&mut entry), in_prunings);
            }
            if list {
                in_prunings = key == "prunings";
            } else {
                let value = trim(value).trim_matches(['"', '\'']);
                entry.entry(key.to_owned()).or_insert_with(|| value.to_owned());
            }
        }
        summary.take(entry, in_prunings);
        summary
    }

    fn take(&mut self, mut entry: BTreeMap<String, String>, pruning: bool) {
        let mut text = |key: &str| entry.remove(key).filter(|text| !text.is_empty());
        let reason = text("reason").unwrap_or_default();
        if pruning {
            self.prunings.extend(text("name").map(|name| Pruning { name, reason }));
        } else if let (Some(from), Some(into)) = (text("from"), text("into")) {
            self.consolidations.push(Consolidation { from, into, reason });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLON: &str = "```yaml\nconsolidations:\n  - from: a\n    into: b\n    reason: merged: see notes\n  - from: 'c'\n    into: b\n    reason: same\nprunings:\n  - name: d\n    reason: old: very\n```";

    #[test]
    fn a_colon_in_a_reason_spoils_only_the_strict_reading() {
        assert_eq!(Summary::read(COLON, SummaryReading::Strict), Summary::default());
        let read = Summary::read(COLON, SummaryReading::Tolerant);
        let (from, into) = ("a".to_owned(), "b".to_owned());
        assert_eq!(
            read.consolidations[0],
            Consolidation { from, into, reason: "merged: see notes".to_owned() }
        );
        assert_eq!(read.consolidations[1].from, "c");
        assert_eq!(read.prunings, [Pruning { name: "d".to_owned(), reason: "old: very".to_owned() }]);
    }

    #[test]
    fn another_block_before_it_hides_it_only_from_the_strict_reading() {
        let text = "```yaml\nfoo: 1\n```\n```YML \nprunings:\n- {name: x}\n```\n```yaml\nbar: 2\n```";
        assert_eq!(Summary::read(text, SummaryReading::Strict), Summary::default());
        assert_eq!(Summary::read(text, SummaryReading::Tolerant).prunings[0].name, "x");
        assert_eq!(Summary::read("no block", SummaryReading::Tolerant), Summary::default());
    }
}
