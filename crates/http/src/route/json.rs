//! JSON bodies.

use bytes::Bytes;
use patrol_application::Actor;
use patrol_domain::ids::Uuid;
use patrol_record::json::{
    document::{self, Json},
    fields::{self, Fields, Lenient},
};

use super::{
    call::{Call, RequestBody},
    check,
};
use crate::{
    body_kind::BodyKind,
    error::{ApiError, Code},
    unknown_names,
};

/// A value that is read from a JSON object.
pub(crate) trait JsonObject: Sized + 'static {
    /// Reads the members and checks their types.
    fn read(fields: &mut Fields<'_>) -> Self;

    /// Whether the caller may send this object to the resource with this `id`. Called before the
    /// types of the members are checked, so it has to work for any types.
    fn is_allowed(_caller: Actor, _id: Option<Uuid>, _object: &Json<'_>) -> bool {
        true
    }
}

/// An object of which a request may send an array.
pub(crate) trait Batched: JsonObject {
    /// The maximum number of objects. One more is read, so that the use case can refuse the
    /// request.
    const MAX: usize;
}

impl<T: JsonObject> RequestBody for T {
    const KIND: BodyKind = BodyKind::Json;

    async fn read(call: &Call, body: Bytes) -> Result<Self, ApiError> {
        read(call, &body, T::is_allowed, |document| {
            fields::lenient_object(document, unknown_names::MAX_NAMES, <T as JsonObject>::read)
        })
    }
}

impl<T: Batched> RequestBody for Vec<T> {
    const KIND: BodyKind = BodyKind::Batch;

    async fn read(call: &Call, body: Bytes) -> Result<Self, ApiError> {
        let is_allowed = |caller, _, document: &Json<'_>| match document {
            Json::List(entries) => entries.iter().all(|entry| T::is_allowed(caller, None, entry)),
            _ => true,
        };
        read(call, &body, is_allowed, |document| {
            let most = T::MAX.saturating_add(1);
            fields::lenient_objects(
                document,
                most,
                unknown_names::MAX_NAMES,
                <T as JsonObject>::read,
            )
        })
    }
}

fn read<T>(
    call: &Call,
    body: &[u8],
    is_allowed: impl Fn(Actor, Option<Uuid>, &Json<'_>) -> bool,
    read: impl Fn(&Json<'_>) -> Lenient<T>,
) -> Result<T, ApiError> {
    let document = document::parse(body, call.settings().nesting)
        .map_err(|malformed| check::malformed_json(&malformed, call.endpoint.faults.syntax))?;
    check::check_single(&document, call.endpoint.faults.several)?;
    if !is_allowed(call.actor(), call.id, &document) {
        return Err(Code::AccessDenied.into());
    }
    let Lenient { value, unknown } = read(&document);
    unknown_names::note(call.request(), unknown);
    value.map_err(ApiError::types)
}
