//! Sessions of the user: how they are opened, resumed and closed (`spec/nudges.md` §3). Their turns are in `turn.rs`.
//!
//! A session keeps its conversation and its frozen prompt for good; what changes from opening to opening is the agent
//! object that serves it.

use std::collections::VecDeque;
use std::sync::Arc;

use super::agent::{Agent, Cx, KEPT, Object, ObjectId, Serves};
use super::charter::{Allowed, Charter, Compresses};
use super::turn::{Incoming, PendingTurn, TurnBook};
use crate::sessions::StoredMessage;
use crate::values::{AgentObject, ConversationId, Fact, Message, Role, SessionName, Transcript, WriteOrigin};

/// One session of the user.
#[derive(Debug)]
pub(super) struct Session {
    /// The id under which it is stored.
    pub(super) id: Option<crate::sessions::SessionId>,
    /// The agent object that serves it.
    pub(super) object: ObjectId,
    /// How it is opened next.
    planned: AgentObject,
    history: Vec<Message>,
    /// An interrupt came before its first turn.
    pub(super) interrupted: bool,
    pub(super) source: Arc<str>,
    /// Set once it was opened.
    pub(super) conversation: Option<ConversationId>,
    pub(super) open: bool,
    /// The turn in progress.
    pub(super) book: TurnBook,
    /// A turn that waits for a cancelled review.
    pub(super) pending: Option<PendingTurn>,
    /// Messages that arrived while a turn was in progress.
    pub(super) queue: VecDeque<Incoming>,
    /// Reviews that the user asked for while a turn was in progress, by their focus.
    pub(super) refines: Vec<String>,
    /// Messages that reviews stored with it and that its next turn will find (a fault).
    pub(super) leaked: Vec<Arc<Message>>,
}

impl Default for Session {
    fn default() -> Self {
        Self {
            id: None,
            object: KEPT,
            planned: AgentObject::Fresh,
            history: Vec::new(),
            interrupted: false,
            source: "cli".into(),
            conversation: None,
            open: false,
            book: TurnBook::default(),
            pending: None,
            queue: VecDeque::new(),
            refines: Vec::new(),
            leaked: Vec::new(),
        }
    }
}

impl Agent {
    /// Says how a session will be opened.
    pub(super) fn plan_session(
        &mut self,
        name: &SessionName,
        object: AgentObject,
        source: Arc<str>,
        history: Vec<Message>,
    ) {
        let session = self.sessions.entry(name.clone()).or_default();
        session.planned = object;
        session.source = source;
        session.history = history;
    }

    /// Lets a session go on with a stored one that its process has held open since before.
    pub(super) fn hold_session(&mut self, cx: &mut Cx<'_, '_>, name: &SessionName, stored: &str) {
        let Some(id) = cx.homes.sessions.session(stored).map(|row| row.id.clone()) else {
            let text = format!("There is no stored session {stored} to go on with.");
            return Self::note_of_home(cx, Fact::Notice { text: text.into() });
        };
        let history = cx.homes.sessions.history(stored).map(|row| row.message.to_message()).collect();
        let session = self.sessions.entry(name.clone()).or_default();
        session.id = Some(id);
        session.history = history;
    }

    /// Opens a session or resumes a closed one.
    pub(super) fn open_session(&mut self, cx: &mut Cx<'_, '_>, name: &SessionName) {
        let planned = self.sessions.entry(name.clone()).or_default().planned;
        let object = match planned {
            AgentObject::Fresh => self.numbers.object(),
            AgentObject::Kept => KEPT,
        };
        self.objects.entry(object).or_default().nudges.new_session();
        self.load_memory(cx, object);
        self.audit_if_due(cx);
        let id = match self.sessions[name].conversation {
            Some(id) => {
                self.reopen_stored(cx, name);
                id
            }
            None => self.new_conversation_of(cx, name, object),
        };
        let session = self.sessions.get_mut(name).expect("just made");
        let former = std::mem::replace(&mut session.object, object);
        session.conversation = Some(id);
        session.open = true;
        if former != object {
            self.forget_object(former);
        }
        self.announce_session(cx, name, id, planned);
    }

