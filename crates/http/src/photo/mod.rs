//! Photos of users over HTTP: /v1/users/{id}/photo.

#[cfg(test)]
mod tests;

use actix_web::{
    HttpResponse,
    http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderValue},
};
use patrol_application::{Failure, Operation};
use patrol_domain::{Path, Rule};

use crate::{
    extract::photo_etag,
    reply,
    route::{Answer, BodyFault, Call, FaultStyle, IdFault, Route, RuleFault},
    user,
};

/// The part of the form with the image.
const PHOTO: &str = "photo";

/// Only the client may cache the photo, and it has to revalidate before each use.
const PRIVATE: HeaderValue = HeaderValue::from_static("private, no-cache");

/// The routes of photos with their fault styles.
pub(crate) fn routes() -> Vec<Route> {
    const PATH: &str = "/users/{id}/photo";
    let plain = FaultStyle { id: IdFault::NotFound, ..FaultStyle::PLAIN };
    let form = FaultStyle {
        media: BodyFault::Invalid,
        rules: RuleFault::Input,
        no_store: true,
        ..FaultStyle::PLAIN
    };
    let (read, change) = (Operation::Read, Operation::ChangeUser);
    vec![
        Route::get(PATH, read, plain, get),
        Route::photo(PATH, change, form, PHOTO, replace),
        Route::delete(PATH, change, plain, delete),
    ]
}

/// GET /users/{id}/photo. When the client has the photo already, the image is not read.
async fn get(call: Call) -> Answer {
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
async fn replace(call: Call, photo: Option<Vec<u8>>) -> Answer {
    let photos = &call.services().photos;
    photos.permit_change(call.actor(), call.id()).await?;
    let photo = photo.ok_or_else(|| Failure::fault(&Path::Root.field(PHOTO), Rule::NotNull))?;
    let changed = photos.replace(call.actor(), call.id(), photo).await?;
    reply::ok(&user::record(&changed, call.caller()))
}

/// DELETE /users/{id}/photo.
async fn delete(call: Call) -> Answer {
    let photos = &call.services().photos;
    photos.delete(call.actor(), call.id()).await?;
    Ok(reply::no_content())
}
