//! What a system prompt and a curator's instruction say: skills index, memory blocks, candidates.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use crate::preset::{MemoryMarks, Preset};

/// One skill as the index shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillLine {
    /// Its name.
    pub name: String,
    /// Its category.
    pub category: String,
    /// Its description as shown: cut, or empty for a category that is shown by names only.
    pub description: String,
}

/// The skills of the index in a system prompt, in its order. Lines (`spec/prompt.md` §3): two spaces, a category and a
/// colon; four spaces, `- name`, and perhaps a colon and a description; a category with `[names only]` and names by comma.
/// A description may go on in further lines.
pub fn skills_index(preset: &Preset, system: &str) -> Vec<SkillLine> {
    let (open, close) = &preset.index;
    let Some(lines) = between(system, open, close) else { return Vec::new() };
    let mut skills: Vec<SkillLine> = Vec::new();
    let mut category = "";
    for line in lines {
        if let Some(skill) = line.strip_prefix("    - ") {
            let (name, description) = skill.split_once(": ").unwrap_or((skill.trim_end_matches(':'), ""));
            skills.push(SkillLine {
                name: name.to_owned(),
                category: category.to_owned(),
                description: description.to_owned(),
            });
        } else if let Some((demoted, names)) =
            line.strip_prefix("  ").and_then(|line| line.split_once(" [names only]: "))
        {
            category = demoted;
            skills.extend(names.split(", ").map(|name| SkillLine {
                name: name.to_owned(),
                category: demoted.to_owned(),
                description: String::new(),
            }));
        } else if let Some(head) = category_of(line) {
            category = head;
        } else if let Some(skill) = skills.last_mut() {
            skill.description.push('\n');
            skill.description.push_str(line);
        }
    }
    skills
}

/// Whether an index line shows one of these words, in the name or in what stands of the description, whatever their case.
pub fn shows(name: &str, description: &str, words: &[impl AsRef<str>]) -> bool {
    let (name, description) = (name.to_lowercase(), description.to_lowercase());
    words.iter().any(|word| {
        let word = word.as_ref().to_lowercase();
        name.contains(&word) || description.contains(&word)
    })
}

/// The name of a line that opens a category.
fn category_of(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("  ").filter(|rest| !rest.starts_with(' '))?;
    let (name, tail) = rest.split_once(':')?;
    (tail.is_empty() || tail.starts_with(' ')).then_some(name)
}

/// The lines between two lines.
fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<impl Iterator<Item = &'t str>> {
    let at = line_start(text, open)?;
    let body = text[at + open.len()..].strip_prefix('\n')?;
    let end = line_start(body, close)?;
    Some(body[..end].lines())
}

/// Where a line stands that is exactly this one.
fn line_start(text: &str, line: &str) -> Option<usize> {
    text.match_indices(line).map(|(at, _)| at).find(|at| {
        let begins = *at == 0 || text.as_bytes()[at - 1] == b'\n';
        let ends = text[at + line.len()..].chars().next().is_none_or(|next| next == '\n');
        begins && ends
    })
}

/// The texts of the two memory blocks; empty where a prompt has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryBlocks<'t> {
    /// What the agent noted.
    pub notes: &'t str,
    /// What it knows of the user.
    pub profile: &'t str,
}

/// The date line that follows the memory blocks (`spec/prompt.md` §1.3).
static DATE_LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("\n\n[^\n:]{1,80}: (Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, [A-Z][a-z]+ [0-9]{2}, [0-9]{4}")
        .expect("the pattern is constant")
});

/// The memory blocks of a system prompt (`spec/memory.md` §7): a rule, a header, a rule, the body, up to the next block or
/// the date line.
pub fn memory_blocks<'t>(preset: &Preset, system: &'t str) -> MemoryBlocks<'t> {
    let MemoryMarks { rule, notes, profile } = &preset.memory;
    let mut blocks = MemoryBlocks::default();
    let mut rest = system;
    while let Some(at) = line_start(rest, rule) {
        let after = rest[at + rule.len()..].strip_prefix('\n').unwrap_or("");
        let Some((header, tail)) = after.split_once('\n') else { break };
        let Some(body) = tail.strip_prefix(rule.as_str()).and_then(|tail| tail.strip_prefix('\n')) else {
            rest = after;
            continue;
        };
        let end = line_start(body, rule)
            .unwrap_or_else(|| DATE_LINE.find_iter(body).last().map_or(body.len(), |found| found.start()));
        let text = body[..end].trim_end();
        if header.contains(profile.as_str()) {
            blocks.profile = text;
        } else if header.contains(notes.as_str()) {
            blocks.notes = text;
        }
        rest = &body[end..];
    }
    blocks
}

