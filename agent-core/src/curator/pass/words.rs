//! What a run says of itself in a few lines.

use std::fmt::Write as _;

use super::super::ageing::Counters;
use super::super::classify::{Classified, Consolidated};
use crate::text::{cut, trim};

/// Characters of a model's answer that stand for the whole.
const SUMMARY_CHARS: usize = 240;
/// Removed skills that are named one by one.
const SHOWN_MAX: usize = 10;

/// The timed part in one line.
pub(in crate::curator) fn timed_line(counters: &Counters) -> String {
    let counts = [
        (counters.marked_stale, "marked stale"),
        (counters.archived, "archived"),
        (counters.reactivated, "reactivated"),
        (counters.promoted, "promoted"),
        (counters.low_use, "marked little used"),
    ];
    let said: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if said.is_empty() { "no changes by time".to_owned() } else { said.join(", ") }
}

/// A model's answer in short.
pub(in crate::curator) fn model_summary(text: &str) -> String {
    let text = trim(text);
    if text.is_empty() {
        return "the model changed nothing".to_owned();
    }
    let head = cut(text, SUMMARY_CHARS);
    if head.len() < text.len() { format!("{head}…") } else { head.to_owned() }
}

/// Where removed skills went, as far as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenameMap {
    /// Removed skills.
    pub total: usize,
    /// The first of them with their targets; none for one that is gone.
    pub shown: Vec<(String, Option<String>)>,
    /// How many are not shown.
    pub more: usize,
    /// The alphabetically first target, which a pin would keep.
    pub pin_hint: Option<String>,
}

impl RenameMap {
    /// The map of a pass; none if nothing was removed.
    pub fn of(classified: &Classified) -> Option<Self> {
        let absorbed = classified
            .consolidated
            .iter()
            .map(|Consolidated { name, into, .. }| (name.clone(), Some(into.clone())));
        let gone = classified.pruned.iter().map(|pruned| (pruned.name.clone(), None));
        let all: Vec<_> = absorbed.chain(gone).collect();
        if all.is_empty() {
            return None;
        }
        let (total, pin_hint) = (all.len(), all.iter().filter_map(|(_, into)| into.clone()).min());
        let shown: Vec<_> = all.into_iter().take(SHOWN_MAX).collect();
        Some(Self { total, more: total - shown.len(), shown, pin_hint })
    }

    /// The lines below a summary.
    pub fn to_text(&self) -> String {
        let mut text = format!("{} removed by the pass:", self.total);
        for (name, into) in &self.shown {
            match into {
                Some(into) => write!(text, "\n  {name} -> {into}"),
                None => write!(text, "\n  {name} (gone)"),
            }
            .expect("a text takes all");
        }
        if self.more > 0 {
            write!(text, "\n  and {} more", self.more).expect("a text takes all");
        }
        text.push_str("\nSee `curator status` for the report.");
        if let Some(target) = &self.pin_hint {
            write!(text, "\nTo keep a merged skill as it is: `curator pin {target}`.")
                .expect("a text takes all");
        }
        text
    }
}
