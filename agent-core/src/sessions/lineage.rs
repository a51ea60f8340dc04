//! Which sessions belong together (`spec/sessions.md` §1.5).

use std::collections::BTreeSet;

use super::ids::SessionId;
use super::session::{ENDED_BY_BRANCH, ENDED_BY_COMPRESSION, SOURCE_TOOL, Session};
use super::store::SessionStore;
use crate::behaviour::{Continuation, SessionRules};

/// How many continuations are followed forwards.
const CHAIN_MAX: usize = 100;

impl SessionStore {
    /// The root of a session's lineage: its parents are followed until there is none, one is missing (whose id is
    /// the root then), or one comes again. Why a child exists does not matter.
    pub fn lineage_root(&self, id: &str) -> SessionId {
        let mut seen = BTreeSet::new();
        let mut current = SessionId::from(id);
        while seen.insert(current.clone()) {
            match self.session(&current).and_then(|row| row.parent.clone()) {
                Some(parent) if !parent.is_empty() => current = parent,
                _ => break,
            }
        }
        current
    }

    /// The newest session of a compressed conversation: while the current one ended with `compression`, the best
    /// child that continues it. An unknown id is returned as it is.
    pub fn compression_tip(&self, id: &str, rules: &SessionRules) -> SessionId {
        let Some(mut current) = self.place(id) else { return id.into() };
        for _ in 0..CHAIN_MAX {
            match self.best_continuation(current, rules.continuation) {
                Some(child) => current = child,
                None => break,
            }
        }
        self.sessions[current].row.id.clone()
    }

    /// Whether a session is, by compression, an ancestor of another.
    pub(super) fn is_compression_ancestor(&self, ancestor: usize, of: usize) -> bool {
        let mut current = of;
        for _ in 0..CHAIN_MAX {
            let session = &self.sessions[current];
            let parent = session.row.parent.as_deref().and_then(|id| self.place(id));
            let Some(parent) = parent.filter(|_| !session.markers.any()) else { return false };
            if !self.sessions[parent].row.ended_by(ENDED_BY_COMPRESSION) {
                return false;
            }
            if parent == ancestor {
                return true;
            }
            current = parent;
        }
        false
    }

    /// The latest activity of a session and of all that continue it.
    pub(super) fn chain_activity(&self, place: usize, rule: Continuation) -> f64 {
        let mut seen = BTreeSet::from([place]);
        let mut open = vec![place];
        let mut latest = f64::NEG_INFINITY;
        while let Some(current) = open.pop() {
            latest = latest.max(self.sessions[current].last_active());
            open.extend(self.continuations(current, rule).filter(|&child| seen.insert(child)));
        }
        latest
    }

    /// Whether listings show a session: it has no parent, or it is a branch; and no agent opened it as a delegate.
    pub(super) fn is_listable(&self, session: &Session) -> bool {
        if session.markers.delegate {
            return false;
        }
        let Some(parent) = &session.row.parent else { return true };
        session.markers.branch
            || self.session(parent).is_some_and(|parent| {
                parent.ended_by(ENDED_BY_BRANCH)
                    && parent.ended_at.is_some_and(|ended| session.row.started_at >= ended)
            })
    }

    /// The children that continue a session which compression ended.
    fn continuations(&self, place: usize, rule: Continuation) -> impl Iterator<Item = usize> {
        let parent = &self.sessions[place].row;
        let children = if parent.ended_by(ENDED_BY_COMPRESSION) {
            self.children.get(&parent.id).map_or(&[][..], Vec::as_slice)
        } else {
            &[]
        };
        children.iter().copied().filter(move |&child| {
            let session = &self.sessions[child];
            let in_time = match rule {
                Continuation::AnyTime => true,
                Continuation::AfterEnd => {
                    parent.ended_at.is_some_and(|ended| session.row.started_at >= ended)
                }
            };
            in_time && !session.markers.any() && &*session.row.source != SOURCE_TOOL
        })
    }

    /// The child to follow: compressed ones first, then open ones; then by latest activity, start and id.
    fn best_continuation(&self, place: usize, rule: Continuation) -> Option<usize> {
        let rank =
            |session: &Session| match (session.row.ended_by(ENDED_BY_COMPRESSION), session.row.ended_at) {
                (true, _) => 2,
                (false, None) => 1,
                (false, Some(_)) => 0,
            };
        self.continuations(place, rule).max_by(|&one, &two| {
            let (one, two) = (&self.sessions[one], &self.sessions[two]);
            rank(one)
                .cmp(&rank(two))
                .then(one.last_active().total_cmp(&two.last_active()))
                .then(one.row.started_at.total_cmp(&two.row.started_at))
                .then(one.row.id.cmp(&two.row.id))
        })
    }
}
