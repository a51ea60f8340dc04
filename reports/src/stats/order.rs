//! Means, quantiles and inequality.

use super::number::{Maybe, Missing};

const NO_VALUES: Missing = Missing("no values");

/// Σx / n.
///
/// # Errors
/// Without values.
pub fn mean(values: &[f64]) -> Maybe {
    if values.is_empty() { Err(NO_VALUES) } else { Ok(values.iter().sum::<f64>() / values.len() as f64) }
}

/// The quantile at p in [0, 1] by linear interpolation between order statistics at h = (n − 1)·p: type 7 of
/// Hyndman and Fan (The American Statistician 50 (4), 1996), the default of R and `NumPy`.
///
/// # Errors
/// Without values.
pub fn quantile(values: &[f64], p: f64) -> Maybe {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    quantile_of_sorted(&sorted, p)
}

/// The quantile at one half.
///
/// # Errors
/// Without values.
pub fn median(values: &[f64]) -> Maybe {
    quantile(values, 0.5)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the place lies between 0 and the length"
)]
pub(super) fn quantile_of_sorted(sorted: &[f64], p: f64) -> Maybe {
    let last = sorted.len().checked_sub(1).ok_or(NO_VALUES)?;
    let place = p.clamp(0.0, 1.0) * last as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(last);
    let share = place - place.floor();
    Ok(sorted[below] + share * (sorted[above] - sorted[below]))
}

/// Gini coefficient of counts: 0 when all are equal, (n − 1) / n when one has all.
///
/// `G = Σ (2i − n − 1)·x_i / (n·Σx)`, over x sorted ascending, i from 1.
///
/// # Errors
/// Without values, or when all are 0.
pub fn gini(values: &[u64]) -> Maybe {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let sum: u64 = sorted.iter().sum();
    match (sorted.len(), sum) {
        (0, _) => Err(NO_VALUES),
        (_, 0) => Err(Missing("all values are 0")),
        (n, sum) => {
            let n = n as f64;
            let weighted =
                |(index, value): (usize, &u64)| (2.0 * (index as f64 + 1.0) - n - 1.0) * *value as f64;
            Ok(sorted.iter().enumerate().map(weighted).sum::<f64>() / (n * sum as f64))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn published_values() {
        // R: quantile(1:10, c(.1, .25, .5, .9))
        let ten: Vec<f64> = (1..=10).map(f64::from).collect();
        let found: Vec<_> = [0.1, 0.25, 0.5, 0.9].iter().map(|p| quantile(&ten, *p).unwrap()).collect();
        assert_eq!(found, [1.9, 3.25, 5.5, 9.1]);
        assert_eq!(gini(&[1, 1, 1, 1]), Ok(0.0));
        assert_eq!(gini(&[0, 0, 0, 9]), Ok(0.75));
        assert!((gini(&[1, 2, 3, 4, 5]).unwrap() - 4.0 / 15.0).abs() < 1e-12);
        assert_eq!((median(&[]), gini(&[0, 0])), (Err(NO_VALUES), Err(Missing("all values are 0"))));
    }

    proptest! {
        #[test]
        fn quantiles_rise_and_stay_within(values in vec(-1e6..1e6_f64, 1..40), p in 0.0..1.0_f64, q in 0.0..1.0_f64) {
            let (low, high) = (quantile(&values, p.min(q)).unwrap(), quantile(&values, p.max(q)).unwrap());
            prop_assert!(low <= high);
            prop_assert!(quantile(&values, 0.0).unwrap() <= low && high <= quantile(&values, 1.0).unwrap());
        }

        #[test]
        fn gini_lies_between_0_and_1_and_knows_no_scale(values in vec(0..1000u64, 1..40), scale in 1..9u64) {
            if let Ok(one) = gini(&values) {
                prop_assert!((0.0..1.0).contains(&one));
                let scaled: Vec<_> = values.iter().map(|value| value * scale).collect();
                prop_assert!((gini(&scaled).unwrap() - one).abs() < 1e-12);
            }
        }
    }
}
