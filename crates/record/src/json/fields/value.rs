//! Readers of single values. Each adds a fault when the value has another type.

use patrol_domain::{
    Path, Timestamp,
    ids::{self, Uuid},
    schedule::{LocalDate, LocalDateTime},
};

use super::fault::{Expected, Notes};
use crate::json::{document::Json, whole};

/// Reads the value at a path; `None` after a fault.
pub(super) trait Read<T>: FnMut(&Json<'_>, &Path<'_>, &mut Notes) -> Option<T> {}
impl<T, F: FnMut(&Json<'_>, &Path<'_>, &mut Notes) -> Option<T>> Read<T> for F {}

fn scalar<T>(expected: Expected, read: impl Fn(&Json<'_>) -> Option<T>) -> impl Read<T> {
    move |json: &Json<'_>, path: &Path<'_>, notes: &mut Notes| {
        let value = read(json);
        if value.is_none() {
            notes.fault(path, expected);
        }
        value
    }
}

pub(super) fn text() -> impl Read<String> {
    scalar(Expected::String, |json| as_text(json).map(str::to_owned))
}

pub(super) fn uuid<T: From<Uuid>>() -> impl Read<T> {
    scalar(Expected::Uuid, |json| as_text(json).and_then(ids::parse).map(T::from))
}

pub(super) fn timestamp() -> impl Read<Timestamp> {
    scalar(Expected::Timestamp, |json| as_text(json).and_then(Timestamp::parse))
}

pub(super) fn local_date_time() -> impl Read<LocalDateTime> {
    scalar(Expected::LocalDateTime, |json| as_text(json).and_then(LocalDateTime::parse))
}

pub(super) fn local_date() -> impl Read<LocalDate> {
    scalar(Expected::LocalDate, |json| as_text(json).and_then(LocalDate::parse))
}

pub(super) fn integer() -> impl Read<i64> {
    scalar(Expected::Integer, |json| match json {
        Json::Integer(value) => Some(*value),
        Json::Number(value) => whole::integer_of(*value),
        _ => None,
    })
}

pub(super) fn number() -> impl Read<f64> {
    scalar(Expected::Number, |json| match json {
        Json::Integer(value) => Some(whole::float_of(*value)),
        Json::Number(value) => Some(*value),
        _ => None,
    })
}

pub(super) fn boolean() -> impl Read<bool> {
    scalar(Expected::Boolean, |json| match json {
        Json::Bool(value) => Some(*value),
        _ => None,
    })
}

/// A list, each element read by `read`. A null element is a fault.
pub(super) fn list<T>(read: impl Read<T>) -> impl Read<Vec<T>> {
    first(usize::MAX, read)
}

/// The first `most` elements of a list, each read by `read`. The other elements are read too, for
/// their faults, and dropped.
pub(super) fn first<T>(most: usize, mut read: impl Read<T>) -> impl Read<Vec<T>> {
    move |json: &Json<'_>, path: &Path<'_>, notes: &mut Notes| {
        let Json::List(elements) = json else {
            notes.fault(path, Expected::Array);
            return None;
        };
        let elements = elements.iter().enumerate();
        let mut values = elements.filter_map(|(at, json)| read(json, &path.index(at), notes));
        let kept = values.by_ref().take(most).collect();
        values.for_each(drop);
        Some(kept)
    }
}

fn as_text<'a>(json: &'a Json<'_>) -> Option<&'a str> {
    match json {
        Json::Text(text) => Some(text),
        _ => None,
    }
}
