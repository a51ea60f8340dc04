//! Skills: frontmatter, the tools, the usage sidecar.

use std::path::Path;

use agent_core::behaviour::{Behaviour, Origin, Settings, Version};
use agent_core::guard::skill::content_hash;
use agent_core::memory::Which;
use agent_core::pending::{self, Subsystem};
use agent_core::skills::frontmatter::{Lenient, light_name, validate};
use agent_core::skills::usage::{SkillState, Usage};
use agent_core::skills::{
    Batch, Library, LibraryState, ReadMarks, SkillContext, WriteBack, approve, list, look, manage, reject,
    view,
};
use agent_core::stores::{Content, DiskFiles, Files, Kind, MemFiles, TreePath};
use agent_core::text::yaml11::YamlValue;
use agent_core::values::{Draws, Fact, HomeAnswer, LoadRoute, Seed, SimTime, Stamp, WriteOrigin};
use serde_json::{Map, Value, json};

use crate::common::{run, same, text_of};

const HOME: &str = "/home/agent/.hermes";

/// A home with the files, directories and links of a case's `init`: in memory, or below a directory of the host.
fn home_of(init: &Value, dir: Option<&Path>) -> Box<dyn Files> {
    let mut files: Box<dyn Files> = match dir {
        None => Box::new(MemFiles::new(HOME)),
        Some(dir) => Box::new(DiskFiles::open(dir).expect("a new directory")),
    };
    let root = files.root().to_owned();
    files.create_dir(&TreePath::new("skills")).expect("an empty tree");
    for (path, text) in init["files"].as_object().into_iter().flatten() {
        put(&mut *files, path, Content::text(&text_of(text)));
    }
    for (path, hex) in init["hex_files"].as_object().into_iter().flatten() {
        put(&mut *files, path, Content::bytes(unhex(hex.as_str().expect("text"))));
    }
    for dir in init["dirs"].as_array().into_iter().flatten() {
        files.create_dir(&TreePath::new(dir.as_str().expect("text"))).expect("a good path");
    }
    for (path, target) in init["symlinks"].as_object().into_iter().flatten() {
        let target = target.as_str().expect("text").replace("<HOME>", &root);
        put(&mut *files, path, Content::Link(target));
    }
    let sidecar = match (init.get("usage"), init["usage_raw"].as_str(), init["usage_hex"].as_str()) {
        (Some(usage), _, _) => Some(Content::text(&usage.to_string())),
        (_, Some(raw), _) => Some(Content::text(raw)),
        (_, _, Some(hex)) => Some(Content::bytes(unhex(hex))),
        _ => None,
    };
    if let Some(content) = sidecar {
        put(&mut *files, "skills/.usage.json", content);
    }
    files
}

fn put(files: &mut dyn Files, path: &str, content: Content) {
    let path = TreePath::new(path);
    files.create_dir(&path.parent().expect("a file in a directory")).expect("a good path");
    files.replace(&path, content).expect("a good path");
}

fn unhex(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2)
        .map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).expect("hex digits"))
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

/// The behaviour of the version that the cases were made with, under a case's configuration.
fn behaviour_of(init: &Value, faults: bool) -> Behaviour {
    let mut settings = Settings::new(Version::V0_19);
    if let Some(config) = init.get("config") {
        settings.overlay_home(config);
    }
    if !faults {
        settings.faults_off(&Origin::CommandLine);
    }
    Behaviour::resolve(&settings)
}

/// Every file, link and empty directory below a path.
fn tree(files: &dyn Files, dir: &TreePath, found: &mut Vec<(String, Kind)>) {
    let entries = files.list(dir).unwrap_or_default();
    if entries.is_empty() {
        found.push((dir.as_str().to_owned(), Kind::Dir));
    }
    for entry in entries {
        let path = dir.join(&entry.name).expect("a good tree in memory");
        match entry.kind {
            Kind::Dir => tree(files, &path, found),
            kind => found.push((path.as_str().to_owned(), kind)),
        }
    }
}

const SIDECAR: [&str; 2] = ["skills/.usage.json", "skills/.usage.json.lock"];

