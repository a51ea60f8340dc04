//! The tool `session_search` (`spec/sessions.md` §4): one call, several modes.
//!
//! Which arguments are there decides the mode. With the search mode `fts_summary` a query needs a model's help:
//! [`begin`] then gives a [`SearchPlan`], and [`finish_search`] makes the answer of the plan and what the model said.

mod answer;
mod args;
mod browse;
mod discover;
mod read;
mod spec;
mod summary;

use std::collections::BTreeMap;

use serde_json::Value;

use super::SessionId;
use super::import::ReadOnlyStore;
use super::store::SessionStore;
use crate::behaviour::{SessionRules, ToolModes};
use crate::values::HomeAnswer;
use answer::failure;
use args::Arguments;

pub use spec::tool_spec;
pub use summary::{Group, SearchPlan, finish_search};

/// Who calls the tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Caller {
    /// A conversation's loop, for its model.
    #[default]
    Loop,
    /// A command of the user.
    Command,
}

/// What a call needs to know beside its arguments.
pub struct SearchContext<'a> {
    /// The session that calls, if any: its own lineage is not searched.
    pub current_session: Option<&'a str>,
    /// The rules.
    pub rules: &'a SessionRules,
    /// The local time's distance from UTC in seconds, east positive.
    pub utc_offset_secs: i32,
    /// Who calls.
    pub caller: Caller,
    /// The stores of other profiles by name, opened read-only; none where there are no profiles.
    pub profiles: Option<&'a mut BTreeMap<String, ReadOnlyStore>>,
}

/// What came of a call.
pub enum SearchCall {
    /// The answer.
    Done(HomeAnswer),
    /// The answer needs one model call of role `summary` for each group; then [`finish_search`].
    Summarise(SearchPlan),
}

/// Calls the tool. Where the rules ask for summaries by a model, each result holds the beginning of its transcript
/// instead; use [`begin`] to have them summarised.
pub fn call(store: &mut SessionStore, args: &Value, context: SearchContext<'_>) -> HomeAnswer {
    match begin(store, args, context) {
        SearchCall::Done(answer) => answer,
        SearchCall::Summarise(plan) => finish_search(&plan, Vec::new()),
    }
}

/// Calls the tool, as far as it goes without a model.
pub fn begin(store: &mut SessionStore, args: &Value, context: SearchContext<'_>) -> SearchCall {
    let rules = context.rules;
    if let Some(why) = &store.unavailable {
        let words = format!("The session database could not be opened: {why}.");
        return SearchCall::Done(failure("db-unavailable", &words));
    }
    let args = Arguments::read(args, rules, context.caller);
    let place =
        |current, full_text| Place { rules, utc_offset_secs: context.utc_offset_secs, current, full_text };
    let Some(profile) = &args.profile else {
        let current = context.current_session.map(|id| Current::new(store, id));
        let place = place(current, true);
        return run(store, &args, &place, context.profiles.as_deref());
    };
    let known = context.profiles.and_then(|profiles| profiles.get_mut(profile.as_str()));
    let Some(other) = known else {
        let words = format!("There is no profile named `{profile}` whose sessions can be searched.");
        return SearchCall::Done(failure("profile-error", &words));
    };
    // In another profile the current session means nothing.
    let place = place(None, rules.read_only_full_text);
    run(other.inner(), &args, &place, None)
}

/// Where a call looks.
struct Place<'a> {
    rules: &'a SessionRules,
    utc_offset_secs: i32,
    current: Option<Current>,
    /// Whether full text can be searched.
    full_text: bool,
}

/// The session that calls and the root of its lineage.
struct Current {
    id: SessionId,
    root: SessionId,
}

impl Current {
    fn new(store: &SessionStore, id: &str) -> Self {
        Self { id: id.into(), root: store.lineage_root(id) }
    }
}

impl Place<'_> {
    /// Whether a lineage is the caller's own.
    fn is_own(&self, root: &SessionId) -> bool {
        self.current.as_ref().is_some_and(|current| current.root == *root)
    }

    fn when(&self, epoch: Option<f64>) -> String {
        super::when::in_words(epoch, self.utc_offset_secs)
    }

    fn is_hidden(&self, source: &str) -> bool {
        self.rules.hidden_sources.iter().any(|hidden| **hidden == *source)
    }
}

/// Chooses the mode by the arguments that are there.
fn run(
    store: &mut SessionStore,
    args: &Arguments,
    place: &Place<'_>,
    others: Option<&BTreeMap<String, ReadOnlyStore>>,
) -> SearchCall {
    if let Some(session) = args.session.as_deref().filter(|_| place.rules.modes == ToolModes::Four) {
        return SearchCall::Done(match &args.anchor {
            Some(anchor) => read::scroll(store, session, anchor, args.window, place),
            None => read::read(store, session, place, others),
        });
    }
    match &args.query {
        None => SearchCall::Done(browse::browse(store, args.limit, place)),
        Some(query) => discover::discover(store, query, args, place),
    }
}
