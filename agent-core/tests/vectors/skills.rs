//! Skills: frontmatter, the tools, the usage sidecar.

use agent_core::behaviour::{Behaviour, Origin, Settings, SkillRules, Version};
use agent_core::skills::frontmatter::{Lenient, light_name, validate};
use agent_core::skills::usage::{SkillState, Usage};
use agent_core::skills::{Library, LibraryState, WriteBack};
use agent_core::stores::{Content, Files, Kind, MemFiles, TreePath, write_text};
use agent_core::text::yaml11::YamlValue;
use agent_core::values::Stamp;
use serde_json::{Map, Value, json};

use crate::common::{run, same, text_of};

const HOME: &str = "/home/agent/.hermes";

/// A home with the files, directories and links of a case's `init`.
fn home_of(init: &Value) -> MemFiles {
    let mut files = MemFiles::new(HOME);
    files.create_dir(&TreePath::new("skills")).unwrap();
    for (path, text) in init["files"].as_object().into_iter().flatten() {
        write_text(&mut files, &TreePath::new(path), &text_of(text)).unwrap();
    }
    for (path, hex) in init["hex_files"].as_object().into_iter().flatten() {
        put(&mut files, path, Content::bytes(unhex(hex.as_str().unwrap())));
    }
    for dir in init["dirs"].as_array().into_iter().flatten() {
        files.create_dir(&TreePath::new(dir.as_str().unwrap())).unwrap();
    }
    for (path, target) in init["symlinks"].as_object().into_iter().flatten() {
        put(&mut files, path, Content::Link(target.as_str().unwrap().replace("<HOME>", HOME)));
    }
    if let Some(usage) = init.get("usage") {
        write_text(&mut files, &TreePath::new("skills/.usage.json"), &usage.to_string()).unwrap();
    }
    if let Some(raw) = init["usage_raw"].as_str() {
        write_text(&mut files, &TreePath::new("skills/.usage.json"), raw).unwrap();
    }
    if let Some(hex) = init["usage_hex"].as_str() {
        put(&mut files, "skills/.usage.json", Content::bytes(unhex(hex)));
    }
    files
}

fn put(files: &mut MemFiles, path: &str, content: Content) {
    let path = TreePath::new(path);
    files.create_dir(&path.parent().unwrap()).unwrap();
    files.replace(&path, content).unwrap();
}

