//! Sessions that were held before the start. They are stored for searches to find; nothing of them is simulated.

use std::sync::Arc;

use mock_llm::decode::{Decoder, MapReader};
use mock_llm::yaml::Node;

use super::model::{PastMessage, PastSession};
use super::names::is_name;
use super::times::span;

/// The keys of a past session and of one of its messages.
pub(super) const PAST: &[&str] =
    &["session", "ago", "user", "profile", "source", "title", "parent", "branch", "ended", "messages"];
pub(super) const MESSAGE: &[&str] = &["user", "agent", "picture", "rewound"];

/// Where a past session came from that does not say it.
const SOURCE: &str = "cli";

/// Why a past session ended that does not say it.
const ENDED: &str = "done";

/// All past sessions, in the order in which they are stored.
pub(super) fn past(d: &Decoder, node: &Node, users: &[Arc<str>]) -> Option<Vec<PastSession>> {
    let mut sessions: Vec<PastSession> = Vec::new();
    for node in d.items(node, "a list of past sessions")? {
        let Some(session) = session(d, node, users, &sessions) else { continue };
        sessions.push(session);
    }
    Some(sessions)
}

fn session(d: &Decoder, node: &Node, users: &[Arc<str>], before: &[PastSession]) -> Option<PastSession> {
    let map = d.map(node, "a past session", PAST)?;
    let id = map.required("session", |d, node| name(d, node, "a session"));
    let ago = map.required("ago", span);
    let user = map.optional("user", |d, node| {
        let name = d.word(node)?;
        let found = users.iter().position(|user| **user == *name);
        if found.is_none() {
            d.unknown(node, "user", users.iter().map(|user| &**user));
        }
        found
    });
    let profile: Option<Arc<str>> = map.optional("profile", |d, node| name(d, node, "a profile"));
    let same =
        |other: &&PastSession| other.profile == profile && (other.user == user || other.user.is_none());
    let parent = map.optional("parent", |d, node| {
        let parent = d.word(node)?;
        let known: Vec<&str> = before.iter().filter(same).map(|session| &*session.id).collect();
        if !known.contains(&parent) {
            d.unknown(node, "past session above this one", known.iter().copied());
        }
        Some(Arc::from(parent))
    });
    if let (Some(id), Some(span)) = (&id, map.take("session").map(|node| node.span))
        && before.iter().filter(same).any(|session| session.id == *id)
    {
        d.error(span, format!("a second past session `{id}`"));
    }
    let messages = map.required("messages", |d, node| d.list(node, "a list of messages", message));
    let word = |key: &str| map.optional(key, Decoder::word).map(Arc::from);
    Some(PastSession {
        id: id?,
        user,
        profile,
        ago: ago?,
        source: word("source").unwrap_or_else(|| SOURCE.into()),
        title: word("title"),
        parent,
        branch: map.or("branch", false, Decoder::bool),
        ended: Some(word("ended").unwrap_or_else(|| ENDED.into())).filter(|ended| &**ended != "open"),
        messages: messages?,
    })
}

fn name(d: &Decoder, node: &Node, what: &str) -> Option<Arc<str>> {
    let name = d.word(node)?;
    is_name(d, name, node.span, what).then(|| name.into())
}

/// `{ user: …, picture: shot.png, rewound: true }` or `{ agent: … }`.
fn message(d: &Decoder, node: &Node) -> Option<PastMessage> {
    let map: MapReader<'_, '_> = d.map(node, "a message", MESSAGE)?;
    let (by, text) = map.one_of(&["user", "agent"])?;
    let text = d.text(text);
    let picture = map.optional("picture", Decoder::word).map(Arc::from);
    let rewound = map.or("rewound", false, Decoder::bool);
    Some(PastMessage { by_user: by == "user", text: text?.into(), picture, rewound })
}
