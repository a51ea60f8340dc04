//! The blocks that a prompt shows of memory (`spec/memory.md` §7).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::entries::{self, Entry};
use super::target::{Each, Limit, Target};
use crate::behaviour::ThreatRules;
use crate::guard::threats::{self, Scope};

/// What stands above and below a block's header line.
pub const RULE: &str = "══════════════════════════════════════════════";

/// How a placeholder begins. Entries that begin so are shown without a scan.
const BLOCKED: &str = "[BLOCKED:";

/// What scans found, kept from one snapshot to the next: entries change rarely, and a scan costs more than all else
/// that a load does. Results of other rules, and of entries that are gone, are dropped.
#[derive(Clone, Debug, Default)]
pub(super) struct Scans {
    rules: Option<ThreatRules>,
    shown: Each<BTreeMap<Entry, Entry>>,
}

impl Scans {
    /// The entries as a block shows them: those with a finding as placeholders.
    fn shown(&mut self, target: Target, entries: &[Entry], rules: &ThreatRules) -> Vec<Entry> {
        if self.rules.as_ref() != Some(rules) {
            *self = Self { rules: Some(rules.clone()), shown: Each::default() };
        }
        let known = std::mem::take(self.shown.get_mut(target));
        let shown: Vec<Entry> = entries
            .iter()
            .map(|entry| known.get(entry).cloned().unwrap_or_else(|| shown(target, entry, rules)))
            .collect();
        *self.shown.get_mut(target) = entries.iter().cloned().zip(shown.iter().cloned()).collect();
        shown
    }
}

/// The block of these entries, without a newline at the end; none if there is no entry.
pub(super) fn block(
    target: Target,
    entries: &[Entry],
    limit: Limit,
    scan: Option<(&mut Scans, &ThreatRules)>,
) -> Option<Arc<str>> {
    if entries.is_empty() {
        return None;
    }
    let shown: Cow<'_, [Entry]> = match scan {
        Some((scans, rules)) => scans.shown(target, entries, rules).into(),
        None => entries.into(),
    };
    let usage = entries::usage_with_share(entries::chars(&shown), limit);
    let body = entries::render(&shown);
    Some(format!("{RULE}\n{} [{usage}]\n{RULE}\n{body}", target.label()).into())
}

fn shown(target: Target, entry: &Entry, rules: &ThreatRules) -> Entry {
    if entry.starts_with(BLOCKED) {
        return Arc::clone(entry);
    }
    let findings: Vec<Cow<'_, str>> = threats::scan(entry, Scope::Strict, rules);
    if findings.is_empty() {
        return Arc::clone(entry);
    }
    let file = target.file_name();
    format!(
        "{BLOCKED} an entry of {file} fits threat patterns ({}) and is not shown. The file still holds it; read it \
         there and take it out with the memory tool's remove.]",
        findings.join(", ")
    )
    .into()
}
