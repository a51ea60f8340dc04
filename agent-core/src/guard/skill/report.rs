//! Findings, the verdict over them, and how they are told.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Value, json};

use super::trust::{Decision, Trust, decide};
use crate::behaviour::{GuardRules, MinorFindings};
use crate::text::{cut, trim};
use crate::values::{Chars, Stamp};

/// A finding's text is cut to this, the three dots included.
const TEXT_CHARS_MAX: usize = 120;
/// In a displayed report it is cut to this.
const SHOWN_CHARS_MAX: usize = 60;

/// How bad a finding is. The order is that of display, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Makes a skill dangerous.
    Critical,
    /// Calls for caution.
    High,
    /// Worth a look.
    Medium,
    /// Worth a mention.
    Low,
}

impl Severity {
    const ALL: [Self; 4] = [Self::Critical, Self::High, Self::Medium, Self::Low];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }

    /// The severity of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|severity| severity.name() == name)
    }
}

/// What all findings together say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Nothing that counts.
    Safe,
    /// At least one high finding.
    Caution,
    /// At least one critical finding.
    Dangerous,
}

impl Verdict {
    const ALL: [Self; 3] = [Self::Safe, Self::Caution, Self::Dangerous];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Caution => "caution",
            Self::Dangerous => "dangerous",
        }
    }

    /// The verdict of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.name() == name)
    }

    /// `spec/skill-guard.md` §3.
    pub(super) fn over(findings: &[Finding], rules: &GuardRules) -> Self {
        match findings.iter().map(|finding| finding.severity).min() {
            Some(Severity::Critical) => Self::Dangerous,
            Some(Severity::High) => Self::Caution,
            Some(_) if rules.minor_findings == MinorFindings::Caution => Self::Caution,
            _ => Self::Safe,
        }
    }
}

/// One hit of one rule (`spec/skill-guard.md` §1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule's id.
    pub rule: Cow<'static, str>,
    /// How bad it is.
    pub severity: Severity,
    /// The rule's category.
    pub category: Cow<'static, str>,
    /// The file, relative to the skill; `(directory)` for the skill as a whole.
    pub file: String,
    /// The line, from 1; 0 where the file as such is meant.
    pub line: usize,
    /// The line's text, trimmed and cut, or what else was found.
    pub text: String,
    /// What the rule means, in words.
    pub about: Cow<'static, str>,
}

impl Finding {
    /// The line that a hit quotes.
    pub(super) fn quote(line: &str) -> String {
        let line = trim(line);
        if Chars::of(line).0 > TEXT_CHARS_MAX {
            format!("{}...", cut(line, TEXT_CHARS_MAX - 3))
        } else {
            line.to_owned()
        }
    }

    /// Findings are kept in this order.
    pub(super) fn key(&self) -> (&str, usize, &str) {
        (&self.file, self.line, &self.rule)
    }

    fn place(&self) -> String {
        if self.line == 0 { self.file.clone() } else { format!("{}:{}", self.file, self.line) }
    }

    pub(super) fn to_json(&self) -> Value {
        json!({
            "pattern_id": self.rule,
            "severity": self.severity.name(),
            "category": self.category,
            "file": self.file,
            "line": self.line,
            "match": self.text,
            "description": self.about,
        })
    }

    pub(super) fn from_json(value: &Value) -> Option<Self> {
        let text = |key: &str| value.get(key)?.as_str().map(str::to_owned);
        Some(Self {
            rule: text("pattern_id")?.into(),
            severity: Severity::parse(&text("severity")?)?,
            category: text("category")?.into(),
            file: text("file")?,
            line: usize::try_from(value.get("line")?.as_u64()?).ok()?,
            text: text("match")?,
            about: text("description")?.into(),
        })
    }
}

/// What a scan found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanReport {
    /// The last component of the scanned path.
    pub skill_name: String,
    /// Where the skill comes from.
    pub source: String,
    /// How far that source is trusted.
    pub trust: Trust,
    /// What the findings say together.
    pub verdict: Verdict,
    /// The findings, sorted by file, line and rule.
    pub findings: Vec<Finding>,
    /// When it was scanned.
    pub scanned_at: Stamp,
}

impl ScanReport {
    /// Whether the skill may be installed or kept; with `force` most refusals are overridden.
    pub fn decision(&self, force: bool, rules: &GuardRules) -> Decision {
        decide(self.trust, self.verdict, force, rules)
    }

    /// One line: that the skill is clean, or the verdict with the number of findings and their categories.
    pub fn summary(&self) -> String {
        if self.findings.is_empty() {
            return format!("{}: nothing suspicious found", self.skill_name);
        }
        let categories: BTreeSet<&str> = self.findings.iter().map(|finding| &*finding.category).collect();
        let categories: Vec<&str> = categories.into_iter().collect();
        let (count, s) = (self.findings.len(), if self.findings.len() == 1 { "" } else { "s" });
        format!(
            "{}: {}, {count} finding{s} ({})",
            self.skill_name,
            self.verdict.name(),
            categories.join(", ")
        )
    }

    /// The ids of the rules that hit, each once, sorted.
    pub fn rule_ids(&self) -> Vec<&str> {
        let ids: BTreeSet<&str> = self.findings.iter().map(|finding| &*finding.rule).collect();
        ids.into_iter().collect()
    }

    /// The whole report for a person: summary, then the findings, worst first.
    pub fn render(&self) -> String {
        let mut sorted: Vec<&Finding> = self.findings.iter().collect();
        sorted.sort_by_key(|finding| finding.severity);
        let mut text = self.summary();
        for finding in sorted {
            let quoted = cut(&finding.text, SHOWN_CHARS_MAX);
            write!(
                text,
                "\n  {:<8}  {}  {}  {quoted}",
                finding.severity.name(),
                finding.rule,
                finding.place()
            )
            .expect("a string takes all");
        }
        text
    }

    /// Why a write or an installation was refused, one line a finding that counted: rule, file, line and text, so that
    /// the wording can be changed. The findings of the worst severity only: the others did not decide.
    pub fn refusal(&self) -> String {
        let Some(worst) = self.findings.iter().map(|finding| finding.severity).min() else {
            return String::new();
        };
        let line = |finding: &Finding| {
            format!("{} at {}: \"{}\" ({})", finding.rule, finding.place(), finding.text, finding.about)
        };
        let lines: Vec<String> =
            self.findings.iter().filter(|finding| finding.severity == worst).map(line).collect();
        lines.join("\n")
    }
}
