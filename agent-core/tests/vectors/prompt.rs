//! The system prompt: skills index, context files, order of blocks.

use agent_core::behaviour::{Behaviour, Settings, Version};
use agent_core::prompt::context::{self, ContextBlock, ContextInput};
use agent_core::prompt::{
    AssembledPrompt, Board, Identity, IndexBlock, IndexContext, IndexQuery, MemoryBlocks, PromptInput,
    PromptLibrary, PromptName, SkillIndex, Surroundings, Tier, assemble,
};
use agent_core::skills::Library;
use agent_core::stores::{Files, MemFiles, SharedRoot, TreePath, read_text, write_text};
use agent_core::values::{SimTime, Tokens};
use serde_json::{Value, json};

use super::common::{run, same};

const TOOL_GUIDANCE: [&str; 3] = ["memory-guidance", "session-search-guidance", "skills-guidance"];

const HOME: &str = "/home/agent/.hermes";

fn settings_with(set: &[(&str, &Value)]) -> Settings {
    let mut settings = Settings::new(Version::V0_19);
    for (key, value) in set.iter().filter(|(_, value)| !value.is_null()) {
        // As a home's own configuration file has it, which may hold anything.
        let nested = key.rsplit('.').fold((*value).clone(), |inner, part| json!({ part: inner }));
        settings.overlay_home(&nested);
    }
    settings
}

fn put_files(files: &mut MemFiles, below: &str, texts: &Value) {
    for (path, text) in texts.as_object().into_iter().flatten() {
        let path = TreePath::parse(&format!("{below}{path}")).expect("a relative path");
        match text {
            Value::Null => files.remove(&path).expect("it is there"),
            text => write_text(files, &path, &long_text(text)).expect("a good place"),
        }
    }
}

/// A text, or one character many times.
fn long_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => {
            let (char, times) = (value["repeat"][0].as_str(), value["repeat"][1].as_u64());
            char.expect("a character")
                .repeat(usize::try_from(times.expect("a number")).expect("not too many"))
        }
    }
}

fn words(value: &Value) -> Option<Vec<&str>> {
    value.as_array().map(|items| items.iter().filter_map(Value::as_str).collect())
}

/// A library under test: home, external trees and rules.
struct Case {
    home: MemFiles,
    external: Vec<(String, MemFiles)>,
    behaviour: Behaviour,
    query: Value,
}

impl Case {
    fn new(case: &Value) -> Self {
        let mut home = MemFiles::new(HOME);
        home.create_dir(&TreePath::new("skills")).expect("an empty home");
        home.set_now(SimTime::from_millis(1_000));
        put_files(&mut home, "skills/", &case["files"]);
        let external: Vec<(String, MemFiles)> = case["external"]
            .as_array()
            .into_iter()
            .flatten()
            .enumerate()
            .map(|(number, tree)| {
                let path = format!("/srv/skills{number}");
                let mut files = MemFiles::new(&path);
                put_files(&mut files, "", tree);
                (path, files)
            })
            .collect();
        let dirs: Value = external.iter().map(|(path, _)| path.clone()).collect();
        let settings = settings_with(&[
            ("skills.disabled", &case["disabled"]),
            ("skills.platform_disabled", &case["platform_disabled"]),
            ("skills.external_dirs", &dirs),
        ]);
        Self { home, external, behaviour: Behaviour::resolve(&settings), query: case.clone() }
    }

    fn index(&mut self, index: &mut SkillIndex) -> std::sync::Arc<IndexBlock> {
        let case = &self.query;
        let (tools, toolsets) = (words(&case["tools"]), words(&case["toolsets"]));
        let demoted = words(&case["compact_categories"]).unwrap_or_default();
        let query = IndexQuery {
            tools: tools.as_deref(),
            toolsets: toolsets.as_deref(),
            platform: case["platform"].as_str().unwrap_or(""),
            demoted: &demoted,
        };
        let mut shared: Vec<SharedRoot<'_>> = self
            .external
            .iter_mut()
            .map(|(path, files)| SharedRoot { path, files, writable: false })
            .collect();
        let texts = PromptLibrary::new(&self.behaviour.prompt.texts);
        let mut skills = Library::open(&mut self.home, &mut shared, &self.behaviour.skills);
        let context = IndexContext {
            texts: &texts,
            rules: self.behaviour.prompt.index,
            skill_rules: &self.behaviour.skills,
        };
        index.block(&query, &mut skills, &context)
    }

