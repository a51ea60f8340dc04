//! The decision for each removed skill, by precedence of the signals.

use std::collections::{BTreeMap, BTreeSet};

use super::audit::{Evidence, audit};
use super::calls::RecordedCall;
use super::declared::declared;
use super::summary::Summary;
use crate::behaviour::SummaryReading;

/// What a decision rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A delete named the target.
    Declared,
    /// A delete said that there is none.
    DeclaredPrune,
    /// The summary.
    Summary,
    /// The summary, and a call that mentions the skill.
    SummaryWithAudit,
    /// A call that mentions the skill; the summary's target does not exist.
    AuditMissingTarget,
    /// The summary's target does not exist, and nothing else is known.
    FallbackMissingTarget,
    /// A call that mentions the skill, and nothing else.
    AuditOnly,
    /// The summary says that it was dropped.
    SummaryPrune,
    /// Nothing.
    NoEvidence,
}

impl Source {
    /// The kind in the specs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Declared => "declared",
            Self::DeclaredPrune => "declared_prune",
            Self::Summary => "summary",
            Self::SummaryWithAudit => "summary_with_audit",
            Self::AuditMissingTarget => "audit_missing_target",
            Self::FallbackMissingTarget => "fallback_missing_target",
            Self::AuditOnly => "audit_only",
            Self::SummaryPrune => "summary_prune",
            Self::NoEvidence => "no_evidence",
        }
    }

    /// Whether somebody said that the skill is dropped, as opposed to nobody knowing where it went.
    pub const fn is_said(self) -> bool {
        matches!(self, Self::DeclaredPrune | Self::SummaryPrune)
    }
}

/// A skill that another absorbed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consolidated {
    /// Its name.
    pub name: String,
    /// The skill that absorbed it.
    pub into: String,
    /// What this rests on.
    pub source: Source,
    /// Why; may be empty.
    pub reason: String,
    /// A call that mentions it.
    pub evidence: Option<Evidence>,
    /// The target that the summary claimed and that does not exist.
    pub claimed_into: Option<String>,
}

/// A skill that is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pruned {
    /// Its name.
    pub name: String,
    /// What this rests on.
    pub source: Source,
    /// Why; may be empty.
    pub reason: String,
}

/// What became of all removed skills, with the signals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Classified {
    /// Removed names, sorted.
    pub removed: Vec<String>,
    /// Added names, sorted.
    pub added: Vec<String>,
    /// Absorbed skills, by name.
    pub consolidated: Vec<Consolidated>,
    /// Gone skills, by name.
    pub pruned: Vec<Pruned>,
    /// What deletes declared.
    pub declared: BTreeMap<String, String>,
    /// What the summary says.
    pub summary: Summary,
    /// What other calls show.
    pub audit: BTreeMap<String, Evidence>,
}

/// Where a removed skill may have gone.
#[derive(Clone, Debug, Default)]
pub struct Destination {
    /// Names that can be found after the pass, beside the candidates.
    pub found: BTreeSet<String>,
    /// Declared names by the names of their directories, where these differ and where the rules compare them.
    pub aliases: BTreeMap<String, String>,
}

impl Destination {
    fn declared_name<'n>(&'n self, name: &'n str) -> &'n str {
        self.aliases.get(name).map_or(name, String::as_str)
    }
}

