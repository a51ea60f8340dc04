//! The names by which the scripted model tells conversations apart: `user/session#turn[/review n]`.
//!
//! A key holds neither the arm nor a number that other settings would move, so that a draw keyed by it is the same in
//! every arm: the random numbers are common, and comparisons are paired.

use std::collections::BTreeMap;
use std::sync::Arc;

use agent_core::values::{ConversationId, Place, Role, SessionName};

/// The keys of one user's conversations.
#[derive(Debug)]
pub(crate) struct Keys {
    user: Arc<str>,
    known: BTreeMap<ConversationId, Known>,
    ordinals: BTreeMap<(Option<SessionName>, u32, Role), u32>,
}

#[derive(Debug)]
struct Known {
    turn: u32,
    key: Arc<str>,
}

impl Keys {
    /// No conversation yet.
    pub(crate) fn new(user: &Arc<str>) -> Self {
        Self { user: Arc::clone(user), known: BTreeMap::new(), ordinals: BTreeMap::new() }
    }

    /// Learns from a note what a conversation is. A session's own conversation has a new key each turn; the others
    /// keep the one of the turn that caused them.
    pub(crate) fn learn(&mut self, place: &Place) {
        if let Some(known) = self.known.get(&place.conversation)
            && (place.role != Role::Main || known.turn == place.turn)
        {
            return;
        }
        let key = self.make(place);
        self.known.insert(place.conversation, Known { turn: place.turn, key });
    }

    /// The key of a conversation.
    pub(crate) fn of(&self, conversation: ConversationId) -> Arc<str> {
        match self.known.get(&conversation) {
            Some(known) => Arc::clone(&known.key),
            None => format!("{}/conversation {conversation}", self.user).into(),
        }
    }

    fn make(&mut self, place: &Place) -> Arc<str> {
        let base = match &place.session {
            Some(session) => format!("{}/{session}#{}", self.user, place.turn),
            None => self.user.to_string(),
        };
        if place.role == Role::Main {
            return base.into();
        }
        let ordinal = self.ordinals.entry((place.session.clone(), place.turn, place.role)).or_default();
        *ordinal += 1;
        format!("{base}/{} {ordinal}", place.role.as_str()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_has_a_key_a_turn_and_a_review_the_key_of_its_cause() {
        let mut keys = Keys::new(&"ana".into());
        let place = |conversation, role, turn| Place {
            session: Some(SessionName::new("flask")),
            conversation: ConversationId(conversation),
            role,
            turn,
            iteration: 0,
        };
        for (conversation, role, turn, key) in [
            (1, Role::Main, 1, "ana/flask#1"),
            (2, Role::Review, 1, "ana/flask#1/review 1"),
            (1, Role::Main, 2, "ana/flask#2"),
            (2, Role::Review, 2, "ana/flask#1/review 1"),
            (3, Role::Review, 1, "ana/flask#1/review 2"),
        ] {
            keys.learn(&place(conversation, role, turn));
            assert_eq!(&*keys.of(ConversationId(conversation)), key);
        }
        keys.learn(&Place { session: None, ..place(4, Role::Curator, 0) });
        assert_eq!(&*keys.of(ConversationId(4)), "ana/curator 1");
    }
}
