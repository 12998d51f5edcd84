//! Exact conversions between floats and integers.

use num_traits::ToPrimitive as _;

/// The integer with the same value; `None` when there is a fraction or it does not fit into 64
/// bits.
pub(crate) fn integer_of(value: f64) -> Option<i64> {
    if value.fract() == 0.0 { value.to_i64() } else { None }
}

/// The nearest float.
pub(crate) fn float_of(value: impl Into<i128>) -> f64 {
    // Never `None`: every integer of 128 bits has one.
    value.into().to_f64().unwrap_or(f64::NAN)
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
