//! The engine: one script, one seed, one journal.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::answer::{Answer, Context, Delivery};
use super::choose::Chooser;
use super::fault;
use super::journal::{Fired, Journal};
use super::miss::{Miss, MissKind, brief};
use super::render::{Unanswered, completion_id};
use super::walk::{Flow, Target, label};
use crate::expr::EvalError;
use crate::preset::Role;
use crate::script::{FaultKind, FaultPlan, Lets, Script};
use crate::view::{Prompts, Scene, Turn, View, ViewInputs};
use crate::wire::{Author, ChatRequest, Finish, Reply, Usage};

/// The instant that stands in for simulated time: 2026-01-01T00:00:00Z.
const NOW_MS_DEFAULT: i64 = 1_767_225_600_000;

/// Answers the requests of one cell.
#[derive(Debug)]
pub struct Engine {
    script: Arc<Script>,
    seed: u64,
    start_ms: i64,
    indexed: bool,
    journal: Mutex<Journal>,
    prompts: Arc<Prompts>,
}

impl Engine {
    /// An engine with an empty journal.
    pub fn new(script: Arc<Script>, seed: u64) -> Self {
        let (journal, prompts) = Default::default();
        Self { script, seed, start_ms: NOW_MS_DEFAULT, indexed: true, journal, prompts }
    }

    /// The same, with the scenario's start in milliseconds since the Unix epoch: `day` counts from it.
    pub fn with_start(mut self, start_ms: i64) -> Self {
        self.start_ms = start_ms;
        self
    }

    /// The same without the index of guards: looks at every rule. For comparison only; the answers are the same.
    pub fn without_index(mut self) -> Self {
        self.indexed = false;
        self
    }

    /// The script.
    pub fn script(&self) -> &Arc<Script> {
        &self.script
    }

    /// A copy of the journal.
    pub fn journal(&self) -> Journal {
        self.lock().clone()
    }

    /// Every rule with how often it answered, in the order of the script.
    pub fn fired(&self) -> Vec<Fired> {
        let journal = self.lock();
        Role::ALL
            .into_iter()
            .flat_map(|role| {
                self.script.rules(role).iter().enumerate().map(move |(index, rule)| (role, index, rule))
            })
            .map(|(role, index, rule)| Fired {
                role,
                rule: rule.label.clone(),
                line: rule.span.line,
                answers: journal.times(role, index),
            })
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, Journal> {
        // A panic while counting leaves a journal that is still right.
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers a request.
    ///
    /// # Errors
    /// When the script has no answer for it: see [`MissKind`].
    pub fn answer(&self, request: &Arc<ChatRequest>, context: &Context<'_>) -> Result<Answer, Miss> {
        let digest = request.digest();
        let attempt = self.lock().attempt(digest);
        let turn = Turn::of(request, &self.script.preset);
        let key = context.key.map_or_else(|| own_key(request, &turn), Arc::from);
        let now_ms = context.now_ms.unwrap_or(NOW_MS_DEFAULT);
        let inputs = ViewInputs { key, seed: self.seed, now_ms, start_ms: self.start_ms, attempt, digest };
        let (script, prompts) = (self.script.clone(), self.prompts.clone());
        let view = Arc::new(View::new(request.clone(), script, turn, inputs, prompts));
        let asking =
            Asking { chooser: Chooser::new(&self.script, &view, !self.indexed), role: view.turn.role };
        let result = asking.answer();
        let mut journal = self.lock();
        match &result {
            Ok((answer, rule)) => {
                journal.answered();
                if let Some(rule) = rule {
                    journal.fired(answer.role, *rule);
                }
            }
            Err(miss) => journal.miss(miss.to_string().into()),
        }
        result.map(|(answer, _)| answer)
    }
}

/// The key of a conversation that has none: of the message that starts the turn, and of the turn's number in view.
fn own_key(request: &ChatRequest, turn: &Turn) -> Arc<str> {
    let mut hasher = blake3::Hasher::new();
    if let Some(message) = request.messages.get(turn.start) {
        hasher.update(message.digest());
    }
    hasher.update(&turn.number.to_le_bytes());
    hasher.finalize().to_hex()[..16].into()
}

/// One request on its way to an answer.
struct Asking<'a> {
    chooser: Chooser<'a>,
    role: Role,
}

/// A step to answer with, and what earlier answers of the same step leave over.
struct Reached {
    target: Target,
    /// Answers that the same step gave in this turn already.
    repeats: u32,
    /// The rest of a text whose beginning the client has.
    rest: Option<Arc<str>>,
}

impl Asking<'_> {
    fn view(&self) -> &Arc<View> {
        self.chooser.view
    }

