//! A request that the script does not answer, in words that help to repair the script (`spec/field-reports.md` 27, 29).

use std::fmt;
use std::sync::Arc;

use crate::preset::Role;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miss {
    /// Which of the ways to miss it is.
    pub kind: MissKind,
    /// What the request serves.
    pub role: Role,
    /// One line: what was asked and why it has no answer.
    pub message: String,
    /// The rules that came nearest, nearest first, with what failed.
    pub nearest: Vec<Near>,
}

/// The ways to miss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissKind {
    /// No rule fits.
    NoRule,
    /// The script has no rules for the role.
    NoSection,
    /// A rule's steps, or the texts of a sequence, are used up, and nothing follows.
    Exhausted,
    /// A call id does not come from this script.
    PositionLost,
    /// An expression of the script cannot be evaluated.
    Broken,
}

impl MissKind {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoRule => "no rule",
            Self::NoSection => "no section",
            Self::Exhausted => "exhausted",
            Self::PositionLost => "position lost",
            Self::Broken => "broken expression",
        }
    }
}

/// A rule that nearly fitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// The rule's label.
    pub rule: Arc<str>,
    /// File and line.
    pub place: String,
    /// The first clause that failed.
    pub clause: Arc<str>,
    /// Clauses that held before it, and clauses in all.
    pub held: (usize, usize),
    /// What the clause's names stood for.
    pub values: Vec<(String, String)>,
}

impl fmt::Display for Miss {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.kind.as_str(), self.message)?;
        for near in &self.nearest {
            write!(formatter, "\n  {near}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Near {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (held, all) = self.held;
        write!(formatter, "`{}` ({}) failed at `{}`", self.rule, self.place, self.clause)?;
        if all > 1 {
            write!(formatter, ", {held} of {all} clauses held")?;
        }
        for (name, value) in &self.values {
            write!(formatter, "\n    {name} = {value}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Miss {}

/// A text on one line, cut.
pub(super) fn brief(text: &str) -> String {
    const SHOWN_CHARS: usize = 80;
    let line = text.replace(['\n', '\r'], " ");
    match line.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
