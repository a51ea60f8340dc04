//! When a conversation is compressed: limits that follow from the window, and what is remembered between compressions
//! (`spec/compression.md` §1, §2). Pure numbers; what is kept and summarised is in `compression.rs`.

use crate::behaviour::{CompressionRules, ThrashGuard};
use crate::values::{SimDuration, SimTime, Tokens};

const SMALL_WINDOW: u64 = 512_000;
const SMALL_WINDOW_SHARE: f64 = 0.75;
const THRESHOLD_MIN: u64 = 64_000;
/// Growth that a rough estimate may show over real usage before it is believed.
const DEFER_TOKENS: u64 = 4096;
/// Ineffective passes, or summaries without a model, after which no further one is tried.
const FUTILE_MAX: u32 = 2;
/// Waits after a failed summary, in seconds: time-outs in their order, replies that were no summary, everything else.
const TIMEOUT_COOLDOWN_S: [u64; 3] = [60, 300, 900];
const BROKEN_COOLDOWN_S: u64 = 30;
const OTHER_COOLDOWN_S: u64 = 60;

/// Limits that follow from the window (§1), in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) threshold: u64,
    pub(crate) tail: u64,
    pub(crate) summary_max: u64,
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "shares of a window are positive and far below 2^53"
)]
pub(crate) fn limits(rules: &CompressionRules, context: Tokens) -> Limits {
    let share = if rules.small_window_floor && context.0 < SMALL_WINDOW {
        rules.threshold.max(SMALL_WINDOW_SHARE)
    } else {
        rules.threshold
    };
    let window = context.0;
    let mut threshold = ((window as f64 * share) as u64).max(THRESHOLD_MIN);
    if threshold >= window {
        threshold = ((window as f64 * 0.85) as u64).min(window.saturating_sub(1)).max(1);
    }
    let tail = (threshold as f64 * rules.target_ratio) as u64;
    Limits { threshold, tail, summary_max: ((window as f64 * 0.05) as u64).min(rules.summary_max) }
}

/// Why there is no summary by the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SummaryFailure {
    /// No answer in time.
    TimedOut,
    /// The stream broke off, or the reply held no words.
    Broken,
    /// The request failed.
    Other,
}

/// What compression remembers of a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CompressionState {
    pub(crate) count: u32,
    /// Messages that the last one left.
    pub(crate) left: usize,
    ineffective: u32,
    fallback_streak: u32,
    timeouts: u32,
    blocked_until: Option<SimTime>,
    /// Judged when the next real usage is known.
    to_judge: bool,
    /// Rough estimate when real usage was last known to be below the threshold.
    believed: Option<u64>,
}

impl CompressionState {
    fn is_blocked(self, at: SimTime) -> bool {
        self.blocked_until.is_some_and(|until| at < until)
            || self.ineffective >= FUTILE_MAX
            || self.fallback_streak >= FUTILE_MAX
    }

    /// Whether a conversation of this size is compressed now. `rough` is the estimate of the whole request, `real`
    /// the prompt tokens of the last request (none right after a compression or before the first request).
    pub(crate) fn is_due(
        &mut self,
        at: SimTime,
        rough: u64,
        real: Option<u64>,
        limits: Limits,
        enabled: bool,
    ) -> bool {
        if !enabled || rough < limits.threshold || self.is_blocked(at) {
            if rough < limits.threshold {
                self.believed = None;
            }
            return false;
        }
        match real {
            Some(real) if real < limits.threshold => {
                let believed = *self.believed.get_or_insert(rough);
                rough.saturating_sub(believed) > DEFER_TOKENS.max(limits.threshold / 20)
            }
            Some(_) => true,
            // Right after a compression real usage is waited for.
            None => !self.to_judge,
        }
    }

