//! Searching all sessions (`spec/sessions.md` §4.1).

use serde::Serialize;

use super::answer::{failure, success};
use super::args::Arguments;
use super::summary;
use super::{Place, SearchCall};
use crate::behaviour::{ResultSession, SearchMode, ToolModes};
use crate::sessions::message::{MessageRow, RowState};
use crate::sessions::search::{Hits, SearchFailed, SearchQuery};
use crate::sessions::session::SessionRow;
use crate::sessions::store::SessionStore;
use crate::sessions::window::{BOOKEND, Shown, View};
use crate::sessions::{MessageId, SessionId};

/// Messages on each side of a hit.
const WINDOW: usize = 5;

/// The role that stands for a match in the title.
const TITLE_ROLE: &str = "session_title";

#[derive(Serialize)]
struct Discovered<'a> {
    success: bool,
    mode: &'static str,
    query: &'a str,
    results: Vec<Entry<'a>>,
    count: usize,
    sessions_searched: usize,
}

#[derive(Serialize)]
struct Nothing<'a> {
    success: bool,
    mode: &'static str,
    query: &'a str,
    results: [(); 0],
    count: usize,
    message: &'static str,
}

#[derive(Serialize)]
struct Entry<'a> {
    session_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_session_id: Option<SessionId>,
    when: String,
    source: &'a str,
    model: Option<&'a str>,
    title: Option<&'a str>,
    matched_role: &'a str,
    match_message_id: Option<MessageId>,
    snippet: String,
    bookend_start: Vec<Shown<'a>>,
    messages: Vec<Shown<'a>>,
    bookend_end: Vec<Shown<'a>>,
    messages_before: usize,
    messages_after: usize,
}

/// A lineage that a query found.
pub(super) struct Picked {
    /// The session with the hit.
    pub(super) session: SessionId,
    /// The root of its lineage.
    pub(super) root: SessionId,
    /// The place of the row found; none where the title was found.
    row: Option<usize>,
}

