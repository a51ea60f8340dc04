//! Who is within the curator's reach, and the list that a pass reads (`spec/curator.md` §5 and §9).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::ageing::{Candidate, LimitTooFar, Plan, plan};
use super::jobs::JobSkills;
use crate::behaviour::CuratorRules;
use crate::skills::usage::{Counter, Provenance, Usage};
use crate::values::Stamp;

/// The names that a run looks at, sorted. With the fault `own_skills_aged` the user's own skills are among them.
pub fn names(usage: &mut Usage<'_, '_>, rules: &CuratorRules) -> Vec<String> {
    let mut names = usage.candidates();
    if rules.ageing.own_skills {
        let all = usage.full_report().into_iter().filter(|row| row.provenance == Provenance::Agent);
        let own: Vec<String> = all.map(|row| row.name).collect();
        names.extend(own.into_iter().filter(|name| usage.is_eligible(name)));
        names.sort_unstable();
        names.dedup();
    }
    names
}

/// What a run at this time would do.
///
/// # Errors
/// A limit lies beyond all dates.
pub fn plan_run(
    usage: &mut Usage<'_, '_>,
    jobs: &JobSkills,
    rules: &CuratorRules,
    at: Stamp,
) -> Result<Plan, LimitTooFar> {
    let names = names(usage, rules);
    let candidates = names.iter().map(|name| Candidate {
        name,
        record: usage.stored(name),
        builtin: usage.is_bundled(name),
    });
    plan(candidates, jobs, at, &rules.ageing)
}

/// One candidate as the list shows it. All figures are texts: a counter may be anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidateRow {
    /// The declared name.
    pub name: String,
    /// The text of its state.
    pub state: String,
    /// Whether it is pinned.
    pub pinned: bool,
    /// Whether a scheduled job names it.
    pub job: bool,
    /// Sum of the counters.
    pub activity: i64,
    /// Uses, views and patches, as stored.
    pub counts: [String; 3],
    /// Text of the newest activity.
    pub last_activity: Option<String>,
    /// When its record was made, if that can be read.
    pub created: Option<Stamp>,
}

/// The candidates as the list shows them, in order of name.
pub fn list(usage: &mut Usage<'_, '_>, jobs: &JobSkills, rules: &CuratorRules) -> Vec<CandidateRow> {
    let names = names(usage, rules);
    let rows = names.into_iter().map(|name| usage.row(name));
    rows.map(|row| CandidateRow {
        state: row.record.state_text().to_owned(),
        pinned: row.record.is_pinned(),
        job: jobs.has(&row.name),
        activity: row.activity_count,
        counts: Counter::ALL.map(|which| match row.record.get(which.count_key()) {
            Some(serde_json::Value::String(text)) => text.clone(),
            Some(value) if !value.is_null() => value.to_string(),
            _ => "0".to_owned(),
        }),
        // Without a record its creation would be this very moment.
        created: row.record.date("created_at").filter(|_| row.persisted).map(|(stamp, _)| stamp),
        last_activity: row.last_activity_at,
        name: row.name,
    })
    .collect()
}

/// The list as a pass reads it: a heading with the count, an empty line, one line a candidate.
pub fn render(rows: &[CandidateRow], show_jobs: bool) -> String {
    let mut text = format!("Candidates ({}):\n", rows.len());
    let yes = |truth: bool| if truth { "yes" } else { "no" };
    for row in rows {
        let line = (one_line(&row.name), one_line(&row.state), yes(row.pinned));
        write!(text, "\n{}  state={}  pinned={}", line.0, line.1, line.2).expect("a text takes all");
        if show_jobs {
            write!(text, "  cron={}", yes(row.job)).expect("a text takes all");
        }
        let [uses, views, patches] = row.counts.each_ref().map(|count| one_line(count));
        let last = row.last_activity.as_deref().unwrap_or("never");
        write!(
            text,
            "  activity={}  use={uses}  view={views}  patches={patches}  last_activity={}",
            row.activity,
            one_line(last)
        )
        .expect("a text takes all");
    }
    text
}

/// The text without line ends: whatever a record holds, a candidate is one line.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// The directory name of each local skill whose declared name differs, with that declared name. A directory named as
/// another skill is declared stands for that one, and of two directories of one name the first counts.
pub(super) fn directory_aliases(usage: &mut Usage<'_, '_>) -> BTreeMap<String, String> {
    let skills = usage.local_skills();
    let declared: BTreeSet<&str> = skills.iter().map(|skill| &*skill.declared).collect();
    let mut aliases = BTreeMap::new();
    for skill in skills.iter().filter(|skill| !declared.contains(&*skill.dir_name)) {
        aliases.entry(skill.dir_name.to_string()).or_insert_with(|| skill.declared.to_string());
    }
    aliases
}
