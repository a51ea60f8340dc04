//! The curator as the machine runs it: polls, the consolidation pass as a conversation, commands (`spec/curator.md`).

use std::sync::Arc;

use serde_json::Value;

use super::agent::{Agent, Cx, Serves};
use super::charter::{Allowed, Charter, Compresses};
use super::conversation::Exit;
use super::event::{CallerIdle, Command};
use crate::curator::classify::RecordedCall;
use crate::curator::{
    self, CuratorContext, Offer, PassOutcome, PassStart, Poll, RunAsk, RunError, RunRefused, commands,
};
use crate::prompt;
use crate::skills::{self, Library};
use crate::values::{
    ConversationId, CuratorCause, Fact, Message, Role, SimDuration, Stamp, Synthetic, ToolList, Transcript,
    WriteOrigin,
};

/// Passes of the consolidation (`spec/curator.md` §9).
const ITERATIONS_MAX: u32 = 9999;

impl Agent {
    /// The curator's caller asks whether a run is due.
    pub(super) fn curator_poll(&mut self, cx: &mut Cx<'_, '_>, idle: CallerIdle) {
        let idle = match idle {
            CallerIdle::Measured(idle) => self.rules.curator.poll_idle.passed(idle),
            CallerIdle::Passed(idle) => Some(idle),
            CallerIdle::Endless => None,
        };
        let gate = &mut self.curator.gate;
        let seconds = idle.map(SimDuration::as_secs_f64);
        match curator::poll(gate, cx.homes.own, &self.rules.curator, Stamp::from(cx.at), seconds) {
            Poll::Idle(reason) => Self::note_of_home(cx, Fact::CuratorIdle { reason: reason.as_str() }),
            Poll::Due => {
                self.curate(cx, RunAsk { cause: CuratorCause::Poll, dry_run: false, consolidate: None });
            }
        }
    }

    pub(super) fn with_curator<R>(
        &mut self,
        cx: &mut Cx<'_, '_>,
        act: impl FnOnce(&mut CuratorContext<'_, '_>) -> R,
    ) -> R {
        let mut library = Library::open(cx.homes.own, &mut cx.homes.shared, &self.rules.skills);
        let mut context = CuratorContext {
            library: &mut library,
            skills: &mut self.library,
            state: &mut self.curator,
            behaviour: &self.rules,
            at: Stamp::from(cx.at),
        };
        act(&mut context)
    }

    /// Begins a run. Without a model it ends at once. Whether a second one may begin beside the first is for the claim
    /// to say, as between the processes of a home.
    pub(super) fn curate(&mut self, cx: &mut Cx<'_, '_>, ask: RunAsk) {
        let start = match self.with_curator(cx, |context| curator::begin_pass(context, ask)) {
            Ok(start) => start,
            Err(refused) => return self.run_refused(cx, refused),
        };
        self.note_home_facts(cx, start.timed.facts.clone());
        let instruction = start.ask().map(|ask| prompt::curator_instruction(&ask, &self.texts_library));
        match instruction {
            Some(instruction) => self.begin_consolidation(cx, start, instruction),
            None => self.end_run(cx, start, PassOutcome::default()),
        }
    }

    fn run_refused(&mut self, cx: &mut Cx<'_, '_>, refused: RunRefused) {
        let text = format!("the curator did not run: {refused}");
        if let RunRefused::Stopped(RunError::OddCounter { facts, .. }) = refused {
            self.note_home_facts(cx, facts);
        }
        Self::note_of_home(cx, Fact::Notice { text: text.into() });
    }

    /// The pass is a conversation of a fresh agent: no memory, no context files, no nudges.
    fn begin_consolidation(&mut self, cx: &mut Cx<'_, '_>, start: PassStart, instruction: Arc<str>) {
        let tools = match start.offer {
            Offer::Session => self.session_tools(),
            Offer::Only(names) => Arc::new(ToolList::new(
                self.tools.iter().filter(|tool| names.contains(&&*tool.name)).cloned().collect(),
            )),
        };
        let charter = Charter {
            role: Role::Curator,
            system: self.build_plain_prompt(cx, &tools).text,
            tools,
            allowed: Allowed::Offered,
            refusal_lists_allowed: true,
            iterations_max: ITERATIONS_MAX,
            input_budget: None,
            origin: WriteOrigin::Curator,
            persists: false,
            compresses: Compresses::Yes,
            nudges: false,
            hooks: Arc::from([]),
            delegates_max: self.rules.delegation.children_max,
            rules: Arc::clone(&self.loop_rules),
            texts: Arc::clone(&self.texts),
        };
        let id = self.add_live(charter, Transcript::default(), Serves::Curator);
        self.curating.insert(id, start);
        let Some(live) = self.live.get_mut(&id) else { return };
        let mut acts = Vec::new();
        live.talk.begin(cx.at, Message::client(instruction, Synthetic::Instruction), &mut acts);
        self.drive(cx, id, acts);
    }

