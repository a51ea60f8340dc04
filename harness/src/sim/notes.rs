//! The core's notes as events of a trace. Two crates that know nothing of each other meet here, word by word; every
//! match is exhaustive, so that a new note cannot be forgotten.

use std::sync::Arc;

use agent_core::values::{
    AgentObject, Counters, CuratorCause, Fact, Finish, LoadRoute, ModelEnd, NudgeEvent, NudgeKind,
    ReviewCause, ReviewEnd, Role, SkillEvent, Store, ToolEnd, Usage, WriteEnd, WriteOrigin,
};
use reports as words;
use reports::trace::{self, Data, Kind, ListedSkill, PromptPart, Text, TokenCounts};

/// What the driver knows of a model call beyond the core's own note.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallFacts {
    /// The rule of the script that answered.
    pub(crate) rule: Option<Arc<str>>,
    /// The step of that rule.
    pub(crate) step: Option<Arc<str>>,
    /// The model asked for.
    pub(crate) model: Arc<str>,
}

/// The kind of event that a fact becomes.
pub(crate) fn kind_of(fact: Fact, call: &CallFacts) -> Kind {
    match fact {
        Fact::SessionStart { agent, prompt, parts, skills, index } => Kind::SessionStart {
            agent: object(agent),
            prompt: prompt.into(),
            parts: Data(
                parts.into_iter().map(|(name, chars)| PromptPart { name, chars: chars.0 as u64 }).collect(),
            ),
            skills: Data(skills.iter().cloned().map(|(name, shown)| ListedSkill { name, shown }).collect()),
            index_tokens: index.0,
        },
        Fact::SessionEnd { reason } => Kind::SessionEnd { reason },
        Fact::TurnStart { text } => {
            Kind::TurnStart { text: text.into(), family: None, occurrence: None, corrects: None }
        }
        Fact::Message { role, synthetic, text } => {
            Kind::Message { of: role.into(), synthetic, text: text.into() }
        }
        Fact::Steer { text } => Kind::Steer { text: text.into() },
        Fact::Interrupt => Kind::Interrupt,
        Fact::TurnEnd { exit, api_calls, before, after, waited, wait_cause, answer, completed } => {
            Kind::TurnEnd {
                exit,
                api_calls,
                before: counters(before),
                after: counters(after),
                waited_ms: waited.as_millis(),
                wait_cause,
                answer: answer.map(Text::from),
                completed,
                outcome: None,
            }
        }
        Fact::ModelCall { call: id, attempt, messages, shared } => Kind::ModelCall {
            call: id.0,
            model: Arc::clone(&call.model),
            attempt,
            messages: messages as u64,
            shared_tokens: shared.0,
        },
        Fact::ModelAnswer { call: id, end, usage, took, booked } => {
            let (outcome, finish, class) = model_end(end);
            Kind::ModelAnswer {
                call: id.0,
                outcome,
                finish,
                class,
                tokens: tokens(usage),
                rule: call.rule.clone(),
                step: call.step.clone(),
                took_ms: took.as_millis(),
                booked,
            }
        }
        Fact::Retry { class, wait } => Kind::Retry { class, wait_ms: wait.as_millis() },
        Fact::ToolCall { id, tool, args, origin: by, segment } => {
            Kind::ToolCall { id, tool, args: Data(args), origin: origin(by), segment }
        }
        Fact::ToolAnswer { id, tool, end, text, took } => {
            tool_answer(id, tool, end, text.into(), took.as_millis())
        }
        Fact::Nudge { which, event, why } => {
            Kind::Nudge { which: nudge(which), event: nudge_event(event), why }
        }
        other => rare_kind(other),
    }
}

