//! The natural logarithm, the same to the last bit on every machine.
//!
//! The standard library asks the platform, whose last digit may differ; a gap between two arrivals must not.

/// The natural logarithm of a positive, finite, normal number.
pub(super) fn ln(x: f64) -> f64 {
    const MANTISSA_BITS: u32 = 52;
    const EXPONENT_BIAS: i64 = 1023;
    /// Terms of the series; the first one left out is below 2^-60 for every argument.
    const TERMS: i32 = 14;
    debug_assert!(x.is_normal() && x > 0.0, "no logarithm of {x} here");
    let bits = x.to_bits();
    let mut exponent = ((bits >> MANTISSA_BITS) & 0x7ff).cast_signed() - EXPONENT_BIAS;
    let one = (EXPONENT_BIAS.cast_unsigned()) << MANTISSA_BITS;
    let mut mantissa = f64::from_bits((bits & ((1 << MANTISSA_BITS) - 1)) | one);
    if mantissa > std::f64::consts::SQRT_2 {
        mantissa /= 2.0;
        exponent += 1;
    }
    // ln m = 2 artanh((m - 1) / (m + 1)), by the series of artanh from the smallest term on.
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    let square = t * t;
    let series = (0..TERMS).rev().fold(0.0, |sum, term| sum * square + 1.0 / f64::from(2 * term + 1));
    exponent as f64 * std::f64::consts::LN_2 + 2.0 * t * series
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn is_the_logarithm(x in 1e-15_f64..1.0, scale in 0_i32..40) {
            let x = x * f64::from(1_u32 << (scale % 30));
            prop_assert!((ln(x) - x.ln()).abs() <= 1e-14 * x.ln().abs().max(1.0), "{x}");
        }
    }

    #[test]
    fn fixed_points() {
        assert_eq!(ln(1.0).to_bits(), 0.0_f64.to_bits());
        assert_eq!(ln(0.5).to_bits(), (-std::f64::consts::LN_2).to_bits());
    }
}
