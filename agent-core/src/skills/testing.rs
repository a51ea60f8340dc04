//! What the tests of this module share.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    Batch, Library, LibraryState, ReadMarks, SkillContext, WriteBack, list, look, manage, usage::Usage, view,
};
use crate::behaviour::{Behaviour, Origin, Settings, Version};
use crate::stores::{Content, Files, Kind, MemFiles, SharedRoot, TreePath, write_text};
use crate::values::{Draws, HomeAnswer, LoadRoute, Seed, SimDuration, SimTime, WriteOrigin};

pub(super) const HOME: &str = "/home/agent/.hermes";

/// A good `SKILL.md`.
pub(super) fn skill_md(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Demo skill.\n---\n# Demo\n\nDo the thing.\n")
}

/// A home with one agent, and what its calls share.
pub(super) struct Bench {
    pub(super) home: MemFiles,
    pub(super) shared: Option<(MemFiles, bool)>,
    pub(super) settings: Settings,
    pub(super) state: LibraryState,
    pub(super) marks: ReadMarks,
    pub(super) origin: WriteOrigin,
    pub(super) batch: Batch,
    pub(super) at: SimTime,
}

impl Bench {
    pub(super) fn new(version: Version) -> Self {
        let mut home = MemFiles::new(HOME);
        home.create_dir(&TreePath::new("skills")).unwrap();
        Self {
            home,
            shared: None,
            settings: Settings::new(version),
            state: LibraryState::new(WriteBack::Later),
            marks: ReadMarks::new(),
            origin: WriteOrigin::Foreground,
            batch: Batch::Alone,
            at: SimTime::from_millis(1_777_622_400_000),
        }
    }

    /// All faults off.
    pub(super) fn preferred(version: Version) -> Self {
        let mut bench = Self::new(version);
        bench.settings.faults_off(&Origin::CommandLine);
        bench
    }

    pub(super) fn set(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.settings.set(key, value.into(), Origin::CommandLine).unwrap();
        self
    }

    pub(super) fn skill(mut self, dir: &str) -> Self {
        let name = dir.rsplit('/').next().unwrap().to_owned();
        self.put(&format!("{dir}/SKILL.md"), &skill_md(&name));
        self
    }

    pub(super) fn file(mut self, path: &str, text: &str) -> Self {
        self.put(path, text);
        self
    }

    pub(super) fn link(mut self, path: &str, target: &str) -> Self {
        let path = TreePath::new(path);
        self.home.create_dir(&path.parent().unwrap()).unwrap();
        self.home.replace(&path, Content::Link(target.to_owned())).unwrap();
        self
    }

    pub(super) fn put(&mut self, path: &str, text: &str) {
        write_text(&mut self.home, &TreePath::new(path), text).unwrap();
    }

    pub(super) fn text(&self, path: &str) -> Option<String> {
        let bytes = self.home.read(&TreePath::new(path)).ok()?;
        Some(String::from_utf8(bytes.to_vec()).unwrap())
    }

    pub(super) fn with<T>(&mut self, body: impl FnOnce(&mut SkillContext<'_, '_>) -> T) -> T {
        self.at = self.at + SimDuration::from_secs(1);
        let behaviour = Behaviour::resolve(&self.settings);
        let mut shared: Vec<SharedRoot<'_>> = Vec::new();
        if let Some((files, writable)) = &mut self.shared {
            shared.push(SharedRoot { path: "/org/skills", files, writable: *writable });
        }
        let mut library = Library::open(&mut self.home, &mut shared, &behaviour.skills);
        body(&mut SkillContext {
            library: &mut library,
            state: &mut self.state,
            behaviour: &behaviour,
            marks: &mut self.marks,
            draws: Draws::new(Seed(1)),
            at: self.at,
            origin: self.origin,
            origin_label: self.origin.label(),
            batch: self.batch,
            route: LoadRoute::Index,
            listed: &|_| true,
            session: Some("s-1"),
            platform: None,
        })
    }

    pub(super) fn by(&mut self, origin: WriteOrigin) -> &mut Self {
        self.origin = origin;
        self
    }

    pub(super) fn manage(&mut self, args: &Value) -> HomeAnswer {
        self.with(|context| manage(context, args))
    }

    pub(super) fn view(&mut self, args: &Value) -> HomeAnswer {
        self.with(|context| view(context, args))
    }

    /// A view that counts nothing.
    pub(super) fn look(&mut self, name: &str) -> HomeAnswer {
        self.with(|context| look(context, &json!({ "name": name })))
    }

    pub(super) fn list(&mut self) -> Value {
        let answer = self.with(|context| list(context, &json!({})));
        serde_json::from_str(&answer.text).unwrap()
    }

    pub(super) fn usage<T>(&mut self, body: impl FnOnce(&mut Usage<'_, '_>) -> T) -> T {
        self.with(|context| body(&mut context.usage()))
    }

    /// Everything in the home: links by target, files by bytes, directories as nothing.
    pub(super) fn snapshot(&self) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        collect(&self.home, &TreePath::root(), &mut found);
        found
    }
}

fn collect(files: &MemFiles, dir: &TreePath, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in files.list(dir).unwrap() {
        let path = dir.join(&entry.name).unwrap();
        let (mark, bytes) = match entry.kind {
            Kind::Dir => {
                collect(files, &path, found);
                ("/", Vec::new())
            }
            Kind::Link => ("@", files.read_link(&path).unwrap().into_bytes()),
            Kind::File => ("", files.read(&path).unwrap().to_vec()),
        };
        found.insert(format!("{path}{mark}"), bytes);
    }
}

/// The kind of an answer; `ok` if it has none.
pub(super) fn kind(answer: &HomeAnswer) -> &str {
    answer.kind.as_deref().unwrap_or("ok")
}
