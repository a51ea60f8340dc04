//! Memory: the tool, its files and its frozen blocks; approval and staging (`spec/memory.md`).

use std::collections::{BTreeMap, BTreeSet};

use agent_core::behaviour::{Behaviour, Origin, Settings, Version};
use agent_core::memory::{
    self, Answer, ApprovalContext, Approver, DELIMITER, MemoryContext, MemoryStore, Question, RULE, Target,
    Which,
};
use agent_core::pending::{self, Subsystem};
use agent_core::stores::{Files, MemFiles, TreePath, exists, read_text, remove_tree, write_text};
use agent_core::values::{Draws, HomeAnswer, Seed, SimDuration, SimTime, WriteOrigin};
use serde_json::{Map, Value, json};

use crate::common::{run, same};

/// One home, one agent object and the clock of a case.
struct World {
    home: MemFiles,
    behaviour: Behaviour,
    store: MemoryStore,
    at: SimTime,
    origin: WriteOrigin,
    origin_label: String,
    approver: Option<Answer>,
    prompts: Vec<Value>,
}

impl World {
    fn new(settings: &Settings, initial: &Value) -> Self {
        let mut home = MemFiles::new("/home/agent/.hermes");
        for (file, text) in initial.as_object().expect("files") {
            write_text(&mut home, &memory_file(file), text.as_str().expect("text")).expect("a plain file");
        }
        let behaviour = Behaviour::resolve(settings);
        let mut world = Self {
            home,
            store: MemoryStore::new(&behaviour.memory),
            behaviour,
            at: SimTime::from_millis(1_767_603_600_000),
            origin: WriteOrigin::Foreground,
            origin_label: "foreground".to_owned(),
            approver: None,
            prompts: Vec::new(),
        };
        world.load();
        world
    }

    fn load(&mut self) {
        self.store = MemoryStore::new(&self.behaviour.memory);
        self.store
            .load(&mut self.home, &self.behaviour.memory, &self.behaviour.threats)
            .expect("a readable home");
    }

    fn tick(&mut self) {
        self.at = self.at + SimDuration::from_millis(5);
        self.home.set_now(self.at);
    }

    fn call(&mut self, args: &Value, with_store: bool) -> HomeAnswer {
        let answer = self.approver;
        let prompts = &mut self.prompts;
        let mut ask = |question: &Question<'_>| {
            prompts.push(json!({ "allow_permanent": question.allow_permanent }));
            answer.expect("asked only where somebody answers")
        };
        let context = MemoryContext {
            files: &mut self.home,
            rules: &self.behaviour.memory,
            threats: &self.behaviour.threats,
            defence: self.behaviour.defence,
            at: self.at,
            origin: self.origin,
            origin_label: &self.origin_label,
            user_asked: false,
            approver: if answer.is_some() { Approver::Ask(&mut ask) } else { Approver::Nobody },
            draws: Draws::new(Seed(1)),
        };
        memory::call(with_store.then_some(&mut self.store), args, context)
    }

    fn file(&self, name: &str) -> Value {
        let path = memory_file(name);
        if exists(&self.home, &path) {
            read_text(&self.home, &path).expect("a text file").into()
        } else {
            Value::Null
        }
    }

    fn final_files(&self, expected: &Value) -> Result<(), String> {
        for (name, text) in expected.as_object().expect("files") {
            same(&format!("final {name}"), &self.file(name), text)?;
        }
        Ok(())
    }

    fn backups(&self) -> Value {
        let mut found: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for entry in self.home.list(&TreePath::new("memories")).expect("a directory") {
            if let Some((file, _)) = ["MEMORY.md", "USER.md"]
                .into_iter()
                .find_map(|file| entry.name.strip_prefix(&format!("{file}.bak.")).map(|rest| (file, rest)))
            {
                let text = read_text(&self.home, &memory_file(&entry.name)).expect("a text file");
                found.entry(file).or_default().insert(text);
            }
        }
        json!(found)
    }
}

fn memory_file(name: &str) -> TreePath {
    TreePath::new("memories").join(name).expect("a file name")
}

