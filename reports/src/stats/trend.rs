//! How costs fall with practice, and where one arm overtakes another.

use super::number::{Maybe, Missing};
use super::order::mean;

/// Least-squares slope of log cost on log occurrence: −0.32 means that each doubling of practice leaves 80 % of the
/// cost (the learning curve of Wright, Journal of the Aeronautical Sciences 3, 1936). Points without cost have no
/// logarithm and are left out.
///
/// # Errors
/// With fewer than two different occurrences.
pub fn log_log_slope(points: &[(u64, f64)]) -> Maybe {
    let logs: Vec<(f64, f64)> = points
        .iter()
        .filter(|(occurrence, cost)| *occurrence > 0 && *cost > 0.0)
        .map(|(occurrence, cost)| ((*occurrence as f64).ln(), cost.ln()))
        .collect();
    let xs: Vec<f64> = logs.iter().map(|(x, _)| *x).collect();
    let ys: Vec<f64> = logs.iter().map(|(_, y)| *y).collect();
    let few = Missing("fewer than two different occurrences");
    let (x_mean, y_mean) = (mean(&xs).map_err(|_| few)?, mean(&ys).map_err(|_| few)?);
    let (mut xx, mut xy) = (0.0, 0.0);
    for (x, y) in &logs {
        xx += (x - x_mean) * (x - x_mean);
        xy += (x - x_mean) * (y - y_mean);
    }
    if xx > 0.0 { Ok(xy / xx) } else { Err(few) }
}

/// The share of steps from one occurrence to the next at which the cost did not rise, over several sequences.
///
/// # Errors
/// Without a step.
pub fn share_not_rising<'a>(sequences: impl IntoIterator<Item = &'a [f64]>) -> Maybe {
    let (mut steps, mut good) = (0_u64, 0_u64);
    for sequence in sequences {
        for pair in sequence.windows(2) {
            steps += 1;
            good += u64::from(pair[1] <= pair[0]);
        }
    }
    if steps == 0 { Err(Missing("no two occurrences in a row")) } else { Ok(good as f64 / steps as f64) }
}

/// The rate from which on the sign of the difference between two arms changes, by linear interpolation between the
/// rates that were run; the first one if it changes more than once.
///
/// # Errors
/// If one arm is ahead at all rates.
pub fn break_even(points: &[(f64, f64)]) -> Maybe {
    let mut sorted = points.to_vec();
    sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
    let crossing = |pair: &[(f64, f64)]| {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let changes = (y0 < 0.0 && y1 >= 0.0) || (y0 > 0.0 && y1 <= 0.0) || (y0 == 0.0 && y1 != 0.0);
        changes.then(|| x0 + (x1 - x0) * y0 / (y0 - y1))
    };
    sorted.windows(2).find_map(crossing).ok_or(Missing("one arm is ahead at all rates that were run"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn wrights_learning_curve() {
        let points: Vec<_> = (1..=16).map(|k| (k, 100.0 * (k as f64).powf(0.8_f64.log2()))).collect();
        assert!((log_log_slope(&points).unwrap() + 0.321_928).abs() < 1e-6);
        assert!(log_log_slope(&[(1, 3.0), (1, 4.0)]).is_err());
        assert!(log_log_slope(&[(1, 3.0), (2, 0.0)]).is_err());
    }

    #[test]
    fn steps_and_crossings() {
        assert_eq!(share_not_rising([&[12.0, 9.0, 9.0, 10.0][..], &[5.0]]), Ok(2.0 / 3.0));
        assert!(share_not_rising([&[5.0][..]]).is_err());
        assert_eq!(break_even(&[(0.0, -2.0), (1.0, 2.0), (0.5, -1.0)]), Ok(0.5 + 0.5 / 3.0));
        assert_eq!(break_even(&[(0.0, 0.0), (1.0, 2.0)]), Ok(0.0));
        assert!(break_even(&[(0.0, 1.0), (1.0, 2.0)]).is_err());
    }

    proptest! {
        #[test]
        fn a_power_law_is_found_again(slope in -2.0..2.0_f64, first in 0.1..1000.0_f64, count in 2..30u64) {
            let points: Vec<_> = (1..=count).map(|k| (k, first * (k as f64).powf(slope))).collect();
            prop_assert!((log_log_slope(&points).unwrap() - slope).abs() < 1e-9);
        }
    }
}
