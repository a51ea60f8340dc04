//! The file of families: each family with its steps, hazards and lessons; every mistake at its place.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use mock_llm::decode::{Decoder, MapReader};
use mock_llm::script::VALUES;
use mock_llm::yaml::{Entry, Node};
use regex::Regex;

use super::hazards::{hazard, step};
use super::model::{Families, Family, FamilySkill};
use super::text::{CASE, Slot, SlotText, plain_text, slot_text};
use super::{check, keys};
use crate::scenario::is_name;

/// Weights above this are mistakes.
const WEIGHT_MAX: f64 = 1e6;

/// A longer name would not be a skill's once the case stands behind it (`spec/skills.md` §3.1).
const SKILL_NAME_CHARS_MAX: usize = 48;

/// Longer descriptions are refused by the skill tool (`spec/skills.md` §3.3).
const DESCRIPTION_CHARS_MAX: usize = 1024;

static WORD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("^[a-z][a-z0-9_]*$").expect("the pattern is right"));
static SKILL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("^[a-z0-9][a-z0-9._-]*$").expect("the pattern is right"));

/// Names that mean something in worlds and generated scripts, beside the values of every script; a slot of that name
/// would hide it.
const TAKEN: [&str; 8] = ["args", "case", "facts", "files", "solved", "novel", "hit", "said"];

/// A file of families.
pub(crate) fn file(d: &Decoder, node: &Node) -> Option<Families> {
    let map = d.map(node, "a file of families", keys::FILE)?;
    map.optional("description", Decoder::text);
    map.required("families", families)
}

/// Families by name.
pub(crate) fn families(d: &Decoder, node: &Node) -> Option<Families> {
    let entries: Vec<&Entry> = d.entries(node, "families")?.collect();
    let list: Vec<Family> = entries.iter().filter_map(|entry| family(d, entry)).collect();
    if entries.is_empty() {
        d.error(node.span, "no family stands here");
    }
    let whole = list.len() == entries.len();
    let families = Families { list, file: Arc::clone(d.file()) };
    check::across(d, &families);
    whole.then_some(families)
}

fn family(d: &Decoder, entry: &Entry) -> Option<Family> {
    is_name(d, &entry.key, entry.key_span, "a family");
    let map = d.map(&entry.value, "a family", keys::FAMILY)?;
    let weight = map.or("weight", 1.0, |d, node| d.number(node, f64::MIN_POSITIVE..=WEIGHT_MAX));
    let one_off = map.or("one_off", false, Decoder::bool);
    let slots = slots(&map, one_off);
    let says = map.required("says", |d, node| says(d, node, &slots));
    let words = map.or("words", Vec::new(), words);
    let skill = map.optional("skill", skill);
    let names = hazard_names(&map);
    let steps = map.required("steps", |d, node| {
        d.list(node, "a list of steps", |d, node| step(d, node, &slots, &names))
    });
    let hazards = map.or("hazards", Vec::new(), |d, node| {
        Some(d.entries(node, "hazards")?.filter_map(|entry| hazard(d, entry, &slots)).collect())
    });
    let done = map.optional("done", |d, node| slot_text(d, node, &slots));
    let done = done.or_else(|| SlotText::parse("The work is done.", &[]).ok())?;
    let cue = if map.has("cue") {
        map.optional("cue", plain_text)
    } else {
        says.as_ref().and_then(|says| own_cue(&map, says))
    };
    let (says, steps, cue) = (says?, steps?, cue?);
    let complete = hazards.len() == names.len() && steps.len() == map.take("steps")?.as_seq()?.len();
    let family = Family {
        name: (&*entry.key).into(),
        span: entry.key_span,
        weight,
        one_off,
        slots,
        says,
        cue,
        words,
        skill,
        steps,
        hazards,
        done,
    };
    check::within(&map, &family);
    complete.then_some(family)
}

/// The slots; a one-off has its case as well.
fn slots(map: &MapReader<'_, '_>, one_off: bool) -> Vec<Slot> {
    let mut slots = map.or("slots", Vec::new(), |d, node| {
        Some(d.entries(node, "slots")?.filter_map(|entry| slot(d, entry)).collect())
    });
    if one_off {
        slots.push(Slot { name: CASE.into(), values: Vec::new() });
    }
    slots
}

