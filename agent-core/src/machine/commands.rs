//! Commands of the user and changes from outside that concern the home.

use std::sync::Arc;

use super::agent::Agent;
use super::agent::Cx;
use super::event::Command;
use crate::behaviour::{Behaviour, Origin};
use crate::memory::{self, ApprovalContext, MemoryStore, Which};
use crate::values::Fact;

impl Agent {
    pub(super) fn home_command(&mut self, cx: &mut Cx<'_, '_>, command: Command) {
        match command {
            Command::Set { key, value } => self.change_setting(cx, &key, value),
            Command::Approve { subsystem, which } if &*subsystem == "memory" => {
                self.approve_memory(cx, &which);
            }
            Command::Reject { subsystem, which } if &*subsystem == "memory" => {
                let answer = memory::reject(cx.homes.own, Which::parse(&which));
                Self::note_of_home(cx, Fact::Notice { text: answer.text.into() });
            }
            Command::Approve { subsystem, which } if &*subsystem == "skills" => {
                self.approve_skills(cx, &which);
            }
            Command::Reject { subsystem, which } if &*subsystem == "skills" => {
                Self::reject_skills(cx, &which);
            }
            Command::LoadSkill { skill, session, by_job } => {
                self.load_skill(cx, &skill, session.as_ref(), by_job);
            }
            Command::Install { source, name, files, force } => {
                self.install(cx, &source, &name, &files, force);
            }
            Command::Flush => self.flush(cx),
            other => self.curator_command(cx, other),
        }
    }

    fn change_setting(&mut self, cx: &mut Cx<'_, '_>, key: &str, value: serde_json::Value) {
        match self.plan.settings.set(key, value.clone(), Origin::Changed) {
            Ok(()) => {
                self.rules = Behaviour::resolve(&self.plan.settings);
                self.loop_rules = Arc::new(self.rules.turn.clone());
                let tools = super::home::session_tools(&self.rules, &self.texts_library, &self.plan);
                self.tools = Arc::new(tools);
                Self::note_of_home(cx, Fact::Change { what: "config", target: key.into(), value });
            }
            Err(error) => Self::note_of_home(cx, Fact::Notice { text: error.to_string().into() }),
        }
    }

    fn approve_memory(&mut self, cx: &mut Cx<'_, '_>, which: &str) {
        // Without a live agent the approval has a store of its own (`spec/memory.md` §8).
        let mut own = self.rules.memory.has_store().then(|| MemoryStore::new(&self.rules.memory));
        let live = self.objects.values_mut().find_map(|object| object.memory.as_mut());
        let store = live.or(own.as_mut());
        let context = ApprovalContext {
            files: cx.homes.own,
            rules: &self.rules.memory,
            threats: &self.rules.threats,
            at: cx.at,
        };
        let answer = memory::approve(store, Which::parse(which), context);
        for fact in answer.facts {
            Self::note_of_home(cx, fact);
        }
        Self::note_of_home(cx, Fact::Notice { text: answer.text.into() });
    }

    /// Writes what is held back for speed into the home.
    pub(super) fn flush(&mut self, cx: &mut Cx<'_, '_>) {
        // Usage records and snapshots of the library that only a reader of the files needs.
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method alone is not general enough"
        )]
        self.with_curator(cx, |context| context.settle());
    }
}
