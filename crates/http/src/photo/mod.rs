//! Photos of users over HTTP: /v1/users/{id}/photo.

#[cfg(test)]
mod tests;

use actix_web::{
    HttpResponse,
    http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderValue},
};
use bytes::Bytes;
use patrol_application::{Failure, Operation};
use patrol_domain::{Path, Rule};

use crate::{
    error::ApiError,
    extract::photo_etag,
    form, reply,
    route::{
        Answer, Api, Body, BodyFault, Call, Endpoint, FaultStyle, IdFault, RequestBody, RuleFault,
        WithBody, resource,
    },
    user,
};

/// The part of the form with the image.
const PHOTO: &str = "photo";

/// Only the client may cache the photo, and it has to revalidate before each use.
const PRIVATE: HeaderValue = HeaderValue::from_static("private, no-cache");

/// Registers the resource of photos.
pub(crate) fn configure(api: &mut Api<'_>) {
    api.service(resource("/users/{id}/photo").no_store().get(get).post(replace).delete(delete));
}

/// A malformed id is not found.
struct Get;

impl Endpoint for Get {
    const OPERATION: Operation = Operation::Read;
    const FAULTS: FaultStyle = FaultStyle { id: IdFault::NotFound, ..FaultStyle::PLAIN };
}

/// A malformed id is not found.
struct Delete;

impl Endpoint for Delete {
    const OPERATION: Operation = Operation::ChangeUser;
    const FAULTS: FaultStyle = Get::FAULTS;
}

/// All faults of the body are `input.data.invalid`.
struct Replace;

impl Endpoint for Replace {
    const OPERATION: Operation = Operation::ChangeUser;
    const FAULTS: FaultStyle =
        FaultStyle { media: BodyFault::Invalid, rules: RuleFault::Input, ..FaultStyle::PLAIN };
}

/// The content of the part with the image; `None` when the form does not have it.
struct Image(Option<Vec<u8>>);

impl RequestBody for Image {
    const KIND: Body = Body::Form;

    async fn read<E: Endpoint>(call: &Call<E>, body: Bytes) -> Result<Self, ApiError> {
        let most = call.settings().photo_limit;
        form::part(call.request().headers(), body, PHOTO, most).await.map(Self)
    }
}

/// GET /users/{id}/photo. When the client has the photo already, the image is not read.
async fn get(call: Call<Get>) -> Answer {
    let photos = &call.services().photos;
    let tag = photo_etag(photos.current(call.actor(), call.id()).await?);
    if call.conditions().has(&tag) {
        let mut answer = reply::not_modified(tag);
        answer.headers_mut().insert(CACHE_CONTROL, PRIVATE);
        return Ok(answer);
    }
    let (id, photo) = photos.get(call.actor(), call.id()).await?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, HeaderValue::from_static(photo.format.media_type())))
        .insert_header((ETAG, photo_etag(id)))
        .insert_header((CACHE_CONTROL, PRIVATE))
        .body(photo.bytes))
}

/// POST /users/{id}/photo.
async fn replace(WithBody(call, Image(photo)): WithBody<Replace, Image>) -> Answer {
    let photos = &call.services().photos;
    photos.permit_change(call.actor(), call.id()).await?;
    let photo = photo.ok_or_else(|| Failure::fault(&Path::Root.field(PHOTO), Rule::NotNull))?;
    let changed = photos.replace(call.actor(), call.id(), photo).await?;
    reply::ok(&user::record(&changed, call.caller()))
}

/// DELETE /users/{id}/photo.
async fn delete(call: Call<Delete>) -> Answer {
    let photos = &call.services().photos;
    photos.delete(call.actor(), call.id()).await?;
    Ok(reply::no_content())
}
