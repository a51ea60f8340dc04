//! What could have been seen, and how reliable it is.

use super::normal::normal_quantile;
use super::number::{Maybe, Missing};
use super::order::mean;

/// The smallest true mean difference that so many pairs with this spread would have found with this power:
/// (z_{1−α/2} + z_{power})·s / √n (Miller, arXiv 2411.00640, §5).
///
/// # Errors
/// With fewer than two pairs.
pub fn minimum_detectable_effect(differences: &[f64], alpha: f64, power: f64) -> Maybe {
    if differences.len() < 2 {
        return Err(Missing("fewer than two independent pairs"));
    }
    let centre = mean(differences)?;
    let n = differences.len() as f64;
    let squares = differences.iter().map(|value| (value - centre) * (value - centre)).sum::<f64>();
    let deviation = (squares / (n - 1.0)).sqrt();
    Ok((normal_quantile(1.0 - alpha / 2.0) + normal_quantile(power)) * deviation / n.sqrt())
}

/// pass^k: the chance that k tries of a task all succeed, averaged over tasks given as (successes, tries):
/// mean of C(c, k) / C(n, k) (Yao et al., tau-bench, arXiv 2406.12045).
///
/// # Errors
/// Without a task of at least k tries, or for k = 0.
pub fn pass_hat_k(tasks: &[(u64, u64)], k: u64) -> Maybe {
    if k == 0 {
        return Err(Missing("k is 0"));
    }
    let chance = |(successes, tries): (u64, u64)| {
        // C(c, k) / C(n, k), factor by factor.
        (0..k).map(|i| successes.saturating_sub(i) as f64 / (tries - i) as f64).product::<f64>()
    };
    let chances: Vec<f64> = tasks
        .iter()
        .filter(|(_, tries)| *tries >= k)
        .map(|(successes, tries)| chance((*successes, *tries)))
        .collect();
    mean(&chances).map_err(|_| Missing("no task was tried k times"))
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_values() {
        // 2.8016 standard errors for α = 0.05 and 80 % power.
        let differences: Vec<f64> = (0..100).map(|index| if index % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let found = minimum_detectable_effect(&differences, 0.05, 0.8).unwrap();
        assert!((found - 2.801_585 * 0.1 * (100.0_f64 / 99.0).sqrt()).abs() < 1e-6, "{found}");
        // C(3, 2) / C(4, 2) = 1/2, and 1 for the other task.
        assert_eq!(pass_hat_k(&[(3, 4), (4, 4)], 2), Ok(0.75));
        assert_eq!(pass_hat_k(&[(1, 4)], 2), Ok(0.0));
        assert!(pass_hat_k(&[(1, 1)], 2).is_err());
    }

    proptest! {
        #[test]
        fn more_tries_that_must_all_succeed_never_help(tasks in vec((0..9u64, 0..9u64), 1..9), k in 1..8u64) {
            let tasks: Vec<_> = tasks.into_iter().map(|(one, other)| (one.min(other), one.max(other))).collect();
            let enough: Vec<_> = tasks.into_iter().filter(|(_, tries)| *tries > k).collect();
            if let (Ok(few), Ok(many)) = (pass_hat_k(&enough, k), pass_hat_k(&enough, k + 1)) {
                prop_assert!(many <= few + 1e-12 && (0.0..=1.0).contains(&few));
            }
        }
    }
}
