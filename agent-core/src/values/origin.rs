//! Who writes: a closed enum.

use serde::{Deserialize, Serialize};

/// The origin of a write to memory or skills (`spec/background-review.md` §2 and §6).
///
/// The reference gives the curator's fork the review's label; here the two are told apart in traces, and
/// [`WriteOrigin::is_unattended`] asks the question that its guards ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteOrigin {
    /// A turn of the user's own session, or a command of the user.
    Foreground,
    /// A background review.
    Review,
    /// The curator's consolidation pass.
    Curator,
    /// A delegated child.
    Delegate,
}

impl WriteOrigin {
    /// The word for it in traces.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Foreground => "foreground",
            Self::Review => "review",
            Self::Curator => "curator",
            Self::Delegate => "delegate",
        }
    }

    /// Whether the guards for unattended writers apply.
    pub const fn is_unattended(self) -> bool {
        matches!(self, Self::Review | Self::Curator)
    }

    /// The text that a staged record and a usage record carry (`assistant_tool` is what an ordinary turn binds).
    pub const fn label(self) -> &'static str {
        match self {
            Self::Foreground | Self::Delegate => "assistant_tool",
            Self::Review | Self::Curator => "background_review",
        }
    }
}
