//! Records of forms as the bodies of the API.

use actix_web::Error;
use patrol_http::PageError;
use patrol_record::{
    Recorded,
    json::{document, fields},
};
use serde_json::Value;

use super::{
    faults::FormFault,
    form::{element, place},
};
use crate::texts::Texts;

/// The deepest nesting of a record.
const MAX_DEPTH: usize = 16;

/// Leaves a value out of a record, so that the other members can be read: an element takes its whole list
/// along, because the others would move up.
pub(crate) fn leave_out(record: &mut Value, path: &str) {
    let (path, nothing) = match element(path) {
        Some((list, _)) => (list, Value::Array(Vec::new())),
        None => (path, Value::Null),
    };
    if let Some(member) = place(record, path) {
        *member = nothing;
    }
}

/// Reads a record as the API reads a body.
///
/// # Errors
/// The members of the wrong type.
pub(crate) fn read_body<D>(
    t: &Texts,
    record: &Value,
    read: impl FnMut(&mut fields::Fields<'_>) -> D,
) -> Result<D, Vec<FormFault>> {
    let body = record.to_string();
    let json = document::parse(body.as_bytes(), MAX_DEPTH).map_err(|_| Vec::new())?;
    let read = fields::object(&json, read);
    read.map_err(|faults| faults.into_iter().map(|fault| FormFault::of_type(t, fault)).collect())
}

/// The record as the API writes it. That of a user has the PIN, which belongs on no page.
///
/// # Errors
/// When it cannot be written, which is a defect.
pub(crate) fn json_of(record: &impl Recorded) -> Result<Value, Error> {
    serde_json::to_value(record.form()).map_err(PageError::internal)
}
