//! One home with an agent's memory of it, set up as the cases describe it.

use agent_core::behaviour::{Behaviour, Origin, Settings, Version};
use agent_core::curator::{CuratorContext, CuratorState};
use agent_core::skills::usage::Usage;
use agent_core::skills::{Library, LibraryState, WriteBack};
use agent_core::stores::{Entry, Files, Kind, MemFiles, TreePath, exists, read_text, write_text};
use agent_core::values::Stamp;
use serde_json::{Map, Value, json};

pub(super) const HOME: &str = "/home/agent/.hermes";
/// The one external directory of the cases; it lies outside of `skills/`.
const EXTERNAL: &str = "elsewhere";

pub(super) struct World {
    pub(super) home: MemFiles,
    pub(super) settings: Settings,
    pub(super) behaviour: Behaviour,
    pub(super) skills: LibraryState,
    pub(super) state: CuratorState,
}

impl World {
    /// A home of the version that the cases were made with, with its whole configuration.
    pub(super) fn new(config: &Value, faults: bool) -> Self {
        Self::of(base(faults), config)
    }

    /// A home under these settings, with its whole configuration.
    pub(super) fn of(mut settings: Settings, config: &Value) -> Self {
        settings.overlay_home(config);
        settings.overlay_home(&json!({"skills": {"external_dirs": [EXTERNAL]}}));
        let mut home = MemFiles::new(HOME);
        home.create_dir(&TreePath::new("skills")).expect("the tree takes it");
        let behaviour = Behaviour::resolve(&settings);
        let skills = LibraryState::new(WriteBack::Now);
        Self { home, settings, behaviour, skills, state: CuratorState::default() }
    }

    /// Takes a new section `curator` in the place of the old one.
    pub(super) fn configure(&mut self, section: &Value, faults: bool) {
        let mut settings = base(faults);
        settings.overlay_home(&json!({"curator": section}));
        settings.overlay_home(&json!({"skills": {"external_dirs": [EXTERNAL]}}));
        self.behaviour = Behaviour::resolve(&settings);
        self.settings = settings;
    }

    pub(super) fn put(&mut self, path: &str, text: &str) {
        write_text(&mut self.home, &TreePath::new(path), text).expect("the tree takes it");
    }

    pub(super) fn text(&self, path: &str) -> Option<String> {
        read_text(&self.home, &TreePath::new(path)).ok()
    }

    pub(super) fn json(&self, path: &str) -> Value {
        self.text(path).map_or(Value::Null, |text| serde_json::from_str(&text).unwrap_or(Value::Null))
    }

    pub(super) fn has(&self, path: &str) -> bool {
        exists(&self.home, &TreePath::new(path))
    }

    pub(super) fn list(&self, path: &str) -> Vec<Entry> {
        self.home.list(&TreePath::new(path)).unwrap_or_default()
    }

    pub(super) fn dirs(&self, path: &str) -> Vec<String> {
        let dirs = self.list(path).into_iter().filter(|entry| entry.kind == Kind::Dir);
        dirs.map(|entry| entry.name).collect()
    }

    /// Works on the home at this time; usage records are written at the end, as after a tool call.
    pub(super) fn at<T>(&mut self, at: Stamp, body: impl FnOnce(&mut CuratorContext<'_, '_>) -> T) -> T {
        self.home.set_now(at.to_sim());
        let Self { home, behaviour, skills, state, .. } = self;
        let mut library = Library::open(home, &mut [], &behaviour.skills);
        let done = body(&mut CuratorContext { library: &mut library, skills, state, behaviour, at });
        skills.flush(&mut library);
        done
    }

    /// The usage book at this time.
    pub(super) fn usage<T>(&mut self, at: Stamp, body: impl FnOnce(&mut Usage<'_, '_>) -> T) -> T {
        self.home.set_now(at.to_sim());
        let Self { home, behaviour, skills, .. } = self;
        let mut library = Library::open(home, &mut [], &behaviour.skills);
        let done = body(&mut Usage::new(&mut library, skills, &behaviour.skills, at));
        skills.flush(&mut library);
        done
    }

    /// Sets up skills, their records, manifest, hub lock and jobs. `record_of` gives the record of a skill, if any.
    pub(super) fn fill(&mut self, skills: &Value, record_of: impl Fn(&Value) -> Option<Value>) {
        let (mut records, mut installed) = (Map::new(), Map::new());
        let (mut manifest, mut jobs) = (String::new(), Vec::new());
        for skill in skills.as_array().into_iter().flatten() {
            let (name, path) = (skill["name"].as_str().expect("text"), skill["path"].as_str().expect("text"));
            let root = if skill["origin"] == "external" { EXTERNAL } else { "skills" };
            self.put(&format!("{root}/{path}/SKILL.md"), &skill_text(name));
            match skill["origin"].as_str().expect("text") {
                "bundled" => manifest = manifest + name + ":1\n",
                "hub" => drop(installed.insert(name.to_owned(), json!({"install_path": path}))),
                _ => {}
            }
            records.extend(record_of(skill).map(|record| (name.to_owned(), record)));
            if skill["cron_ref"] == true {
                let number = jobs.len();
                let enabled = number.is_multiple_of(2);
                jobs.push(json!({"id": format!("j{number}"), "skills": [name], "enabled": enabled}));
            }
        }
        if !manifest.is_empty() {
            self.put("skills/.bundled_manifest", &manifest);
        }
        if !installed.is_empty() {
            self.put("skills/.hub/lock.json", &json!({"installed": installed}).to_string());
        }
        if !records.is_empty() {
            self.put("skills/.usage.json", &Value::Object(records).to_string());
        }
        if !jobs.is_empty() {
            self.set_jobs(&Value::Array(jobs));
        }
    }

    pub(super) fn set_jobs(&mut self, jobs: &Value) {
        self.put("cron/jobs.json", &json!({"jobs": jobs}).to_string());
    }

    /// Where a skill of the cases lies.
    pub(super) fn place(skill: &Value) -> String {
        let root = if skill["origin"] == "external" { EXTERNAL } else { "skills" };
        format!("{root}/{}", skill["path"].as_str().expect("text"))
    }

    pub(super) fn record(&self, name: &str) -> Value {
        self.json("skills/.usage.json").get(name).cloned().unwrap_or(Value::Null)
    }

    pub(super) fn suppressed(&self) -> Vec<String> {
        let text = self.text("skills/.curator_suppressed").unwrap_or_default();
        text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }
}

/// The settings that the cases were made with.
pub(super) fn base(faults: bool) -> Settings {
    let mut settings = Settings::new(Version::V0_19);
    if !faults {
        settings.faults_off(&Origin::CommandLine);
    }
    settings
}

pub(super) fn skill_text(name: &str) -> String {
    format!("---\nname: {name}\ndescription: sample\n---\nbody of {name}\n")
}

pub(super) fn stamp(value: &Value) -> Stamp {
    Stamp::parse(value.as_str().expect("a time is text")).expect("a time is ISO 8601")
}

/// The five counters of the cases.
pub(super) fn counts(value: &Value) -> Value {
    let keys = ["checked", "seeded", "marked_stale", "archived", "reactivated"];
    let found = keys.iter().filter_map(|key| Some(((*key).to_owned(), value.get(*key)?.clone())));
    Value::Object(found.collect())
}
