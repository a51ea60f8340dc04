//! The store: rows of sessions and messages in memory.
//!
//! Storing a message pushes one row that shares the conversation's texts; nothing is tokenised, serialised or
//! written. SQLite comes in when a search, an export or an import asks for it ([`super::index`]).
//!
//! Invariants: `messages` is in order of [`MessageId`]; a row never moves and is never removed, so places in it stay
//! good; `next_id` is above every id that was ever given out, as with SQLite's `AUTOINCREMENT`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::error::StoreError;
use super::ids::{MessageId, SessionId};
use super::index::Index;
use super::message::{MessageRole, MessageRow, RowState, StoredMessage};
use super::session::{ENDED_BY_COMPRESSION, Markers, Session, SessionRow};
use super::substring::BeyondAscii;
use super::when;
use crate::values::{SimTime, Usage};

/// Sessions and messages of one home (`spec/sessions.md` §1).
#[derive(Debug)]
pub struct SessionStore {
    pub(super) sessions: Vec<Session>,
    places: BTreeMap<SessionId, usize>,
    pub(super) children: BTreeMap<SessionId, Vec<usize>>,
    /// Which session has which title.
    pub(super) titles: BTreeMap<Arc<str>, usize>,
    pub(super) messages: Vec<MessageRow>,
    pub(super) next_id: i64,
    pub(super) index: Index,
    pub(super) beyond_ascii: BeyondAscii,
    /// Set when the store stands in for a database that could not be opened.
    pub(super) unavailable: Option<String>,
}

impl Default for SessionStore {
    fn default() -> Self {
        Self::new()
    }
}

impl SessionStore {
    /// An empty store.
    pub fn new() -> Self {
        Self {
            sessions: Vec::new(),
            places: BTreeMap::new(),
            children: BTreeMap::new(),
            titles: BTreeMap::new(),
            messages: Vec::new(),
            next_id: 1,
            index: Index::default(),
            beyond_ascii: BeyondAscii::default(),
            unavailable: None,
        }
    }

    /// A store for a home whose database could not be opened. It keeps rows, so the run goes on, but every search
    /// answers `db-unavailable` and it is never exported, so the broken file stays as it is.
    pub fn unavailable(why: impl Into<String>) -> Self {
        Self { unavailable: Some(why.into()), ..Self::new() }
    }

    /// Opens a session. If the id exists, only what is still empty is filled; the source stays. A title that cannot
    /// be taken is left out.
    pub fn create_session(&mut self, mut row: SessionRow) {
        let title = row.title.take();
        let id = row.id.clone();
        match self.place(&id) {
            Some(place) => self.fill_session(place, row),
            None => {
                self.insert_session(row);
            }
        }
        if let Some(title) = title {
            // The row stands without it, as it would in the reference, where titles are set apart.
            let _ = self.auto_title(&id, &title);
        }
    }

    fn fill_session(&mut self, place: usize, row: SessionRow) {
        let session = &mut self.sessions[place];
        let had_parent = session.row.parent.is_some();
        session.row.fill_from(row);
        session.markers = Markers::of(&session.row);
        if !had_parent && let Some(parent) = session.row.parent.clone() {
            self.children.entry(parent).or_default().push(place);
        }
    }

    /// Adds a session that is not there yet, its title unset or known to be free.
    pub(super) fn insert_session(&mut self, row: SessionRow) -> usize {
        let place = self.sessions.len();
        self.places.insert(row.id.clone(), place);
        if let Some(parent) = &row.parent {
            self.children.entry(parent.clone()).or_default().push(place);
        }
        if let Some(title) = &row.title {
            self.titles.insert(Arc::clone(title), place);
        }
        self.sessions.push(Session::new(row));
        place
    }

    /// Stores the frozen prompt.
    pub fn set_system_prompt(&mut self, id: &str, prompt: impl Into<Arc<str>>) {
        if let Some(session) = self.session_mut(id) {
            session.row.system_prompt = Some(prompt.into());
        }
    }

