//! Requests of one call beside a conversation's own: the summary that compresses it, summaries of search results, a
//! session's title. They have no tools and no history.

use std::sync::Arc;

use serde_json::Value;

use super::agent::{Agent, Cx, InFlight, Purpose, Serves, Timer};
use super::conversation::CallPlace;
use super::dispatch::CallAnswer;
use super::drive::HOME_TOOL;
use super::event::Wish;
use super::request::{ModelOutcome, ModelRequest};
use crate::prompt;
use crate::sessions::{self, Caller, SearchCall, SearchContext, SearchPlan};
use crate::values::{
    ConversationId, Fact, HomeAnswer, Message, Place, Role, SessionName, SimDuration, Synthetic, Tokens,
};

/// A search whose results are being summarised.
#[derive(Debug)]
pub(super) struct Searching {
    pub(super) conversation: ConversationId,
    place: CallPlace,
    plan: SearchPlan,
    summaries: Vec<Option<String>>,
    outstanding: usize,
}

impl Agent {
    /// Sends one request without tools.
    pub(super) fn ask_once(
        &mut self,
        cx: &mut Cx<'_, '_>,
        id: ConversationId,
        role: Role,
        instruction: Arc<str>,
        purpose: Purpose,
    ) {
        let call = self.numbers.call();
        let message = Message::client(instruction, Synthetic::Instruction);
        let request = ModelRequest {
            role,
            model: Arc::clone(&self.plan.model),
            system: "".into(),
            tools: Arc::clone(&self.no_tools),
            messages: [message].into_iter().collect(),
            max_tokens: None,
            cached: Tokens(0),
            retry: 0,
        };
        let place = Place { role, ..self.place(id) };
        self.calls.insert(call, InFlight { place: place.clone(), cached: Tokens(0), purpose });
        Self::note_at(cx, place, Fact::ModelCall { call, attempt: 1, messages: 1, shared: Tokens(0) });
        let timeout = SimDuration::from_secs(self.rules.compression.timeout_secs);
        cx.wishes.push(Wish::CallModel { call, conversation: id, request, timeout });
    }

    /// A request of one call ended.
    pub(super) fn once_done(
        &mut self,
        cx: &mut Cx<'_, '_>,
        id: ConversationId,
        purpose: Purpose,
        outcome: ModelOutcome,
    ) {
        match purpose {
            Purpose::Loop => {}
            Purpose::Compression => self.summary_done(cx, id, outcome),
            Purpose::SearchSummary { search, group } => self.search_summary_done(cx, search, group, outcome),
            Purpose::Title => self.title_done(cx, id, &outcome),
        }
    }

    /// `session_search`: answered at once, or after one summary a group.
    pub(super) fn search_tool(
        &mut self,
        cx: &mut Cx<'_, '_>,
        id: ConversationId,
        place: CallPlace,
        args: &Value,
    ) -> Option<HomeAnswer> {
        let session = match &self.live.get(&id)?.serves {
            Serves::Session(name) => self.sessions.get(name).and_then(|session| session.id.clone()),
            Serves::Delegate(kin) => kin.stored.clone(),
            Serves::Review(_) | Serves::Curator => None,
        };
        let context = SearchContext {
            current_session: session.as_ref().map(sessions::SessionId::as_str),
            rules: &self.rules.sessions,
            utc_offset_secs: 0,
            caller: Caller::Loop,
            profiles: Some(self.profiles.open(cx.homes.own)),
        };
        let plan = match sessions::begin(cx.homes.sessions, args, context) {
            SearchCall::Done(answer) => return Some(answer),
            SearchCall::Summarise(plan) if plan.groups.is_empty() => {
                return Some(sessions::finish_search(&plan, Vec::new()));
            }
            SearchCall::Summarise(plan) => plan,
        };
        self.searches += 1;
        let search = self.searches;
        for group in 0..plan.groups.len() {
            let instruction = prompt::summary_instruction(&plan.request(group), &self.texts_library);
            self.ask_once(cx, id, Role::Summary, instruction, Purpose::SearchSummary { search, group });
        }
        let outstanding = plan.groups.len();
        let summaries = vec![None; outstanding];
        let searching = Searching { conversation: id, place, plan, summaries, outstanding };
        self.searching.insert(search, searching);
        None
    }

    /// A failed summary leaves its place to the raw preview.
    fn search_summary_done(&mut self, cx: &mut Cx<'_, '_>, search: u64, group: usize, outcome: ModelOutcome) {
        let Some(searching) = self.searching.get_mut(&search) else { return };
        searching.outstanding -= 1;
        if let ModelOutcome::Reply(reply) = outcome
            && !reply.text.visible.trim().is_empty()
        {
            searching.summaries[group] = Some(reply.text.visible.to_string());
        }
        if searching.outstanding > 0 {
            return;
        }
        let searching = self.searching.remove(&search).expect("looked up above");
        let answer = sessions::finish_search(&searching.plan, searching.summaries);
        let (conversation, place) = (searching.conversation, searching.place);
        let answer = CallAnswer::of_home(answer);
        self.set_timer(cx, cx.at + HOME_TOOL, Timer::HomeAnswer { conversation, place, answer });
    }

    /// Asks for a session's title after its first exchange, if a key turned that on.
    pub(super) fn ask_title(
        &mut self,
        cx: &mut Cx<'_, '_>,
        name: &SessionName,
        id: ConversationId,
        answer: &str,
    ) {
        let is_first = self.live.get(&id).is_some_and(|live| live.talk.turn == 1);
        if !self.loop_rules.titles || !is_first {
            return;
        }
        debug_assert!(self.sessions.contains_key(name));
        let Some(live) = self.live.get(&id) else { return };
        let user =
            live.talk.transcript.iter().find(|message| message.is_real_user()).map(|first| first.text());
        let instruction = prompt::title_instruction(user.unwrap_or(""), answer, &self.texts_library);
        self.ask_once(cx, id, Role::Title, instruction, Purpose::Title);
    }

    /// A title that cannot be taken is left out; the session stays without one.
    fn title_done(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId, outcome: &ModelOutcome) {
        let ModelOutcome::Reply(reply) = outcome else { return };
        let stored = self.session_of(id).and_then(|name| self.sessions.get(name)?.id.clone());
        let Some(stored) = stored else { return };
        if let Err(error) = cx.homes.sessions.auto_title(stored.as_str(), &reply.text.visible) {
            self.note(cx, id, Fact::Notice { text: error.to_string().into() });
        }
    }
}
