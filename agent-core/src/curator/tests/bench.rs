//! A home with one agent and its curator.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::behaviour::{Behaviour, Origin, Settings, Version};
use crate::curator::backup::Snapshot;
use crate::curator::classify::RecordedCall;
use crate::curator::{
    CuratorContext, CuratorState, PassOutcome, PassReport, PassStart, Poll, RunAsk, begin_pass, finish_pass,
    poll,
};
use crate::skills::usage::Usage;
use crate::skills::{Batch, Library, LibraryState, ReadMarks, SkillContext, WriteBack, view};
use crate::stores::{Files, Kind, MemFiles, TreePath, exists, read_text, write_text};
use crate::values::{CuratorCause, Draws, HomeAnswer, LoadRoute, Seed, Stamp, WriteOrigin};

pub(super) const HOME: &str = "/home/agent/.hermes";

pub(super) struct Bench {
    pub(super) home: MemFiles,
    pub(super) settings: Settings,
    pub(super) skills: LibraryState,
    pub(super) state: CuratorState,
    pub(super) marks: ReadMarks,
}

pub(super) fn at(text: &str) -> Stamp {
    Stamp::parse(text).unwrap()
}

/// So many days and hours after the first instant of the tests.
pub(super) fn day(days: i64, hours: i64) -> Stamp {
    Stamp::from_micros(at("2026-01-05").as_micros() + (days * 24 + hours) * 3_600_000_000)
}

pub(super) fn skill_text(name: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: What {name} does.\n---\n# {name}\n\nFirst do the {name} thing.\n\nThen check {name} twice.\n"
    )
}

impl Bench {
    /// The newest version of the golden cases, its faults on.
    pub(super) fn new() -> Self {
        Self::of(Settings::new(Version::V0_19))
    }

    /// The same without faults.
    pub(super) fn careful() -> Self {
        let mut settings = Settings::new(Version::V0_19);
        settings.faults_off(&Origin::CommandLine);
        Self::of(settings)
    }

    pub(super) fn of(settings: Settings) -> Self {
        let mut home = MemFiles::new(HOME);
        home.create_dir(&TreePath::new("skills")).unwrap();
        let skills = LibraryState::new(WriteBack::Now);
        Self { home, settings, skills, state: CuratorState::default(), marks: ReadMarks::new() }
    }

    pub(super) fn set(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.settings.set(key, value.into(), Origin::CommandLine).unwrap();
        self
    }

    pub(super) fn put(&mut self, path: &str, text: &str) {
        write_text(&mut self.home, &TreePath::new(path), text).unwrap();
    }

    pub(super) fn text(&self, path: &str) -> String {
        read_text(&self.home, &TreePath::new(path)).unwrap_or_default()
    }

    pub(super) fn has(&self, path: &str) -> bool {
        exists(&self.home, &TreePath::new(path))
    }

    pub(super) fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.text(path)).unwrap_or_default()
    }

    /// A skill that the agent made at this time.
    pub(super) fn agent_skill(&mut self, name: &str, made: Stamp) {
        self.put(&format!("skills/{name}/SKILL.md"), &skill_text(name));
        self.usage(made, |usage| usage.mark_agent_created(name));
    }

    /// A skill that came with the program, without a record.
    pub(super) fn builtin(&mut self, name: &str) {
        self.put(&format!("skills/{name}/SKILL.md"), &skill_text(name));
        let manifest = self.text("skills/.bundled_manifest");
        self.put("skills/.bundled_manifest", &format!("{manifest}{name}:1\n"));
    }

    /// One job a skill.
    pub(super) fn jobs(&mut self, skills: &[&str]) {
        let jobs: Vec<Value> =
            skills.iter().map(|name| json!({"id": format!("j-{name}"), "skills": [name]})).collect();
        self.put("cron/jobs.json", &json!({"jobs": jobs}).to_string());
    }

    /// The skills of all jobs, in order.
    pub(super) fn job_skills(&self) -> Value {
        let jobs = self.json("cron/jobs.json");
        jobs["jobs"].as_array().unwrap().iter().map(|job| job["skills"].clone()).collect()
    }

    pub(super) fn at<T>(&mut self, at: Stamp, body: impl FnOnce(&mut CuratorContext<'_, '_>) -> T) -> T {
        self.home.set_now(at.to_sim());
        let behaviour = Behaviour::resolve(&self.settings);
        let mut library = Library::open(&mut self.home, &mut [], &behaviour.skills);
        let (skills, state) = (&mut self.skills, &mut self.state);
        let done =
            body(&mut CuratorContext { library: &mut library, skills, state, behaviour: &behaviour, at });
        self.skills.flush_if_due(&mut library);
        done
    }

    pub(super) fn usage<T>(&mut self, at: Stamp, body: impl FnOnce(&mut Usage<'_, '_>) -> T) -> T {
        self.home.set_now(at.to_sim());
        let behaviour = Behaviour::resolve(&self.settings);
        let mut library = Library::open(&mut self.home, &mut [], &behaviour.skills);
        let done = body(&mut Usage::new(&mut library, &mut self.skills, &behaviour.skills, at));
        self.skills.flush_if_due(&mut library);
        done
    }

    /// Works on the home as a pass does, through the skill tools.
    pub(super) fn tool<T>(&mut self, at: Stamp, body: impl FnOnce(&mut SkillContext<'_, '_>) -> T) -> T {
        self.home.set_now(at.to_sim());
        let behaviour = Behaviour::resolve(&self.settings);
        let mut library = Library::open(&mut self.home, &mut [], &behaviour.skills);
        with_tool(&mut library, &mut self.skills, &mut self.marks, &behaviour, at, body)
    }

    pub(super) fn poll(&mut self, at: Stamp) -> Poll {
        self.home.set_now(at.to_sim());
        let rules = Behaviour::resolve(&self.settings).curator;
        poll(&mut self.state.gate, &mut self.home, &rules, at, None)
    }

    /// Begins a run with a model.
    pub(super) fn begin(&mut self, at: Stamp) -> PassStart {
        let ask = RunAsk { cause: CuratorCause::Manual, dry_run: false, consolidate: Some(true) };
        self.at(at, |context| begin_pass(context, ask)).unwrap()
    }

    pub(super) fn finish(&mut self, at: Stamp, start: PassStart, outcome: PassOutcome) -> PassReport {
        self.at(at, |context| finish_pass(context, start, outcome))
    }

    /// A run without a model.
    pub(super) fn run(&mut self, at: Stamp) -> PassReport {
        let ask = RunAsk { cause: CuratorCause::Manual, dry_run: false, consolidate: Some(false) };
        let start = self.at(at, |context| begin_pass(context, ask)).unwrap();
        self.finish(at, start, PassOutcome::default())
    }

    /// What a pass would do to merge one skill into another; the calls as they were recorded.
    pub(super) fn merge(
        &mut self,
        at: Stamp,
        start: &mut PassStart,
        from: &str,
        into: &str,
    ) -> Vec<RecordedCall> {
        self.tool(at, |context| merge(context, start, from, into))
    }

    /// The snapshots, all of them written.
    pub(super) fn snapshots(&mut self, at: Stamp) -> Vec<Snapshot> {
        self.at(at, |context| {
            context.settle();
            crate::curator::backup::list(context.library.home(), &TreePath::new("skills"))
        })
    }

    /// The state in a record.
    pub(super) fn state_of(&self, name: &str) -> String {
        self.json("skills/.usage.json")[name]["state"].as_str().unwrap_or("").to_owned()
    }

    /// A new agent object on the same home.
    pub(super) fn restart(&mut self) {
        self.skills = LibraryState::new(WriteBack::Now);
        self.state = CuratorState::default();
        self.marks = ReadMarks::new();
    }
}

