//! Tools of the home: memory, skills, session search. A call's effect happens at once; its answer arrives after its
//! duration.

use std::sync::Arc;

use serde_json::Value;

use super::agent::{Agent, Cx, ObjectId, Serves};
use super::conversation::CallPlace;
use super::delegate;
use super::plan::{AgentPlan, Approvals};
use crate::behaviour::Behaviour;
use crate::memory::{self, Answer, Approver, MemoryContext, MemoryStore};
use crate::prompt::{PromptLibrary, PromptName};
use crate::sessions;
use crate::skills;
use crate::values::{
    ConversationId, Fact, HomeAnswer, Store, ToolCall, ToolList, ToolOwner, ToolSpec, WriteEnd,
};
use crate::workspace;

/// What a session is offered: all but what the plan and the configuration withhold.
pub(super) fn session_tools(rules: &Behaviour, texts: &PromptLibrary, plan: &AgentPlan) -> ToolList {
    let disabled = rules.turn.withheld.iter().map(|name| (*name).to_owned());
    let withheld: Vec<String> = plan.withheld_tools.iter().cloned().chain(disabled).collect();
    tools(rules, texts, &withheld, &plan.world_tools)
}

/// The tools of the home that these rules offer, then the world's, in the order of the request.
pub(super) fn tools(
    rules: &Behaviour,
    texts: &PromptLibrary,
    withheld: &[String],
    world: &[ToolSpec],
) -> ToolList {
    let mut home = vec![memory::tool_spec(&rules.memory, rules.defence)];
    home.extend(skills::tool_specs(&rules.skills, rules.defence, texts.get(PromptName::ToolSkillManage)));
    home.push(sessions::tool_spec(&rules.sessions));
    home.extend(workspace::tool_specs());
    home.push(delegate::tool_spec(&rules.delegation));
    let offered = home.into_iter().filter(|tool| !withheld.iter().any(|name| **name == *tool.name));
    // The world cannot take the name of a tool of the home.
    let world = world.iter().cloned().map(|tool| ToolSpec { owner: ToolOwner::World, ..tool });
    ToolList::new(offered.chain(world).collect())
}

impl Agent {
    /// Whether a memory store is enabled at all.
    pub(super) fn memory_enabled(&self) -> bool {
        self.rules.memory.has_store()
    }

    /// Loads memory for an agent object: at the start of a session and after compression.
    pub(super) fn load_memory(&mut self, cx: &mut Cx<'_, '_>, object: ObjectId) {
        let enabled = self.memory_enabled();
        let Some(object) = self.objects.get_mut(&object) else { return };
        if !enabled {
            object.memory = None;
            return;
        }
        let store = object.memory.get_or_insert_with(|| match &self.last_memory {
            // What was scanned once need not be scanned again.
            Some(last) => last.successor(&self.rules.memory),
            None => MemoryStore::new(&self.rules.memory),
        });
        if let Err(error) = store.load(cx.homes.own, &self.rules.memory, &self.rules.threats) {
            // As in the reference: the agent goes on with empty blocks; the user is told why.
            Self::note_of_home(
                cx,
                Fact::Notice { text: format!("Memory could not be loaded: {error}").into() },
            );
        }
        self.last_memory = Some(store.successor(&self.rules.memory));
    }

    /// Runs a tool of the home; `None` if its answer comes later.
    pub(super) fn run_home_tool(
        &mut self,
        cx: &mut Cx<'_, '_>,
        (id, place): (ConversationId, CallPlace),
        call: &ToolCall,
        args: &Value,
        parallel: bool,
    ) -> Option<HomeAnswer> {
        let empty = serde_json::Map::new();
        let fields = args.as_object().unwrap_or(&empty);
        Some(match &*call.name {
            "skill_manage" | "skill_view" | "skills_list" => {
                self.skill_tool(cx, id, &call.name, args, parallel)
            }
            "read_file" => match self.read_home_file(cx, id, fields) {
                Some(answer) => answer,
                None => workspace::read_file(fields, cx.homes.workspace),
            },
            "write_file" => workspace::write_file(fields, cx.homes.workspace),
            "patch" => workspace::patch(fields, cx.homes.workspace, &self.rules.patch),
            "search_files" => workspace::search_files(fields, cx.homes.workspace),
            "todo" => {
                let live = self.live.get_mut(&id)?;
                workspace::todo(fields, &mut live.todo)
            }
            "memory" => self.memory_tool(cx, id, args),
            "session_search" => return self.search_tool(cx, id, place, args),
            delegate::NAME => return self.delegate_tool(cx, id, place, call, fields),
            other => HomeAnswer {
                text: format!("Error: there is no tool named '{other}' here."),
                kind: Some("unknown-tool".into()),
                ..HomeAnswer::default()
            },
        })
    }