    fn answer(&self) -> Result<(Answer, Option<usize>), Miss> {
        let global = self.global_fault().map_err(|error| self.broken(&error))?;
        if self.role == Role::Closing && !self.chooser.script.has_role(Role::Closing) {
            return Ok((self.closing(global.as_ref()), None));
        }
        if !self.chooser.script.has_role(self.role) {
            let message = format!(
                "{} has no section `{}`; asked: {}",
                self.chooser.script.file,
                self.role,
                self.asked()
            );
            return Err(self.miss(MissKind::NoSection, message, None));
        }
        let reached = self.reach()?;
        let inputs = &self.view().inputs;
        let attempt = inputs.attempt.saturating_add(reached.repeats);
        let Target { rule, frames, .. } = &reached.target;
        let text = match reached.rest {
            Some(rest) => Some(rest),
            None => self
                .chooser
                .reply_text(&reached.target, attempt)
                .map_err(|why| self.unanswered(why, &reached.target))?,
        };
        let created = inputs.now_ms.div_euclid(1000);
        let reply =
            self.chooser.reply(&reached.target, text, created).map_err(|error| self.broken(&error))?;
        let step_fault =
            self.chooser.step(*rule, frames).fault.as_ref().filter(|plan| plan.attempts.has(attempt));
        let rule_ = &self.chooser.rules[*rule];
        let answer = Answer {
            reply,
            role: self.role,
            rule: rule_.label.clone(),
            step: label(rule_, frames).into(),
            delay: None,
            delivery: Delivery::Whole,
        };
        Ok((with_fault(answer, global.as_ref().or(step_fault)), Some(*rule)))
    }

    /// The first fault of the file's list that this request causes.
    fn global_fault(&self) -> Result<Option<FaultPlan>, EvalError> {
        let view = self.view();
        for fault in &self.chooser.script.faults {
            let fits = fault.role.is_none_or(|role| role == self.role)
                && fault.plan.attempts.has(view.inputs.attempt);
            let holds = || match &fault.when {
                Some(when) => when.holds(&Scene::value(view, &Lets::default())),
                None => Ok(true),
            };
            if fits && holds()? {
                return Ok(Some(fault.plan.clone()));
            }
        }
        Ok(None)
    }

    /// The step that answers: from the turn's last calls or from the rules, then on by one for each later text.
    fn reach(&self) -> Result<Reached, Miss> {
        if self.role == Role::Closing {
            // What was called and said before stands in another section.
            return Ok(Reached { target: self.choose(0, None)?, repeats: 0, rest: None });
        }
        let located = self.chooser.locate().map_err(|lost| {
            let message =
                format!("the call id `{}` was not issued by this script; asked: {}", lost.0, self.asked());
            self.miss(MissKind::PositionLost, message, None)
        })?;
        let (first_text, target) = match &located {
            Some(located) => {
                let flow = self.chooser.after_results(located).map_err(|error| self.broken(&error))?;
                (located.message + 1, self.follow(flow, located.rule)?)
            }
            None => (self.view().turn.start + 1, self.choose(0, None)?),
        };
        let mut reached = Reached { target, repeats: 0, rest: None };
        let messages = self.view().messages();
        for message in messages.get(first_text..).unwrap_or_default() {
            let summarises = self.chooser.script.preset.summarises(&message.text);
            if message.author == Author::Assistant && !summarises {
                reached = self.past_text(reached, &message.text)?;
            }
        }
        Ok(reached)
    }

    /// The step that a rule's steps lead to, or one of a later rule.
    fn follow(&self, flow: Flow, rule: usize) -> Result<Target, Miss> {
        match flow {
            Flow::At(target) => Ok(target),
            Flow::End => self.choose(rule + 1, Some(rule)),
        }
    }

    /// The first step of the first rule from `first` on that applies and has one.
    fn choose(&self, mut first: usize, used_up: Option<usize>) -> Result<Target, Miss> {
        loop {
            let chosen = self.chooser.choose(first).map_err(|error| self.broken(&error))?;
            let Some(rule) = chosen else { return Err(self.nothing_left(first, used_up)) };
            match self.chooser.enter(rule).map_err(|error| self.broken(&error))? {
                Flow::At(target) => return Ok(target),
                Flow::End => first = rule + 1,
            }
        }
    }