/// The facts that are not part of every turn.
fn rare_kind(fact: Fact) -> Kind {
    match fact {
        Fact::ReviewStart { review, cause, digest } => {
            Kind::ReviewStart { review: review.0, cause: review_cause(cause), digest }
        }
        Fact::ReviewEnd { review, end, iterations, usage, summary } => {
            let (outcome, reason) = review_end(end);
            let (review, tokens, summary) = (review.0, tokens(usage), summary.into());
            Kind::ReviewEnd { review, outcome, reason, iterations, tokens, summary }
        }
        Fact::Write { store: to, action, target, origin: by, end, kind, before, after } => Kind::Write {
            store: store(to),
            action,
            target: target.into(),
            origin: origin(by),
            outcome: write_end(end),
            error: kind,
            before: before.into(),
            after: after.into(),
            gained: Vec::new(),
            lost: Vec::new(),
        },
        Fact::Visible { store: to, target } => Kind::Visible { store: store(to), target: target.into() },
        Fact::Load { skill, file, route: by, listed } => {
            Kind::Load { skill, file, route: route(by), listed, visible: None, followed: None }
        }
        Fact::Skill { name, event, cause } => skill_kind(name, event, cause),
        Fact::Compression { before, after, how, unpaired, child } => Kind::Compression {
            before: before as u64,
            after: after as u64,
            how,
            unpaired: unpaired as u64,
            child,
        },
        Fact::Delegate { parent, child, status, usage } => {
            Kind::Delegate { parent, child: child.0, status, tokens: tokens(usage) }
        }
        Fact::CuratorRun { cause, report } => {
            Kind::CuratorRun { cause: curator_cause(cause), report: Data(report) }
        }
        Fact::CuratorIdle { reason } => Kind::CuratorIdle { reason: reason.into() },
        Fact::Change { what, target, value } => {
            Kind::Change { what: what.into(), target, value: Data(value) }
        }
        Fact::Notice { text } => Kind::Notice { text: text.into() },
        Fact::SessionStart { .. }
        | Fact::SessionEnd { .. }
        | Fact::TurnStart { .. }
        | Fact::Message { .. }
        | Fact::Steer { .. }
        | Fact::Interrupt
        | Fact::TurnEnd { .. }
        | Fact::ModelCall { .. }
        | Fact::ModelAnswer { .. }
        | Fact::Retry { .. }
        | Fact::ToolCall { .. }
        | Fact::ToolAnswer { .. }
        | Fact::Nudge { .. } => unreachable!("`kind_of` maps these itself"),
    }
}

/// The word for a role in a trace.
pub(crate) const fn role(role: Role) -> words::Role {
    match role {
        Role::Main => words::Role::Main,
        Role::Review => words::Role::Review,
        Role::Curator => words::Role::Curator,
        Role::Delegate => words::Role::Delegate,
        Role::Compression => words::Role::Compression,
        Role::Title => words::Role::Title,
        Role::Summary => words::Role::Summary,
    }
}

fn tool_answer(id: Arc<str>, tool: Arc<str>, end: ToolEnd, text: Text, took_ms: u64) -> Kind {
    let ToolEnd { failed, refused, cancelled, timed_out, unknown, kind } = end;
    Kind::ToolAnswer { id, tool, failed, refused, cancelled, timed_out, unknown, error: kind, text, took_ms }
}

fn skill_kind(name: Arc<str>, event: SkillEvent, cause: Arc<str>) -> Kind {
    use words::SkillEvent as Word;
    let (mut from, mut to) = (None, None);
    let event = match event {
        SkillEvent::Created => Word::Created,
        SkillEvent::Patched => Word::Patched,
        SkillEvent::State { from: before, to: after } => {
            (from, to) = (Some(before), Some(after));
            Word::State
        }
        SkillEvent::Archived => Word::Archived,
        SkillEvent::Restored => Word::Restored,
        SkillEvent::Deleted => Word::Deleted,
        SkillEvent::Pinned(true) => Word::Pinned,
        SkillEvent::Pinned(false) => Word::Unpinned,
        SkillEvent::Adopted => Word::Adopted,
        SkillEvent::Installed => Word::Installed,
    };
    Kind::Skill { name, event, from, to, cause }
}

fn model_end(end: ModelEnd) -> (words::ModelOutcome, Option<words::Finish>, Option<Arc<str>>) {
    use words::ModelOutcome as Word;
    match end {
        ModelEnd::Reply(reason) => (Word::Reply, Some(finish(reason)), None),
        ModelEnd::Cut => (Word::Cut, None, None),
        ModelEnd::Aborted => (Word::Aborted, None, None),
        ModelEnd::Failed(class) => (Word::Failed, None, Some(class)),
        ModelEnd::Late => (Word::Late, None, None),
    }
}