pub(super) fn with_tool<T>(
    library: &mut Library<'_>,
    skills: &mut LibraryState,
    marks: &mut ReadMarks,
    behaviour: &Behaviour,
    at: Stamp,
    body: impl FnOnce(&mut SkillContext<'_, '_>) -> T,
) -> T {
    body(&mut SkillContext {
        library,
        state: skills,
        behaviour,
        marks,
        draws: Draws::new(Seed(1)),
        at: at.to_sim(),
        origin: WriteOrigin::Curator,
        origin_label: WriteOrigin::Curator.label(),
        batch: Batch::Alone,
        route: LoadRoute::Curator,
        listed: &|_| true,
        session: None,
        platform: None,
    })
}

/// Reads both skills, adds a section to the one, archives the other.
pub(super) fn merge(
    context: &mut SkillContext<'_, '_>,
    start: &mut PassStart,
    from: &str,
    into: &str,
) -> Vec<RecordedCall> {
    view(context, &json!({"name": from}));
    view(context, &json!({"name": into}));
    let section = format!("## {from}\n\nFirst do the {from} thing.\n\nThen check {from} twice.\n");
    let patch = json!({
        "action": "patch", "name": into,
        "old_string": format!("# {into}\n"), "new_string": format!("# {into}\n\n{section}"),
    });
    let delete = json!({"action": "delete", "name": from, "absorbed_into": into});
    let mut calls = Vec::new();
    for args in [patch, delete] {
        let answer: HomeAnswer = start.manage(context, &args);
        calls.push(RecordedCall::new("skill_manage", args));
        if answer.kind.is_some() {
            break;
        }
    }
    calls
}

/// The whole tree as text: one line a node, in order.
pub(super) fn picture(files: &dyn Files) -> String {
    let mut lines = String::new();
    draw(files, &TreePath::root(), &mut lines);
    lines
}

fn draw(files: &dyn Files, at: &TreePath, lines: &mut String) {
    for entry in files.list(at).unwrap_or_default() {
        let here = at.join(&entry.name).unwrap();
        match entry.kind {
            Kind::Dir => {
                writeln!(lines, "{here}/").unwrap();
                draw(files, &here, lines);
            }
            Kind::Link => writeln!(lines, "{here} -> {}", files.read_link(&here).unwrap()).unwrap(),
            Kind::File => {
                let stat = files.stat(&here).unwrap().unwrap();
                let bytes = files.read(&here).unwrap();
                let mark = if stat.executable { "*" } else { "" };
                writeln!(lines, "{here}{mark} {} {:?}", stat.modified_ns, String::from_utf8_lossy(&bytes))
                    .unwrap();
            }
        }
    }
}

/// The same without modification times, and only below a path.
pub(super) fn content(files: &dyn Files, below: &str) -> Map<String, Value> {
    let mut found = Map::new();
    fn walk(files: &dyn Files, at: &TreePath, found: &mut Map<String, Value>) {
        for entry in files.list(at).unwrap_or_default() {
            let here = at.join(&entry.name).unwrap();
            match entry.kind {
                Kind::Dir => {
                    found.insert(format!("{here}/"), Value::Null);
                    walk(files, &here, found);
                }
                Kind::Link => drop(found.insert(here.to_string(), files.read_link(&here).unwrap().into())),
                Kind::File => {
                    let bytes = files.read(&here).unwrap();
                    found.insert(here.to_string(), String::from_utf8_lossy(&bytes).into_owned().into());
                }
            }
        }
    }
    walk(files, &TreePath::new(below), &mut found);
    found
}
