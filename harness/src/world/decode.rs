//! A world's file: facts, tools, rules.

use std::sync::Arc;

use agent_core::values::{Parallel, SimDuration, ToolOwner, ToolSpec};
use globset::GlobBuilder;
use mock_llm::decode::{Decoder, MapReader};
use mock_llm::diagnose::{Diagnostic, nearest_hint};
use mock_llm::expr::{KnownNames, Template};
use mock_llm::yaml::{Entry, Node};
use regex::{Regex, RegexBuilder};
use serde_json::{Value as Json, json};

use super::keys;
use super::model::{Matcher, Reply, Rule, Tool, World};

/// The names that every rule of a world may use.
const NAMES: [&str; 6] = ["args", "facts", "files", "home", "day", "user"];

/// A compiled pattern of a world is no larger.
const PATTERN_BYTES_MAX: usize = 1 << 20;

/// Tools of the agent's own, which a world cannot answer for.
const HOME_TOOLS: [&str; 11] = [
    "memory",
    "skill_manage",
    "skills_list",
    "skill_view",
    "session_search",
    "todo",
    "read_file",
    "write_file",
    "patch",
    "search_files",
    "delegate_task",
];

/// Whether a tool is the agent's own, so that no world answers for it.
pub(crate) fn is_home_tool(name: &str) -> bool {
    HOME_TOOLS.contains(&name)
}

/// A world; each mistake is reported.
pub(crate) fn world(d: &Decoder, node: &Node) -> Option<World> {
    let map = d.map(node, "a world", keys::WORLD)?;
    let facts = map.or("facts", Vec::new(), |d, node| {
        let entries = d.entries(node, "facts")?;
        Some(entries.filter_map(|entry| Some(((&*entry.key).into(), d.json(&entry.value)?))).collect())
    });
    let tools = map.required("tools", |d, node| {
        d.list(node, "a list of tools", |d, node| tool(d, node).map(Arc::new))
    })?;
    check_names(d, map.take("tools"), &tools);
    Some(World { facts, tools })
}

fn check_names(d: &Decoder, node: Option<&Node>, tools: &[Arc<Tool>]) {
    let items = node.and_then(Node::as_seq).unwrap_or_default();
    for (index, (tool, node)) in tools.iter().zip(items).enumerate() {
        let name = &*tool.spec.name;
        if is_home_tool(name) {
            d.error(node.span, format!("`{name}` is the agent's own tool; a world answers for others only"));
        }
        if tools[..index].iter().any(|other| *other.spec.name == *name) {
            d.error(node.span, format!("a second tool named `{name}`"));
        }
    }
}

fn tool(d: &Decoder, node: &Node) -> Option<Tool> {
    let map = d.map(node, "a tool", keys::TOOL)?;
    let name = map.required("name", Decoder::word);
    let description = map.required("description", Decoder::text);
    let parameters = map.required("parameters", Decoder::json).unwrap_or_else(|| json!({"type": "object"}));
    let parallel = map.or("parallel", false, Decoder::bool);
    let shell = map.optional("shell", |d, node| shell(d, node, &parameters));
    let (lets, names) = map.or("let", (Vec::new(), KnownNames::new(NAMES)), lets);
    let rules = map.required("rules", |d, node| {
        let of = RuleOf { names: &names, arguments: &arguments(&parameters), is_shell: shell.is_some() };
        d.list(node, "a list of rules", |d, node| rule(d, node, &of).map(Arc::new))
    });
    let spec = ToolSpec {
        name: name?.into(),
        description: description?.into(),
        parameters,
        parallel: if parallel { Parallel::Safe } else { Parallel::Never },
        owner: ToolOwner::World,
    };
    Some(Tool { spec, shell, lets, rules: rules? })
}

/// The argument that holds the command line must be one of the schema's.
fn shell(d: &Decoder, node: &Node, parameters: &Json) -> Option<Arc<str>> {
    let name = d.word(node)?;
    let known = arguments(parameters);
    if !known.is_empty() && !known.contains(&name) {
        d.unknown(node, "argument", known.iter().copied());
        return None;
    }
    Some(name.into())
}

/// The arguments that a schema names; none if it leaves them open.
fn arguments(parameters: &Json) -> Vec<&str> {
    if !matches!(parameters["additionalProperties"], Json::Null | Json::Bool(false)) {
        return Vec::new();
    }
    parameters["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect()
}

type Lets = (Vec<(Arc<str>, Template)>, KnownNames);

/// Names of a tool, each of which may use the ones before it.
fn lets(d: &Decoder, node: &Node) -> Option<Lets> {
    let mut names = KnownNames::new(NAMES);
    let mut lets = Vec::new();
    for entry in d.entries(node, "names")? {
        if names.has(&entry.key) {
            d.error(entry.key_span, format!("`{}` already means something here", entry.key));
        }
        if let Some(template) = d.template(&entry.value, &names) {
            lets.push(((&*entry.key).into(), template));
        }
        names = names.with([&*entry.key]);
    }
    Some((lets, names))
}

/// What a tool's rules need to know of it.
struct RuleOf<'a> {
    names: &'a KnownNames,
    /// The arguments that may be matched; any if empty.
    arguments: &'a [&'a str],
    is_shell: bool,
}

