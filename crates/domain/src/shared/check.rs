//! Field rules that several features share. Each function checks one field and adds its faults.

use std::{collections::HashSet, hash::Hash};

use super::{
    fault::{Faults, Path, Rule},
    named::Named,
    rules::Limits,
};

/// Checks that a text has `min` to `max` characters and no U+0000. `min` is 0 or 1.
pub fn text(faults: &mut Faults, path: &Path<'_>, text: &str, min: usize, max: usize) {
    if text.contains('\0') {
        faults.push(path, Rule::Characters);
    }
    // A text has no more characters than bytes, so most texts need not be counted.
    let too_long = text.len() > max && text.chars().count() > max;
    let too_short = text.len() < min;
    if too_long || too_short {
        faults.push(path, Rule::Length { min, max });
    }
}

/// Checks that a required value is present.
pub fn required<T>(faults: &mut Faults, path: &Path<'_>, value: Option<T>) -> Option<T> {
    if value.is_none() {
        faults.push(path, Rule::NotNull);
    }
    value
}

/// Checks a required name of 1 to `limits.name` characters.
pub fn name(
    faults: &mut Faults,
    path: &Path<'_>,
    name: Option<&str>,
    limits: &Limits,
) -> Option<String> {
    let name = required(faults, path, name)?;
    text(faults, path, name, 1, limits.name);
    Some(name.to_owned())
}

/// The enumeration value with this name; a fault when there is none.
pub fn enum_value<T: Named>(faults: &mut Faults, path: &Path<'_>, name: &str) -> Option<T> {
    let value = T::from_name(name);
    if value.is_none() {
        faults.push(path, Rule::Enum(T::NAMES));
    }
    value
}

/// Checks that a list has at most `max` elements.
pub fn list_length(faults: &mut Faults, path: &Path<'_>, elements: usize, max: usize) {
    if elements > max {
        faults.push(path, Rule::Length { min: 0, max });
    }
}

/// Checks the number and the length of tags: 1 to `limits.tag` characters each. Returns them in the
/// same order without duplicates.
pub fn tags(faults: &mut Faults, path: &Path<'_>, tags: &[String], limits: &Limits) -> Vec<String> {
    list_length(faults, path, tags.len(), limits.tags);
    for (at, tag) in tags.iter().enumerate() {
        text(faults, &path.index(at), tag, 1, limits.tag);
    }
    distinct(tags)
}

/// The values in the given order without duplicates.
pub fn distinct<T: Clone + Eq + Hash>(values: &[T]) -> Vec<T> {
    let mut seen = HashSet::with_capacity(values.len());
    values.iter().filter(|value| seen.insert(*value)).cloned().collect()
}

/// Checks that an integer fits into 32 bits, the size of its column in the stores.
pub fn int32(faults: &mut Faults, path: &Path<'_>, value: i64) -> Option<i32> {
    let int32 = i32::try_from(value).ok();
    if int32.is_none() {
        faults.push(path, Rule::Range { min: i32::MIN.into(), max: i32::MAX.into() });
    }
    int32
}

/// Checks that the greatest reading of the action at `path` is not less than the smallest one.
pub fn bounds(faults: &mut Faults, path: &Path<'_>, min: Option<f64>, max: Option<f64>) {
    if !are_bounds_possible(min, max) {
        faults.push(&path.field("maxValue"), Rule::Bounds);
    }
}

/// Whether a reading can keep both bounds.
#[must_use]
pub fn are_bounds_possible(min: Option<f64>, max: Option<f64>) -> bool {
    !matches!((min, max), (Some(min), Some(max)) if min > max)
}

/// The member `order` of the object at `path`. Defaults to the `position` of the object in its list,
/// from 0.
pub fn order(
    faults: &mut Faults,
    path: &Path<'_>,
    order: Option<i64>,
    position: usize,
) -> Option<i32> {
    match order {
        Some(order) => int32(faults, &path.field("order"), order),
        None => i32::try_from(position).ok(),
    }
}