    /// Stores a message. A session that was never opened is opened on the spot, with the source `unknown`: a message
    /// is never lost.
    pub fn append(&mut self, session: &str, message: StoredMessage, at: SimTime) -> MessageId {
        let place = self
            .place(session)
            .unwrap_or_else(|| self.insert_session(SessionRow::new(session, "unknown", at)));
        let calls = message.calls.count();
        let row = &mut self.sessions[place].row;
        row.message_count = row.message_count.saturating_add(1);
        row.tool_call_count = row.tool_call_count.saturating_add(calls);
        self.push(place, message, when::epoch(at))
    }

    /// Adds a live row under the next number.
    fn push(&mut self, session: usize, message: StoredMessage, now: f64) -> MessageId {
        let id = MessageId(self.next_id);
        self.push_row(session, id, message, RowState::Live, now);
        id
    }

    /// Adds a row under a number above all others.
    pub(super) fn push_row(
        &mut self,
        session: usize,
        id: MessageId,
        mut message: StoredMessage,
        state: RowState,
        now: f64,
    ) {
        let timestamp = message.timestamp.filter(|time| time.is_finite()).unwrap_or(now);
        message.timestamp = Some(timestamp);
        self.next_id = self.next_id.max(id.0.saturating_add(1));
        let owner = &mut self.sessions[session];
        owner.messages.push(self.messages.len());
        owner.last_message_at = Some(owner.last_message_at.map_or(timestamp, |last| last.max(timestamp)));
        self.messages.push(MessageRow { id, message, state, session });
    }

    /// Ends a session; the first reason stays.
    pub fn end_session(&mut self, id: &str, at: SimTime, reason: &str) {
        if let Some(session) = self.session_mut(id)
            && session.row.ended_at.is_none()
        {
            session.row.ended_at = Some(when::epoch(at));
            session.row.end_reason = Some(reason.into());
        }
    }

    /// Opens an ended session again.
    pub fn reopen(&mut self, id: &str) {
        if let Some(session) = self.session_mut(id) {
            session.row.ended_at = None;
            session.row.end_reason = None;
        }
    }

    /// Puts a session away or takes it back; listings leave out what is put away.
    pub fn set_archived(&mut self, id: &str, archived: bool) {
        if let Some(session) = self.session_mut(id) {
            session.row.archived = archived;
        }
    }

    /// Says what became of a message, for callers that rebuild a store row by row. The counters of its session stay.
    pub fn set_message_state(&mut self, id: MessageId, state: RowState) {
        if let Some(place) = self.message_place(id) {
            self.messages[place].state = state;
        }
    }

    /// Books tokens of a model call.
    pub fn add_usage(&mut self, id: &str, usage: Usage) {
        if let Some(session) = self.session_mut(id) {
            session.book(usage);
        }
    }

    /// Replaces the conversation by a compacted one within the session: live rows become archived, the given
    /// messages live, and the counters are those of the live rows.
    ///
    /// # Errors
    /// No such session.
    pub fn compact_in_place(
        &mut self,
        id: &str,
        messages: impl IntoIterator<Item = StoredMessage>,
        at: SimTime,
    ) -> Result<Vec<MessageId>, StoreError> {
        let place = self.known(id)?;
        for &row in &self.sessions[place].messages {
            let row = &mut self.messages[row];
            if row.state == RowState::Live {
                row.state = RowState::Archived;
            }
        }
        let row = &mut self.sessions[place].row;
        (row.message_count, row.tool_call_count) = (0, 0);
        Ok(messages.into_iter().map(|message| self.append(id, message, at)).collect())
    }

