//! How long things take in simulated time, and how much of an answer has arrived by when.

use agent_core::values::{Role, SimDuration, Tokens};

/// Characters that one token stands for when a text streams in: the estimator of the whole project.
const CHARS_PER_TOKEN: u64 = 4;

/// The pace of one role's model: a wait for the first token, then so much a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Until the first token, in milliseconds.
    pub first_ms: u64,
    /// For each token of the answer, in milliseconds.
    pub per_token_ms: u64,
}

impl Pace {
    /// From request to answer.
    pub fn took(self, completion: Tokens) -> SimDuration {
        SimDuration::from_millis(self.first_ms + self.per_token_ms.saturating_mul(completion.0))
    }

    /// The part of a text that had arrived so long after the request.
    pub fn arrived(self, text: &str, after: SimDuration) -> &str {
        let streaming = after.as_millis().saturating_sub(self.first_ms);
        if streaming == 0 {
            return "";
        }
        let Some(tokens) = streaming.checked_div(self.per_token_ms) else {
            return text;
        };
        let chars = usize::try_from(tokens.saturating_mul(CHARS_PER_TOKEN)).unwrap_or(usize::MAX);
        text.char_indices().nth(chars).map_or(text, |(end, _)| &text[..end])
    }
}

/// Latencies of a scenario; the defaults stand in the documentation of the scenario format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Latencies {
    /// The user's own conversations, and delegated children.
    pub main: Pace,
    /// Reviews.
    pub review: Pace,
    /// The curator's pass.
    pub curator: Pace,
    /// One-call conversations: compression, title, summary.
    pub other: Pace,
    /// A tool of the world whose rule names no duration.
    pub tool: SimDuration,
}

impl Default for Latencies {
    fn default() -> Self {
        Self {
            main: Pace { first_ms: 800, per_token_ms: 15 },
            review: Pace { first_ms: 1200, per_token_ms: 15 },
            curator: Pace { first_ms: 1200, per_token_ms: 15 },
            other: Pace { first_ms: 500, per_token_ms: 10 },
            tool: SimDuration::from_millis(400),
        }
    }
}

impl Latencies {
    /// The pace of a role.
    pub fn of(&self, role: Role) -> Pace {
        match role {
            Role::Main | Role::Delegate => self.main,
            Role::Review => self.review,
            Role::Curator => self.curator,
            Role::Compression | Role::Title | Role::Summary => self.other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_arrives_four_characters_a_token_after_the_first_wait() {
        let pace = Pace { first_ms: 800, per_token_ms: 15 };
        assert_eq!(pace.took(Tokens(10)), SimDuration::from_millis(950));
        let arrived = |ms| pace.arrived("äbcdefghij", SimDuration::from_millis(ms));
        assert_eq!(arrived(800), "");
        assert_eq!(arrived(814), "");
        assert_eq!(arrived(815), "äbcd");
        assert_eq!(arrived(830), "äbcdefgh");
        assert_eq!(arrived(10_000), "äbcdefghij");
        let instant = Pace { first_ms: 0, per_token_ms: 0 };
        assert_eq!(instant.arrived("all", SimDuration::from_millis(1)), "all");
    }
}