fn unhex(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The rules of the version that the cases were made with, under a case's configuration.
fn rules_of(init: &Value, faults: bool) -> SkillRules {
    let mut settings = Settings::new(Version::V0_19);
    if let Some(config) = init.get("config") {
        settings.overlay_home(config);
    }
    if !faults {
        settings.faults_off(&Origin::CommandLine);
    }
    Behaviour::resolve(&settings).skills
}

/// Every file, link and empty directory below a path.
fn tree(files: &dyn Files, dir: &TreePath, found: &mut Vec<(String, Kind)>) {
    let entries = files.list(dir).unwrap_or_default();
    if entries.is_empty() {
        found.push((dir.as_str().to_owned(), Kind::Dir));
    }
    for entry in entries {
        let path = dir.join(&entry.name).unwrap();
        match entry.kind {
            Kind::Dir => tree(files, &path, found),
            kind => found.push((path.as_str().to_owned(), kind)),
        }
    }
}

const SIDECAR: [&str; 2] = ["skills/.usage.json", "skills/.usage.json.lock"];

/// The sidecar's content as the cases give it.
fn usage_file(files: &MemFiles) -> Value {
    match files.read(&TreePath::new("skills/.usage.json")) {
        Err(_) => Value::Null,
        Ok(bytes) => match std::str::from_utf8(&bytes) {
            Ok(text) => serde_json::from_str(text).unwrap_or_else(|_| json!({"__raw": text})),
            Err(_) => json!({"__raw_hex": hex(&bytes)}),
        },
    }
}

#[test]
fn skill_usage() {
    run("skill_usage", |case| {
        usage_case(case, WriteBack::Now).map_err(|why| format!("written at once: {why}"))?;
        usage_case(case, WriteBack::Later).map_err(|why| format!("written at the end: {why}"))
    });
}

fn usage_case(case: &Value, write_back: WriteBack) -> Result<(), String> {
    let mut files = home_of(&case["init"]);
    let rules = rules_of(&case["init"], true);
    let mut state = LibraryState::new(write_back);
    for event in case["events"].as_array().unwrap() {
        let at = Stamp::parse(event["at"].as_str().unwrap()).unwrap();
        let mut library = Library::open(&mut files, &mut [], &rules);
        let found = usage_event(event, &mut Usage::new(&mut library, &mut state, &rules, at));
        let expected = event.get("expect").cloned().unwrap_or(Value::Null);
        same(event["op"].as_str().unwrap(), &found, &expected)?;
        state.flush_if_due(&mut library);
    }
    state.flush(&mut Library::open(&mut files, &mut [], &rules));
    let expected = &case["final"];
    same("usage", &usage_file(&files), &expected["usage"])?;
    let mut found = Vec::new();
    tree(&files, &TreePath::root(), &mut found);
    let mut shown: Vec<String> = found
        .into_iter()
        .filter(|(path, _)| !SIDECAR.contains(&path.as_str()))
        .map(|(path, kind)| if kind == Kind::Dir { format!("{path}/") } else { path })
        .collect();
    shown.sort_unstable();
    same("tree", &json!(shown), &expected["tree"])?;
    let suppressed = files.read(&TreePath::new("skills/.curator_suppressed"));
    let suppressed = suppressed.map_or(Value::Null, |bytes| json!(String::from_utf8_lossy(&bytes)));
    same("suppressed file", &suppressed, &expected["suppressed_file"])
}

fn usage_event(event: &Value, usage: &mut Usage<'_, '_>) -> Value {
    let name = event["skill"].as_str().unwrap_or("");
    match event["op"].as_str().unwrap() {
        "view" => usage.view(name),
        "use" => usage.use_(name),
        "patch" => usage.patch(name),
        "skill_view_tool" => usage.count_view(name),
        "mark_agent_created" => usage.mark_agent_created(name),
        "set_state" => {
            if let Some(state) = SkillState::parse(event["state"].as_str().unwrap_or("")) {
                usage.set_state(name, state);
            }
        }
        "set_pinned" => usage.set_pinned(name, event["pinned"].as_bool().unwrap()),
        "forget" => usage.forget(name),
        "seed" => usage.seed(name),
        "archive" => return outcome(usage.archive(name).map_err(|error| error.kind()).err()),
        "restore" => return outcome(usage.restore(name).map_err(|error| error.kind()).err()),
        "get_record" => return usage.get(name).to_value(),
        "latest_activity" => return json!(usage.get(name).last_activity().map(|(_, text)| text)),
        "activity_count" => return json!(usage.get(name).activity_count()),
        "candidates" => return json!(usage.candidates()),
        "archived" => return json!(usage.archived_names()),
        "report" => return usage.report().iter().map(|row| row.to_value(false)).collect(),
        "usage_report" => return usage.full_report().iter().map(|row| row.to_value(true)).collect(),
        "provenance" => return json!(usage.provenance(name).as_str()),
        "eligible" => return json!(usage.is_eligible(name)),
        "suppressed" => return json!(usage.suppressed()),
        op => panic!("unknown op {op}"),
    }
    Value::Null
}

fn outcome(kind: Option<&'static str>) -> Value {
    let mut fields = Map::new();
    fields.insert("ok".to_owned(), kind.is_none().into());
    fields.insert("kind".to_owned(), kind.into());
    Value::Object(fields)
}

#[test]
fn skill_frontmatter() {
    run("skill_frontmatter", |case| {
        let (text, expected) = (text_of(&case["text"]), &case["expect"]);
        let kind = validate(&text, true).err().map(|error| error.kind());
        same("ok", &json!(kind.is_none()), &expected["ok"])?;
        same("kind", &json!(kind), &expected["kind"])?;
        let lenient = Lenient::parse(&text, true);
        same("frontmatter", &shown(&lenient.fields), &expected["lenient"]["frontmatter"])?;
        let body = match &expected["lenient"]["body"] {
            Value::Object(_) => json!({"chars": lenient.body.chars().count()}),
            _ => json!(lenient.body),
        };
        same("body", &body, &expected["lenient"]["body"])?;
        let name = light_name(text.as_bytes()).unwrap_or_else(|| "<DIR>".to_owned());
        same("quick name", &json!(name), &expected["quick_name"])
    });
}

/// A value as the frontmatter cases show it: what JSON cannot hold with its kind.
fn shown(value: &YamlValue) -> Value {
    let foreign = |kind: &str| json!({"non_json": kind, "text": value.printed()});
    match value {
        YamlValue::Date(_) => foreign("date"),
        YamlValue::DateTime(_) => foreign("datetime"),
        YamlValue::Bytes(_) => foreign("bytes"),
        YamlValue::Set(_) => foreign("set"),
        YamlValue::List(items) => items.iter().map(shown).collect(),
        YamlValue::Map(pairs) => {
            Value::Object(pairs.iter().map(|(key, value)| (key.printed(), shown(value))).collect())
        }
        other => other.to_json(),
    }
}
