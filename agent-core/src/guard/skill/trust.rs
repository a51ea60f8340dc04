//! How far a source is trusted, and what that allows (`spec/skill-guard.md` §3).

use super::report::Verdict;
use crate::behaviour::{ForceRule, GuardRules, OfficialSources, TrustedNames};

/// Prefixes of sources that only say by which index a repository was found; one is dropped.
const INDEX_PREFIXES: [&str; 4] = ["skills-sh/", "skills.sh/", "skils-sh/", "skils.sh/"];

/// How far a source is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trust {
    /// Shipped with the agent.
    Builtin,
    /// One of the known repositories.
    Trusted,
    /// Anybody.
    Community,
    /// Written by the agent itself.
    AgentCreated,
}

impl Trust {
    const ALL: [Self; 4] = [Self::Builtin, Self::Trusted, Self::Community, Self::AgentCreated];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::Trusted => "trusted",
            Self::Community => "community",
            Self::AgentCreated => "agent-created",
        }
    }

    /// The trust of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|trust| trust.name() == name)
    }

    /// The trust that a source deserves.
    pub fn of(source: &str, rules: &GuardRules) -> Self {
        let source = INDEX_PREFIXES.iter().find_map(|prefix| source.strip_prefix(prefix)).unwrap_or(source);
        let trusted =
            |repository: &String| match (source.strip_prefix(repository.as_str()), rules.trusted_names) {
                (None, _) => false,
                (Some(_), TrustedNames::Prefix) => true,
                (Some(rest), TrustedNames::Whole) => rest.is_empty() || rest.starts_with('/'),
            };
        let below = rules.official == OfficialSources::Below;
        if source == Self::AgentCreated.name() {
            Self::AgentCreated
        } else if source == "official" || (below && source.starts_with("official/")) {
            Self::Builtin
        } else if rules.trusted_repositories.iter().any(trusted) {
            Self::Trusted
        } else {
            Self::Community
        }
    }
}

/// Whether a skill may be installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It may.
    Allow,
    /// It may not.
    Block,
    /// A person has to say. Where nobody can be asked, it may not.
    Ask,
}

pub(super) fn decide(trust: Trust, verdict: Verdict, force: bool, rules: &GuardRules) -> Decision {
    let plain = match (trust, verdict) {
        (_, Verdict::Safe)
        | (Trust::Builtin, _)
        | (Trust::Trusted | Trust::AgentCreated, Verdict::Caution) => Decision::Allow,
        (Trust::AgentCreated, Verdict::Dangerous) => Decision::Ask,
        (Trust::Trusted, Verdict::Dangerous) | (Trust::Community, _) => Decision::Block,
    };
    let stands =
        rules.force == ForceRule::NotDangerous && plain == Decision::Block && verdict == Verdict::Dangerous;
    if force && !stands { Decision::Allow } else { plain }
}
