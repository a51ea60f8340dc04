//! Sessions and messages as the session store keeps them (`spec/sessions.md` §1).

use std::sync::Arc;

use super::agent::{Agent, Cx, Serves};
use super::ending::is_scaffold;
use crate::sessions::{SessionId, SessionRow, StoredMessage};
use crate::values::{ConversationId, Message, SessionName};

/// Hexadecimal digits of a session id: a gateway's ids have more of them (`spec/sessions.md` §1.1).
pub(super) const ID_DIGITS: usize = 6;
const ID_DIGITS_GATEWAY: usize = 8;

impl Agent {
    /// Opens the row of a new session.
    pub(super) fn create_stored_session(
        &mut self,
        cx: &mut Cx<'_, '_>,
        name: &SessionName,
        source: &Arc<str>,
    ) -> SessionId {
        let digits = if &**source == "cli" { ID_DIGITS } else { ID_DIGITS_GATEWAY };
        let hex = self.draws.hex(digits, &["session", &self.plan.user, name.as_str()]);
        let id = SessionId::of_start(cx.at, 0, &hex);
        let mut row = SessionRow::new(id.clone(), Arc::clone(source), cx.at);
        row.model = Some(Arc::clone(&self.plan.model));
        row.cwd = Some(super::prompting::WORKSPACE.into());
        cx.homes.sessions.create_session(row);
        id
    }

    pub(super) fn store_prompt(cx: &mut Cx<'_, '_>, id: &SessionId, prompt: &Arc<str>) {
        cx.homes.sessions.set_system_prompt(id.as_str(), Arc::clone(prompt));
    }

    pub(super) fn end_stored_session(cx: &mut Cx<'_, '_>, id: &SessionId, reason: &str) {
        cx.homes.sessions.end_session(id.as_str(), cx.at, reason);
    }

    /// A closed session goes on under its row.
    pub(super) fn reopen_stored(&self, cx: &mut Cx<'_, '_>, name: &SessionName) {
        if let Some(stored) = self.sessions.get(name).and_then(|session| session.id.as_ref()) {
            cx.homes.sessions.reopen(stored.as_str());
        }
    }

    /// Stores a message of a session or a child. What only kept the loop going is never stored: the finaliser strips
    /// it. A review's messages are stored only by a fault.
    pub(super) fn store_message(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId, message: &Arc<Message>) {
        let Some(live) = self.live.get(&id) else { return };
        let leaks = self.rules.review.leaks && matches!(live.serves, Serves::Review(_));
        if is_scaffold(message) || !(live.talk.charter.persists || leaks) {
            return;
        }
        if let Some(stored) = self.stored_of(id) {
            cx.homes.sessions.append(stored.as_str(), StoredMessage::from(&**message), cx.at);
        }
    }
}
