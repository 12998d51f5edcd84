//! Output forms of values, for `#[serde(serialize_with = "…")]`.

use std::fmt::Display;

use patrol_domain::{Named, ids::Uuid};
use serde::{
    Serialize, Serializer,
    ser::{Error, SerializeMap},
};
use serde_json::value::RawValue;

use crate::json::whole;

/// Numbers from here on are shortest with an exponent.
const LARGE: f64 = 1e16;

/// A number in the shortest form; a whole number without `.0`.
struct Shortest(f64);

impl Serialize for Shortest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = self.0;
        if !value.is_finite() {
            return Err(S::Error::custom("a number is not finite"));
        }
        if value.abs() >= LARGE {
            // serde_json would write `1e+300`, which is longer.
            let text = RawValue::from_string(format!("{value:e}"));
            return text.map_err(S::Error::custom)?.serialize(serializer);
        }
        match whole::integer_of(value) {
            Some(integer) => serializer.serialize_i64(integer),
            None => serializer.serialize_f64(value),
        }
    }
}

/// Writes a number; −0 as 0.
///
/// # Errors
/// When the number is not finite, and those of the serializer.
pub fn number<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    Shortest(*value).serialize(serializer)
}

/// Writes a number, −0 as 0, or null.
///
/// # Errors
/// When the number is not finite, and those of the serializer.
pub fn number_or_null<S: Serializer>(
    value: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value.map(Shortest).serialize(serializer)
}

/// An id in lower case with hyphens.
struct Hyphenated(Uuid);

impl Serialize for Hyphenated {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut buffer = Uuid::encode_buffer();
        serializer.serialize_str(self.0.hyphenated().encode_lower(&mut buffer))
    }
}

/// Writes an id of any kind of record.
///
/// # Errors
/// Those of the serializer.
pub fn id<T: Copy + Into<Uuid>, S: Serializer>(id: &T, serializer: S) -> Result<S::Ok, S::Error> {
    Hyphenated((*id).into()).serialize(serializer)
}

/// Writes a list of ids.
///
/// # Errors
/// Those of the serializer.
pub fn ids<T: Copy + Into<Uuid>, S: Serializer>(
    ids: &[T],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(ids.iter().map(|id| Hyphenated((*id).into())))
}

/// Writes a value as `Display` does, for example a time: `2026-01-31T08:00:00.000Z`.
///
/// # Errors
/// Those of the serializer.
pub fn display<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    // Writes into the output without a temporary string.
    serializer.collect_str(value)
}

/// Writes the name of a value of an enumeration.
///
/// # Errors
/// Those of the serializer.
pub fn name<T: Named, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(value.name())
}

/// Writes members that are stored as name and JSON text, as [`crate::json::fields::Fields::further`]
/// reads them; for `#[serde(flatten)]`.
///
/// # Errors
/// When a text is not JSON, and those of the serializer.
pub fn further<S: Serializer>(
    members: &[(String, String)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(members.len()))?;
    for (name, text) in members {
        let value: &RawValue = serde_json::from_str(text)
            .map_err(|_| S::Error::custom("a stored member is not JSON"))?;
        map.serialize_entry(name, value)?;
    }
    map.end()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::number;

    fn written(value: f64) -> String {
        let mut out = Vec::new();
        number(&value, &mut serde_json::Serializer::new(&mut out)).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn whole_numbers_have_no_fraction_and_the_rest_is_shortest() {
        for (value, text) in [
            (10.0, "10"),
            (-10.0, "-10"),
            (0.0, "0"),
            (-0.0, "0"),
            (0.1, "0.1"),
            (19.22, "19.22"),
            (100_000.0, "100000"),
            (9_007_199_254_740_993.0, "9007199254740992"),
            (9_999_999_999_999_998.0, "9999999999999998"),
            (1e16, "1e16"),
            (9_223_372_036_854_775_808.0, "9.223372036854776e18"),
            (-9_223_372_036_854_775_808.0, "-9.223372036854776e18"),
            (1e300, "1e300"),
            (f64::MAX, "1.7976931348623157e308"),
            (12.5, "12.5"),
            (-0.5, "-0.5"),
            (-1.5e300, "-1.5e300"),
            (1e-7, "1e-7"),
            (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
            (5e-324, "5e-324"),
        ] {
            assert_eq!(written(value), text);
        }
    }

    #[test]
    fn a_number_that_is_not_finite_is_an_error() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut out = Vec::new();
            let error = number(&value, &mut serde_json::Serializer::new(&mut out));
            assert_eq!(error.unwrap_err().to_string(), "a number is not finite");
        }
    }

    proptest! {
        #[test]
        fn a_written_number_is_parsed_back(value in prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL) {
            let read: f64 = serde_json::from_str(&written(value)).unwrap();
            prop_assert_eq!(read.to_bits(), value.to_bits());
        }
    }
}
