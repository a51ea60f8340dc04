//! Bootstrap of a mean difference, seeded, over clusters.

use std::cmp::Ordering;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::Serialize;

use super::normal::{normal_cdf, normal_quantile};
use super::number::{Maybe, Missing};
use super::order::{mean, quantile_of_sorted};

/// Resamples per interval: the ends of a 95 % interval are then the means of some 250 replicates' order statistics.
pub const RESAMPLES: usize = 10_000;

/// From where to where.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// What a bootstrap of a mean gives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bootstrap {
    /// The mean itself.
    pub mean: f64,
    /// Standard deviation of the replicates.
    pub error: f64,
    /// Percentile interval.
    pub percentile: Interval,
    /// Bias-corrected and accelerated interval (Efron, JASA 82, 1987): the one to report.
    pub bca: Interval,
}

/// Bootstraps the mean of all values, drawing whole clusters: values of one cluster rise and fall together and are
/// no independent evidence (Miller, arXiv 2411.00640). `key` names what is compared and fixes the draws.
///
/// # Errors
/// With fewer than two clusters: one thing observed has no spread.
pub fn bootstrap_mean(clusters: &[Vec<f64>], level: f64, key: &str) -> Maybe<Bootstrap> {
    let clusters: Vec<Cluster> =
        clusters.iter().filter(|values| !values.is_empty()).map(Cluster::of).collect();
    if clusters.len() < 2 {
        return Err(Missing("fewer than two independent pairs"));
    }
    let whole = total(&clusters).mean();
    let mut replicates = replicates(&clusters, key);
    replicates.sort_by(f64::total_cmp);
    let outside = (1.0 - level) / 2.0;
    let bca = accelerated(&clusters, &replicates, whole, outside)?;
    let ends = |low, high| -> Maybe<Interval> {
        Ok(Interval {
            low: quantile_of_sorted(&replicates, low)?,
            high: quantile_of_sorted(&replicates, high)?,
        })
    };
    let centre = mean(&replicates)?;
    let squares = replicates.iter().map(|value| (value - centre) * (value - centre)).sum::<f64>();
    Ok(Bootstrap {
        mean: whole,
        error: (squares / replicates.len() as f64).sqrt(),
        percentile: ends(outside, 1.0 - outside)?,
        bca: ends(bca.low, bca.high)?,
    })
}

/// Sum and count of a cluster: all that its mean needs.
#[derive(Clone, Copy, Default)]
struct Cluster {
    sum: f64,
    count: f64,
}

impl Cluster {
    #[expect(clippy::ptr_arg, reason = "mapped over a slice of vectors")]
    fn of(values: &Vec<f64>) -> Self {
        Self { sum: values.iter().sum(), count: values.len() as f64 }
    }

    fn mean(self) -> f64 {
        self.sum / self.count
    }
}

fn total(clusters: &[Cluster]) -> Cluster {
    clusters.iter().fold(Cluster::default(), |total, cluster| Cluster {
        sum: total.sum + cluster.sum,
        count: total.count + cluster.count,
    })
}

fn replicates(clusters: &[Cluster], key: &str) -> Vec<f64> {
    let mut rng = ChaCha8Rng::from_seed(*blake3::hash(key.as_bytes()).as_bytes());
    let mut replicate = || {
        let mut drawn = Cluster::default();
        for _ in 0..clusters.len() {
            let cluster = clusters[below(&mut rng, clusters.len())];
            drawn.sum += cluster.sum;
            drawn.count += cluster.count;
        }
        drawn.mean()
    };
    (0..RESAMPLES).map(|_| replicate()).collect()
}

/// A uniform index below `limit`: the high half of a product with 64 random bits. Its bias is below limit / 2^64.
fn below(rng: &mut ChaCha8Rng, limit: usize) -> usize {
    let wide = u128::from(rng.next_u64()) * limit as u128;
    usize::try_from(wide >> 64).expect("below the limit, which is a usize")
}