fn slot(d: &Decoder, entry: &Entry) -> Option<Slot> {
    let name = &*entry.key;
    if !WORD.is_match(name) || TAKEN.iter().chain(&VALUES).any(|taken| *taken == name) {
        let hint = "a lower-case letter first, then letters, digits and `_`; no name that scripts use";
        d.error_with(entry.key_span, format!("`{name}` cannot be the name of a slot"), hint);
    }
    let values = d.list(&entry.value, "a list of values", |d, node| {
        let value = d.word(node)?;
        if value.contains("{{") || value.trim() != value || value.contains('\n') {
            d.error(node.span, "a value is one line, without blanks at its ends and without braces");
        }
        Some(Arc::from(value))
    })?;
    if values.is_empty() {
        d.error(entry.value.span, "a slot needs at least one value");
    }
    Some(Slot { name: name.into(), values })
}

fn says(d: &Decoder, node: &Node, slots: &[Slot]) -> Option<Vec<SlotText>> {
    let count = node.as_seq().map_or(1, <[Node]>::len);
    let says = d.one_or_many(node, |d, node| slot_text(d, node, slots))?;
    if count == 0 {
        d.error(node.span, "a family needs at least one way of asking");
    }
    let missing = says.iter().find_map(|says| {
        let used: BTreeSet<usize> = says.slots().collect();
        (0..slots.len()).find(|slot| !used.contains(slot))
    });
    if let Some(slot) = missing {
        let message =
            format!("the user never says `{{{{ {} }}}}`, so the model cannot know it", slots[slot].name);
        d.error_with(node.span, message, "every slot stands in every way of asking");
    }
    (says.len() == count && count > 0).then_some(says)
}

/// The longest run of words that stands in all ways of asking.
fn own_cue(map: &MapReader<'_, '_>, says: &[SlotText]) -> Option<Arc<str>> {
    let lines = says[0].literals().flat_map(|text| text.lines());
    let mut runs: Vec<&str> = lines.flat_map(runs).collect();
    runs.sort_by_key(|run| std::cmp::Reverse(run.chars().count()));
    let in_all = |run: &&str| says.iter().all(|says| says.literals().any(|text| text.contains(*run)));
    let cue = runs.into_iter().find(|run| run.chars().count() >= check::CUE_CHARS_MIN && in_all(run));
    if cue.is_none() {
        let span = map.key_span("says").unwrap_or(map.span());
        map.decoder().error_with(
            span,
            "no piece of text stands in every way of asking",
            "add `cue:` with a text that does, and that no other family says",
        );
    }
    cue.map(Arc::from)
}

/// All runs of words of a line, without signs at their ends.
fn runs(line: &str) -> Vec<&str> {
    let breaks: Vec<usize> = line.match_indices(' ').map(|(at, _)| at).chain([line.len()]).collect();
    let starts: Vec<usize> = [0].into_iter().chain(line.match_indices(' ').map(|(at, _)| at + 1)).collect();
    let ends = |start: usize| breaks.iter().copied().filter(move |end| *end > start);
    let run = |start: usize, end: usize| line[start..end].trim_matches(|c: char| !c.is_alphanumeric());
    starts.iter().flat_map(|start| ends(*start).map(|end| run(*start, end))).collect()
}

fn words(d: &Decoder, node: &Node) -> Option<Vec<Arc<str>>> {
    let words = d.list(node, "a list of words", |d, node| d.word(node).map(Arc::from))?;
    Some(words)
}

fn skill(d: &Decoder, node: &Node) -> Option<FamilySkill> {
    let map = d.map(node, "a skill", keys::SKILL)?;
    let name = map.required("name", |d, node| skill_word(d, node, SKILL_NAME_CHARS_MAX));
    let description = map.required("description", |d, node| {
        let text = plain_text(d, node)?;
        if text.chars().count() > DESCRIPTION_CHARS_MAX {
            d.error(node.span, format!("a description has at most {DESCRIPTION_CHARS_MAX} characters"));
        }
        Some(text)
    });
    let category = map.optional("category", |d, node| skill_word(d, node, SKILL_NAME_CHARS_MAX));
    let body = map.optional("body", plain_text);
    let body = body.unwrap_or_else(|| "Do the steps in order, and mind the pitfalls.".into());
    Some(FamilySkill { name: name?, description: description?, category, body })
}

fn skill_word(d: &Decoder, node: &Node, chars_max: usize) -> Option<Arc<str>> {
    let name = d.word(node)?;
    if !SKILL.is_match(name) || name.chars().count() > chars_max {
        let hint = format!("lower-case letters, digits, `-`, `_`, `.`; at most {chars_max} characters");
        d.error_with(node.span, format!("`{name}` cannot be the name of a skill or category"), hint);
        return None;
    }
    Some(name.into())
}

/// The names of the hazards, known before the steps that point at them are read.
fn hazard_names(map: &MapReader<'_, '_>) -> Vec<Arc<str>> {
    let entries = map.take("hazards").and_then(Node::as_map);
    entries.into_iter().flat_map(|map| map.iter()).map(|entry| Arc::from(&*entry.key)).collect()
}
