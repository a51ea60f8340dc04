//! Comparing two arms, paired, with a verdict in three words.

use std::collections::BTreeMap;

use serde::Serialize;

use super::bootstrap::{Interval, bootstrap_mean};
use super::effect::minimum_detectable_effect;
use super::number::{Maybe, Missing};
use super::order::mean;

/// Which direction of a figure is the good one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// Fewer is better.
    Lower,
    /// More is better.
    Higher,
    /// Neither: the figure describes and does not judge.
    Neither,
}

/// What a comparison says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// The interval lies wholly on the good side of 0.
    Better,
    /// The interval lies wholly on the bad side of 0.
    Worse,
    /// The interval holds 0, or there is none. Never "no difference".
    CannotTell,
}

impl Judgement {
    /// The words for it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::CannotTell => "cannot tell",
        }
    }
}

/// Whether the scenarios draw anything. Without draws all seeds are one observation, whatever their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Draws {
    /// Seeds differ.
    Some,
    /// Seeds are copies of each other.
    None,
    /// There is one seed, so chance cannot be told from rule.
    OneSeed,
}

/// One pair: the same scenario and seed under both arms.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// What rises and falls together with other pairs: normally scenario and seed, so that each pair stands alone.
    pub cluster: String,
    /// The figure under the arm that is compared against.
    pub base: f64,
    /// The figure under the arm that is judged.
    pub other: f64,
}

/// A paired comparison: other minus base.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Mean under the base arm.
    pub base: f64,
    /// Mean under the other arm.
    pub other: f64,
    /// Mean difference, other − base.
    pub difference: f64,
    /// 95 % `BCa` interval of the mean difference.
    pub interval: Maybe<Interval>,
    /// The smallest true difference that these pairs would find with 80 % power.
    pub detectable: Maybe,
    /// The number of pairs.
    pub pairs: usize,
    /// What it says.
    pub judgement: Judgement,
}

const NO_DRAWS: Missing = Missing("the scenario draws nothing, so there is no chance to speak of");
const ONE_SEED: Missing = Missing("there is one seed, so chance cannot be told from rule");

/// Confidence of the intervals.
const LEVEL: f64 = 0.95;
/// Power of the minimum detectable effect.
const POWER: f64 = 0.8;

/// Compares pairs. `key` names the figure and the arms and fixes the bootstrap's draws.
///
/// # Errors
/// Without pairs. Without draws there is a difference but no interval, and the verdict is *cannot tell*.
pub fn compare(pairs: &[Pair], draws: Draws, better: Better, key: &str) -> Maybe<Comparison> {
    let column = |value: fn(&Pair) -> f64| pairs.iter().map(value).collect::<Vec<_>>();
    let differences = column(|pair| pair.other - pair.base);
    let difference = mean(&differences).map_err(|_| Missing("no pairs"))?;
    let mut clusters: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (pair, difference) in pairs.iter().zip(&differences) {
        clusters.entry(&pair.cluster).or_default().push(*difference);
    }
    let clusters: Vec<Vec<f64>> = clusters.into_values().collect();
    let (interval, detectable) = match draws {
        Draws::None => (Err(NO_DRAWS), Err(NO_DRAWS)),
        Draws::OneSeed => (Err(ONE_SEED), Err(ONE_SEED)),
        Draws::Some => {
            let means: Vec<f64> = clusters.iter().filter_map(|values| mean(values).ok()).collect();
            let interval = bootstrap_mean(&clusters, LEVEL, key).map(|found| found.bca);
            (interval, minimum_detectable_effect(&means, 1.0 - LEVEL, POWER))
        }
    };
    Ok(Comparison {
        base: mean(&column(|pair| pair.base))?,
        other: mean(&column(|pair| pair.other))?,
        difference,
        judgement: interval.map_or(Judgement::CannotTell, |interval| judge(interval, better)),
        interval,
        detectable,
        pairs: pairs.len(),
    })
}

fn judge(interval: Interval, better: Better) -> Judgement {
    let (below, above) = (interval.high < 0.0, interval.low > 0.0);
    match better {
        Better::Lower if below => Judgement::Better,
        Better::Lower if above => Judgement::Worse,
        Better::Higher if above => Judgement::Better,
        Better::Higher if below => Judgement::Worse,
        _ => Judgement::CannotTell,
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn pairs(values: &[(f64, f64)]) -> Vec<Pair> {
        let pair = |(seed, (base, other)): (usize, &(f64, f64))| Pair {
            cluster: format!("k8s/{seed}"),
            base: *base,
            other: *other,
        };
        values.iter().enumerate().map(pair).collect()
    }

    #[test]
    fn three_verdicts() {
        let clear = pairs(&[(12.0, 9.0), (11.0, 9.0), (13.0, 9.5), (12.0, 8.0), (12.5, 9.0)]);
        let judged = |better| compare(&clear, Draws::Some, better, "calls").unwrap().judgement;
        assert_eq!(judged(Better::Lower), Judgement::Better);
        assert_eq!(judged(Better::Higher), Judgement::Worse);
        assert_eq!(judged(Better::Neither), Judgement::CannotTell);
        let unclear = pairs(&[(12.0, 9.0), (9.0, 12.0), (10.0, 10.5), (11.0, 10.0)]);
        assert_eq!(
            compare(&unclear, Draws::Some, Better::Lower, "calls").unwrap().judgement,
            Judgement::CannotTell
        );
    }

    #[test]
    fn without_draws_there_is_a_difference_and_no_interval() {
        let found =
            compare(&pairs(&[(12.0, 9.0), (12.0, 9.0)]), Draws::None, Better::Lower, "calls").unwrap();
        assert_eq!((found.difference, found.judgement, found.pairs), (-3.0, Judgement::CannotTell, 2));
        assert!(found.interval.is_err() && found.detectable.is_err());
        assert!(compare(&[], Draws::Some, Better::Lower, "calls").is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn an_arm_against_itself_cannot_be_told(values in vec(0.0..50.0_f64, 1..12)) {
            let same: Vec<_> = values.iter().map(|value| (*value, *value)).collect();
            let found = compare(&pairs(&same), Draws::Some, Better::Lower, "a/a").unwrap();
            prop_assert_eq!((found.difference, found.judgement), (0.0, Judgement::CannotTell));
        }
    }
}
