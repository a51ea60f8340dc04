//! Tests of paired outcomes, and the correction for many of them.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::number::{Maybe, Missing};

/// Exact two-sided `McNemar` test over flips: `worse` pairs went from good to bad, `better` the other way.
///
/// p = min(1, 2·P(X ≤ min(b, c))) with X binomial(b + c, 1/2) (Fay, "exact2x2", central version).
///
/// # Errors
/// Without flips: nothing speaks for or against.
pub fn mcnemar(worse: u64, better: u64) -> Maybe {
    let flips = worse + better;
    if flips == 0 {
        return Err(Missing("no pair flipped"));
    }
    let (mut term, mut sum) = (-(flips as f64) * std::f64::consts::LN_2, 0.0);
    for k in 0..=worse.min(better) {
        sum += f64::exp(term);
        term += ((flips - k) as f64).ln() - ((k + 1) as f64).ln();
    }
    Ok((2.0 * sum).min(1.0))
}

/// Pairs up to which all sign patterns are tried; beyond, so many are drawn.
const EXACT_PAIRS_MAX: usize = 16;
const PATTERNS_DRAWN: u64 = 20_000;

/// Two-sided sign-flip test that the mean difference of pairs is 0: the share of sign patterns whose |Σ| is at least
/// the one found. Exact up to 16 pairs that differ, seeded draws beyond, the pattern found counted in.
///
/// # Errors
/// Without pairs that differ.
pub fn sign_flip(differences: &[f64], key: &str) -> Maybe {
    let sizes: Vec<f64> = differences.iter().map(|value| value.abs()).filter(|size| *size > 0.0).collect();
    if sizes.is_empty() {
        return Err(Missing("no pair differs"));
    }
    // The sum of a pattern in another order may differ in the last bits and must still count as equal.
    let found = differences.iter().sum::<f64>().abs() * (1.0 - 1e-12);
    let reaches = |pattern: &mut dyn FnMut() -> bool| {
        let signed = sizes.iter().map(|size| if pattern() { *size } else { -*size });
        signed.sum::<f64>().abs() >= found
    };
    if sizes.len() <= EXACT_PAIRS_MAX {
        let patterns = 1_u64 << sizes.len();
        let count = (0..patterns).filter(|bits| reaches(&mut bits_of(*bits))).count();
        return Ok(count as f64 / patterns as f64);
    }
    let mut rng = ChaCha8Rng::from_seed(*blake3::hash(key.as_bytes()).as_bytes());
    let count = (0..PATTERNS_DRAWN).filter(|_| reaches(&mut || rng.next_u32() & 1 == 1)).count();
    Ok((count as f64 + 1.0) / (PATTERNS_DRAWN as f64 + 1.0))
}

fn bits_of(mut bits: u64) -> impl FnMut() -> bool {
    move || {
        let bit = bits & 1 == 1;
        bits >>= 1;
        bit
    }
}

/// Holm's step-down adjustment of p-values, in the order given (Scandinavian Journal of Statistics 6, 1979).
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|one, other| p_values[*one].total_cmp(&p_values[*other]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut highest: f64 = 0.0;
    for (rank, index) in order.into_iter().enumerate() {
        let left = (p_values.len() - rank) as f64;
        highest = highest.max((p_values[index] * left).min(1.0));
        adjusted[index] = highest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn mcnemar_as_r_exact2x2_has_it() {
        close(mcnemar(9, 2).unwrap(), 0.065_429_687_5);
        close(mcnemar(10, 2).unwrap(), 0.038_574_218_75);
        close(mcnemar(0, 5).unwrap(), 0.0625);
        close(mcnemar(6, 6).unwrap(), 1.0);
        assert!(mcnemar(59, 6).unwrap() < 1e-11 && mcnemar(3000, 3000).unwrap() <= 1.0);
        assert!(mcnemar(0, 0).is_err());
    }

    #[test]
    fn holm_of_a_textbook_example() {
        let found = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (found, expected) in found.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            close(*found, expected);
        }
        assert!(holm(&[]).is_empty());
    }

    /// Fisher's permutation test of Darwin's maize (The Design of Experiments, 1935, §21): of 2^15 patterns 863 each
    /// way give at least the sum found, 1,726 in all.
    #[test]
    fn darwins_maize() {
        let eighths = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];
        let differences: Vec<f64> = eighths.iter().map(|value| f64::from(*value)).collect();
        close(sign_flip(&differences, "maize").unwrap(), 1726.0 / 32768.0);
    }

    #[test]
    fn many_pairs_are_drawn_the_same_way_each_time() {
        let differences: Vec<f64> = (0..40).map(|value| f64::from(value % 7) - 2.0).collect();
        assert_eq!(sign_flip(&differences, "a"), sign_flip(&differences, "a"));
        assert!(sign_flip(&[0.0, 0.0], "a").is_err());
    }

    proptest! {
        #[test]
        fn holm_keeps_order_and_never_lowers(p_values in vec(0.0..1.0_f64, 1..20)) {
            let adjusted = holm(&p_values);
            for (before, after) in p_values.iter().zip(&adjusted) {
                prop_assert!(before <= after && *after <= 1.0);
            }
            for (one, p) in p_values.iter().enumerate() {
                for (other, q) in p_values.iter().enumerate() {
                    prop_assert!(p > q || adjusted[one] <= adjusted[other]);
                }
            }
        }

        #[test]
        fn mcnemar_knows_no_sides(worse in 0..200u64, better in 1..200u64) {
            let p = mcnemar(worse, better).unwrap();
            prop_assert!((0.0..=1.0).contains(&p));
            prop_assert!((p - mcnemar(better, worse).unwrap()).abs() < 1e-12);
        }
    }
}
