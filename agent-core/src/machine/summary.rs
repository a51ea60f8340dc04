//! What the user is told of a review's writes (`spec/background-review.md` §10), and how much of a history a routed
//! review reads whole (§3).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::review::Snapshot;
use crate::behaviour::NoticeMode;
use crate::text::{cut, truthy};
use crate::values::{Message, ToolCall};

/// Lengths of what is shown, in characters.
const PATCH_CHARS: usize = 80;
const CONTENT_CHARS: usize = 120;
const REMOVED_CHARS: usize = 60;
const PREFIX: &str = "\u{1f4be} Self-improvement review: ";
const JOINT: &str = " \u{b7} ";

/// How a notice is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoticeRules {
    pub(super) mode: NoticeMode,
    /// Staged entries are shown as if they were saved.
    pub(super) shows_staged: bool,
    /// A result of an unexpected shape, of whatever tool, makes the whole notice disappear.
    pub(super) needs_objects: bool,
}

/// The notice of what these messages did; empty if there is nothing to tell.
pub(super) fn notice<'a>(messages: impl Iterator<Item = &'a Arc<Message>>, rules: NoticeRules) -> String {
    if rules.mode == NoticeMode::Off {
        return String::new();
    }
    let mut calls: BTreeMap<&str, &ToolCall> = BTreeMap::new();
    let mut lines: Vec<String> = Vec::new();
    for message in messages {
        for call in message.calls() {
            calls.insert(&call.id, call);
        }
        let Message::Tool { call, text, .. } = &**message else { continue };
        if rules.needs_objects && object_of(text).is_err() {
            return String::new();
        }
        let Some(call) = calls.get(&**call).filter(|call| matches!(&*call.name, "memory" | "skill_manage"))
        else {
            continue;
        };
        for line in lines_of(call, text, rules) {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    if lines.is_empty() { String::new() } else { format!("{PREFIX}{}", lines.join(JOINT)) }
}

/// A result that is JSON but no object.
struct Odd;

/// The JSON object that a result begins with; none for one that is no JSON.
fn object_of(text: &str) -> Result<Option<Value>, Odd> {
    match serde_json::Deserializer::from_str(text).into_iter::<Value>().next() {
        Some(Ok(result @ Value::Object(_))) => Ok(Some(result)),
        Some(Ok(_)) => Err(Odd),
        Some(Err(_)) | None => Ok(None),
    }
}

fn lines_of(call: &ToolCall, text: &str, rules: NoticeRules) -> Vec<String> {
    let Ok(Some(result)) = object_of(text) else { return Vec::new() };
    if !truthy(&result["success"]) {
        return Vec::new();
    }
    let args: Value = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
    let is_memory = &*call.name == "memory";
    let staged = truthy(&result["staged"]);
    let pretends = staged && is_memory && rules.shows_staged && rules.mode == NoticeMode::Verbose;
    if staged && !pretends {
        let what = if is_memory { label(&args) } else { "Skill".to_owned() };
        return vec![format!("{what}: a proposal waits for approval")];
    }
    match rules.mode {
        NoticeMode::Verbose if is_memory => memory_lines(&args),
        NoticeMode::Verbose => skill_line(&args, &result).into_iter().collect(),
        NoticeMode::On | NoticeMode::Off => plain_line(is_memory, &args, &result).into_iter().collect(),
    }
}

fn plain_line(is_memory: bool, args: &Value, result: &Value) -> Option<String> {
    let message = result.get("message").and_then(Value::as_str).unwrap_or("");
    let lower = message.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if says(&["created", "updated"]) || (!is_memory && says(&["patched", "deleted", "written", "archived"])) {
        return Some(message.to_owned());
    }
    (is_memory && says(&["added", "replaced", "removed", "applied", "add"]))
        .then(|| format!("{} updated", label(args)))
}

fn label(args: &Value) -> String {
    match args.get("target").and_then(Value::as_str) {
        None | Some("memory") => "Memory".to_owned(),
        Some("user") => "User profile".to_owned(),
        Some(other) => other.to_owned(),
    }
}

fn memory_lines(args: &Value) -> Vec<String> {
    let label = label(args);
    let operations = match args.get("operations").and_then(Value::as_array) {
        Some(list) if !list.is_empty() => list.iter().filter(|one| one.is_object()).cloned().collect(),
        _ => vec![args.clone()],
    };
    let text =
        |operation: &Value, key: &str| operation.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
    operations
        .iter()
        .map(|operation| match text(operation, "action").as_str() {
            "remove" => format!("{label} - {}", short(&text(operation, "old_text"), REMOVED_CHARS)),
            "replace" => format!("{label} ~ {}", short(&text(operation, "content"), CONTENT_CHARS)),
            _ => format!("{label} + {}", short(&text(operation, "content"), CONTENT_CHARS)),
        })
        .collect()
}

fn skill_line(args: &Value, result: &Value) -> Option<String> {
    let text = |key: &str| args.get(key).and_then(Value::as_str).unwrap_or("");
    let name = text("name");
    let described = || {
        let change = result.get("_change").and_then(|change| change.get("description"));
        change.and_then(Value::as_str).unwrap_or("").to_owned()
    };
    match text("action") {
        "patch" => {
            let (old, new) = (short(text("old_string"), PATCH_CHARS), short(text("new_string"), PATCH_CHARS));
            Some(format!("Skill {name} patched: {old} \u{2192} {new}"))
        }
        "create" => Some(format!("Skill {name} created: {}", described())),
        "edit" => Some(format!("Skill {name} rewritten: {}", described())),
        _ => plain_line(false, args, result),
    }
}

fn short(text: &str, chars: usize) -> String {
    let flat = text.replace('\n', " ");
    let kept = cut(&flat, chars);
    if kept.len() < flat.len() { format!("{kept}\u{2026}") } else { flat }
}

/// Messages that a routed review keeps whole.
const TAIL: usize = 24;

/// Where the whole part of a routed review's history begins; `None` if nothing is left out. The whole part never
/// begins with a result, and a beginning that reaches the first message is no digest.
pub(super) fn digest_split(snapshot: &Snapshot) -> Option<usize> {
    let mut first = snapshot.len().checked_sub(TAIL).filter(|&first| first > 0)?;
    while first > 0 && matches!(*snapshot[first], Message::Tool { .. }) {
        first -= 1;
    }
    (first > 0).then_some(first)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::values::{AssistantText, Transcript};

    fn talk(calls: &[(&str, Value, Value)]) -> Transcript {
        let mut transcript: Transcript = [Message::user("hello")].into_iter().collect();
        for (index, (tool, args, result)) in calls.iter().enumerate() {
            let id: Arc<str> = format!("call_{index}").into();
            let call =
                ToolCall { id: Arc::clone(&id), name: (*tool).into(), arguments: args.to_string().into() };
            transcript.push(Message::Assistant {
                text: AssistantText::default(),
                calls: [call].into(),
                synthetic: None,
            });
            transcript.push(Message::Tool {
                call: id,
                tool: (*tool).into(),
                text: result.to_string().into(),
            });
        }
        transcript
    }

    fn rules(mode: NoticeMode) -> NoticeRules {
        NoticeRules { mode, shows_staged: false, needs_objects: false }
    }

    #[test]
    fn lines_are_told_once_and_staged_apart() {
        let added = json!({"success": true, "message": "Entry added."});
        let transcript = talk(&[
            ("memory", json!({"action": "add", "target": "user", "content": "likes tea"}), added.clone()),
            ("memory", json!({"action": "add", "target": "user", "content": "is tall"}), added),
            (
                "skill_manage",
                json!({"action": "create", "name": "a"}),
                json!({"success": true, "message": "Skill 'a' created."}),
            ),
            ("memory", json!({"action": "add", "content": "x"}), json!({"success": true, "staged": true})),
            (
                "skill_manage",
                json!({"action": "patch", "name": "a"}),
                json!({"success": false, "error": "no"}),
            ),
            ("read_file", json!({}), json!({"success": true, "message": "updated"})),
        ]);
        assert_eq!(
            notice(transcript.iter(), rules(NoticeMode::On)),
            "💾 Self-improvement review: User profile updated · Skill 'a' created. · Memory: a proposal waits for approval"
        );
        assert_eq!(notice(transcript.iter(), rules(NoticeMode::Off)), "");
        let pretends = NoticeRules { shows_staged: true, ..rules(NoticeMode::Verbose) };
        assert!(notice(transcript.iter(), pretends).contains("Memory + x"));
        assert_eq!(notice(transcript.iter().skip(transcript.len()), rules(NoticeMode::On)), "");
    }

    #[test]
    fn odd_results_are_passed_over() {
        let transcript = talk(&[
            ("memory", json!({}), json!([1, 2])),
            ("memory", json!("text"), json!("text")),
            ("memory", json!({"operations": [1, null]}), json!({"success": true})),
            (
                "memory",
                json!({"action": "add", "content": "x"}),
                json!({"success": 1, "message": "Entry added."}),
            ),
        ]);
        assert_eq!(
            notice(transcript.iter(), rules(NoticeMode::Verbose)),
            "\u{1f4be} Self-improvement review: Memory + x"
        );
        let strict = NoticeRules { needs_objects: true, ..rules(NoticeMode::Verbose) };
        assert_eq!(notice(transcript.iter(), strict), "");
    }

    #[test]
    fn a_digest_keeps_the_tail_and_never_begins_with_a_result() {
        let mut messages: Vec<Arc<Message>> = Vec::new();
        for number in 0..10 {
            messages.push(Arc::new(Message::user(format!("question {number}"))));
            messages.push(Arc::new(Message::assistant("answer")));
        }
        messages.push(Arc::new(Message::user("work")));
        let call = ToolCall { id: "c".into(), name: "todo".into(), arguments: "{}".into() };
        messages.push(Arc::new(Message::Assistant {
            text: AssistantText::default(),
            calls: [call].into(),
            synthetic: None,
        }));
        for _ in 0..24 {
            messages.push(Arc::new(Message::Tool {
                call: "c".into(),
                tool: "todo".into(),
                text: "ok".into(),
            }));
        }
        let whole: Snapshot = messages.into();
        assert_eq!(digest_split(&whole), Some(21));
        let brief: Snapshot = whole[..24].iter().cloned().collect();
        assert_eq!(digest_split(&brief), None);
        let calls: Snapshot = whole[21..].iter().cloned().collect();
        assert_eq!(digest_split(&calls), None);
    }
}
