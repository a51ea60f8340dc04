//! Statistics: few, seeded, and honest about what does not exist.
//!
//! A figure that does not exist is [`Missing`] with a reason, never a NaN. Draws come from `ChaCha8`, whose stream is
//! specified, keyed by what is compared; so the same data give the same bytes. Floats are printed by [`number`] and
//! by nothing else.

mod bootstrap;
mod compare;
mod effect;
mod intervals;
mod normal;
mod number;
mod order;
mod tests_of_pairs;
mod trend;

pub use bootstrap::{Bootstrap, Interval, RESAMPLES, bootstrap_mean};
pub use compare::{Better, Comparison, Draws, Judgement, Pair, compare};
pub use effect::{minimum_detectable_effect, pass_hat_k};
pub use intervals::wilson;
pub use normal::{normal_cdf, normal_quantile};
pub use number::{Maybe, Missing, number, percent, signed};
pub use order::{gini, mean, median, quantile};
pub use tests_of_pairs::{holm, mcnemar, sign_flip};
pub use trend::{break_even, log_log_slope, share_not_rising};
