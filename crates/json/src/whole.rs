//! Exact conversions between floats and integers, without casts.

/// Bits of the fraction of a 64-bit float (IEEE 754).
const FRACTION_BITS: u64 = 52;
/// The biased exponent minus this is the power of two of the last fraction bit.
const BIAS: u64 = 1075;

/// The integer with the same value; `None` when there is a fraction or it does not fit into 64
/// bits.
pub(crate) fn integer_of(value: f64) -> Option<i64> {
    if value == 0.0 {
        return Some(0);
    }
    let bits = value.abs().to_bits();
    let exponent = bits >> FRACTION_BITS;
    let fraction = (bits & ((1 << FRACTION_BITS) - 1)) | (1 << FRACTION_BITS);
    let magnitude = if exponent >= BIAS {
        let up = exponent - BIAS;
        if up > 11 {
            return None;
        }
        i128::from(fraction) << up
    } else {
        let down = BIAS - exponent;
        if down > FRACTION_BITS || fraction.trailing_zeros() < u32::try_from(down).ok()? {
            return None;
        }
        i128::from(fraction >> down)
    };
    i64::try_from(if value < 0.0 { -magnitude } else { magnitude }).ok()
}

/// The nearest float.
pub(crate) fn float_of(value: impl Into<i128>) -> f64 {
    let value: i128 = value.into();
    // Both halves are exact, so the sum is rounded only once.
    let high = i32::try_from(value >> 32)
        .map_or_else(|_| f64::from(u32::try_from(value >> 32).unwrap_or(u32::MAX)), f64::from);
    let low = u32::try_from(value & i128::from(u32::MAX)).map_or(0.0, f64::from);
    high * 4_294_967_296.0 + low
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{float_of, integer_of};

    #[test]
    fn the_bounds_of_64_bits_are_exact() {
        let two_to_63 = 9_223_372_036_854_775_808.0;
        for (value, integer) in [
            (2.0, Some(2)),
            (-2.0, Some(-2)),
            (-0.0, Some(0)),
            (2.5, None),
            (0.5, None),
            (1e-320, None),
            (1e18, Some(1_000_000_000_000_000_000)),
            (9_223_372_036_854_774_784.0, Some(9_223_372_036_854_774_784)),
            (two_to_63, None),
            (-two_to_63, Some(i64::MIN)),
            (-9_223_372_036_854_777_856.0, None),
            (1e300, None),
            (f64::NAN, None),
            (f64::INFINITY, None),
        ] {
            assert_eq!(integer_of(value), integer, "{value}");
        }
        assert_eq!(float_of(u64::MAX).to_bits(), 18_446_744_073_709_551_616_f64.to_bits());
    }

    proptest! {
        #[test]
        fn conversions_agree_with_casts(value: i64, wide: u64, float: f64, small in -1e17_f64..1e17) {
            #[allow(clippy::as_conversions)]
            let (near, wide_near, cut) = (value as f64, wide as f64, small.trunc() as i64);
            prop_assert_eq!(float_of(value).to_bits(), near.to_bits());
            prop_assert_eq!(float_of(wide).to_bits(), wide_near.to_bits());
            prop_assert_eq!(integer_of(small.trunc()), Some(cut));
            if float.fract() != 0.0 {
                prop_assert_eq!(integer_of(float), None);
            }
        }
    }
}
