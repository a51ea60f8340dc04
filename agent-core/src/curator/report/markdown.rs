//! `REPORT.md`: the report as a person reads it.

use std::fmt::Write as _;

use super::pass_report::PassReport;
use crate::curator::classify::{Consolidated, Pruned, Source};
use crate::curator::jobs::JobRewrite;

/// Entries of a list that are shown.
const LIST_MAX: usize = 50;
/// Jobs that are shown.
const JOBS_MAX: usize = 25;

impl PassReport {
    /// The report as Markdown.
    pub fn to_markdown(&self) -> String {
        let mut text = String::new();
        self.head(&mut text);
        self.lists(&mut text);
        if let Some(verification) = &self.verification {
            section(&mut text, "Checks", verification.lines(), LIST_MAX);
        }
        let answer = self.outcome.final_text.trim();
        if !answer.is_empty() {
            put(&mut text, &format!("\n## The model's answer\n\n{answer}\n"));
        } else if self.outcome.error.is_none() {
            put(&mut text, &format!("\n## The model's part\n\n{}\n", self.llm_summary));
        }
        put(
            &mut text,
            "\n## How to get something back\n\n`curator restore NAME` brings an archived skill back; `curator \
             rollback` puts the whole library back as it was before this run.\n",
        );
        text
    }

    fn head(&self, text: &mut String) {
        let or_unknown = |name: &str| if name.is_empty() { "(none)".to_owned() } else { name.to_owned() };
        let kind = if self.dry_run { "Curator dry run" } else { "Curator run" };
        put(text, &format!("# {kind}, {}\n\n", self.started));
        put(
            text,
            &format!(
                "Model: {} · provider: {} · took {:.2} s · skills: {} → {} ({:+})\n",
                or_unknown(&self.outcome.model),
                or_unknown(&self.outcome.provider),
                self.duration_seconds(),
                self.before,
                self.after,
                self.delta(),
            ),
        );
        if let Some(error) = &self.outcome.error {
            put(text, &format!("\n**The model's part failed:** {error}\n"));
        }
        let counters = &self.timed.counters;
        let timed = format!(
            "checked {}, seeded {}, marked stale {}, archived {}, reactivated {}",
            counters.checked, counters.seeded, counters.marked_stale, counters.archived, counters.reactivated
        );
        let classified = &self.classified;
        let pass = format!(
            "removed {} (consolidated {}, pruned {}), added {}, state changes {}, jobs changed {}, tool calls {}",
            classified.removed.len(),
            classified.consolidated.len(),
            classified.pruned.len(),
            classified.added.len(),
            self.state_changes.len(),
            self.rewritten.jobs_updated,
            self.outcome.tool_calls.len(),
        );
        put(text, &format!("\n- By time: {timed}\n- By the model: {pass}\n"));
    }

    fn lists(&self, text: &mut String) {
        let classified = &self.classified;
        section(text, "Consolidated", classified.consolidated.iter().map(consolidated), LIST_MAX);
        section(text, "Pruned", classified.pruned.iter().map(pruned), LIST_MAX);
        section(text, "New skills", classified.added.iter().map(|name| format!("`{name}`")), LIST_MAX);
        let changes = self.state_changes.iter();
        let changes = changes.map(|one| format!("`{}`: {} → {}", one.name, one.from, one.to));
        section(text, "State changes", changes, LIST_MAX);
        section(text, "Scheduled jobs", self.rewritten.rewrites.iter().map(job), JOBS_MAX);
        if let Some(error) = &self.rewritten.error {
            put(text, &format!("\n**Scheduled jobs could not be changed:** {error}\n"));
        }
    }
}

fn put(text: &mut String, more: &str) {
    text.push_str(more);
}

fn section(text: &mut String, title: &str, entries: impl IntoIterator<Item = String>, max: usize) {
    let entries: Vec<String> = entries.into_iter().collect();
    if entries.is_empty() {
        return;
    }
    write!(text, "\n## {title} ({})\n\n", entries.len()).expect("a text takes all");
    for entry in entries.iter().take(max) {
        writeln!(text, "- {entry}").expect("a text takes all");
    }
    if entries.len() > max {
        writeln!(text, "- … and {} more", entries.len() - max).expect("a text takes all");
    }
}

fn because(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(": {reason}") }
}

fn consolidated(one: &Consolidated) -> String {
    let mut line = format!("`{}` → `{}`{}", one.name, one.into, because(&one.reason));
    if matches!(one.source, Source::AuditOnly | Source::AuditMissingTarget) {
        line.push_str(" (found only in the calls)");
    }
    if let Some(claimed) = &one.claimed_into {
        write!(line, " **Warning:** the summary names `{claimed}`, which does not exist.")
            .expect("a text takes all");
    }
    line
}

fn pruned(one: &Pruned) -> String {
    let source = match one.source {
        Source::FallbackMissingTarget => " **Warning:** the summary names a target that does not exist.",
        Source::NoEvidence => " (nothing says where it went)",
        _ => "",
    };
    format!("`{}`{}{source}", one.name, because(&one.reason))
}

fn job(one: &JobRewrite) -> String {
    let mapped = one.mapped.iter().map(|(from, to)| format!("`{from}` → `{to}`"));
    let dropped = one.dropped.iter().map(|name| format!("`{name}` dropped"));
    format!("{}: {}", one.job_name, mapped.chain(dropped).collect::<Vec<_>>().join(", "))
}