    /// Replaces the conversation by a compacted one in a child session: the parent ends with `compression`, the
    /// child takes the next title of the lineage and the parent's place, and holds the given messages.
    ///
    /// # Errors
    /// No such parent.
    pub fn rotate(
        &mut self,
        parent: &str,
        mut child: SessionRow,
        messages: impl IntoIterator<Item = StoredMessage>,
        at: SimTime,
    ) -> Result<Vec<MessageId>, StoreError> {
        let place = self.known(parent)?;
        self.end_session(parent, at, ENDED_BY_COMPRESSION);
        let row = &self.sessions[place].row;
        child.parent = Some(row.id.clone());
        child.title = row.title.clone().map(|title| self.next_title(&title).into());
        let id = child.id.clone();
        self.create_session(child);
        Ok(messages.into_iter().map(|message| self.append(&id, message, at)).collect())
    }

    /// Takes a user's message and everything after it back. Returns the number of rows that were live until now.
    ///
    /// # Errors
    /// No such session, no such message in it, or not a user's message.
    pub fn rewind(&mut self, id: &str, to: MessageId) -> Result<usize, StoreError> {
        let place = self.known(id)?;
        let target =
            self.message_place(to).filter(|&row| self.messages[row].session == place).ok_or_else(|| {
                StoreError::UnknownMessage { session: self.sessions[place].row.id.clone(), message: to }
            })?;
        if self.messages[target].message.role != MessageRole::User {
            return Err(StoreError::NotUserMessage { message: to });
        }
        let session = &mut self.sessions[place];
        session.row.rewind_count = session.row.rewind_count.saturating_add(1);
        let first = session.messages.partition_point(|&row| row < target);
        let mut taken = 0;
        for &row in &session.messages[first..] {
            let row = &mut self.messages[row];
            if row.state == RowState::Live {
                row.state = RowState::Rewound;
                taken += 1;
            }
        }
        Ok(taken)
    }

    /// The conversation: live messages in order.
    pub fn history<'a>(&'a self, id: &str) -> impl DoubleEndedIterator<Item = &'a MessageRow> + use<'a> {
        self.rows_of(id).filter(|row| row.state == RowState::Live)
    }

    /// All messages of a session in order, whatever became of them.
    pub fn rows_of<'a>(&'a self, id: &str) -> impl DoubleEndedIterator<Item = &'a MessageRow> + use<'a> {
        let places = self.place(id).map_or(&[][..], |place| &self.sessions[place].messages);
        places.iter().map(|&row| &self.messages[row])
    }

    /// The row of a session.
    pub fn session(&self, id: &str) -> Option<&SessionRow> {
        self.place(id).map(|place| &self.sessions[place].row)
    }

    /// All sessions in order of opening.
    pub fn sessions(&self) -> impl Iterator<Item = &SessionRow> {
        self.sessions.iter().map(|session| &session.row)
    }

    /// A message by its number.
    pub fn message(&self, id: MessageId) -> Option<&MessageRow> {
        self.message_place(id).map(|row| &self.messages[row])
    }

    /// Number of messages of all sessions, whatever became of them.
    pub fn message_count(&self) -> usize {
        self.messages.len()
    }

    /// The session of a message.
    pub(super) fn owner(&self, row: &MessageRow) -> &SessionRow {
        &self.sessions[row.session].row
    }

    pub(super) fn place(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    pub(super) fn known(&self, id: &str) -> Result<usize, StoreError> {
        self.place(id).ok_or_else(|| StoreError::UnknownSession { id: id.into() })
    }

    pub(super) fn message_place(&self, id: MessageId) -> Option<usize> {
        // Ids without gaps are the rule; only imported stores have others.
        let guess = usize::try_from(id.0.saturating_sub(1)).ok()?;
        if self.messages.get(guess).is_some_and(|row| row.id == id) {
            return Some(guess);
        }
        self.messages.binary_search_by_key(&id, |row| row.id).ok()
    }

    fn session_mut(&mut self, id: &str) -> Option<&mut Session> {
        self.place(id).map(|place| &mut self.sessions[place])
    }
}