/// The levels at which the replicates' quantiles are the ends of the `BCa` interval.
fn accelerated(clusters: &[Cluster], replicates: &[f64], whole: f64, outside: f64) -> Maybe<Interval> {
    let all = total(clusters);
    let left_out: Vec<f64> =
        clusters.iter().map(|cluster| (all.sum - cluster.sum) / (all.count - cluster.count)).collect();
    let centre = mean(&left_out)?;
    let (squares, cubes) = left_out.iter().fold((0.0, 0.0), |(squares, cubes): (f64, f64), value| {
        let away = centre - value;
        (squares + away * away, cubes + away * away * away)
    });
    // All clusters alike: nothing to correct, and the interval is a point.
    let acceleration = if squares > 0.0 { cubes / (6.0 * squares.powf(1.5)) } else { 0.0 };
    let lower = replicates.iter().filter(|value| value.total_cmp(&whole) == Ordering::Less).count() as f64;
    let equal = replicates.iter().filter(|value| value.total_cmp(&whole) == Ordering::Equal).count() as f64;
    let bias = normal_quantile((lower + equal / 2.0) / replicates.len() as f64);
    let corrected = |p: f64| {
        let z = bias + normal_quantile(p);
        // Far out the correction has no meaning any more; there it stops at the ends.
        normal_cdf(bias + z / (1.0 - acceleration * z).max(f64::EPSILON))
    };
    Ok(Interval { low: corrected(outside), high: corrected(1.0 - outside) })
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn single(values: &[f64]) -> Vec<Vec<f64>> {
        values.iter().map(|value| vec![*value]).collect()
    }

    /// The treated mice of Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, table 2.1: mean 86.86,
    /// and for ever more replicates a standard error of 23.36 (their table 2.2).
    #[test]
    fn a_published_example() {
        let mice = single(&[94.0, 197.0, 16.0, 38.0, 99.0, 141.0, 23.0]);
        let found = bootstrap_mean(&mice, 0.95, "mice").unwrap();
        assert!((found.mean - 86.857).abs() < 0.001);
        assert!((found.error - 23.36).abs() < 0.4, "{found:?}");
        // Skewed to the right, so the corrected interval lies higher.
        assert!(found.bca.low > found.percentile.low && found.bca.high > found.percentile.high, "{found:?}");
    }

    #[test]
    fn the_same_bytes_each_time_and_others_for_another_key() {
        let values = single(&[1.0, 2.0, 4.0, 8.0, 16.0]);
        let (one, again) = (bootstrap_mean(&values, 0.95, "a"), bootstrap_mean(&values, 0.95, "a"));
        assert_eq!(one, again);
        assert_ne!(one.unwrap().error.to_bits(), bootstrap_mean(&values, 0.95, "b").unwrap().error.to_bits());
        let shown = serde_json::to_string(&one.unwrap()).unwrap();
        insta::assert_snapshot!(shown, @r#"{"mean":6.2,"error":2.478594475181424,"percentile":{"low":2.0,"high":11.4},"bca":{"low":2.6,"high":13.0}}"#);
    }

    #[test]
    fn clusters_widen_the_interval() {
        let apart = single(&[1.0, 1.0, 1.0, 5.0, 5.0, 5.0]);
        let together = [vec![1.0, 1.0, 1.0], vec![5.0, 5.0, 5.0]];
        let width = |clusters: &[Vec<f64>]| {
            let found = bootstrap_mean(clusters, 0.95, "x").unwrap().percentile;
            found.high - found.low
        };
        assert!(width(&together) > width(&apart));
    }

    #[test]
    fn one_pair_has_no_interval() {
        assert!(bootstrap_mean(&[vec![3.0, 3.0]], 0.95, "x").is_err());
        assert!(bootstrap_mean(&[], 0.95, "x").is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn ends_are_finite_ordered_and_within_the_values(values in vec(-100.0..100.0_f64, 2..12)) {
            let found = bootstrap_mean(&single(&values), 0.95, "law").unwrap();
            let low = values.iter().copied().fold(f64::INFINITY, f64::min) - 1e-9;
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max) + 1e-9;
            for interval in [found.percentile, found.bca] {
                prop_assert!(low <= interval.low && interval.low <= interval.high && interval.high <= high);
            }
        }

        #[test]
        fn values_that_are_all_alike_give_a_point(value in -9.0..9.0_f64, count in 2..9usize) {
            let found = bootstrap_mean(&single(&vec![value; count]), 0.95, "point").unwrap();
            prop_assert!((found.bca.low - value).abs() < 1e-9 && (found.bca.high - value).abs() < 1e-9);
        }
    }
}
