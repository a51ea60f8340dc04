//! Failed requests: their class, what the loop does about it, and how long it waits (`spec/turn-loop.md` §3).

use super::request::ModelFault;
use crate::values::{Draws, SimDuration};

/// The class of a failed request, as far as the loop in scope tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultClass {
    Auth,
    Billing,
    RateLimit,
    Overloaded,
    ServerError,
    Timeout,
    ContextOverflow,
    PayloadTooLarge,
    ModelNotFound,
    PolicyBlocked,
    FormatError,
    InvalidResponse,
    Unknown,
}

/// What the loop does about a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// Wait and ask again.
    Retry,
    /// Compress, then ask again.
    Compress,
    /// End the turn early.
    End,
}

impl FaultClass {
    /// The class's name in the reference.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Auth => "auth",
            Self::Billing => "billing",
            Self::RateLimit => "rate_limit",
            Self::Overloaded => "overloaded",
            Self::ServerError => "server_error",
            Self::Timeout => "timeout",
            Self::ContextOverflow => "context_overflow",
            Self::PayloadTooLarge => "payload_too_large",
            Self::ModelNotFound => "model_not_found",
            Self::PolicyBlocked => "content_policy_blocked",
            Self::FormatError => "format_error",
            Self::InvalidResponse => "invalid_response",
            Self::Unknown => "unknown",
        }
    }

    /// With fallback models and credential pools out of scope, what is left to do.
    pub(crate) const fn remedy(self) -> Remedy {
        match self {
            Self::ContextOverflow | Self::PayloadTooLarge => Remedy::Compress,
            Self::Auth | Self::Billing | Self::ModelNotFound | Self::PolicyBlocked | Self::FormatError => {
                Remedy::End
            }
            Self::RateLimit
            | Self::Overloaded
            | Self::ServerError
            | Self::Timeout
            | Self::InvalidResponse
            | Self::Unknown => Remedy::Retry,
        }
    }
}

const OVERFLOW_WORDS: [&str; 5] =
    ["context length", "context window", "maximum context", "too many tokens", "prompt is too long"];
const POLICY_WORDS: [&str; 3] = ["content policy", "safety system", "content_filter"];
const OVERLOAD_WORDS: [&str; 2] = ["overloaded", "at capacity"];

/// What is known of the conversation when a connection breaks off without a status.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) tokens: u64,
    pub(crate) messages: usize,
    pub(crate) window: u64,
}

impl Size {
    /// A large conversation whose connection was dropped is taken for one that outgrew the window.
    fn is_large(self) -> bool {
        self.tokens * 10 > self.window * 6
            || (self.window <= 256_000 && (self.tokens > 120_000 || self.messages > 200))
    }
}

/// The class of a failed request. Words first, then status, then transport.
pub(crate) fn classify(fault: &ModelFault, size: Size) -> FaultClass {
    let words = format!("{} {}", fault.code.as_deref().unwrap_or(""), fault.message).to_lowercase();
    let says = |list: &[&str]| list.iter().any(|word| words.contains(word));
    if says(&POLICY_WORDS) {
        return FaultClass::PolicyBlocked;
    }
    match fault.status {
        Some(400 | 422) if says(&OVERFLOW_WORDS) => FaultClass::ContextOverflow,
        Some(402) if words.contains("try again") => FaultClass::RateLimit,
        Some(402) => FaultClass::Billing,
        Some(403) if words.contains("billing") || words.contains("quota") => FaultClass::Billing,
        Some(401 | 403) => FaultClass::Auth,
        Some(404) if words.contains("model") => FaultClass::ModelNotFound,
        Some(404) => FaultClass::Unknown,
        Some(408) => FaultClass::Timeout,
        Some(413) => FaultClass::PayloadTooLarge,
        Some(429) if says(&OVERLOAD_WORDS) => FaultClass::Overloaded,
        Some(429) => FaultClass::RateLimit,
        Some(500 | 502) if words.contains("validation") => FaultClass::FormatError,
        Some(503 | 529) => FaultClass::Overloaded,
        Some(status) if status >= 500 => FaultClass::ServerError,
        Some(status) if status >= 400 => FaultClass::FormatError,
        _ if says(&OVERFLOW_WORDS) => FaultClass::ContextOverflow,
        _ if words.contains("invalid response") => FaultClass::InvalidResponse,
        _ if fault.transport && words.contains("disconnect") && size.is_large() => {
            FaultClass::ContextOverflow
        }
        _ if fault.transport => FaultClass::Timeout,
        _ => FaultClass::Unknown,
    }
}

