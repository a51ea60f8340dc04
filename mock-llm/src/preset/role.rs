//! What a request serves.

use std::fmt;

/// The roles of a script, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The user's session.
    Main,
    /// A background review.
    Review,
    /// The curator's consolidation pass.
    Curator,
    /// A delegated child.
    Delegate,
    /// The summary that replaces the middle of a long conversation.
    Compression,
    /// A session's title.
    Title,
    /// The summary of a search result.
    Summary,
    /// Closing words at the iteration limit. A section of its own in a script; the conversation's role stays `main`.
    Closing,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Main,
        Self::Review,
        Self::Curator,
        Self::Delegate,
        Self::Compression,
        Self::Title,
        Self::Summary,
        Self::Closing,
    ];

    /// All of them with their words.
    pub const NAMES: [(&'static str, Self); 8] = {
        let mut names = [("", Self::Main); 8];
        let mut index = 0;
        while index < names.len() {
            names[index] = (Self::ALL[index].as_str(), Self::ALL[index]);
            index += 1;
        }
        names
    };

    /// The section of a script.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Review => "review",
            Self::Curator => "curator",
            Self::Delegate => "delegate",
            Self::Compression => "compression",
            Self::Title => "title",
            Self::Summary => "summary",
            Self::Closing => "closing",
        }
    }

    /// What the expression `role` gives.
    pub const fn of_conversation(self) -> &'static str {
        match self {
            Self::Closing => Self::Main.as_str(),
            role => role.as_str(),
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
