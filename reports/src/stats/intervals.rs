//! The interval of a rate.

use super::bootstrap::Interval;
use super::normal::normal_quantile;
use super::number::{Maybe, Missing};

/// Wilson score interval of k successes in n, without continuity correction (Wilson, JASA 22, 1927; method 3 of
/// Newcombe, Statistics in Medicine 17, 1998).
///
/// # Errors
/// Without trials.
pub fn wilson(successes: u64, trials: u64, level: f64) -> Maybe<Interval> {
    if trials == 0 {
        return Err(Missing("no trials"));
    }
    let n = trials as f64;
    let p = successes.min(trials) as f64 / n;
    let z = normal_quantile(0.5 + level / 2.0);
    let spread = 1.0 + z * z / n;
    let centre = (p + z * z / (2.0 * n)) / spread;
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt() / spread;
    // Rounding must not leave the ends beside the ends.
    let low = if successes == 0 { 0.0 } else { (centre - half).max(0.0) };
    let high = if successes >= trials { 1.0 } else { (centre + half).min(1.0) };
    Ok(Interval { low, high })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Newcombe 1998, table I, method 3.
    #[test]
    fn published_values() {
        let shown = |successes, trials| {
            let interval = wilson(successes, trials, 0.95).unwrap();
            format!("{:.4} to {:.4}", interval.low, interval.high)
        };
        assert_eq!(shown(81, 263), "0.2553 to 0.3662");
        assert_eq!(shown(15, 148), "0.0624 to 0.1605");
        assert_eq!(shown(0, 20), "0.0000 to 0.1611");
        assert_eq!(shown(1, 29), "0.0061 to 0.1718");
        assert!(wilson(0, 0, 0.95).is_err());
    }

    proptest! {
        #[test]
        fn the_rate_lies_within_and_sides_mirror(trials in 1..500u64, part in 0..500u64) {
            let successes = part.min(trials);
            let one = wilson(successes, trials, 0.95).unwrap();
            let rate = successes as f64 / trials as f64;
            prop_assert!(one.low <= rate && rate <= one.high && one.low >= 0.0 && one.high <= 1.0);
            let other = wilson(trials - successes, trials, 0.95).unwrap();
            prop_assert!((one.low - (1.0 - other.high)).abs() < 1e-12);
        }
    }
}
