//! The state of curator and library at a glance.

use std::fmt::Write as _;

use super::super::context::CuratorContext;
use crate::skills::usage::{SkillState, UsageRow};
use crate::stores::{TreePath, exists};
use crate::values::Stamp;

/// Skills that a list shows.
const SHOWN_MAX: usize = 5;
const SECONDS_PER_DAY: i64 = 86_400;
const MICROS_PER_SECOND: i64 = 1_000_000;

/// Whether automatic runs happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// They do.
    Enabled,
    /// They are paused, whatever else is set.
    Paused,
    /// They are switched off, or the version has none.
    Disabled,
}

/// When the last run was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunAge {
    /// Never.
    Never,
    /// So many seconds ago.
    Seconds(i64),
    /// This text is no date.
    Unreadable(String),
}

/// Candidates by state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateCounts {
    /// Active.
    pub active: usize,
    /// Stale.
    pub stale: usize,
    /// Archived by their record.
    pub archived: usize,
    /// In another state.
    pub other: usize,
}

/// The state of curator and library.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// Whether automatic runs happen.
    pub mode: Mode,
    /// Runs so far.
    pub run_count: i64,
    /// When the last one was.
    pub last_run: RunAge,
    /// What it did.
    pub summary: Option<String>,
    /// Its report, and whether that is still there.
    pub report: Option<(String, bool)>,
    /// Hours from run to run.
    pub interval_hours: i64,
    /// Both limits in days.
    pub limits: (i64, i64),
    /// Whether a run asks a model.
    pub consolidate: bool,
    /// Candidates by state.
    pub counts: StateCounts,
    /// Pinned candidates.
    pub pinned: Vec<String>,
    /// Active candidates that were last active longest ago, with the date's text.
    pub least_recent: Vec<(String, String)>,
    /// The most active ones, if any was active at all.
    pub most_active: Vec<(String, i64)>,
    /// The least active ones.
    pub least_active: Vec<(String, i64)>,
}

/// Looks at curator and library; changes nothing.
pub fn status(context: &mut CuratorContext<'_, '_>) -> Status {
    let (rules, at, schedule) = (context.rules(), context.at, context.schedule());
    let root = context.library.home().root().trim_end_matches('/').to_owned();
    let report = schedule.last_report_path().map(|path| {
        let inside = path.strip_prefix(&root).map_or(path, |rest| rest.trim_start_matches('/'));
        let there = TreePath::parse(inside).is_some_and(|inside| exists(context.library.home(), &inside));
        (path.to_owned(), there)
    });
    let last_run = match (schedule.last_run_text(), schedule.last_run_at()) {
        (None, _) => RunAge::Never,
        (Some(_), Some(run)) => RunAge::Seconds((at - run).div_euclid(MICROS_PER_SECOND)),
        (Some(text), None) => RunAge::Unreadable(text.to_owned()),
    };
    let mode = match (schedule.is_paused(), rules.available && rules.enabled) {
        (true, _) if rules.available => Mode::Paused,
        (_, true) => Mode::Enabled,
        _ => Mode::Disabled,
    };
    let mut usage = context.usage();
    let names = super::super::candidates::names(&mut usage, rules);
    let rows: Vec<UsageRow> = names.into_iter().map(|name| usage.row(name)).collect();
    let active: Vec<&UsageRow> =
        rows.iter().filter(|row| row.record.state() == Some(SkillState::Active)).collect();
    Status {
        mode,
        run_count: schedule.run_count(),
        last_run,
        summary: schedule.last_run_summary().map(str::to_owned),
        report,
        interval_hours: rules.interval_hours,
        limits: (rules.ageing.stale_after_days, rules.ageing.archive_after_days),
        consolidate: rules.consolidate,
        counts: count(&rows),
        pinned: rows.iter().filter(|row| row.record.is_pinned()).map(|row| row.name.clone()).collect(),
        least_recent: least_recent(&active),
        most_active: most_active(&active),
        least_active: least_active(&active),
    }
}

fn count(rows: &[UsageRow]) -> StateCounts {
    let mut counts = StateCounts::default();
    for row in rows {
        *match row.record.state() {
            Some(SkillState::Active) => &mut counts.active,
            Some(SkillState::Stale) => &mut counts.stale,
            Some(SkillState::Archived) => &mut counts.archived,
            None => &mut counts.other,
        } += 1;
    }
    counts
}