    /// The lines between the tags and whether demotion is explained, as the cases have them.
    fn seen(&mut self, index: &mut SkillIndex) -> Value {
        let block = self.index(index);
        if block.text.is_empty() {
            return Value::Null;
        }
        let (_, rest) = block.text.split_once("<available_skills>\n").expect("the tag opens");
        let (lines, after) = rest.split_once("\n</available_skills>").expect("the tag closes");
        let texts = PromptLibrary::new(&self.behaviour.prompt.texts);
        let note = after.contains(texts.get(PromptName::IndexDemotion));
        json!({ "lines": lines.split('\n').collect::<Vec<_>>(), "demotion_note": note })
    }

    fn snapshot(&self) -> Value {
        let path = TreePath::new(".skills_prompt_snapshot.json");
        read_text(&self.home, &path)
            .map_or(Value::Null, |text| serde_json::from_str(&text).expect("our own file is JSON"))
    }
}

fn check_index(case: &Value) -> Result<(), String> {
    let expect = &case["expect"];
    let mut library = Case::new(case);
    let mut first = SkillIndex::default();
    same("cold", &library.seen(&mut first), &expect["cold"])?;
    let snapshot = library.snapshot();
    for (name, key) in [("snapshot_entries", "skills"), ("category_descriptions", "category_descriptions")] {
        if let Some(expected) = expect.get(name) {
            same(name, &snapshot[key], expected)?;
        }
    }
    if let Some(expected) = expect.get("snapshot_keys") {
        let keys: Value = snapshot.as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default();
        same("snapshot_keys", &keys, expected)?;
    }
    if let Some(expected) = expect.get("manifest_paths") {
        let paths: Value =
            snapshot["manifest"].as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default();
        same("manifest_paths", &paths, expected)?;
    }
    let from_disk = library.seen(&mut SkillIndex::default());
    same("from_disk_snapshot", &from_disk, &expect["from_disk_snapshot"])?;
    // The same object as another process: the memory without effects must have none.
    first.new_process();
    same("next process", &library.seen(&mut first), &expect["from_disk_snapshot"])?;
    if let Some(edit) = case.get("edit") {
        library.home.set_now(SimTime::from_millis(2_000));
        put_files(&mut library.home, "skills/", edit);
        same("after_edit_same_process", &library.seen(&mut first), &expect["after_edit_same_process"])?;
        first.new_process();
        same("after_edit_cache_cleared", &library.seen(&mut first), &expect["after_edit_cache_cleared"])?;
    }
    Ok(())
}

#[test]
fn skills_index() {
    run("skills_index", check_index);
}

fn context_of(case: &Value) -> (ContextBlock, PromptLibrary) {
    let behaviour =
        Behaviour::resolve(&settings_with(&[("context_file_max_chars", &case["context_file_max_chars"])]));
    let mut workspace = MemFiles::new("/work");
    put_files(&mut workspace, "", &case["files"]);
    let at = |value: &Value| value.as_str().filter(|path| *path != ".").unwrap_or("").to_owned();
    let cwd = TreePath::parse(&at(&case["cwd"])).expect("a relative path");
    workspace.create_dir(&cwd).expect("a good place");
    if let Some(root) = case.get("git_root").filter(|root| !root.is_null()) {
        let git = TreePath::parse(&at(root)).expect("a relative path").join(".git").expect("a name");
        workspace.create_dir(&git).expect("a good place");
    }
    let scan = |text: &str| {
        agent_core::guard::threats::scan(text, agent_core::guard::threats::Scope::Context, &behaviour.threats)
    };
    let input = ContextInput {
        workspace: &workspace,
        cwd: &cwd,
        in_install_tree: false,
        surface: "cli",
        window: case["context_length"].as_u64().map(Tokens),
        scan: &scan,
    };
    let rules = &behaviour.prompt.context;
    let soul = case["soul"].as_str().filter(|_| case["skip_soul"] != json!(true));
    let soul = soul.and_then(|file| context::soul(file, HOME, &input, rules));
    let texts = PromptLibrary::new(&behaviour.prompt.texts);
    (context::block(&input, soul.as_ref(), &texts, rules), texts)
}

