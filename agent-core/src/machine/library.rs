//! The skill library as the machine uses it: its tools, loads by other routes, approvals, pins.

use std::sync::Arc;

use serde_json::Value;

use super::agent::{Agent, Cx, Serves};
use crate::memory::Which;
use crate::skills::usage::UsedBy;
use crate::skills::{self, Batch, Library, SkillContext};
use crate::values::{ConversationId, Fact, HomeAnswer, LoadRoute, Role, SessionName, WriteEnd, WriteOrigin};

/// Who acts on the library, and how.
#[derive(Clone, Copy, Debug)]
struct Actor {
    conversation: Option<ConversationId>,
    origin: WriteOrigin,
    label: &'static str,
    route: LoadRoute,
    batch: Batch,
}

impl Actor {
    /// The user, outside of a turn.
    const USER: Self = Self {
        conversation: None,
        origin: WriteOrigin::Foreground,
        label: "foreground",
        route: LoadRoute::User,
        batch: Batch::Alone,
    };
}

impl Agent {
    /// Runs one of the skill tools for a conversation.
    pub(super) fn skill_tool(
        &mut self,
        cx: &mut Cx<'_, '_>,
        id: ConversationId,
        tool: &str,
        args: &Value,
        parallel: bool,
    ) -> HomeAnswer {
        let Some(actor) = self.actor(id, parallel) else { return HomeAnswer::default() };
        // A pass has rules of its own for changes.
        let mut pass = self.curating.remove(&id);
        let answer = self.with_skills(cx, actor, |context| match (tool, &mut pass) {
            ("skill_manage", Some(pass)) => pass.manage(context, args),
            ("skill_manage", None) => skills::manage(context, args),
            ("skill_view", _) => skills::view(context, args),
            _ => skills::list(context, args),
        });
        self.curating.extend(pass.map(|pass| (id, pass)));
        self.library_changed(cx, &answer.facts);
        self.expect_visible(&answer);
        answer
    }

    fn actor(&self, id: ConversationId, parallel: bool) -> Option<Actor> {
        let charter = &self.live.get(&id)?.talk.charter;
        let route = match charter.role {
            Role::Review => LoadRoute::Review,
            Role::Curator => LoadRoute::Curator,
            _ => LoadRoute::Index,
        };
        Some(Actor {
            conversation: Some(id),
            origin: charter.origin,
            label: charter.origin.label(),
            route,
            batch: if parallel { Batch::Parallel } else { Batch::Alone },
        })
    }

    fn with_skills<R>(
        &mut self,
        cx: &mut Cx<'_, '_>,
        actor: Actor,
        act: impl FnOnce(&mut SkillContext<'_, '_>) -> R,
    ) -> R {
        let live = actor.conversation.and_then(|id| self.live.get_mut(&id));
        let mut marks = live.map(|live| std::mem::take(&mut live.marks)).unwrap_or_default();
        let session = actor.conversation.and_then(|id| self.session_of(id)).cloned();
        let stored = session.as_ref().and_then(|name| self.sessions.get(name)).and_then(|one| one.id.clone());
        let shown = session
            .as_ref()
            .and_then(|name| self.sessions.get(name)?.conversation)
            .and_then(|id| self.prompts_built.get(&id))
            .map(|built| Arc::clone(&built.skills));
        let listed =
            |name: &str| shown.as_ref().is_some_and(|shown| shown.iter().any(|(one, _)| **one == *name));
        let mut library = Library::open(cx.homes.own, &mut cx.homes.shared, &self.rules.skills);
        let mut context = SkillContext {
            library: &mut library,
            state: &mut self.library,
            behaviour: &self.rules,
            marks: &mut marks,
            draws: self.draws,
            at: cx.at,
            origin: actor.origin,
            origin_label: actor.label,
            batch: actor.batch,
            route: actor.route,
            listed: &listed,
            session: stored.as_ref().map(crate::sessions::SessionId::as_str),
            platform: Some(&self.plan.platform),
        };
        let result = act(&mut context);
        if let Some(live) = actor.conversation.and_then(|id| self.live.get_mut(&id)) {
            live.marks = marks;
        }
        result
    }