/// The text that recency is judged by: last activity, else creation, else nothing.
fn date_of(row: &UsageRow) -> String {
    let created = || row.record.get("created_at").and_then(|value| value.as_str()).map(str::to_owned);
    row.last_activity_at.clone().or_else(created).unwrap_or_default()
}

fn least_recent(active: &[&UsageRow]) -> Vec<(String, String)> {
    let mut dated: Vec<(String, String)> =
        active.iter().map(|row| (row.name.clone(), date_of(row))).collect();
    dated.sort_by_key(|(_, date)| (Stamp::parse(date), date.clone()));
    dated.truncate(SHOWN_MAX);
    dated
}

fn most_active(active: &[&UsageRow]) -> Vec<(String, i64)> {
    let mut counted: Vec<&&UsageRow> = active.iter().collect();
    counted.sort_by(|one, two| {
        two.activity_count.cmp(&one.activity_count).then_with(|| date_of(two).cmp(&date_of(one)))
    });
    if counted.first().is_none_or(|row| row.activity_count <= 0) {
        return Vec::new();
    }
    counted.iter().take(SHOWN_MAX).map(|row| (row.name.clone(), row.activity_count)).collect()
}

fn least_active(active: &[&UsageRow]) -> Vec<(String, i64)> {
    let mut counted: Vec<&&UsageRow> = active.iter().collect();
    counted.sort_by(|one, two| {
        one.activity_count.cmp(&two.activity_count).then_with(|| date_of(one).cmp(&date_of(two)))
    });
    counted.iter().take(SHOWN_MAX).map(|row| (row.name.clone(), row.activity_count)).collect()
}

impl Status {
    /// The status as a person reads it.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let mut line = |words: String| writeln!(text, "{words}").expect("a text takes all");
        let mode = match self.mode {
            Mode::Enabled => "enabled",
            Mode::Paused => "paused",
            Mode::Disabled => "disabled",
        };
        line(format!(
            "Curator: {mode}; runs so far: {}; last run: {}",
            self.run_count,
            self.last_run.to_text()
        ));
        if let Some(summary) = &self.summary {
            line(format!("  {}", summary.replace('\n', "\n  ")));
        }
        if let Some((path, there)) = &self.report {
            line(format!("Report: {path}{}", if *there { "" } else { " (missing)" }));
        }
        let (stale, archive) = self.limits;
        let pass = if self.consolidate { "on" } else { "off" };
        let interval = interval_text(self.interval_hours);
        line(format!(
            "Every {interval}; stale after {stale} d, archived after {archive} d; consolidation {pass}"
        ));
        let counts = self.counts;
        line(format!(
            "Skills: {} active, {} stale, {} archived",
            counts.active, counts.stale, counts.archived
        ));
        if !self.pinned.is_empty() {
            line(format!("Pinned: {}", self.pinned.join(", ")));
        }
        let counted = |list: &[(String, i64)]| {
            list.iter().map(|(name, count)| format!("{name} ({count})")).collect::<Vec<_>>().join(", ")
        };
        if !self.least_recent.is_empty() {
            let dated = self.least_recent.iter().map(|(name, date)| format!("{name} ({date})"));
            line(format!("Least recently active: {}", dated.collect::<Vec<_>>().join(", ")));
        }
        if !self.most_active.is_empty() {
            line(format!("Most active: {}", counted(&self.most_active)));
        }
        if !self.least_active.is_empty() {
            line(format!("Least active: {}", counted(&self.least_active)));
        }
        text
    }
}

impl RunAge {
    fn to_text(&self) -> String {
        match self {
            Self::Never => "never".to_owned(),
            Self::Unreadable(text) => text.clone(),
            Self::Seconds(seconds) => match *seconds {
                seconds if seconds < 60 => format!("{seconds} s ago"),
                seconds if seconds < 3600 => format!("{} min ago", seconds / 60),
                seconds if seconds < SECONDS_PER_DAY => format!("{} h ago", seconds / 3600),
                seconds => format!("{} d ago", seconds / SECONDS_PER_DAY),
            },
        }
    }
}

fn interval_text(hours: i64) -> String {
    if hours >= 24 && hours % 24 == 0 { format!("{} d", hours / 24) } else { format!("{hours} h") }
}
