//! Alternatives that watch the stores: a prompt that follows every write, and audits of what is stored.

use super::agent::{Agent, Cx};
use crate::behaviour::Refresh;
use crate::defence::audit::{self, AuditRules};
use crate::values::{ConversationId, Fact, HomeAnswer, Store, WriteEnd};

impl Agent {
    /// With `prompt.refresh: live` an applied write changes the prompt of the session that it belongs to.
    pub(super) fn follow_writes(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId, answer: &HomeAnswer) {
        if self.rules.prompt.refresh != Refresh::Live {
            return;
        }
        let applied = answer.facts.iter().filter_map(|fact| match fact {
            Fact::Write { store, end: WriteEnd::Applied, .. } => Some(*store),
            _ => None,
        });
        let stores: Vec<Store> = applied.collect();
        if stores.is_empty() {
            return;
        }
        if stores.iter().any(|store| *store != Store::Skill)
            && let Some(object) = self.object_of(id).and_then(|object| self.objects.get_mut(&object))
            && let Some(memory) = &mut object.memory
        {
            memory.refreeze(&self.rules.memory, &self.rules.threats);
        }
        let conversation = self.session_of(id).and_then(|name| self.sessions.get(name)?.conversation);
        if let Some(conversation) = conversation {
            self.rebuild_prompt(cx, conversation);
        }
    }

    /// Every so many sessions, what is stored is looked at again (`defence.audit_every`).
    pub(super) fn audit_if_due(&mut self, cx: &mut Cx<'_, '_>) {
        let Some(every) = self.rules.defence.audit_every else { return };
        self.sessions_opened += 1;
        if !self.sessions_opened.is_multiple_of(u64::from(every)) {
            return;
        }
        let rules = AuditRules { threats: &self.rules.threats, work: &self.work };
        for finding in audit::run(cx.homes.own, &rules) {
            Self::note_of_home(cx, Fact::Notice { text: format!("Audit: {}", finding.line()).into() });
        }
    }

    /// Takes the user's words into what counts as the agent's work.
    pub(super) fn learn_work(&mut self, text: &str) {
        if self.rules.defence.audit_every.is_some() {
            self.work.absorb(text);
        }
    }
}