/// The answer in the terms of the cases. Figures are read off the words that the model reads.
fn seen(answer: &HomeAnswer) -> Result<Map<String, Value>, String> {
    let json: Value = serde_json::from_str(&answer.text).map_err(|error| error.to_string())?;
    let object = json.as_object().ok_or("the answer is no object")?;
    let mut keys: Vec<&String> = object.keys().collect();
    keys.sort();
    let mut seen = Map::new();
    seen.insert("keys".to_owned(), json!(keys));
    seen.insert("kind".to_owned(), answer.kind.as_deref().map_or(Value::Null, Value::from));
    for key in ["success", "done", "target", "entry_count", "usage", "current_entries", "matches"] {
        if let Some(value) = object.get(key) {
            seen.insert(key.to_owned(), value.clone());
        }
    }
    let message = object.get("message").and_then(Value::as_str).unwrap_or("");
    let outcome = match message {
        _ if object.get("staged") == Some(&json!(true)) => Some("staged"),
        "Entry added." => Some("added"),
        "Entry replaced." => Some("replaced"),
        "Entry removed." => Some("removed"),
        _ if message.starts_with("Such an entry exists already") => Some("duplicate"),
        _ if message.ends_with(" applied.") => Some("batch-applied"),
        _ => None,
    };
    if let Some(outcome) = outcome {
        seen.insert("outcome".to_owned(), outcome.into());
    }
    let error = object.get("error").and_then(Value::as_str).unwrap_or("");
    let figures = [
        ("op_count", number_before(message, " operation")),
        ("op_index", number_after(error, "Operation ")),
        ("content_chars", number_after(error, "this entry has ")),
        ("would_be", number_after(error, "the notes to ").or(number_after(error, "the user profile to "))),
    ];
    for (key, figure) in figures {
        if let Some(figure) = figure {
            seen.insert(key.to_owned(), figure.into());
        }
    }
    if let Some((_, rest)) = error.split_once("threat pattern `") {
        seen.insert("class".to_owned(), rest.split('`').next().unwrap_or("").into());
    }
    Ok(seen)
}

fn number_after(text: &str, words: &str) -> Option<u64> {
    let (_, rest) = text.split_once(words)?;
    let digits: String = rest
        .chars()
        .take_while(|char| char.is_ascii_digit() || *char == ',')
        .filter(|char| *char != ',')
        .collect();
    digits.parse().ok()
}

fn number_before(text: &str, words: &str) -> Option<u64> {
    text.split_once(words)?.0.parse().ok()
}

/// Every field of the expectation, and nothing that the answer would say beyond the ones that are always checked.
fn agree(what: &str, answer: &HomeAnswer, expected: &Value) -> Result<(), String> {
    let seen = seen(answer)?;
    for (key, value) in expected.as_object().expect("an expectation") {
        let found = seen.get(key).cloned().unwrap_or(Value::Null);
        same(&format!("{what} {key} in {}", answer.text), &found, value)?;
    }
    Ok(())
}

fn block_seen(block: Option<&str>, target: Target, expected: &Value) -> Result<Value, String> {
    let Some(block) = block else { return Ok(Value::Null) };
    let mut lines = block.splitn(4, '\n');
    let mut line = || lines.next().ok_or("too few lines in the block");
    let (above, header, below, body) = (line()?, line()?, line()?, line()?);
    if above != RULE || below != RULE {
        return Err(format!("rules {above} and {below}"));
    }
    let usage = header
        .strip_prefix(target.label())
        .and_then(|rest| rest.strip_prefix(" ["))
        .and_then(|rest| rest.strip_suffix(" chars]"))
        .ok_or_else(|| format!("header {header}"))?;
    let (percent, usage) = usage.split_once("% — ").ok_or_else(|| format!("usage {usage}"))?;
    if above.chars().any(|char| !above.starts_with(char)) {
        return Err(format!("a mixed rule: {above}"));
    }
    let mut seen = json!({
        "rule_char": above.chars().next().map(String::from),
        "rule_len": above.chars().count(),
    });
    if expected.get("entries").is_some() {
        seen["entries"] = body.split(DELIMITER).map(|entry| entry_seen(entry, expected)).collect();
    } else {
        seen["pct"] = percent.parse::<u64>().map_err(|error| error.to_string())?.into();
        seen["usage"] = usage.into();
        seen["body"] = body.into();
    }
    Ok(seen)
}