    /// The agent object that a conversation belongs to.
    pub(super) fn object_of(&self, id: ConversationId) -> Option<ObjectId> {
        match &self.live.get(&id)?.serves {
            Serves::Session(name) => self.sessions.get(name).map(|session| session.object),
            Serves::Review(review) => self.reviews.job(*review).map(|job| job.object),
            Serves::Curator => None,
            Serves::Delegate(kin) => Some(kin.object),
        }
    }

    /// The stored session that a conversation belongs to: its own, or that of the one which caused it.
    pub(super) fn stored_of(&self, id: ConversationId) -> Option<sessions::SessionId> {
        match &self.live.get(&id)?.serves {
            Serves::Session(name) => self.sessions.get(name)?.id.clone(),
            Serves::Review(review) => self.sessions.get(&self.reviews.job(*review)?.session)?.id.clone(),
            Serves::Delegate(kin) => kin.stored.clone(),
            Serves::Curator => None,
        }
    }

    fn memory_tool(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId, args: &Value) -> HomeAnswer {
        let Some(live) = self.live.get(&id) else { return HomeAnswer::default() };
        let origin = live.talk.charter.origin;
        let (reviews, user_asked) = match &live.serves {
            Serves::Review(review) => (true, self.reviews.job(*review).is_some_and(|job| job.cause.explicit)),
            Serves::Session(_) | Serves::Delegate(_) | Serves::Curator => (false, false),
        };
        let object = self.object_of(id);
        let own =
            object.and_then(|object| self.objects.get_mut(&object)).and_then(|object| object.memory.as_mut());
        let mut other = None;
        if own.is_none() && reviews && self.rules.review.ignores_memory_switch {
            let mut store = MemoryStore::new(&self.rules.memory);
            // Whatever cannot be read is told by the call itself.
            let _ = store.load(cx.homes.own, &self.rules.memory, &self.rules.threats);
            other = Some(store);
        }
        let store = own.or(other.as_mut());
        let context = MemoryContext {
            files: &mut *cx.homes.own,
            rules: &self.rules.memory,
            threats: &self.rules.threats,
            defence: self.rules.defence,
            at: cx.at,
            origin,
            origin_label: origin.label(),
            user_asked,
            approver: approver(self.plan.approvals),
            draws: self.draws,
        };
        let answer = memory::call(store, args, context);
        self.expect_visible(&answer);
        answer
    }

    /// Applied writes wait for the first prompt that holds them.
    pub(super) fn expect_visible(&mut self, answer: &HomeAnswer) {
        for fact in &answer.facts {
            if let Fact::Write { store, action, target, end: WriteEnd::Applied, after, .. } = fact {
                let of_interest = match store {
                    Store::Skill => &**action == "create",
                    Store::Memory | Store::User => !after.is_empty(),
                };
                if of_interest {
                    let (target, text) = (Arc::clone(target), Arc::clone(after));
                    self.unseen.push(super::prompting::Unseen { store: *store, target, text });
                }
            }
        }
    }
}

fn approver<'a>(approvals: Approvals) -> Approver<'a> {
    match approvals {
        Approvals::Unattended => Approver::Nobody,
        Approvals::Agree => Approver::Says(Answer::Once),
        Approvals::Deny => Approver::Says(Answer::Deny),
    }
}