/// What stands behind heading and introduction.
fn body<'a>(block: &'a ContextBlock, texts: &PromptLibrary) -> Result<&'a str, String> {
    let mut parts = block.text.splitn(3, "\n\n");
    let heading = parts.next().is_some_and(|line| line.starts_with("# ") && !line.contains('\n'));
    let intro = parts.next() == Some(texts.get(PromptName::ContextIntro));
    parts.next().filter(|_| heading && intro).ok_or_else(|| format!("no heading: {}", block.text))
}

fn check_context(case: &Value) -> Result<(), String> {
    let expect = &case["expect"];
    let (block, texts) = context_of(case);
    same("empty", &block.text.is_empty().into(), &expect["empty"])?;
    if block.text.is_empty() {
        return Ok(());
    }
    let body = body(&block, &texts)?;
    if let Some(sections) = words(&expect["sections"]) {
        same("sections", &json!(labels(&block, body)), &json!(sections))?;
    }
    if let Some(expected) = expect.get("body") {
        same("body", &body.into(), expected)?;
    }
    for blocked in expect["blocked"].as_array().into_iter().flatten() {
        check_blocked(body, blocked)?;
    }
    let all: usize = block.sources.iter().map(|source| source.findings.len()).sum();
    let expected = expect["blocked"].as_array().into_iter().flatten();
    let expected: usize = expected.filter_map(|blocked| blocked["classes"].as_array()).map(Vec::len).sum();
    same("findings", &all.into(), &expected.into())?;
    expect.get("truncated").map_or(Ok(()), |cut| check_cut(body, &block, cut))
}

/// Labels of the sections, in order; a set of rules has one for each file.
fn labels<'a>(block: &'a ContextBlock, body: &'a str) -> Vec<&'a str> {
    let rules =
        body.lines().filter_map(|line| line.strip_prefix("## ")).filter(|label| label.starts_with(".cursor"));
    match block.sources.first().map(|source| source.label.as_str()) {
        Some(".cursorrules") => rules.collect(),
        _ => block
            .sources
            .iter()
            .map(|source| source.label.as_str())
            .filter(|label| *label != "SOUL.md")
            .collect(),
    }
}

/// Exactly these classes are named in the file's placeholder, invisible characters in any order.
fn check_blocked(body: &str, blocked: &Value) -> Result<(), String> {
    let file = blocked["file"].as_str().expect("a name");
    let start = format!("[BLOCKED: {file} ");
    let line = body.lines().find(|line| line.starts_with(&start)).ok_or(format!("no {start} in {body}"))?;
    let named = line.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(ids, _)| ids);
    let mut named: Vec<&str> = named.split(", ").collect();
    let mut expected = words(&blocked["classes"]).unwrap_or_default();
    named.sort_unstable();
    expected.sort_unstable();
    same("classes", &json!(named), &json!(expected))
}

fn check_cut(body: &str, block: &ContextBlock, cut: &Value) -> Result<(), String> {
    let number = |key: &str| usize::try_from(cut[key].as_u64().expect("a number")).expect("not too many");
    let source = block.sources.first().ok_or("no source")?;
    same("label", &source.label.clone().into(), &cut["label"])?;
    same("of", &source.chars.0.into(), &cut["of"])?;
    let mut pieces = body.split("\n\n[");
    let (head, rest) = (pieces.next().unwrap_or(""), pieces.next().ok_or("no marker")?);
    let (marker, tail) = rest.split_once("]\n\n").ok_or("the marker does not end")?;
    same("head", &head.chars().count().into(), &number("head").into())?;
    same("tail", &tail.chars().count().into(), &number("tail").into())?;
    for said in [&cut["head"], &cut["tail"], &cut["of"]] {
        if !marker.contains(&said.to_string()) {
            return Err(format!("{said} is not named in {marker}"));
        }
    }
    let told = source.cut && block.warnings.len() == 1 && marker.contains("/work/");
    same("told", &told.into(), &true.into())
}

#[test]
fn context_files() {
    run("context_files", check_context);
}