/// The name of the mode.
pub(super) fn mode(place: &Place<'_>) -> &'static str {
    match place.rules.modes {
        ToolModes::Two => "query",
        ToolModes::Four => "discover",
    }
}

/// Finds sessions by what was said in them, or by their title.
pub(super) fn discover(
    store: &mut SessionStore,
    query: &str,
    args: &Arguments,
    place: &Place<'_>,
) -> SearchCall {
    let titled = place.rules.match_titles.then(|| by_title(store, query, place)).flatten();
    let hits = match find(store, query, args, place) {
        Ok(hits) => hits,
        Err(error) => {
            return SearchCall::Done(failure("search-failed", &format!("The search broke off: {error}.")));
        }
    };
    if titled.is_none() && hits.is_empty() {
        return SearchCall::Done(success(&Nothing {
            success: true,
            mode: mode(place),
            query,
            results: [],
            count: 0,
            message: "Nothing was found. Other words, fewer words, or OR between them may find more.",
        }));
    }
    let picked = pick(store, titled.as_ref(), &hits, args.limit, place);
    match place.rules.search {
        SearchMode::FtsSummary => summary::plan(store, query, &picked, place),
        SearchMode::Fts => match snippets(store, &hits, &picked) {
            Err(error) => {
                SearchCall::Done(failure("search-failed", &format!("The search broke off: {error}.")))
            }
            Ok(snippets) => SearchCall::Done(success(&Discovered {
                success: true,
                mode: mode(place),
                query,
                count: picked.len(),
                sessions_searched: picked.len(),
                results: picked
                    .iter()
                    .zip(snippets)
                    .map(|(picked, snippet)| entry(store, query, picked, snippet, place))
                    .collect(),
            })),
        },
    }
}

/// The session whose title is the query, unless it is the caller's own or hidden.
fn by_title(store: &SessionStore, query: &str, place: &Place<'_>) -> Option<SessionId> {
    let title = query.trim_matches(crate::text::is_space).trim_matches(['`', '\'', '"']);
    let session = store.resolve_by_title(title, place.rules)?;
    let root = store.lineage_root(&session);
    let hidden = store.session(&root).is_some_and(|root| place.is_hidden(&root.source));
    (!place.is_own(&root) && !hidden).then_some(session)
}

fn find(
    store: &mut SessionStore,
    query: &str,
    args: &Arguments,
    place: &Place<'_>,
) -> Result<Hits, SearchFailed> {
    let rules = place.rules;
    let search = SearchQuery {
        text: query,
        excluded_sources: &rules.hidden_sources,
        roles: args.roles.as_deref().or(rules.default_roles.as_deref()),
        limit: rules.scan_rows,
        sort: args.sort,
        ..SearchQuery::default()
    };
    if !place.full_text {
        return Ok(Hits::none());
    }
    store.search(&search, rules)
}

/// One row for each lineage that is not the caller's own, rows of demoted sources last.
fn pick(
    store: &SessionStore,
    titled: Option<&SessionId>,
    hits: &Hits,
    limit: usize,
    place: &Place<'_>,
) -> Vec<Picked> {
    let demoted = |row: &usize| {
        let source = &store.owner(&store.messages[*row]).source;
        place.rules.demoted_sources.iter().any(|demoted| demoted == source)
    };
    let (last, first): (Vec<usize>, Vec<usize>) = hits.rows.iter().copied().partition(demoted);
    let mut picked: Vec<Picked> = Vec::new();
    if let Some(session) = titled {
        let root = store.lineage_root(session);
        picked.push(Picked { session: session.clone(), root, row: None });
    }
    for row in first.into_iter().chain(last) {
        if picked.len() >= limit {
            break;
        }
        let session = &store.owner(&store.messages[row]).id;
        let root = store.lineage_root(session);
        let own = place.is_own(&root) || place.current.as_ref().is_some_and(|current| current.id == *session);
        if !own && picked.iter().all(|known| known.root != root) {
            picked.push(Picked { session: session.clone(), root, row: Some(row) });
        }
    }
    picked
}

/// A snippet for each lineage picked; those found by title have none yet.
fn snippets(store: &mut SessionStore, hits: &Hits, picked: &[Picked]) -> Result<Vec<String>, SearchFailed> {
    let rows: Vec<usize> = picked.iter().filter_map(|picked| picked.row).collect();
    let mut snippets = store.snippets(hits, &rows)?.into_iter();
    Ok(picked.iter().map(|picked| picked.row.and_then(|_| snippets.next()).unwrap_or_default()).collect())
}

fn entry<'a>(
    store: &'a SessionStore,
    query: &'a str,
    picked: &'a Picked,
    snippet: String,
    place: &Place<'_>,
) -> Entry<'a> {
    let owner = store.session(&picked.session).expect("a session that was picked is in the store");
    let root = store.session(&picked.root);
    let about = root.unwrap_or(owner);
    let title = root.and_then(|root| root.title.as_deref()).filter(|title| !title.is_empty());
    let (view, anchor, role, title, snippet) = match picked.row {
        Some(row) => {
            let row = &store.messages[row];
            let view = store.anchored_view(&owner.id, row.id, WINDOW, place.rules);
            (view, Some(row.id), row.message.role.as_str(), title, snippet)
        }
        None => {
            let (view, anchor) = titled_view(store, owner, place);
            let snippet =
                format!("[the title of this session is: {}]", owner.title.as_deref().unwrap_or(query));
            (view, anchor, TITLE_ROLE, title.or(Some(query)), snippet)
        }
    };
    let (session_id, parent_session_id) = match place.rules.result_session {
        ResultSession::Root => (&*picked.root, None),
        ResultSession::Owner => {
            (&*picked.session, (picked.root != picked.session).then(|| picked.root.clone()))
        }
    };
    Entry {
        session_id,
        parent_session_id,
        when: place.when(Some(about.started_at)),
        source: &about.source,
        model: about.model.as_deref(),
        title,
        matched_role: role,
        match_message_id: anchor,
        snippet,
        bookend_start: Shown::list(&view.start, None),
        messages: Shown::list(&view.rows, anchor),
        bookend_end: Shown::list(&view.end, None),
        messages_before: view.before,
        messages_after: view.after,
    }
}

/// The beginning of a session that was found by its title; the bookends fall back to its first and last messages.
fn titled_view<'a>(
    store: &'a SessionStore,
    session: &SessionRow,
    place: &Place<'_>,
) -> (View<'a>, Option<MessageId>) {
    let live: Vec<&MessageRow> =
        store.rows_of(&session.id).filter(|row| row.state == RowState::Live).collect();
    let Some(anchor) = live.first().map(|row| row.id) else { return (View::default(), None) };
    let mut view = store.anchored_view(&session.id, anchor, WINDOW, place.rules);
    if view.start.is_empty() {
        view.start = live[..live.len().min(BOOKEND)].to_vec();
    }
    if view.end.is_empty() {
        view.end = live[live.len().saturating_sub(BOOKEND)..].to_vec();
    }
    (view, Some(anchor))
}