/// Decides for every name that was there before and is not there after.
pub fn classify(
    before: &[String],
    after: &[String],
    calls: &[RecordedCall],
    final_text: &str,
    beside: &Destination,
    reading: SummaryReading,
) -> Classified {
    let (was, is): (BTreeSet<&String>, BTreeSet<&String>) = (before.iter().collect(), after.iter().collect());
    let removed: Vec<String> = was.difference(&is).map(|name| (*name).clone()).collect();
    let added: Vec<String> = is.difference(&was).map(|name| (*name).clone()).collect();
    let mut destinations: BTreeSet<String> = after.iter().cloned().collect();
    destinations.extend(beside.found.iter().filter(|name| !removed.contains(name)).cloned());
    let translated: Vec<RecordedCall>;
    let calls = if beside.aliases.is_empty() {
        calls
    } else {
        translated = calls.iter().map(|call| call.with_names(&beside.aliases)).collect();
        &translated
    };
    let audit = audit(&removed, &destinations, calls);
    let declared = declared(calls);
    let summary = Summary::read(final_text, reading);
    let mut classified = Classified { removed, added, declared, summary, audit, ..Classified::default() };
    classified.decide(&destinations, beside);
    classified
}

/// What the summary says, by name; directories' names are replaced by the names that they declare.
struct Signals<'s> {
    declared: &'s BTreeMap<String, String>,
    absorbed: BTreeMap<String, (String, String)>,
    dropped: BTreeMap<String, String>,
}

impl Classified {
    fn signals(&self, beside: &Destination) -> Signals<'_> {
        let plain = |name: &String| beside.declared_name(name).to_owned();
        let absorbed = self.summary.consolidations.iter();
        let dropped = self.summary.prunings.iter();
        Signals {
            declared: &self.declared,
            absorbed: absorbed
                .map(|one| (plain(&one.from), (plain(&one.into), one.reason.clone())))
                .collect(),
            dropped: dropped.map(|one| (plain(&one.name), one.reason.clone())).collect(),
        }
    }

    fn decide(&mut self, destinations: &BTreeSet<String>, beside: &Destination) {
        let (mut consolidated, mut pruned) = (Vec::new(), Vec::new());
        let signals = self.signals(beside);
        for name in &self.removed {
            let evidence = self.audit.get(name).cloned();
            match decide(name, &signals, evidence, destinations) {
                Ok(absorbed) => consolidated.push(absorbed),
                Err(gone) => pruned.push(gone),
            }
        }
        (self.consolidated, self.pruned) = (consolidated, pruned);
    }
}

fn decide(
    name: &str,
    signals: &Signals<'_>,
    evidence: Option<Evidence>,
    destinations: &BTreeSet<String>,
) -> Result<Consolidated, Pruned> {
    let absorbed = signals.absorbed.get(name);
    let dropped = signals.dropped.get(name);
    let into = |into: &str, source, reason: &str, evidence| {
        let (name, into, reason) = (name.to_owned(), into.to_owned(), reason.to_owned());
        Ok(Consolidated { name, into, source, reason, evidence, claimed_into: None })
    };
    let gone =
        |source, reason: &str| Err(Pruned { name: name.to_owned(), source, reason: reason.to_owned() });
    match signals.declared.get(name).map(String::as_str) {
        Some("") => return gone(Source::DeclaredPrune, dropped.map_or("", String::as_str)),
        Some(target) if destinations.contains(target) => {
            let reason = absorbed.map_or("", |(_, reason)| reason.as_str());
            return into(target, Source::Declared, reason, evidence);
        }
        _ => {}
    }
    match (absorbed, evidence) {
        (Some((target, reason)), evidence) if destinations.contains(target) => {
            let source = if evidence.is_some() { Source::SummaryWithAudit } else { Source::Summary };
            into(target, source, reason, evidence)
        }
        (Some((target, _)), Some(evidence)) => {
            let found = evidence.target.clone();
            let consolidated = into(&found, Source::AuditMissingTarget, "", Some(evidence));
            consolidated.map(|one| Consolidated { claimed_into: Some(target.clone()), ..one })
        }
        (Some(_), None) => gone(Source::FallbackMissingTarget, ""),
        (None, Some(evidence)) => {
            let found = evidence.target.clone();
            into(&found, Source::AuditOnly, "", Some(evidence))
        }
        (None, None) => match dropped {
            Some(reason) => gone(Source::SummaryPrune, reason),
            None => gone(Source::NoEvidence, ""),
        },
    }
}