/// The candidates of a curator's instruction (`spec/curator.md` §9): lines of a name and `key=value` fields, separated by
/// two spaces, the first field being `state`. `yes` and `no` become truth values, whole numbers numbers.
pub fn candidates(instruction: &str) -> Vec<Map<String, Value>> {
    instruction.lines().filter_map(candidate).collect()
}

fn candidate(line: &str) -> Option<Map<String, Value>> {
    let mut fields = line.trim_start().trim_start_matches("- ").split("  ").map(str::trim);
    let name = fields.next().filter(|name| !name.is_empty())?;
    let mut row = Map::new();
    row.insert("name".to_owned(), Value::from(name));
    for field in fields {
        let (key, value) = field.split_once('=')?;
        if row.len() == 1 && key != "state" {
            return None;
        }
        let value = match value {
            "yes" => Value::from(true),
            "no" => Value::from(false),
            text => text.parse::<i64>().map_or_else(|_| Value::from(text), Value::from),
        };
        row.insert(key.to_owned(), value);
    }
    (row.len() > 1).then_some(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_is_read_as_it_is_shown() {
        let system = "You help.\n\n<available_skills>\n  devops: ships things\n    - flask: Deploys Flask: safely\n    - bare\n    - long: first line\nsecond line\n  ml [names only]: a, b\n  notes:\n    - n\n</available_skills>\nend";
        let lines: Vec<String> = skills_index(&Preset::hermes(), system)
            .into_iter()
            .map(|skill| format!("{}|{}|{}", skill.name, skill.category, skill.description))
            .collect();
        assert_eq!(
            lines,
            [
                "flask|devops|Deploys Flask: safely",
                "bare|devops|",
                "long|devops|first line\nsecond line",
                "a|ml|",
                "b|ml|",
                "n|notes|"
            ]
        );
        assert!(skills_index(&Preset::hermes(), "text with <available_skills> in a line").is_empty());
    }

    #[test]
    fn a_word_is_shown_in_the_name_or_in_what_is_left_of_the_description() {
        let shown = |word: &str| shows("flask-k8s", "Ships web apps to a Kube...", &[word]);
        assert_eq!(["k8s", "SHIPS", "kubernetes", "web apps"].map(shown), [true, true, false, true]);
    }

    #[test]
    fn memory_blocks_end_at_the_next_one_or_the_date() {
        let rule = "\u{2550}".repeat(46);
        let system = format!(
            "…\n\n{rule}\nMEMORY (your notes) [1% — 9/2,200 chars]\n{rule}\nregistry: x\n§\ntwo\n\nparts\n\n{rule}\nUSER PROFILE (who) [1%]\n{rule}\nlikes tea\n\nToday: Monday, January 05, 2026\nModel: m"
        );
        let blocks = memory_blocks(&Preset::hermes(), &system);
        assert_eq!(blocks, MemoryBlocks { notes: "registry: x\n§\ntwo\n\nparts", profile: "likes tea" });
        assert_eq!(
            memory_blocks(&Preset::hermes(), &format!("{rule}\n{rule}\n{rule}")),
            MemoryBlocks::default()
        );
    }

    #[test]
    fn candidates_are_the_lines_with_a_state() {
        let text = "# 2 skills\n\nflask-a  state=active  pinned=no  cron=yes  activity=3  use=1  view=2  patches=0  last_activity=never\n- django  state=stale  pinned=yes\nname  other=1\nplain words";
        let rows = candidates(text);
        assert_eq!(rows.len(), 2);
        assert_eq!(Value::from(rows[0].clone())["view"], 2);
        assert_eq!(Value::from(rows[0].clone())["pinned"], false);
        assert_eq!(rows[1]["name"], "django");
    }
}