/// The sidecar's content as the cases give it.
fn usage_file(files: &dyn Files) -> Value {
    match files.read(&TreePath::new("skills/.usage.json")) {
        Err(_) => Value::Null,
        Ok(bytes) => match std::str::from_utf8(&bytes) {
            Ok(text) => serde_json::from_str(text).unwrap_or_else(|_| json!({"__raw": text})),
            Err(_) => json!({"__raw_hex": hex(&bytes)}),
        },
    }
}

/// Runs a case in memory, with records written at once and at the end, and on disk.
fn in_each_home(check: impl Fn(Option<&Path>, WriteBack) -> Result<(), String>) -> Result<(), String> {
    check(None, WriteBack::Now).map_err(|why| format!("in memory, written at once: {why}"))?;
    check(None, WriteBack::Later).map_err(|why| format!("in memory, written at the end: {why}"))?;
    let dir = tempfile::tempdir().expect("a directory of the host");
    check(Some(dir.path()), WriteBack::Now).map_err(|why| format!("on disk: {why}"))
}

#[test]
fn skill_usage() {
    run("skill_usage", |case| in_each_home(|dir, write_back| usage_case(case, dir, write_back)));
}

fn usage_case(case: &Value, dir: Option<&Path>, write_back: WriteBack) -> Result<(), String> {
    let mut bench = Bench::new(&case["init"], dir, write_back);
    for event in case["events"].as_array().expect("a list") {
        let at = Stamp::parse(event["at"].as_str().expect("text")).expect("a time");
        bench.at = at;
        let found = bench.with("foreground", |context| usage_event(event, context));
        let expected = event.get("expect").cloned().unwrap_or(Value::Null);
        same(event["op"].as_str().expect("text"), &found, &expected)?;
    }
    bench.with("foreground", |context| context.state.flush(context.library));
    let files = &*bench.files;
    let expected = &case["final"];
    same("usage", &usage_file(files), &expected["usage"])?;
    let mut found = Vec::new();
    tree(files, &TreePath::root(), &mut found);
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

fn usage_event(event: &Value, context: &mut SkillContext<'_, '_>) -> Value {
    let name = event["skill"].as_str().unwrap_or("");
    if event["op"] == "skill_view_tool" {
        view(context, &json!({ "name": name }));
        return Value::Null;
    }
    let rules = &context.behaviour.skills;
    let mut usage = Usage::new(context.library, context.state, rules, context.at);
    let found = usage_op(event, name, &mut usage);
    context.state.flush_if_due(context.library);
    found
}

fn usage_op(event: &Value, name: &str, usage: &mut Usage<'_, '_>) -> Value {
    match event["op"].as_str().expect("text") {
        "view" => usage.view(name),
        "use" => usage.use_(name),
        "patch" => usage.patch(name),
        "mark_agent_created" => usage.mark_agent_created(name),
        "set_state" => {
            if let Some(state) = SkillState::parse(event["state"].as_str().unwrap_or("")) {
                usage.set_state(name, state);
            }
        }
        "set_pinned" => usage.set_pinned(name, is_truthy(&event["pinned"])),
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

/// Python's truth of a value.
fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Bool(truth) => *truth,
        other => !matches!(other.to_string().as_str(), "null" | "0" | "0.0" | "\"\"" | "[]" | "{}"),
    }
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

const START: SimTime = SimTime::from_millis(1_777_622_400_000);

#[test]
fn skill_manage() {
    run("skill_manage", |case| in_each_home(|dir, write_back| manage_case(case, dir, write_back)));
}

/// What the steps of one case share.
struct Bench {
    files: Box<dyn Files>,
    behaviour: Behaviour,
    state: LibraryState,
    marks: ReadMarks,
    at: Stamp,
}

impl Bench {
    fn answer(
        &mut self,
        origin: &str,
        call: impl FnOnce(&mut SkillContext<'_, '_>) -> HomeAnswer,
    ) -> Map<String, Value> {
        let answer = self.with(origin, call);
        shown_answer(&answer, self.files.root())
    }

    fn new(init: &Value, dir: Option<&Path>, write_back: WriteBack) -> Self {
        Self {
            files: home_of(init, dir),
            behaviour: behaviour_of(init, true),
            state: LibraryState::new(write_back),
            marks: ReadMarks::new(),
            at: START.into(),
        }
    }

    fn with<T>(&mut self, origin: &str, body: impl FnOnce(&mut SkillContext<'_, '_>) -> T) -> T {
        let mut library = Library::open(&mut *self.files, &mut [], &self.behaviour.skills);
        let origin_is_review = origin == "background_review";
        body(&mut SkillContext {
            library: &mut library,
            state: &mut self.state,
            behaviour: &self.behaviour,
            marks: &mut self.marks,
            draws: Draws::new(Seed(1)),
            at: self.at.to_sim(),
            origin: if origin_is_review { WriteOrigin::Review } else { WriteOrigin::Foreground },
            origin_label: origin,
            batch: Batch::Alone,
            route: LoadRoute::Index,
            listed: &|_| true,
            session: None,
            platform: None,
        })
    }
}

fn manage_case(case: &Value, dir: Option<&Path>, write_back: WriteBack) -> Result<(), String> {
    let mut bench = Bench::new(&case["init"], dir, write_back);
    for (number, step) in case["steps"].as_array().expect("a list").iter().enumerate() {
        bench.at = Stamp::from_micros(bench.at.as_micros() + 1_000_000);
        let found = run_step(&mut bench, step);
        for (key, expected) in step["expect"].as_object().expect("an object") {
            if key == "file_preview" && expected.is_null() {
                continue;
            }
            let found = found.get(key).cloned().unwrap_or(Value::Null);
            same(&format!("step {number}, {key}"), &found, expected)?;
        }
    }
    bench.with("foreground", |context| context.state.flush(context.library));
    same_final(&*bench.files, &case["final"])
}

fn run_step(bench: &mut Bench, step: &Value) -> Map<String, Value> {
    let origin = step["origin"].as_str().expect("text");
    let args = plain(&step["args"]);
    let pending_id = |bench: &Bench| {
        let index =
            usize::try_from(args["index"].as_u64().expect("a number")).expect("a good tree in memory");
        pending::list(&*bench.files, Subsystem::Skills).swap_remove(index).id
    };
    match step["op"].as_str().expect("text") {
        "skill_manage" => bench.answer(origin, |context| manage(context, &args)),
        "skill_view" => bench.answer(origin, |context| view(context, &args)),
        "skill_view_quiet" => bench.answer(origin, |context| look(context, &args)),
        "skills_list" => bench.answer(origin, |context| list(context, &args)),
        "pin" => {
            let name = args["name"].as_str().expect("text").to_owned();
            let pinned = is_truthy(&args["pinned"]);
            bench.with(origin, |context| {
                let rules = &context.behaviour.skills;
                Usage::new(context.library, context.state, rules, context.at).set_pinned(&name, pinned);
            });
            good()
        }
        "new_review_turn" => {
            bench.marks.clear();
            good()
        }
        "pending" => {
            let records = pending::list(&*bench.files, Subsystem::Skills);
            let shown: Vec<Value> = records
                .iter()
                .map(|record| {
                    json!({
                        "action": record.action, "origin": record.origin, "summary": record.summary,
                        "payload": record.payload, "subsystem": record.subsystem.as_str(),
                    })
                })
                .collect();
            let mut fields = good();
            fields.insert("pending".to_owned(), shown.into());
            fields
        }
        "approve" => {
            let id = pending_id(bench);
            let answer = bench.with(origin, |context| approve(context, Which::One(&id)));
            let kind = answer.facts.iter().find_map(|fact| match fact {
                Fact::Write { kind: Some(kind), .. } => Some(kind.to_string()),
                _ => None,
            });
            outcome_of(answer.changed == 1, kind)
        }
        "reject" => {
            let id = pending_id(bench);
            outcome_of(reject(&mut *bench.files, Which::One(&id)).changed == 1, None)
        }
        op => panic!("unknown op {op}"),
    }
}

/// Arguments with their text values put together.
fn plain(args: &Value) -> Value {
    let fields = args.as_object().expect("an object").iter();
    fields
        .map(|(key, value)| {
            let value = if value.is_object() { text_of(value).into() } else { value.clone() };
            (key.clone(), value)
        })
        .collect::<Map<String, Value>>()
        .into()
}

fn good() -> Map<String, Value> {
    outcome_of(true, None)
}

fn outcome_of(ok: bool, kind: Option<String>) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("ok".to_owned(), ok.into());
    fields.insert("kind".to_owned(), kind.into());
    fields
}

/// An answer under the names that the cases use.
fn shown_answer(answer: &HomeAnswer, root: &str) -> Map<String, Value> {
    let reply: Value = serde_json::from_str(&answer.text).expect("an answer is one JSON object");
    let mut fields = reply.as_object().expect("an object").clone();
    fields.insert("ok".to_owned(), reply["success"].clone());
    fields.insert("kind".to_owned(), json!(answer.kind.as_deref()));
    for (from, to) in [
        ("_archived", "archived"),
        ("_read_before_write_required", "read_before_write_required"),
        ("_fail_closed", "fail_closed"),
    ] {
        if let Some(value) = fields.remove(from) {
            fields.insert(to.to_owned(), value);
        }
    }
    if let Some(description) = reply["_change"].get("description") {
        fields.insert("description".to_owned(), description.clone());
    }
    let sorted = |value: &mut Value| {
        if let Value::Array(items) = value {
            items.sort_by_key(Value::to_string);
        }
    };
    for key in ["available_files", "linked_files"] {
        match fields.get_mut(key) {
            Some(Value::Object(groups)) => groups.values_mut().for_each(sorted),
            Some(other) => sorted(other),
            None => {}
        }
    }
    if let Some(Value::Array(paths)) = fields.get_mut("matches") {
        for path in paths.iter_mut() {
            *path = json!(
                path.as_str().expect("text").strip_prefix(&format!("{root}/")).expect("a path in the home")
            );
        }
        paths.sort_by_key(Value::to_string);
    }
    fields
}

/// The home's files, links and empty directories as the cases show them. Proposals and the sidecar's lock file are
/// left out, and with them whether `skills` itself is empty.
fn same_final(files: &dyn Files, expected: &Value) -> Result<(), String> {
    let mut found = Vec::new();
    tree(files, &TreePath::root(), &mut found);
    found.retain(|(path, _)| !SIDECAR.contains(&path.as_str()) && !path.starts_with("pending"));
    let (mut texts, mut links, mut empty) = (Map::new(), Map::new(), Vec::new());
    for (path, kind) in found {
        let at = TreePath::new(&path);
        match kind {
            Kind::File => drop(texts.insert(path, shown_file(files, &at))),
            Kind::Link => drop(links.insert(
                path,
                files.read_link(&at).expect("a good tree in memory").replace(files.root(), "<HOME>").into(),
            )),
            Kind::Dir => empty.push(path),
        }
    }
    empty.retain(|path| path != "skills");
    let wanted: Vec<&str> = expected["empty_dirs"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|dir| dir.as_str().expect("text"))
        .collect();
    let wanted: Vec<&str> = wanted.into_iter().filter(|dir| *dir != "skills").collect();
    same("files", &Value::Object(texts), &expected["files"])?;
    same("links", &Value::Object(links), &expected["symlinks"])?;
    same("empty directories", &json!(empty), &json!(wanted))?;
    let mut usage = usage_file(files);
    for record in usage.as_object_mut().into_iter().flat_map(|records| records.values_mut()) {
        for (key, value) in record.as_object_mut().into_iter().flatten() {
            if key.ends_with("_at") && !value.is_null() {
                *value = json!("T");
            }
        }
    }
    same("usage", &usage, &expected["usage"])
}

fn shown_file(files: &dyn Files, path: &TreePath) -> Value {
    let bytes = files.read(path).expect("a good tree in memory");
    match std::str::from_utf8(&bytes) {
        Err(_) => json!({ "hex": hex(&bytes) }),
        Ok(text) if text.chars().count() > 3000 => {
            let hash = content_hash(files, path, &behaviour_of(&Value::Null, true).guard)
                .expect("a good tree in memory");
            json!({ "sha256": hash.hex(), "chars": text.chars().count() })
        }
        Ok(text) => json!(text),
    }
}