    /// Runs an action on the library for the user, outside of a turn.
    pub(super) fn as_user<R>(
        &mut self,
        cx: &mut Cx<'_, '_>,
        act: impl FnOnce(&mut SkillContext<'_, '_>) -> R,
    ) -> R {
        self.with_skills(cx, Actor::USER, act)
    }

    /// The session that a conversation belongs to or was caused by.
    pub(super) fn session_of(&self, id: ConversationId) -> Option<&SessionName> {
        match &self.live.get(&id)?.serves {
            Serves::Session(name) => Some(name),
            Serves::Review(review) => self.reviews.job(*review).map(|job| &job.session),
            Serves::Curator => None,
            Serves::Delegate(kin) => kin.session.as_ref(),
        }
    }

    /// An applied write to the library: the index looks at the files again.
    pub(super) fn library_changed(&mut self, cx: &mut Cx<'_, '_>, facts: &[Fact]) {
        let changed = facts.iter().any(|fact| match fact {
            Fact::Write { end, .. } => *end == WriteEnd::Applied,
            Fact::Skill { .. } => true,
            _ => false,
        });
        if changed {
            self.index.skill_written(cx.homes.own);
        }
    }

    /// `read_file` on the agent's own home: reading only, and where the rules say so it counts as having read a skill.
    pub(super) fn read_home_file(
        &mut self,
        cx: &mut Cx<'_, '_>,
        id: ConversationId,
        args: &serde_json::Map<String, Value>,
    ) -> Option<HomeAnswer> {
        let path = args.get("path").and_then(Value::as_str)?;
        let rest = path.strip_prefix(cx.homes.own.root().trim_end_matches('/'))?;
        if !rest.starts_with('/') {
            return None;
        }
        let answer = crate::workspace::read_file(args, cx.homes.own);
        let whole = !args.contains_key("offset") && !args.contains_key("limit");
        if answer.kind.is_none()
            && whole
            && let Some(actor) = self.actor(id, false)
        {
            self.with_skills(cx, actor, |context| skills::mark_read_file(context, path));
        }
        Some(answer)
    }

    /// A skill is loaded by the user's word or by a scheduled job.
    pub(super) fn load_skill(
        &mut self,
        cx: &mut Cx<'_, '_>,
        skill: &str,
        session: Option<&SessionName>,
        by_job: bool,
    ) {
        let by = if by_job { UsedBy::Job } else { UsedBy::User };
        let conversation = session.and_then(|name| self.sessions.get(name)?.conversation);
        let actor = Actor { conversation, ..Actor::USER };
        let answer = self.with_skills(cx, actor, |context| skills::load(context, skill, by));
        self.note_answer(cx, conversation, answer);
    }

    pub(super) fn approve_skills(&mut self, cx: &mut Cx<'_, '_>, which: &str) {
        let answer =
            self.with_skills(cx, Actor::USER, |context| skills::approve(context, Which::parse(which)));
        self.library_changed(cx, &answer.facts);
        for fact in answer.facts {
            Self::note_of_home(cx, fact);
        }
        Self::note_of_home(cx, Fact::Notice { text: answer.text.into() });
    }

    pub(super) fn reject_skills(cx: &mut Cx<'_, '_>, which: &str) {
        let answer = skills::reject(cx.homes.own, Which::parse(which));
        Self::note_of_home(cx, Fact::Notice { text: answer.text.into() });
    }

    fn note_answer(&mut self, cx: &mut Cx<'_, '_>, id: Option<ConversationId>, answer: HomeAnswer) {
        self.library_changed(cx, &answer.facts);
        if answer.kind.is_some() {
            Self::note_of_home(cx, Fact::Notice { text: answer.text.into() });
        }
        for fact in answer.facts {
            match id {
                Some(id) => self.note(cx, id, fact),
                None => Self::note_of_home(cx, fact),
            }
        }
    }
}
