//! A home, an agent object and a clock.

use serde_json::{Value, json};

use crate::behaviour::{Behaviour, Origin, Settings, Version};
use crate::memory::{
    Answer, ApprovalContext, Approver, CommandAnswer, MemoryContext, MemoryStore, PlaceError, Target, Which,
    approve, call,
};
use crate::stores::{Files, MemFiles, TreePath, exists, read_text, write_text};
use crate::values::{Draws, HomeAnswer, Seed, SimDuration, SimTime, WriteOrigin};

pub(super) struct Bench {
    pub(super) home: MemFiles,
    pub(super) behaviour: Behaviour,
    pub(super) store: MemoryStore,
    pub(super) at: SimTime,
    pub(super) origin: WriteOrigin,
    pub(super) user_asked: bool,
    pub(super) answer: Option<Answer>,
}

impl Bench {
    /// A bench of a version with some keys or faults set.
    pub(super) fn new(version: Version, set: &[(&str, Value)]) -> Self {
        let mut settings = Settings::new(version);
        for (key, value) in set {
            settings.set(key, value.clone(), Origin::CommandLine).unwrap();
        }
        Self::with(&settings)
    }

    /// The same with all faults off.
    pub(super) fn faultless(version: Version, set: &[(&str, Value)]) -> Self {
        let mut settings = Settings::new(version);
        settings.faults_off(&Origin::CommandLine);
        for (key, value) in set {
            settings.set(key, value.clone(), Origin::CommandLine).unwrap();
        }
        Self::with(&settings)
    }

    fn with(settings: &Settings) -> Self {
        let behaviour = Behaviour::resolve(settings);
        Self {
            home: MemFiles::new("/home/agent/.hermes"),
            store: MemoryStore::new(&behaviour.memory),
            behaviour,
            at: SimTime::from_millis(1_767_603_600_000),
            origin: WriteOrigin::Foreground,
            user_asked: false,
            answer: None,
        }
    }

    pub(super) fn load(&mut self) -> Result<(), PlaceError> {
        self.store = self.store.successor(&self.behaviour.memory);
        self.store.load(&mut self.home, &self.behaviour.memory, &self.behaviour.threats)
    }

    pub(super) fn call(&mut self, args: &Value) -> HomeAnswer {
        self.at = self.at + SimDuration::from_millis(5);
        let mut home = self.home.clone();
        let answer = self.call_on(&mut home, args);
        self.home = home;
        answer
    }

    /// A call on another tree than the bench's own.
    pub(super) fn call_on(&mut self, files: &mut dyn Files, args: &Value) -> HomeAnswer {
        let context = MemoryContext {
            files,
            rules: &self.behaviour.memory,
            threats: &self.behaviour.threats,
            defence: self.behaviour.defence,
            at: self.at,
            origin: self.origin,
            origin_label: self.origin.label(),
            user_asked: self.user_asked,
            approver: self.answer.map_or(Approver::Nobody, Approver::Says),
            draws: Draws::new(Seed(1)),
        };
        call(Some(&mut self.store), args, context)
    }

    /// The kind of a call's answer; `ok` or `staged` without one.
    pub(super) fn kind(&mut self, args: &Value) -> String {
        let answer = self.call(args);
        kind_of(&answer)
    }

    pub(super) fn add(&mut self, content: &str) -> String {
        self.kind(&json!({"action": "add", "target": "memory", "content": content}))
    }

    pub(super) fn approve_all(&mut self) -> CommandAnswer {
        let context = ApprovalContext {
            files: &mut self.home,
            rules: &self.behaviour.memory,
            threats: &self.behaviour.threats,
            at: self.at,
        };
        approve(Some(&mut self.store), Which::All, context)
    }

    pub(super) fn put(&mut self, at: &str, text: &str) {
        write_text(&mut self.home, &TreePath::new(at), text).unwrap();
    }

    /// The text of a file; none if it is absent.
    pub(super) fn text(&self, at: &str) -> Option<String> {
        let at = TreePath::new(at);
        exists(&self.home, &at).then(|| read_text(&self.home, &at).unwrap())
    }

    pub(super) fn notes(&self) -> Vec<&str> {
        self.store.entries(Target::Notes).iter().map(|entry| &**entry).collect()
    }
}

pub(super) fn kind_of(answer: &HomeAnswer) -> String {
    let json: Value = serde_json::from_str(&answer.text).unwrap();
    match &answer.kind {
        Some(kind) => {
            assert_eq!(json["success"], false);
            kind.to_string()
        }
        None => {
            assert_eq!(json["success"], true);
            if json["staged"] == true { "staged".to_owned() } else { "ok".to_owned() }
        }
    }
}
