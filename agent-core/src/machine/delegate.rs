//! The tool `delegate_task`: what the model reads of it, and what a call asks for (`spec/turn-loop.md` §10).
//!
//! Pure: it starts nothing. Iteration limits, toolsets and a background flag that a model sends are not looked at.

use serde_json::{Map, Value, json};

use crate::behaviour::DelegationRules;
use crate::values::{Parallel, ToolList, ToolOwner, ToolSpec};

/// The tool's name.
pub(super) const NAME: &str = "delegate_task";

/// Tools that a child never has; an orchestrator keeps `delegate_task`.
const BLOCKED: [&str; 6] = [NAME, "clarify", "memory", "send_message", "execute_code", "cronjob"];

/// One task of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) goal: String,
    pub(super) context: String,
    /// Whether the child may delegate in its turn, as far as the call is concerned.
    pub(super) orchestrator: bool,
}

/// Why a call starts nothing: its kind and what the model reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) kind: &'static str,
    pub(super) text: String,
}

impl Refusal {
    fn new(kind: &'static str, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}

/// The tool as these rules offer it.
pub(super) fn tool_spec(rules: &DelegationRules) -> ToolSpec {
    let most = rules.children_max;
    let when = if rules.background {
        "You get a handle at once and go on; one message with all results comes when the last of them is there."
    } else {
        "You wait until all of them are done and get their results together."
    };
    let description = format!(
        "Hand work to helpers that start with an empty conversation and your tools, and give back only what they \
         found. Good for parts that do not depend on each other and for long reading whose details you do not need. \
         A helper knows nothing of this conversation: put into `goal` and `context` all that it needs, paths and \
         decisions included. Give one task as `goal`, or up to {most} as `tasks`, which run beside each other. \
         Helpers can ask nobody and keep no memory. {when}"
    );
    let goal =
        json!({"type": "string", "description": "What to do and what to give back, complete in itself."});
    let context = json!({"type": "string", "description": "What the helper has to know beside the goal."});
    let role = json!({
        "type": "string",
        "enum": ["leaf", "orchestrator"],
        "description": "`orchestrator` may hand on parts of its task, where that is allowed. Default: leaf.",
    });
    let task = json!({
        "type": "object",
        "properties": { "goal": goal, "context": context, "role": role },
        "required": ["goal"],
    });
    let tasks = json!({
        "type": "array",
        "items": task,
        "maxItems": most,
        "description": "Several tasks; `goal` and `context` beside them are then not read.",
    });
    ToolSpec {
        name: NAME.into(),
        description: description.into(),
        parameters: json!({
            "type": "object",
            "properties": { "goal": goal, "context": context, "role": role, "tasks": tasks },
        }),
        parallel: Parallel::Never,
        owner: ToolOwner::Home,
    }
}

/// The tasks of a call by a conversation at this depth.
///
/// # Errors
/// The depth allows none, there are none or too many, or one has no goal; then nothing runs.
pub(super) fn tasks(
    args: &Map<String, Value>,
    depth: u32,
    rules: &DelegationRules,
) -> Result<Vec<Task>, Refusal> {
    if depth >= rules.depth_max {
        let text = format!("nothing can be delegated at depth {depth}; do the task yourself");
        return Err(Refusal::new("too-deep", text));
    }
    let role = args.get("role").and_then(Value::as_str).unwrap_or("");
    let items = match listed(args.get("tasks"))? {
        Some(items) if !items.is_empty() => items,
        _ if args.contains_key("goal") => vec![Value::Object(args.clone())],
        _ => return Err(Refusal::new("missing-goal", "give a `goal`, or a list of `tasks` that have one")),
    };
    if items.len() > rules.children_max {
        let text = format!(
            "{} tasks, but at most {} run beside each other; none was started",
            items.len(),
            rules.children_max
        );
        return Err(Refusal::new("too-many-tasks", text));
    }
    items.iter().enumerate().map(|(index, item)| task(index, item, role)).collect()
}

/// A list, or the text of one.
fn listed(tasks: Option<&Value>) -> Result<Option<Vec<Value>>, Refusal> {
    let bad = || Refusal::new("bad-tasks", "`tasks` must be a list of objects with a `goal`");
    match tasks {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Array(items)) => Ok(Some(items.clone())),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
        Some(Value::String(text)) => serde_json::from_str(text).map(Some).map_err(|_| bad()),
        Some(_) => Err(bad()),
    }
}

fn task(index: usize, item: &Value, role: &str) -> Result<Task, Refusal> {
    let text = |key: &str| item.get(key).and_then(Value::as_str).unwrap_or("").trim().to_owned();
    let goal = text("goal");
    if goal.is_empty() {
        return Err(Refusal::new("missing-goal", format!("task {index} has no goal; none was started")));
    }
    let own = text("role");
    let role = if own.is_empty() { role } else { &own };
    Ok(Task { goal, context: text("context"), orchestrator: role == "orchestrator" })
}

/// The tools of a child: its parent's, in their order, less the blocked ones.
pub(super) fn child_tools(parent: &ToolList, orchestrator: bool) -> ToolList {
    let keeps = |name: &str| !BLOCKED.contains(&name) || (orchestrator && name == NAME);
    ToolList::new(parent.iter().filter(|tool| keeps(&tool.name)).cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviour::{Behaviour, Settings, Version};

    fn rules() -> DelegationRules {
        Behaviour::resolve(&Settings::new(Version::V0_19)).delegation
    }

    fn asked(args: &Value, depth: u32) -> Result<Vec<Task>, &'static str> {
        tasks(args.as_object().unwrap(), depth, &rules()).map_err(|refusal| refusal.kind)
    }

    #[test]
    fn calls_are_read_leniently_and_refused_whole() {
        let task =
            |goal: &str, orchestrator| Task { goal: goal.to_owned(), context: String::new(), orchestrator };
        assert_eq!(asked(&json!({"goal": " find it ", "role": "boss"}), 0), Ok(vec![task("find it", false)]));
        let two = json!({"goal": "not read", "role": "orchestrator", "tasks": [{"goal": "a"}, {"goal": "b", "role": "leaf"}]});
        assert_eq!(asked(&two, 0), Ok(vec![task("a", true), task("b", false)]));
        assert_eq!(asked(&json!({"tasks": "[{\"goal\": \"a\"}]"}), 0), Ok(vec![task("a", false)]));
        for (args, kind) in [
            (json!({}), "missing-goal"),
            (json!({"goal": "  "}), "missing-goal"),
            (json!({"tasks": [{"goal": "a"}, {"context": "b"}]}), "missing-goal"),
            (json!({"tasks": [1]}), "missing-goal"),
            (json!({"tasks": "a, b"}), "bad-tasks"),
            (json!({"tasks": {"goal": "a"}}), "bad-tasks"),
            (
                json!({"tasks": [{"goal": "a"}, {"goal": "b"}, {"goal": "c"}, {"goal": "d"}]}),
                "too-many-tasks",
            ),
        ] {
            assert_eq!(asked(&args, 0), Err(kind), "{args}");
        }
        assert_eq!(asked(&json!({"goal": "a"}), 1), Err("too-deep"));
    }

    #[test]
    fn children_lose_the_blocked_tools() {
        let tool = |name: &str| ToolSpec { name: name.into(), ..tool_spec(&rules()) };
        let parent = ToolList::new(["memory", "skill_view", NAME, "clarify", "terminal"].map(tool).into());
        assert_eq!(child_tools(&parent, false).names().collect::<Vec<_>>(), ["skill_view", "terminal"]);
        assert_eq!(child_tools(&parent, true).names().collect::<Vec<_>>(), ["skill_view", NAME, "terminal"]);
    }
}