/// An entry of a block; placeholders give their ids (in any order, so sorted) and their file.
fn entry_seen(entry: &str, expected: &Value) -> Value {
    let verbatim = expected["entries"].as_array().expect("entries").contains(&json!({ "text": entry }));
    let placeholder = (|| {
        let rest = entry.strip_prefix("[BLOCKED: an entry of ")?;
        let (file, rest) = rest.split_once(" fits threat patterns (")?;
        let (ids, _) = rest.split_once(") ")?;
        let mut ids: Vec<&str> = ids.split(", ").collect();
        ids.sort_unstable();
        Some(json!({ "blocked": ids, "file": file }))
    })();
    match placeholder {
        Some(placeholder) if !verbatim && !entry.contains('\n') => placeholder,
        _ => json!({ "text": entry }),
    }
}

fn snapshot_agrees(what: &str, store: &MemoryStore, expected: &Value) -> Result<(), String> {
    for (name, wanted) in expected.as_object().expect("targets") {
        let target = Target::parse(name).ok_or("an unknown target")?;
        let mut wanted = wanted.clone();
        if let Some(entries) = wanted.get_mut("entries").and_then(Value::as_array_mut) {
            for ids in entries.iter_mut().filter_map(|entry| entry.get_mut("blocked")?.as_array_mut()) {
                ids.sort_by(|one, two| one.as_str().cmp(&two.as_str()));
            }
        }
        let found = block_seen(store.block(target).map(|block| &**block), target, &wanted)?;
        same(&format!("{what} block {name}"), &found, &wanted)?;
    }
    Ok(())
}

fn settings(case: &Value) -> Settings {
    let mut settings = Settings::new(Version::V0_19);
    for (name, key) in [("memory", "memory.memory_char_limit"), ("user", "memory.user_char_limit")] {
        if let Some(limit) = case["limits"].get(name) {
            settings.set(key, limit.clone(), Origin::CommandLine).expect("a declared key");
        }
    }
    if let Some(config) = case.get("config") {
        settings.overlay_home(config);
    }
    settings
}

fn check_ops(case: &Value) -> Result<(), String> {
    let mut world = World::new(&settings(case), &case["initial"]);
    let expectations = case["expect"].as_array().expect("expectations");
    for (index, (op, expected)) in case["ops"].as_array().expect("ops").iter().zip(expectations).enumerate() {
        let what = format!("op {index}");
        world.tick();
        let answer = match op.get("_do").and_then(Value::as_str) {
            None => Some(world.call(op, true)),
            Some("no-store") => Some(world.call(&op["args"], false)),
            Some(other) => {
                special(&mut world, other, op)?;
                None
            }
        };
        if expected.is_null() {
            continue;
        }
        let mut expected = expected.clone();
        if let Some(snapshot) = expected.as_object_mut().expect("an expectation").remove("snapshot") {
            snapshot_agrees(&what, &world.store, &snapshot)?;
        }
        match answer {
            Some(answer) => agree(&what, &answer, &expected)?,
            None => same(&format!("{what}: left to check"), &expected, &json!({}))?,
        }
    }
    world.final_files(&case["final"])?;
    for (name, entries) in case["live_entries"].as_object().expect("targets") {
        let target = Target::parse(name).ok_or("an unknown target")?;
        let live: Vec<&str> = world.store.entries(target).iter().map(|entry| &**entry).collect();
        same(&format!("live entries {name}"), &json!(live), entries)?;
    }
    same("backups", &world.backups(), case.get("backups").unwrap_or(&json!({})))
}

fn special(world: &mut World, what: &str, op: &Value) -> Result<(), String> {
    let file = || memory_file(op["file"].as_str().expect("a file name"));
    match what {
        "new-turn" => world.store.reset_turn(&world.behaviour.memory),
        "new-session" => world.load(),
        "snapshot" => {}
        "external-write" => {
            let text = op["text"].as_str().expect("text");
            write_text(&mut world.home, &file(), text).map_err(|error| error.to_string())?;
        }
        "external-delete" => remove_tree(&mut world.home, &file()).map_err(|error| error.to_string())?,
        other => return Err(format!("unknown special op {other}")),
    }
    Ok(())
}