/// Base and cap of the wait after a failed request.
pub(crate) const BACKOFF: (u64, u64) = (2, 60);
/// Base and cap of the wait after an invalid response.
pub(crate) const BACKOFF_INVALID: (u64, u64) = (5, 120);
/// The longest wait that a server may ask for.
const RETRY_AFTER_MAX: SimDuration = SimDuration::from_secs(600);

/// The wait before the next attempt; `attempt` counts from 1. `d + U(0, d/2)` with `d = min(base · 2^(attempt-1), cap)`.
pub(crate) fn wait(
    class: FaultClass,
    fault: &ModelFault,
    attempt: u32,
    draws: Draws,
    key: &str,
) -> SimDuration {
    if class == FaultClass::RateLimit
        && let Some(asked) = fault.retry_after
    {
        return asked.min(RETRY_AFTER_MAX);
    }
    let (base, cap) = if class == FaultClass::InvalidResponse { BACKOFF_INVALID } else { BACKOFF };
    let doubled = 1_u64.checked_shl(attempt.saturating_sub(1)).unwrap_or(u64::MAX);
    let millis = base.saturating_mul(doubled).min(cap) * 1000;
    let share = draws.u64(&["backoff", key, &attempt.to_string()]) % (millis / 2 + 1);
    SimDuration::from_millis(millis + share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::Seed;

    const SMALL: Size = Size { tokens: 1000, messages: 10, window: 200_000 };

    fn status(status: u16, message: &str) -> ModelFault {
        ModelFault { status: Some(status), message: message.to_owned(), ..ModelFault::default() }
    }

    #[test]
    fn statuses_have_classes() {
        for (code, message, class) in [
            (401, "", FaultClass::Auth),
            (429, "slow down", FaultClass::RateLimit),
            (500, "oops", FaultClass::ServerError),
            (503, "", FaultClass::Overloaded),
            (400, "This exceeds the maximum context length", FaultClass::ContextOverflow),
            (400, "bad field", FaultClass::FormatError),
            (404, "no such model", FaultClass::ModelNotFound),
        ] {
            assert_eq!(classify(&status(code, message), SMALL), class, "{code} {message}");
        }
        let broken = ModelFault {
            transport: true,
            message: "server disconnected".to_owned(),
            ..ModelFault::default()
        };
        assert_eq!(classify(&broken, SMALL), FaultClass::Timeout);
        assert_eq!(classify(&broken, Size { tokens: 130_000, ..SMALL }), FaultClass::ContextOverflow);
    }

    #[test]
    fn waits_double_with_jitter_and_obey_the_server() {
        let draws = Draws::new(Seed(7));
        let fault = status(500, "");
        for (attempt, low) in [(1, 2000), (2, 4000), (3, 8000), (9, 60_000), (80, 60_000)] {
            let found = wait(FaultClass::ServerError, &fault, attempt, draws, "k").as_millis();
            assert!((low..=low + low / 2).contains(&found), "{attempt}: {found}");
        }
        let asked = ModelFault { retry_after: Some(SimDuration::from_secs(7)), ..status(429, "") };
        assert_eq!(wait(FaultClass::RateLimit, &asked, 1, draws, "k"), SimDuration::from_secs(7));
    }
}
