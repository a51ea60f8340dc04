//! The versions whose behaviour is known.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The behaviour of one Hermes version (`spec/config.md` §2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Version {
    /// April 2026: no usage sidecar, no curator.
    #[serde(rename = "hermes-2026-04")]
    April2026,
    /// 0.13, May 2026.
    #[serde(rename = "hermes-0.13")]
    V0_13,
    /// 0.16.
    #[serde(rename = "hermes-0.16")]
    V0_16,
    /// 0.19, July 2026: the one that the golden vectors were made with.
    #[serde(rename = "hermes-0.19")]
    V0_19,
    /// The main line of September 2026.
    #[serde(rename = "hermes-2026-09")]
    September2026,
}

impl Version {
    /// All versions, oldest first; the order of the columns of every table of defaults.
    pub const ALL: [Self; 5] = [Self::April2026, Self::V0_13, Self::V0_16, Self::V0_19, Self::September2026];

    /// The name by which scenarios and the command line speak of it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::April2026 => "hermes-2026-04",
            Self::V0_13 => "hermes-0.13",
            Self::V0_16 => "hermes-0.16",
            Self::V0_19 => "hermes-0.19",
            Self::September2026 => "hermes-2026-09",
        }
    }

    /// The version of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.as_str() == name)
    }

    /// The column of this version in a table of defaults.
    pub(super) const fn column(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