/// The prompt of a case, made as a session's start makes it.
fn prompt_of(case: &Value) -> AssembledPrompt {
    let agent = &case["agent"];
    let hints = &agent["platform_hint_overrides"];
    let settings = settings_with(&[
        ("agent.tool_use_enforcement", &agent["tool_use_enforcement"]),
        ("agent.task_completion_guidance", &agent["task_completion_guidance"]),
        ("agent.parallel_tool_call_guidance", &agent["parallel_tool_call_guidance"]),
        ("platform_hints", hints),
    ]);
    let behaviour = Behaviour::resolve(&settings);
    let texts = PromptLibrary::new(&behaviour.prompt.texts);
    let mut library = Case::new(&json!({ "files": agent["skills"] }));
    let index = library.index(&mut SkillIndex::default());
    let skip = agent["skip_context_files"] == json!(true);
    let scan = |_: &str| Vec::new();
    let (workspace, cwd) = (MemFiles::new("/work"), TreePath::root());
    let place = ContextInput {
        workspace: &workspace,
        cwd: &cwd,
        in_install_tree: false,
        surface: "cli",
        window: None,
        scan: &scan,
    };
    let soul =
        agent["soul"].as_str().and_then(|file| context::soul(file, HOME, &place, &behaviour.prompt.context));
    let files = agent["agents_md"].as_str().map(|text| json!({ "AGENTS.md": text }));
    let context =
        (!skip).then(|| context_of(&json!({ "files": files.unwrap_or_default(), "cwd": "." })).0.text);
    let tools = words(&agent["tools"]).unwrap_or_default();
    let stored = |text: &str, switch: &str| {
        let on = agent["has_store"] == json!(true) && agent[switch] == json!(true);
        agent[text].as_str().filter(|_| on)
    };
    let passed = agent["pass_session_id"] == json!(true);
    let input = PromptInput {
        library: &texts,
        tools: &tools,
        model: agent["model"].as_str().unwrap_or(""),
        provider: agent["provider"].as_str().unwrap_or(""),
        platform: agent["platform"].as_str().unwrap_or(""),
        identity: Identity::choose(
            soul.as_ref().map(|soul| soul.text.as_str()),
            agent["load_soul_identity"] == json!(true),
            skip,
        ),
        system_message: agent["system_message"].as_str(),
        context_files: context.as_deref(),
        index: Some(&index),
        memory: MemoryBlocks {
            memory: stored("memory_md", "memory_enabled"),
            user: stored("user_md", "user_profile_enabled"),
            external: agent["external_memory"].as_str(),
        },
        board: Board::ByTool,
        subscription: None,
        surroundings: Surroundings {
            os: "Linux",
            home: HOME,
            cwd: "/work",
            profile: None,
            code_workspace: false,
            probe: None,
        },
        now: SimTime::from_millis(1_767_603_600_000),
        zone: &jiff::tz::TimeZone::UTC,
        session_id: agent["session_id"].as_str().filter(|_| passed),
    };
    assemble(&input, &behaviour.prompt)
}

fn check_blocks(case: &Value) -> Result<(), String> {
    let expect = &case["expect"];
    let prompt = prompt_of(case);
    let mut from = 0;
    for (tier, key) in [(Tier::Stable, "stable"), (Tier::Context, "context"), (Tier::Volatile, "volatile")] {
        let parts: Vec<_> = prompt.parts.iter().filter(|part| part.tier == tier).collect();
        let names: Vec<&str> = parts.iter().map(|part| part.name).collect();
        same(key, &json!(names), &expect[key])?;
        for part in parts {
            if part.at.start < from || prompt.text[part.at.clone()].trim().is_empty() {
                return Err(format!("{} is empty or out of order", part.name));
            }
            from = part.at.end;
        }
    }
    if let Some(joined) = expect.get("tool_guidance_joined_by_space") {
        let guidance: Vec<_> =
            prompt.parts.iter().filter(|part| TOOL_GUIDANCE.contains(&part.name)).collect();
        let gaps = guidance.windows(2).all(|pair| &prompt.text[pair[0].at.end..pair[1].at.start] == " ");
        same("tool_guidance_joined_by_space", &gaps.into(), joined)?;
    }
    let date = prompt.parts.iter().find(|part| part.name == "date-line").ok_or("no date")?;
    let date_ok = prompt.text[date.at.clone()].ends_with(": Monday, January 05, 2026");
    same("date_format_ok", &date_ok.into(), &expect["date_format_ok"])
}

#[test]
fn prompt_blocks() {
    run("prompt_blocks", check_blocks);
}
