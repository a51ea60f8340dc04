//! The `memory` tool: from any JSON to an answer and the facts of what happened (`spec/memory.md` §4).

use std::sync::Arc;

use serde_json::Value;

use super::answer::{self, Outcome};
use super::apply::{Applied, Hands, is_exhausted};
use super::change::{self, Change, Effect, Request};
use super::entries::Entry;
use super::failure::Failure;
use super::gate::{self, Approver, Way};
use super::store::MemoryStore;
use super::target::{Limit, Target};
use crate::behaviour::ThreatRules;
use crate::behaviour::{DefenceRules, MemoryRules, OnStagingFailure};
use crate::defence::restate;
use crate::pending::{self, Proposal, Subsystem};
use crate::stores::Files;
use crate::values::{Draws, Fact, HomeAnswer, SimTime, WriteEnd, WriteOrigin};

/// The kind in the facts of a write whose proposal was lost while the answer says that it waits.
const STAGING_LOST: &str = "staging-lost";

/// What a call of the tool happens in.
pub struct MemoryContext<'a> {
    /// The home.
    pub files: &'a mut dyn Files,
    /// How memory behaves.
    pub rules: &'a MemoryRules,
    /// The patterns of the threat scan.
    pub threats: &'a ThreatRules,
    /// The defence's switches.
    pub defence: DefenceRules,
    /// When.
    pub at: SimTime,
    /// Who calls.
    pub origin: WriteOrigin,
    /// What a staged record says of the origin: [`WriteOrigin::label`] within a turn, `foreground` outside of one.
    pub origin_label: &'a str,
    /// Whether the user asked for the review that calls: it keeps the full set of operations.
    pub user_asked: bool,
    /// Who can be asked for approval.
    pub approver: Approver<'a>,
    /// Where ids of proposals come from.
    pub draws: Draws,
}

/// Runs one call. Whatever the arguments are, the answer is one JSON object.
///
/// The facts tell every entry that changed, and of calls that changed nothing every change that was wanted, with its
/// end and kind. A write that found its entry there already leaves no fact.
pub fn call(store: Option<&mut MemoryStore>, args: &Value, mut context: MemoryContext<'_>) -> HomeAnswer {
    let Some(store) = store else {
        let target = change::target(args, context.rules).ok();
        return failed(None, target, args, &context, &Failure::unavailable());
    };
    let target = match change::target(args, context.rules) {
        Ok(target) => target,
        Err(failure) => return failed(None, None, args, &context, &failure),
    };
    match run(store, target, args, &mut context) {
        Ok(answer) => answer,
        Err(failure) => failed(Some(store), Some(target), args, &context, &failure),
    }
}

fn run(
    store: &mut MemoryStore,
    target: Target,
    args: &Value,
    context: &mut MemoryContext<'_>,
) -> Result<HomeAnswer, Failure> {
    let request = change::request(args, context.rules)?;
    if context.defence.restate {
        restated(request, args)?;
    }
    match gate::way(context, request) {
        Way::Deny => Err(Failure::denied()),
        Way::Stage { or_refuse } => stage(store, target, request, or_refuse, context),
        Way::Apply => {
            let applied = apply(store, target, request, context, true)?;
            Ok(succeeded(store, target, applied, context))
        }
    }
}

/// Every text that the call would store or take away must be restated.
fn restated(request: Request<'_>, args: &Value) -> Result<(), Failure> {
    let subjects: Vec<&str> = request.changes().into_iter().map(Change::subject).collect();
    restate::check_all(&subjects, restate::read(args)).map_err(|error| Failure::restatement(&error))
}

fn apply(
    store: &mut MemoryStore,
    target: Target,
    request: Request<'_>,
    context: &mut MemoryContext<'_>,
    commit: bool,
) -> Result<Applied, Failure> {
    let mut hands = Hands {
        files: context.files,
        rules: context.rules,
        threats: context.threats,
        at: context.at,
        commit,
    };
    match request {
        Request::One(change) => store.change(target, change, &mut hands),
        Request::Batch(operations) => store.batch(target, operations, &mut hands),
    }
}