    /// Makes the conversation of a new session under a freshly built prompt.
    fn new_conversation_of(
        &mut self,
        cx: &mut Cx<'_, '_>,
        name: &SessionName,
        object: ObjectId,
    ) -> ConversationId {
        let tools = self.session_tools();
        let source = Arc::clone(&self.sessions[name].source);
        let held = self.sessions[name].id.clone();
        let is_new = held.is_none();
        let session_id = held.unwrap_or_else(|| self.create_stored_session(cx, name, &source));
        let built = self.build_prompt(cx, object, &tools);
        Self::store_prompt(cx, &session_id, &built.text);
        let charter = Charter {
            role: Role::Main,
            system: Arc::clone(&built.text),
            tools,
            allowed: Allowed::Offered,
            refusal_lists_allowed: true,
            iterations_max: self.loop_rules.max_iterations,
            input_budget: None,
            origin: WriteOrigin::Foreground,
            persists: true,
            compresses: Compresses::Yes,
            nudges: true,
            hooks: self.plan.hooks.clone().into(),
            delegates_max: self.rules.delegation.children_max,
            rules: Arc::clone(&self.loop_rules),
            texts: Arc::clone(&self.texts),
        };
        let history = self.sessions.get_mut(name).map(|session| std::mem::take(&mut session.history));
        let transcript: Transcript = history.unwrap_or_default().into_iter().collect();
        for message in transcript.iter().filter(|_| is_new) {
            cx.homes.sessions.append(session_id.as_str(), StoredMessage::from(&**message), cx.at);
        }
        let id = self.add_live(charter, transcript, Serves::Session(name.clone()));
        let session = self.sessions.get_mut(name).expect("known");
        session.id = Some(session_id);
        self.prompts_built.insert(id, built);
        id
    }

    fn announce_session(
        &mut self,
        cx: &mut Cx<'_, '_>,
        name: &SessionName,
        id: ConversationId,
        agent: AgentObject,
    ) {
        let Some(built) = self.prompts_built.get(&id).cloned() else { return };
        debug_assert!(self.sessions.contains_key(name));
        self.note(
            cx,
            id,
            Fact::SessionStart {
                agent,
                prompt: Arc::clone(&built.text),
                parts: built.parts.clone(),
                skills: built.skills.clone(),
                index: built.index,
            },
        );
        self.note_visible(cx, id, &built);
    }

    /// The user closes a session. Children in the background work on; what they find out comes too late then.
    pub(super) fn close_session(&mut self, cx: &mut Cx<'_, '_>, name: &SessionName, reason: &Arc<str>) {
        let Some(session) = self.sessions.get_mut(name).filter(|session| session.open) else { return };
        session.open = false;
        let (id, stored, object) = (session.conversation, session.id.clone(), session.object);
        if let Some(stored) = stored {
            Self::end_stored_session(cx, &stored, reason);
        }
        if let Some(id) = id {
            self.note(cx, id, Fact::SessionEnd { reason: Arc::clone(reason) });
        }
        self.forget_object(object);
    }

    /// The process ends, and with it its agent objects: reviews and children in flight die, waiting reviews are lost.
    /// What they wrote stays. Sessions that are idle are opened anew by their next message; one with a turn in
    /// progress belongs to another process.
    pub(super) fn process_exit(&mut self, cx: &mut Cx<'_, '_>) {
        self.reviews_die(cx);
        self.children_die(cx);
        let idle: Vec<SessionName> =
            self.sessions.keys().filter(|name| !self.is_busy(name)).cloned().collect();
        for name in idle {
            let session = self.sessions.get_mut(&name).expect("just listed");
            session.open = false;
            let object = std::mem::replace(&mut session.object, KEPT);
            self.forget_object(object);
        }
        // What the process kept of the index dies with it; the next one looks at snapshot and files.
        self.index.new_process();
        let kept_in_use = self.sessions.values().any(|session| session.object == KEPT && session.open);
        if !kept_in_use {
            self.objects.remove(&KEPT);
        }
    }

    /// Forgets an agent object that nothing uses any more. The kept object lives as long as its process.
    pub(super) fn forget_object(&mut self, object: ObjectId) {
        let in_session =
            self.sessions.iter().any(|(name, one)| one.object == object && (one.open || self.is_busy(name)));
        let in_child = self.live.values().any(|live| match &live.serves {
            Serves::Delegate(kin) => kin.object == object,
            Serves::Session(_) | Serves::Review(_) | Serves::Curator => false,
        });
        if object != KEPT && !in_session && !in_child && !self.reviews.uses(object) {
            self.objects.remove(&object);
        }
    }

    /// Makes sure that an object is there, and gives it.
    pub(super) fn object_mut(&mut self, object: ObjectId) -> &mut Object {
        self.objects.entry(object).or_default()
    }
}