fn check_approval(case: &Value) -> Result<(), String> {
    let mut world = World::new(&settings(case), &case["initial"]);
    let origin = case["origin"].as_str().expect("an origin");
    origin.clone_into(&mut world.origin_label);
    world.origin = if origin == "background_review" { WriteOrigin::Review } else { WriteOrigin::Foreground };
    world.approver = case["prompt_answer"].as_str().map(|word| match word {
        "once" => Answer::Once,
        "session" => Answer::Session,
        "deny" => Answer::Deny,
        "raise" => Answer::Failed,
        _ => Answer::Always,
    });
    let expectations = case["expect"].as_array().expect("expectations");
    for (index, (op, expected)) in case["ops"].as_array().expect("ops").iter().zip(expectations).enumerate() {
        let what = format!("op {index}");
        world.tick();
        let Some(command) = op.get("_do").and_then(Value::as_str) else {
            let answer = world.call(op, true);
            if !expected.is_null() {
                agree(&what, &answer, expected)?;
            }
            continue;
        };
        let found = decide(&mut world, command, &op["which"])?;
        let mut wanted = json!({ "changed": null, "remaining": null, "kind": null });
        for (key, value) in expected.as_object().expect("an expectation") {
            wanted[key] = value.clone();
        }
        same(&what, &found, &wanted)?;
    }
    same("prompts", &json!(world.prompts), &case["prompts"])?;
    same("count", &json!(pending::count(&world.home, Subsystem::Memory)), &case["pending_count"])?;
    pending_agrees(&world.home, &case["pending_after"])?;
    world.final_files(&case["final"])
}

fn decide(world: &mut World, command: &str, which: &Value) -> Result<Value, String> {
    let id = match which {
        Value::Number(index) => {
            let index =
                usize::try_from(index.as_u64().ok_or("an index")?).map_err(|error| error.to_string())?;
            pending::list(&world.home, Subsystem::Memory).get(index).ok_or("no such proposal")?.id.clone()
        }
        other => other.as_str().ok_or("an id")?.to_owned(),
    };
    let answer = match command {
        "approve" => {
            let context = ApprovalContext {
                files: &mut world.home,
                rules: &world.behaviour.memory,
                threats: &world.behaviour.threats,
                at: world.at,
            };
            memory::approve(Some(&mut world.store), Which::parse(&id), context)
        }
        "reject" => memory::reject(&mut world.home, Which::parse(&id)),
        other => return Err(format!("unknown command {other}")),
    };
    Ok(json!({ "changed": answer.changed, "remaining": answer.remaining, "kind": answer.kind }))
}

fn pending_agrees(home: &MemFiles, expected: &Value) -> Result<(), String> {
    let records = pending::list(home, Subsystem::Memory);
    let expected = expected.as_array().expect("records");
    same("waiting", &json!(records.len()), &json!(expected.len()))?;
    for (index, (record, wanted)) in records.iter().zip(expected).enumerate() {
        let path = TreePath::new("pending/memory").join(&format!("{}.json", record.id)).expect("a name");
        let file: Value = serde_json::from_str(&read_text(home, &path).expect("a file")).expect("JSON");
        let mut keys: Vec<&String> = file.as_object().expect("an object").keys().collect();
        keys.sort();
        let summary = record.summary.split_once(':').map_or("", |(_, detail)| detail);
        for (key, value) in wanted.as_object().expect("a record") {
            let found = match key.as_str() {
                "record_keys" => json!(keys),
                "summary_detail" => json!(summary.strip_prefix(' ').unwrap_or(summary)),
                key => file[key].clone(),
            };
            same(&format!("record {index} {key}"), &found, value)?;
        }
        let hex = |char: char| char.is_ascii_digit() || ('a'..='f').contains(&char);
        same("the id's form", &json!(record.id.len() == 8 && record.id.chars().all(hex)), &json!(true))?;
    }
    Ok(())
}

#[test]
fn memory_ops() {
    run("memory_ops", check_ops);
}

#[test]
fn memory_approval() {
    run("memory_approval", check_approval);
}
