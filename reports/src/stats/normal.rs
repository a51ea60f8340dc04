//! The normal distribution.

#![expect(clippy::excessive_precision, reason = "coefficients stand as published")]

/// Φ(x). Taylor series about 0 (Marsaglia, "Evaluating the Normal Distribution", J. Stat. Software 11 (4), 2004);
/// beyond ±7 the rest is below 10^-11 and counts as none.
pub fn normal_cdf(x: f64) -> f64 {
    /// ln √(2π)
    const LN_SQRT_TWO_PI: f64 = 0.918_938_533_204_672_8;
    if x < -7.0 {
        return 0.0;
    }
    if x > 7.0 {
        return 1.0;
    }
    let (mut sum, mut term, mut before, mut divisor) = (x, x, f64::NAN, 1.0);
    while sum.to_bits() != before.to_bits() {
        before = sum;
        divisor += 2.0;
        term *= x * x / divisor;
        sum += term;
    }
    (0.5 + sum * (-0.5 * x * x - LN_SQRT_TWO_PI).exp()).clamp(0.0, 1.0)
}

/// The x with Φ(x) = p, for p strictly between 0 and 1; at and beyond the ends ±8, where Φ is 0 or 1 in double
/// precision. Algorithm AS 241, PPND16 (Wichura, Applied Statistics 37 (3), 1988).
pub fn normal_quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * polynomial(r, &CENTRE_NUMERATOR) / polynomial(r, &CENTRE_DENOMINATOR);
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    if tail <= 0.0 {
        return 8.0_f64.copysign(q);
    }
    let r = (-tail.ln()).sqrt();
    let x = if r <= 5.0 {
        polynomial(r - 1.6, &MIDDLE_NUMERATOR) / polynomial(r - 1.6, &MIDDLE_DENOMINATOR)
    } else {
        polynomial(r - 5.0, &FAR_NUMERATOR) / polynomial(r - 5.0, &FAR_DENOMINATOR)
    };
    x.copysign(q)
}

/// Highest power first.
fn polynomial(x: f64, coefficients: &[f64; 8]) -> f64 {
    coefficients.iter().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

const CENTRE_NUMERATOR: [f64; 8] = [
    2.509_080_928_730_122_672_7e+3,
    3.343_057_558_358_812_810_5e+4,
    6.726_577_092_700_870_085_3e+4,
    4.592_195_393_154_987_145_7e+4,
    1.373_169_376_550_946_112_5e+4,
    1.971_590_950_306_551_442_7e+3,
    1.331_416_678_917_843_774_5e+2,
    3.387_132_872_796_366_608_0,
];
const CENTRE_DENOMINATOR: [f64; 8] = [
    5.226_495_278_852_854_561_0e+3,
    2.872_908_573_572_194_267_4e+4,
    3.930_789_580_009_271_061_0e+4,
    2.121_379_430_158_659_586_7e+4,
    5.394_196_021_424_751_107_7e+3,
    6.871_870_074_920_579_083_0e+2,
    4.231_333_070_160_091_125_2e+1,
    1.0,
];
const MIDDLE_NUMERATOR: [f64; 8] = [
    7.745_450_142_783_414_076_40e-4,
    2.272_384_498_926_918_458_33e-2,
    2.417_807_251_774_506_117_70e-1,
    1.270_458_252_452_368_382_58,
    3.647_848_324_763_204_605_04,
    5.769_497_221_460_691_405_50,
    4.630_337_846_156_545_295_90,
    1.423_437_110_749_683_577_34,
];
const MIDDLE_DENOMINATOR: [f64; 8] = [
    1.050_750_071_644_416_843_24e-9,
    5.475_938_084_995_344_946_00e-4,
    1.519_866_656_361_645_719_66e-2,
    1.481_039_764_274_800_745_90e-1,
    6.897_673_349_851_000_045_50e-1,
    1.676_384_830_183_803_849_40,
    2.053_191_626_637_758_821_87,
    1.0,
];
const FAR_NUMERATOR: [f64; 8] = [
    2.010_334_399_292_288_132_65e-7,
    2.711_555_568_743_487_578_15e-5,
    1.242_660_947_388_078_438_60e-3,
    2.653_218_952_657_612_309_30e-2,
    2.965_605_718_285_048_912_30e-1,
    1.784_826_539_917_291_335_80,
    5.463_784_911_164_114_369_90,
    6.657_904_643_501_103_777_20,
];
const FAR_DENOMINATOR: [f64; 8] = [
    2.044_263_103_389_939_785_64e-15,
    1.421_511_758_316_445_888_70e-7,
    1.846_318_317_510_054_681_80e-5,
    7.868_691_311_456_132_591_00e-4,
    1.487_536_129_085_061_485_25e-2,
    1.369_298_809_227_358_053_10e-1,
    5.998_322_065_558_879_376_90e-1,
    1.0,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of Python's `statistics.NormalDist`.
    #[test]
    fn known_values() {
        let quantiles = [
            (1e-12, -7.034_483_825_301_132),
            (1e-5, -4.264_890_793_922_825),
            (0.025, -1.959_963_984_540_054),
            (0.3, -0.524_400_512_708_040_7),
            (0.5, 0.0),
            (0.8, 0.841_621_233_572_914_4),
            (0.975, 1.959_963_984_540_054),
        ];
        for (p, x) in quantiles {
            assert!((normal_quantile(p) - x).abs() < 1e-13 * (1.0 + x.abs()), "{p}: {}", normal_quantile(p));
        }
        let areas = [
            (-3.0, 0.001_349_898_031_630_103),
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_542_9),
            (5.0, 0.999_999_713_348_428),
        ];
        for (x, p) in areas {
            assert!((normal_cdf(x) - p).abs() < 1e-15, "{x}: {}", normal_cdf(x));
        }
        assert_eq!((normal_quantile(0.0), normal_quantile(1.0), normal_cdf(9.0)), (-8.0, 8.0, 1.0));
    }
}