    /// One text of the model's later in the turn: the step that gave it is done, unless it was cut or spoilt.
    fn past_text(&self, reached: Reached, text: &str) -> Result<Reached, Miss> {
        let Target { rule, frames, .. } = &reached.target;
        let attempt = reached.repeats + 1;
        let spoilt = self.chooser.step(*rule, frames).fault.as_ref().is_some_and(|plan| {
            plan.attempts.has(attempt)
                && matches!(plan.kind, Some(FaultKind::Empty | FaultKind::ThinkingOnly))
        });
        let said = match reached.rest.clone() {
            Some(rest) => Some(rest),
            None => self
                .chooser
                .reply_text(&reached.target, attempt)
                .map_err(|why| self.unanswered(why, &reached.target))?,
        };
        let Some(said) = said.filter(|_| !spoilt) else {
            return Ok(Reached { repeats: reached.repeats + 1, ..reached });
        };
        if let Some(rest) = said.strip_prefix(text).filter(|rest| !rest.is_empty() && !text.is_empty()) {
            return Ok(Reached { repeats: reached.repeats + 1, rest: Some(rest.into()), ..reached });
        }
        match self.chooser.after(*rule, frames).map_err(|error| self.broken(&error))? {
            Flow::At(target) => Ok(Reached { target, repeats: 0, rest: None }),
            Flow::End => Ok(Reached { rest: None, ..reached }),
        }
    }

    /// The words at the iteration limit of a script that says nothing of it.
    fn closing(&self, global: Option<&FaultPlan>) -> Answer {
        let view = self.view();
        let request = &view.request;
        let mut reply = Reply {
            id: completion_id(view.inputs.digest, view.inputs.attempt),
            created: view.inputs.now_ms.div_euclid(1000),
            model: request.model.clone(),
            text: self.chooser.script.preset.closing_reply.clone(),
            reasoning: None,
            calls: Vec::new(),
            finish: Some(Finish::Stop),
            usage: Usage { prompt: request.prompt_tokens(), completion: 0 },
        };
        reply.usage.completion = reply.completion_tokens();
        let answer = Answer {
            reply,
            role: self.role,
            rule: "preset".into(),
            step: "closing".into(),
            delay: None,
            delivery: Delivery::Whole,
        };
        with_fault(answer, global)
    }

    /// What was asked, in a few words.
    fn asked(&self) -> String {
        let message = self.view().messages().get(self.view().turn.start);
        format!("\"{}\"", brief(message.map_or("", |message| &message.text)))
    }

    fn miss(&self, kind: MissKind, message: String, nearest_from: Option<usize>) -> Miss {
        let nearest = nearest_from.map(|first| self.chooser.nearest(first)).unwrap_or_default();
        Miss { kind, role: self.role, message, nearest }
    }

    fn nothing_left(&self, first: usize, used_up: Option<usize>) -> Miss {
        let asked = self.asked();
        match used_up {
            Some(rule) => {
                let rule = &self.chooser.rules[rule].label;
                let message = format!(
                    "the steps of `{rule}` are used up and no later rule of `{}` fits; asked: {asked}",
                    self.role
                );
                self.miss(MissKind::Exhausted, message, Some(first))
            }
            None => {
                self.miss(MissKind::NoRule, format!("none of `{}` fits; asked: {asked}", self.role), Some(0))
            }
        }
    }

    fn broken(&self, error: &EvalError) -> Miss {
        self.miss(MissKind::Broken, format!("{error}; asked: {}", self.asked()), None)
    }

    fn unanswered(&self, why: Unanswered, target: &Target) -> Miss {
        match why {
            Unanswered::Broken(error) => self.broken(&error),
            Unanswered::Sequence(count) => {
                let rule = &self.chooser.rules[target.rule];
                let step = label(rule, &target.frames);
                let message =
                    format!("step {step} of `{}` has {count} texts, and all were given", rule.label);
                self.miss(MissKind::Exhausted, message, None)
            }
        }
    }
}

fn with_fault(mut answer: Answer, plan: Option<&FaultPlan>) -> Answer {
    if let Some(plan) = plan {
        answer.delay = plan.delay;
        if let Some(kind) = &plan.kind {
            answer.delivery = fault::apply(kind, &mut answer.reply);
        }
    }
    answer
}