fn stage(
    store: &mut MemoryStore,
    target: Target,
    request: Request<'_>,
    or_refuse: bool,
    context: &mut MemoryContext<'_>,
) -> Result<HomeAnswer, Failure> {
    if context.rules.staging.validate {
        let tried = apply(store, target, request, context, false)?;
        if tried.outcome == Outcome::Duplicate {
            return Ok(succeeded(store, target, tried, context));
        }
    }
    let proposal = Proposal {
        subsystem: Subsystem::Memory,
        action: request.action(),
        summary: pending::summary(&gate::label(target, request), &request.detail()),
        origin: context.origin_label,
        at: context.at,
        payload: request.payload(target),
    };
    let changes = request.changes();
    match pending::stage(context.files, proposal, context.draws) {
        Ok(record) => {
            let mut facts = not_applied(target, &changes, context.origin, WriteEnd::Staged, None);
            if context.rules.staging.announce {
                let text = pending::announcement(context.files, Subsystem::Memory, context.at);
                facts.extend(text.map(|text| Fact::Notice { text: text.into() }));
            }
            Ok(HomeAnswer { text: answer::staged(&record.id), kind: None, refused: false, facts })
        }
        Err(_) if context.rules.staging.on_failure == OnStagingFailure::Hide && !or_refuse => {
            let facts = not_applied(target, &changes, context.origin, WriteEnd::Failed, Some(STAGING_LOST));
            let id = context.draws.hex(8, &["lost proposal", &context.at.as_millis().to_string()]);
            Ok(HomeAnswer { text: answer::staged(&id), kind: None, refused: false, facts })
        }
        Err(error) => Err(Failure::staging(&error.to_string())),
    }
}

fn succeeded(
    store: &MemoryStore,
    target: Target,
    applied: Applied,
    context: &MemoryContext<'_>,
) -> HomeAnswer {
    let limit = *store.limits.get(target);
    let text = answer::success(applied.outcome, target, store.entries(target), limit, context.rules.success);
    let facts = applied_facts(target, applied.effects, context.origin);
    HomeAnswer { text, kind: None, refused: false, facts }
}

fn failed(
    store: Option<&MemoryStore>,
    target: Option<Target>,
    args: &Value,
    context: &MemoryContext<'_>,
    failure: &Failure,
) -> HomeAnswer {
    let (entries, limit): (&[Entry], Limit) = match (store, target) {
        (Some(store), Some(target)) => (store.entries(target), *store.limits.get(target)),
        _ => (&[], Limit::None),
    };
    let text = answer::failure(failure, entries, limit);
    let mut facts = Vec::new();
    if let Some(target) = target {
        let wanted = change::wanted(args, context.rules);
        let end = if failure.refused { WriteEnd::Refused } else { WriteEnd::Failed };
        facts = not_applied(target, &wanted, context.origin, end, Some(failure.kind));
        if is_exhausted(failure) && context.rules.retry.tell_user && !wanted.is_empty() {
            facts.push(Fact::Notice { text: lost_notice(target, &wanted) });
        }
    }
    HomeAnswer { text, kind: Some(failure.kind.into()), refused: failure.refused, facts }
}

fn lost_notice(target: Target, wanted: &[Change<'_>]) -> Arc<str> {
    let texts: Vec<&str> = wanted.iter().map(|change| change.subject()).collect();
    format!("Not saved to {}, there is no room: {}", target.words(), texts.join(" | ")).into()
}

/// The facts of entries that changed.
pub(super) fn applied_facts(target: Target, effects: Vec<Effect>, origin: WriteOrigin) -> Vec<Fact> {
    let fact = |effect: Effect| Fact::Write {
        store: target.store(),
        action: effect.action.into(),
        target: effect.names,
        origin,
        end: WriteEnd::Applied,
        kind: None,
        before: effect.before,
        after: effect.after,
    };
    effects.into_iter().map(fact).collect()
}

/// The facts of changes that were wanted and not made. Nothing was touched, so `before` is empty.
pub(super) fn not_applied(
    target: Target,
    changes: &[Change<'_>],
    origin: WriteOrigin,
    end: WriteEnd,
    kind: Option<&'static str>,
) -> Vec<Fact> {
    let fact = |change: &Change<'_>| Fact::Write {
        store: target.store(),
        action: change.action().into(),
        target: change.names().into(),
        origin,
        end,
        kind: kind.map(Arc::from),
        before: "".into(),
        after: change.stores().into(),
    };
    changes.iter().map(fact).collect()
}