fn rule(d: &Decoder, node: &Node, of: &RuleOf<'_>) -> Option<Rule> {
    let map = d.map(node, "a rule", keys::RULE)?;
    let matches = map.or("match", Vec::new(), |d, node| {
        let entries = d.entries(node, "arguments")?;
        Some(entries.filter_map(|entry| matcher(d, entry, of.arguments)).collect())
    });
    let groups: Vec<&str> = matches.iter().flat_map(|(_, matcher)| groups(matcher)).collect();
    let names = of.names.with(groups);
    let when = map.optional("when", |d, node| d.expression(node, &names));
    let set = map.or("set", Vec::new(), |d, node| {
        let entries = d.entries(node, "facts")?;
        Some(
            entries
                .filter_map(|entry| Some(((&*entry.key).into(), d.template(&entry.value, &names)?)))
                .collect(),
        )
    });
    let files = map.or("files", Vec::new(), |d, node| {
        Some(d.entries(node, "files")?.filter_map(|entry| file(d, entry, &names)).collect())
    });
    let took = map.optional("took", |d, node| {
        d.duration(node)
            .map(|took| SimDuration::from_millis(u64::try_from(took.as_millis()).unwrap_or(u64::MAX)))
    });
    let reply = reply(&map, &names, of.is_shell)?;
    let place = format!("{}:{}", d.file(), node.span.line).into();
    Some(Rule { matches, when, reply, set, files, took, place })
}

/// `output`, or `error` with the exit code 1 unless `exit` gives another.
fn reply(map: &MapReader<'_, '_>, names: &KnownNames, is_shell: bool) -> Option<Reply> {
    let (key, node) = map.one_of(&["output", "error"])?;
    let exit = map.optional("exit", |d, node| d.whole(node, 0..=255));
    if let Some(span) = map.key_span("exit").filter(|_| !is_shell) {
        map.decoder().error(span, "only a tool with `shell` has an exit code");
    }
    if let (Some(0), "error", Some(span)) = (exit, key, map.key_span("exit")) {
        map.decoder().error(span, "an error does not end with the exit code 0");
    }
    let text = map.decoder().template(node, names)?;
    Some(Reply { text, exit: exit.unwrap_or(i64::from(key == "error")) })
}

/// A workspace file and its new text; nothing removes it.
fn file(d: &Decoder, entry: &Entry, names: &KnownNames) -> Option<(Template, Option<Template>)> {
    let path = match Template::compile(&entry.key, names) {
        Ok(path) => path,
        Err(error) => {
            d.report(Diagnostic::error(d.file(), entry.key_span, error.message).hint_if(error.hint));
            return None;
        }
    };
    if entry.value.value == mock_llm::yaml::Value::Null {
        return Some((path, None));
    }
    Some((path, Some(d.template(&entry.value, names)?)))
}

/// An argument and what it must be. One that the tool does not have would keep the rule from ever fitting.
fn matcher(d: &Decoder, entry: &Entry, arguments: &[&str]) -> Option<(Arc<str>, Matcher)> {
    if !arguments.is_empty() && !arguments.contains(&&*entry.key) {
        let message = format!("the tool has no argument `{}`", entry.key);
        let hint = nearest_hint(&entry.key, arguments.iter().copied());
        d.report(Diagnostic::error(d.file(), entry.key_span, message).hint_if(hint));
    }
    let name: Arc<str> = (&*entry.key).into();
    if entry.value.as_map().is_none() {
        return d.text(&entry.value).map(|text| (name, Matcher::Is(text.into())));
    }
    let map = d.map(&entry.value, "a match", keys::MATCH)?;
    let (kind, node) = map.one_of(&["is", "glob", "regex"])?;
    let text = d.text(node)?;
    let matcher = match kind {
        "is" => Some(Matcher::Is(text.into())),
        "glob" => match GlobBuilder::new(text).build() {
            Ok(glob) => Some(Matcher::Glob(glob.compile_matcher())),
            Err(error) => d.wrong(node, &format!("a glob ({})", error.kind())),
        },
        _ => match whole_pattern(text) {
            Ok(regex) => Some(Matcher::Regex(regex)),
            Err(error) => {
                let reason = error.to_string();
                let last = reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
                d.error(node.span, format!("not a pattern: {last}"));
                None
            }
        },
    };
    Some((name, matcher?))
}

/// A pattern that must fit a text from its beginning to its end; a dot fits line breaks, too.
fn whole_pattern(text: &str) -> Result<Regex, regex::Error> {
    // Compiled alone first, so that an unbalanced bracket cannot hide behind the wrapping.
    RegexBuilder::new(text).size_limit(PATTERN_BYTES_MAX).build()?;
    RegexBuilder::new(&format!("^(?:{text})$"))
        .dot_matches_new_line(true)
        .size_limit(PATTERN_BYTES_MAX)
        .build()
}

fn groups(matcher: &Matcher) -> Vec<&str> {
    match matcher {
        Matcher::Regex(regex) => regex.capture_names().flatten().collect(),
        Matcher::Is(_) | Matcher::Glob(_) => Vec::new(),
    }
}