    /// Real usage of a request is known.
    pub(crate) fn used(&mut self, real: u64, limits: Limits, rules: &CompressionRules) {
        if std::mem::take(&mut self.to_judge) && rules.thrash_guard == ThrashGuard::StillOver {
            self.ineffective = if real >= limits.threshold { self.ineffective + 1 } else { 0 };
        }
    }

    /// There was nothing to summarise among so many messages. That a mere number of messages asked for it says nothing
    /// of compression by length.
    pub(crate) fn found_nothing(&mut self, by_count: bool, messages: usize) {
        self.ineffective += u32::from(!by_count);
        self.left = messages;
    }

    /// A compression was committed; `left` messages remain.
    pub(crate) fn committed(
        &mut self,
        by_model: bool,
        saved_little: bool,
        left: usize,
        rules: &CompressionRules,
    ) {
        self.count += 1;
        self.left = left;
        self.believed = None;
        self.to_judge = true;
        self.fallback_streak = if by_model { 0 } else { self.fallback_streak + 1 };
        if by_model {
            self.blocked_until = None;
            self.timeouts = 0;
        }
        if rules.thrash_guard == ThrashGuard::SavedLittle {
            self.ineffective = if saved_little { self.ineffective + 1 } else { 0 };
        }
    }

    /// The summary failed; no automatic compression for a while.
    pub(crate) fn failed(&mut self, at: SimTime, why: SummaryFailure) {
        let seconds = match why {
            SummaryFailure::TimedOut => {
                let step = (self.timeouts as usize).min(TIMEOUT_COOLDOWN_S.len() - 1);
                self.timeouts += 1;
                TIMEOUT_COOLDOWN_S[step]
            }
            SummaryFailure::Broken => BROKEN_COOLDOWN_S,
            SummaryFailure::Other => OTHER_COOLDOWN_S,
        };
        self.blocked_until = Some(at + SimDuration::from_secs(seconds));
    }

    /// The user asked for a compression, which ends every wait.
    pub(crate) fn asked_for(&mut self) {
        self.blocked_until = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviour::{Behaviour, Settings, Version};

    fn rules() -> CompressionRules {
        Behaviour::resolve(&Settings::new(Version::V0_19)).compression
    }

    #[test]
    fn limits_follow_from_the_window() {
        let rules = rules();
        assert_eq!(
            limits(&rules, Tokens(200_000)),
            Limits { threshold: 150_000, tail: 30_000, summary_max: 10_000 }
        );
        assert_eq!(limits(&rules, Tokens(1_000_000)).threshold, 500_000);
        assert_eq!(limits(&rules, Tokens(64_000)).threshold, 54_400);
        let old = Behaviour::resolve(&Settings::new(Version::V0_13)).compression;
        assert_eq!(limits(&old, Tokens(200_000)).threshold, 100_000);
    }

    #[test]
    fn two_futile_passes_block_and_a_failure_waits() {
        let (rules, limits) = (rules(), Limits { threshold: 100, tail: 10, summary_max: 10 });
        let mut state = CompressionState::default();
        let at = SimTime::from_millis(0);
        assert!(state.is_due(at, 200, None, limits, true));
        state.failed(at, SummaryFailure::TimedOut);
        assert!(!state.is_due(at, 200, None, limits, true));
        assert!(state.is_due(at + SimDuration::from_secs(60), 200, None, limits, true));
        for _ in 0..2 {
            state.committed(true, true, 9, &rules);
            state.used(150, limits, &rules);
        }
        assert!(!state.is_due(at + SimDuration::from_days(1), 200, Some(150), limits, true));
    }

    #[test]
    fn a_rough_estimate_waits_for_real_usage() {
        let limits = Limits { threshold: 100_000, tail: 10, summary_max: 10 };
        let mut state = CompressionState::default();
        let at = SimTime::from_millis(0);
        assert!(!state.is_due(at, 101_000, Some(90_000), limits, true));
        assert!(!state.is_due(at, 104_000, Some(95_000), limits, true));
        assert!(state.is_due(at, 107_000, Some(99_000), limits, true));
    }
}