fn review_end(end: ReviewEnd) -> (words::ReviewOutcome, Arc<str>) {
    use words::ReviewOutcome as Word;
    match end {
        ReviewEnd::Done => (Word::Done, "".into()),
        ReviewEnd::Cancelled => (Word::Cancelled, "".into()),
        ReviewEnd::Dropped(reason) => (Word::Dropped, reason),
        ReviewEnd::LostAtExit => (Word::LostAtExit, "".into()),
        ReviewEnd::Budget(reason) => (Word::Budget, reason),
        ReviewEnd::Failed(reason) => (Word::Failed, reason),
    }
}

fn tokens(usage: Usage) -> TokenCounts {
    TokenCounts { prompt: usage.prompt.0, cached: usage.cached.0, completion: usage.completion.0 }
}

fn counters(counters: Counters) -> trace::Counters {
    let Counters { turns_since_memory, iters_since_skill, user_turns } = counters;
    trace::Counters { turns_since_memory, iters_since_skill, user_turns }
}

fn review_cause(cause: ReviewCause) -> trace::ReviewCause {
    let ReviewCause { memory, skills, explicit } = cause;
    trace::ReviewCause { memory, skills, explicit }
}

const fn object(object: AgentObject) -> words::AgentObject {
    match object {
        AgentObject::Fresh => words::AgentObject::Fresh,
        AgentObject::Kept => words::AgentObject::Kept,
    }
}

const fn finish(finish: Finish) -> words::Finish {
    match finish {
        Finish::Stop => words::Finish::Stop,
        Finish::ToolCalls => words::Finish::ToolCalls,
        Finish::Length => words::Finish::Length,
        Finish::ContentFilter => words::Finish::ContentFilter,
    }
}

const fn origin(origin: WriteOrigin) -> words::Origin {
    match origin {
        WriteOrigin::Foreground => words::Origin::Foreground,
        WriteOrigin::Review => words::Origin::Review,
        WriteOrigin::Curator => words::Origin::Curator,
        WriteOrigin::Delegate => words::Origin::Delegate,
    }
}

const fn nudge(nudge: NudgeKind) -> words::Nudge {
    match nudge {
        NudgeKind::Memory => words::Nudge::Memory,
        NudgeKind::Skill => words::Nudge::Skill,
    }
}

const fn nudge_event(event: NudgeEvent) -> words::NudgeEvent {
    match event {
        NudgeEvent::Due => words::NudgeEvent::Due,
        NudgeEvent::Fired => words::NudgeEvent::Fired,
        NudgeEvent::Deferred => words::NudgeEvent::Deferred,
        NudgeEvent::Lost => words::NudgeEvent::Lost,
        NudgeEvent::Kept => words::NudgeEvent::Kept,
    }
}

const fn store(store: Store) -> words::Store {
    match store {
        Store::Memory => words::Store::Memory,
        Store::User => words::Store::User,
        Store::Skill => words::Store::Skill,
    }
}

const fn write_end(end: WriteEnd) -> words::WriteOutcome {
    match end {
        WriteEnd::Applied => words::WriteOutcome::Applied,
        WriteEnd::Staged => words::WriteOutcome::Staged,
        WriteEnd::Refused => words::WriteOutcome::Refused,
        WriteEnd::Failed => words::WriteOutcome::Failed,
    }
}

const fn route(route: LoadRoute) -> words::Route {
    match route {
        LoadRoute::Index => words::Route::Index,
        LoadRoute::User => words::Route::User,
        LoadRoute::Job => words::Route::Job,
        LoadRoute::Review => words::Route::Review,
        LoadRoute::Curator => words::Route::Curator,
    }
}

const fn curator_cause(cause: CuratorCause) -> words::CuratorCause {
    match cause {
        CuratorCause::Poll => words::CuratorCause::Poll,
        CuratorCause::Manual => words::CuratorCause::Manual,
    }
}
