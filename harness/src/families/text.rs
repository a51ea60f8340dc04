//! Texts with slots, calls with slots, and both as patterns of what was said or called.
//!
//! A slot is written `{{ name }}` and stands for one of its values. Nothing else may stand in the braces: what a family
//! says is drawn, asked, recognised and answered in four places, and all of them must agree on it.

use std::sync::Arc;

use mock_llm::decode::Decoder;
use mock_llm::yaml::{Node, Value};
use regex::{Regex, RegexBuilder};
use serde_json::{Map, Value as Json};

/// The slot that tells the tasks of a one-off family apart, in texts.
pub(crate) const CASE: &str = "case";

/// What every case looks like, as a pattern.
pub(crate) const CASE_PATTERN: &str = "case-[0-9a-f]{6}";

/// A part of a varying task: one of its values stands in the user's words, and the model reads it there.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) name: Arc<str>,
    /// Its values; none for the case of a one-off.
    pub(crate) values: Vec<Arc<str>>,
}

impl Slot {
    /// What its values look like, as a pattern without groups.
    pub(crate) fn pattern(&self) -> String {
        if self.values.is_empty() {
            return CASE_PATTERN.to_owned();
        }
        let mut values: Vec<&str> = self.values.iter().map(|value| &**value).collect();
        // Of two values that begin alike, the longer one is tried first.
        values.sort_by_key(|value| (std::cmp::Reverse(value.len()), *value));
        let values: Vec<String> = values.iter().map(|value| regex::escape(value)).collect();
        values.join("|")
    }
}

/// A text in which slots stand.
#[derive(Clone, Debug)]
pub(crate) struct SlotText {
    /// As written, which is a template of scripts and worlds as well.
    pub(crate) text: Arc<str>,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(Arc<str>),
    /// The slot of this index.
    Slot(usize),
}

impl SlotText {
    /// Reads a text.
    ///
    /// # Errors
    /// What stands in braces is no slot; the message says what.
    pub(crate) fn parse(text: &str, slots: &[Slot]) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let Some((name, after)) = after.split_once("}}") else {
                return Err("`{{` without its `}}`".to_owned());
            };
            let name = name.trim();
            let Some(slot) = slots.iter().position(|slot| *slot.name == *name) else {
                return Err(format!("`{{{{ {name} }}}}` is no slot of the family"));
            };
            if !before.is_empty() {
                parts.push(Part::Text(before.into()));
            }
            parts.push(Part::Slot(slot));
            rest = after;
        }
        if !rest.is_empty() || parts.is_empty() {
            parts.push(Part::Text(rest.into()));
        }
        Ok(Self { text: text.into(), parts })
    }

    /// The slots in it.
    pub(crate) fn slots(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().filter_map(|part| match part {
            Part::Slot(slot) => Some(*slot),
            Part::Text(_) => None,
        })
    }

    /// The pieces between the slots.
    pub(crate) fn literals(&self) -> impl Iterator<Item = &Arc<str>> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text),
            Part::Slot(_) => None,
        })
    }

    /// The longest piece of one line that stands in it whatever the slots are, trimmed.
    pub(crate) fn signature(&self) -> &str {
        let lines = self.literals().flat_map(|text| text.lines()).map(str::trim);
        // The first of the longest.
        lines.reduce(|best, line| if line.len() > best.len() { line } else { best }).unwrap_or_default()
    }

    /// The text with these values in its slots.
    pub(crate) fn fill(&self, values: &[Arc<str>]) -> String {
        self.parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => &**text,
                Part::Slot(slot) => &*values[*slot],
            })
            .collect()
    }

    /// A pattern that fits the text with any values, the first occurrence of each slot being a group of its name.
    fn pattern(&self, slots: &[Slot]) -> String {
        let mut seen = Vec::new();
        let mut pattern = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => pattern.push_str(&regex::escape(text)),
                Part::Slot(index) => {
                    let slot = &slots[*index];
                    let group =
                        if seen.contains(index) { "?:".to_owned() } else { format!("?<{}>", slot.name) };
                    seen.push(*index);
                    pattern.extend(["(", &group, &slot.pattern(), ")"]);
                }
            }
        }
        pattern
    }
}

/// One call of a tool.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) tool: Arc<str>,
    /// Arguments as a script's step has them: texts with slots in them are templates.
    pub(crate) args: Json,
    /// What each argument must be for a call to be this one, in the form of a world's rule.
    pub(crate) matches: Map<String, Json>,
    patterns: Vec<(String, ArgPattern)>,
    /// Slots that can be read off the arguments.
    pub(crate) slots: Vec<usize>,
}

#[derive(Clone, Debug)]
enum ArgPattern {
    Is(String),
    Fits(Regex),
}

impl Call {
    /// A call of these arguments.
    fn new(tool: &str, args: Map<String, Json>, slots: &[Slot]) -> Result<Self, String> {
        let mut call = Self {
            tool: tool.into(),
            args: Json::Null,
            matches: Map::new(),
            patterns: Vec::new(),
            slots: Vec::new(),
        };
        for (name, value) in &args {
            let Json::String(text) = value else {
                check_nested(value)?;
                call.matches.insert(name.clone(), Json::from(value.to_string()));
                call.patterns.push((name.clone(), ArgPattern::Is(value.to_string())));
                continue;
            };
            let text = SlotText::parse(text, slots)?;
            if text.slots().next().is_none() {
                call.matches.insert(name.clone(), Json::from(&*text.text));
                call.patterns.push((name.clone(), ArgPattern::Is(text.text.to_string())));
                continue;
            }
            let pattern = text.pattern(slots);
            let whole = RegexBuilder::new(&format!("^(?:{pattern})$")).dot_matches_new_line(true).build();
            call.patterns.push((name.clone(), ArgPattern::Fits(whole.map_err(|error| error.to_string())?)));
            call.matches.insert(name.clone(), serde_json::json!({ "regex": pattern }));
            call.slots.extend(text.slots());
        }
        call.args = Json::Object(args);
        Ok(call)
    }

