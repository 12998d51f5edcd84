//! Photos of users over HTTP: /v1/users/{id}/photo.

#[cfg(test)]
mod tests;

use bytes::Bytes;
use patrol_application::{Failure, Operation};
use patrol_domain::{Path, Rule, Target, user::UserPatch};
use patrol_record::{UserRecord, value::Id};
use utoipa::OpenApi;

use crate::{
    error::{ApiError, HandlerResult},
    form,
    image::{self, ImageFile},
    reply,
    route::{
        Api, BodyKind, Call, Endpoint, FaultStyle, IdFault, Repeated, RequestBody, WithBody,
        api_resource,
    },
    schema::body,
    user,
};

/// The part of the form with the image.
const PHOTO: &str = "photo";

/// Registers the resource of photos.
pub(crate) fn configure(api: &mut Api<'_>) {
    let change = Endpoint::from(Operation::ChangeUser);
    api.service(
        api_resource("/users/{id}/photo")
            .no_store()
            .get(Endpoint::from(Operation::Read).faults(NO_SUCH_USER), get)
            .post(change.faults(FaultStyle::BODY_AS_INPUT), replace, Repeated(replaced))
            .delete(change.faults(NO_SUCH_USER), delete),
    );
}

/// The operations in the API document.
#[derive(OpenApi)]
#[openapi(
    paths(get, replace, delete),
    tags((name = "Users"))
)]
pub(crate) struct Description;

/// A malformed id is `not.found`.
const NO_SUCH_USER: FaultStyle = FaultStyle { id: IdFault::NotFound, ..FaultStyle::PLAIN };

body! {
    /// A form with a photo.
    PhotoUpload {
        /// JPEG, PNG or WebP, not animated; at most {limit_photo} and {limit_pixels} pixels.
        photo: ImageFile,
    }
}

/// The content of the part with the image; `None` when the form does not have it.
struct Image(Option<Vec<u8>>);

impl RequestBody for Image {
    const KIND: BodyKind = BodyKind::Form;

    async fn read(call: &Call, body: Bytes) -> Result<Self, ApiError> {
        let most = call.settings().photo_limit;
        let [photo] = form::parts(call.request().headers(), body, [PHOTO], most).await?;
        Ok(Self(photo))
    }
}

/// Read the photo of a user
///
/// An id that is not a UUID is answered with 404.
#[utoipa::path(
    get,
    path = "/users/{id}/photo",
    operation_id = "getUserPhoto",
    params(("id" = Id, Path, description = "The user."), ("If-None-Match", Header)),
    responses(
        (
            status = 200,
            description = "The photo.",
            content(
                (ImageFile = "image/jpeg"),
                (ImageFile = "image/png"),
                (ImageFile = "image/webp")
            ),
        ),
        (status = 304, description = "The client has this photo already."),
    ),
)]
async fn get(call: Call) -> HandlerResult {
    let (photos, actor, user) = (&call.services().photos, call.actor(), call.id());
    image::answer(call.request(), photos.current(actor, user), photos.get(actor, user)).await
}

/// Set the photo of a user
///
/// Replaces the old photo. The format is recognised by content. The photo is stored upright and
/// encoded again, so that only its pixels are kept. An EMPLOYEE may change only their own photo;
/// a MANAGER may not change the photo of an ADMIN.
#[utoipa::path(
    post,
    path = "/users/{id}/photo",
    operation_id = "postUserPhoto",
    params(("id" = Id, Path, description = "The user.")),
    request_body(
        content = PhotoUpload,
        content_type = "multipart/form-data",
        encoding(("photo" = (content_type = "image/jpeg, image/png, image/webp")))
    ),
    responses(
        (
            status = 200,
            description = "The full record, with the new photoId.",
            body = UserRecord<'_>
        ),
    ),
)]
async fn replace(WithBody(call, Image(photo)): WithBody<Image>) -> HandlerResult {
    let photos = &call.services().photos;
    photos.permit_change(call.actor(), call.id()).await?;
    let photo = photo.ok_or_else(|| Failure::fault(&Path::Root.field(PHOTO), Rule::NotNull))?;
    let changed = photos.replace(call.actor(), call.id(), photo).await?;
    reply::ok(&user::record(&changed, call.caller()))
}

/// Answers a repeated POST with the user as it is now.
async fn replaced(call: Call) -> HandlerResult {
    let at = Target::any_version(call.id());
    // An empty patch changes nothing, but checks the same permission as the first request.
    let user = call.services().users.patch(call.actor(), at, UserPatch::default()).await?;
    reply::ok(&user::record(&user.record, call.caller()))
}

/// Delete the photo of a user
///
/// An id that is not a UUID is answered with 404. An EMPLOYEE may delete only their own photo; a
/// MANAGER may not delete the photo of an ADMIN.
#[utoipa::path(
    delete,
    path = "/users/{id}/photo",
    operation_id = "deleteUserPhoto",
    params(("id" = Id, Path, description = "The user.")),
    responses((status = 204, description = "The photo is deleted.")),
)]
async fn delete(call: Call) -> HandlerResult {
    let photos = &call.services().photos;
    photos.delete(call.actor(), call.id()).await?;
    Ok(reply::no_content())
}