    /// The pass's conversation ended.
    pub(super) fn consolidation_ended(&mut self, cx: &mut Cx<'_, '_>, id: ConversationId, exit: &Exit) {
        let Some(start) = self.curating.remove(&id) else { return };
        let failed = exit.early || exit.failed;
        let transcript = self.live.remove(&id).map(|live| live.talk.transcript).unwrap_or_default();
        let calls = transcript.iter().flat_map(|message| message.calls());
        let outcome = PassOutcome {
            tool_calls: calls
                // As text, like the reference: what is cut of it later depends on its length.
                .map(|call| RecordedCall::new(&*call.name, &*call.arguments))
                .collect(),
            final_text: exit.answer.as_deref().unwrap_or("").to_owned(),
            error: failed.then(|| exit.reason.clone()),
            model: self.plan.model.to_string(),
            provider: self.plan.provider.to_string(),
        };
        self.end_run(cx, start, outcome);
    }

    fn end_run(&mut self, cx: &mut Cx<'_, '_>, start: PassStart, outcome: PassOutcome) {
        let report = self.with_curator(cx, |context| curator::finish_pass(context, start, outcome));
        Self::note_of_home(cx, report.fact());
        // What a pass leaves behind, whoever changed it, is listed anew by the next prompt.
        self.index.skill_written(cx.homes.own);
    }

    /// The process ends: passes in flight die with it. What they changed stays; no report is written, and a claim is
    /// left to run out.
    pub(super) fn curator_exit(&mut self, cx: &mut Cx<'_, '_>) {
        for (id, _) in std::mem::take(&mut self.curating) {
            self.abandon(cx, id);
            Self::note_of_home(cx, Fact::Notice { text: "a curator pass died with its process".into() });
        }
    }

    /// Commands that concern the library's life.
    pub(super) fn curator_command(&mut self, cx: &mut Cx<'_, '_>, command: Command) {
        let answer = match command {
            Command::Pin { skill, pinned } => {
                self.with_curator(cx, |context| commands::pin(context, &skill, pinned))
            }
            Command::Adopt { skill } => self.with_curator(cx, |context| commands::adopt(context, &skill)),
            Command::Restore { skill } => self.with_curator(cx, |context| commands::restore(context, &skill)),
            Command::Archive { skill } => self.with_curator(cx, |context| commands::archive(context, &skill)),
            Command::PauseCurator { paused } => {
                self.with_curator(cx, |context| commands::pause(context, paused))
            }
            Command::Prune { days } => {
                let ask = commands::PruneAsk { days, dry_run: false, confirmed: true };
                let pruned = self.with_curator(cx, |context| commands::prune(context, ask));
                self.note_home_facts(cx, pruned.facts);
                return Self::note_of_home(cx, Fact::Notice { text: pruned.text.into() });
            }
            Command::Backup { reason } => {
                let taken = self.with_curator(cx, |context| context.snapshot(&reason));
                let text = taken.map_or_else(
                    || "no snapshot could be taken".to_owned(),
                    |id| format!("snapshot {id} is taken"),
                );
                return Self::note_of_home(cx, Fact::Notice { text: text.into() });
            }
            Command::Curate { consolidate, dry_run } => {
                return self.curate(cx, RunAsk { cause: CuratorCause::Manual, dry_run, consolidate });
            }
            Command::Rollback { id } => {
                let end = self.with_curator(cx, |context| context.rollback(id.as_deref()));
                self.index.skill_written(cx.homes.own);
                let value = Value::from(end.kind.as_str());
                Self::note_of_home(cx, Fact::Change { what: "rollback", target: "skills".into(), value });
                return Self::note_of_home(cx, Fact::Notice { text: end.message.into() });
            }
            _ => return,
        };
        self.note_home_facts(cx, answer.facts);
        Self::note_of_home(cx, Fact::Notice { text: answer.text.into() });
    }

    /// Installs a skill from a set of files.
    pub(super) fn install(
        &mut self,
        cx: &mut Cx<'_, '_>,
        source: &str,
        name: &str,
        files: &[(String, String)],
        force: bool,
    ) {
        let wanted = skills::Installation { source, name, files, force };
        let answer = self.as_user(cx, |context| skills::install(context, wanted));
        let value = Value::from(answer.kind.unwrap_or("installed"));
        Self::note_of_home(cx, Fact::Change { what: "install", target: name.into(), value });
        self.note_home_facts(cx, answer.facts);
        Self::note_of_home(cx, Fact::Notice { text: answer.text.into() });
    }

    fn note_home_facts(&mut self, cx: &mut Cx<'_, '_>, facts: Vec<Fact>) {
        self.library_changed(cx, &facts);
        for fact in facts {
            Self::note_of_home(cx, fact);
        }
    }
}