    /// Whether a call is this one.
    pub(crate) fn is(&self, tool: &str, args: &Json) -> bool {
        *self.tool == *tool
            && self.patterns.iter().all(|(name, pattern)| match (pattern, args.get(name)) {
                (ArgPattern::Is(wanted), Some(Json::String(text))) => wanted == text,
                (ArgPattern::Is(wanted), Some(other)) => {
                    let printed = other.to_string();
                    *wanted == printed
                }
                (ArgPattern::Fits(regex), Some(Json::String(text))) => regex.is_match(text),
                (ArgPattern::Fits(_), Some(_)) | (_, None) => false,
            })
    }
}

/// Lists and mappings are passed on as they are, so no slot can stand in them.
fn check_nested(value: &Json) -> Result<(), String> {
    match value {
        Json::String(text) if text.contains("{{") => {
            Err("a slot stands in a text argument itself, not within a list or mapping".to_owned())
        }
        Json::Array(items) => items.iter().try_for_each(check_nested),
        Json::Object(entries) => entries.values().try_for_each(check_nested),
        _ => Ok(()),
    }
}

/// A text with slots.
pub(super) fn slot_text(d: &Decoder, node: &Node, slots: &[Slot]) -> Option<SlotText> {
    let text = d.word(node)?;
    match SlotText::parse(text, slots) {
        Ok(text) => Some(text),
        Err(message) => {
            let names: Vec<&str> = slots.iter().map(|slot| &*slot.name).collect();
            let hint = if names.is_empty() {
                "this family has no slots".to_owned()
            } else {
                format!("slots are {}", names.join(", "))
            };
            d.error_with(node.span, message, hint);
            None
        }
    }
}

/// A text in which nothing is replaced.
pub(super) fn plain_text(d: &Decoder, node: &Node) -> Option<Arc<str>> {
    let text = d.word(node)?;
    if text.contains("{{") {
        d.error(node.span, "no slot can stand in this text: it is the same for every task of the family");
        return None;
    }
    Some(text.trim_end().into())
}

/// `{ terminal: { command: ls } }`.
pub(super) fn call(d: &Decoder, node: &Node, slots: &[Slot]) -> Option<Call> {
    let Value::Map(map) = &node.value else {
        return d.wrong(node, "one tool with its arguments: `{ terminal: { command: ls } }`");
    };
    let mut entries = map.iter();
    let (Some(entry), None) = (entries.next(), entries.next()) else {
        d.error(node.span, "wanted one tool with its arguments");
        return None;
    };
    let args = match &entry.value.value {
        Value::Null => Map::new(),
        Value::Map(_) => match d.json(&entry.value)? {
            Json::Object(args) => args,
            _ => unreachable!("a mapping is an object"),
        },
        _ => return d.wrong(&entry.value, "the arguments by name"),
    };
    if let Some(key) = args.keys().find(|key| key.starts_with('$')) {
        d.error(entry.value.span, format!("`{key}` cannot be the name of an argument"));
        return None;
    }
    let joined = args.get("command").and_then(Json::as_str).is_some_and(|command| command.contains("&&"));
    if joined {
        d.error(entry.value.span, "`&&` joins two commands: write two steps");
        return None;
    }
    match Call::new(&entry.key, args, slots) {
        Ok(call) => Some(call),
        Err(message) => {
            d.error(entry.value.span, message);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn slots() -> Vec<Slot> {
        vec![
            Slot { name: "app".into(), values: vec!["shop".into(), "shop-eu".into(), "c++".into()] },
            Slot { name: CASE.into(), values: Vec::new() },
        ]
    }

    #[test]
    fn a_text_is_filled_and_keeps_its_longest_piece() {
        let text = SlotText::parse("Ship {{ app }} for {{case}}, please.\nNow {{ app }}", &slots()).unwrap();
        assert_eq!(
            text.fill(&["c++".into(), "case-00ff00".into()]),
            "Ship c++ for case-00ff00, please.\nNow c++"
        );
        assert_eq!(text.signature(), ", please.");
        assert_eq!(
            SlotText::parse("{{ App }}", &slots()).unwrap_err(),
            "`{{ App }}` is no slot of the family"
        );
    }

    #[test]
    fn a_call_knows_itself() {
        let args = json!({"command": "push {{ app }} as {{ app }}.tar (1)", "times": 2});
        let call = Call::new("terminal", args.as_object().unwrap().clone(), &slots()).unwrap();
        let is = |command: &str, times: i64| {
            call.is("terminal", &json!({"command": command, "times": times, "more": 1}))
        };
        assert!(is("push c++ as c++.tar (1)", 2) && is("push shop-eu as shop.tar (1)", 2));
        assert!(!is("push c as c.tar (1)", 2) && !is("push c++ as c++.tar (1)", 3));
        assert!(!is("push c++ as c++.tar (1) again", 2));
        insta::assert_snapshot!(serde_json::to_string(&call.matches).unwrap(), @r#"{"command":{"regex":"push (?<app>shop\\-eu|shop|c\\+\\+) as (?:shop\\-eu|shop|c\\+\\+)\\.tar \\(1\\)"},"times":"2"}"#);
    }
}
