//! Media over HTTP: /v1/media.

mod file;
mod upload;

use std::{collections::BTreeMap, ops::Range};

use actix_web::{Error, HttpRequest, HttpResponse};
use patrol_application::{Failure, Operation};
use patrol_domain::{
    Named as _,
    media::{MediaBytes, MediaType, Medium},
};
use patrol_record::{MediumRecord, value::Id};
use utoipa::{
    IntoResponses, OpenApi, ToSchema as _,
    openapi::{Content, Header, Ref, RefOr, Response},
};

use self::upload::Upload;
use crate::{
    error::HandlerResult,
    image::ImageFile,
    log::ChangedRecords,
    reply,
    route::{Api, Call, Endpoint, FaultStyle, Repeated, WithLongBody, api_resource},
    schema::body,
};

/// Registers the resources of media.
pub(crate) fn configure(api: &mut Api<'_>) {
    let report = Endpoint::from(Operation::Report).faults(FaultStyle::BODY_AS_INPUT);
    api.service(api_resource("/media").post(report, create, Repeated(created)))
        .service(api_resource("/media/{id}").get(Operation::Read, get))
        .service(api_resource("/media/{id}/file").get(Operation::Read, read_file));
}

/// The operations in the API document.
#[derive(OpenApi)]
#[openapi(
    paths(create, get, read_file),
    tags((name = "Media", description = "Photos, recordings and documents that reports name."))
)]
pub(crate) struct Description;

/// The answer with the file of a medium, or with a part of it, as `GET /v1/media/{id}/file` gives it.
///
/// # Errors
/// 416 for a range that the file does not have; those of `read`. The body is that of the API, unless the
/// resource is a page.
pub async fn media_file(
    request: &HttpRequest,
    medium: &Medium,
    read: impl AsyncFnOnce(Range<u64>) -> Result<MediaBytes, Failure>,
) -> Result<HttpResponse, Error> {
    file::answer(request, medium, read).await.map_err(Error::from)
}

body! {
    /// A form with a medium.
    MediumUpload {
        /// JPEG, PNG, WebP, HEIC, MP4, M4A, MP3 or PDF; at most {limit_media}.
        file: ImageFile,
        /// An id made by the client; the same when the file is sent again. Patrol makes one when absent.
        #[schema(required = false)]
        id: Id,
    }
}

/// Store a medium
///
/// It is kept byte for byte; its kind is recognised by content. Sent again with the same id and the same
/// bytes, it is answered with the stored record.
#[utoipa::path(
    post,
    path = "/media",
    operation_id = "postMedia",
    request_body(content = MediumUpload, content_type = "multipart/form-data"),
    responses(
        (status = 201, description = "The medium was stored.", body = MediumRecord),
        (status = 200, description = "The medium was stored before.", body = MediumRecord),
    ),
)]
async fn create(mut request: WithLongBody) -> HandlerResult {
    let (call, body) = request.open()?;
    let Upload { file, id } = Upload::read(call, body).await?;
    let (medium, is_new) = call.services().media.end(call.actor(), file, id).await?;
    if !is_new {
        return reply::ok(&MediumRecord::new(&medium));
    }
    Ok(reply::with_changed(reply_created(&medium)?, ChangedRecords::one(medium.id.0)))
}

/// Answers a repeated POST.
async fn created(call: Call) -> HandlerResult {
    reply_created(&call.services().media.get(call.actor(), call.changed()?).await?.record)
}

fn reply_created(medium: &Medium) -> HandlerResult {
    reply::created(&MediumRecord::new(medium), "/media", medium.id.0)
}

/// Read a medium
#[utoipa::path(
    get,
    path = "/media/{id}",
    operation_id = "getMedium",
    params(("id" = Id, Path, description = "The medium."), ("If-None-Match", Header)),
    responses((status = 200, description = "The medium.", body = MediumRecord)),
)]
async fn get(call: Call) -> HandlerResult {
    let found = call.services().media.get(call.actor(), call.id()).await?;
    reply::ok_or_not_modified(call.conditions(), found.version, &MediumRecord::new(&found.record))
}

/// The answers with a file in the API document: the whole file, or a part of it.
struct FileAnswers;

impl IntoResponses for FileAnswers {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        const HEADERS: [&str; 4] =
            ["ETag", "Accept-Ranges", "Content-Disposition", "Content-Security-Policy"];
        let bytes = Content::new(Some(Ref::from_schema_name(ImageFile::name())));
        let kinds = MediaType::NAMES.iter();
        let mut whole = Response::new("The file.");
        whole.content = kinds.map(|kind| ((*kind).to_owned(), bytes.clone().into())).collect();
        whole.headers = HEADERS.map(|name| (name.to_owned(), Header::default().into())).into();
        let mut part = whole.clone();
        part.description = "A part of the file.".to_owned();
        part.headers.insert("Content-Range".to_owned(), Header::default().into());
        let answers = [("200", whole), ("206", part)];
        answers.map(|(status, answer)| (status.to_owned(), answer.into())).into()
    }
}

/// Read the file of a medium
///
/// One range of bytes, or the whole file.
#[utoipa::path(
    get,
    path = "/media/{id}/file",
    operation_id = "getMediumFile",
    params(
        ("id" = Id, Path, description = "The medium."),
        ("Range" = Option<String>, Header, description = "A range of bytes, for example `bytes=0-1023`. \
            Several ranges and other units are ignored."),
        ("If-None-Match", Header),
    ),
    responses(
        FileAnswers,
        (status = 304, description = "The client has the file already."),
    ),
)]
async fn read_file(call: Call) -> HandlerResult {
    let (media, actor) = (&call.services().media, call.actor());
    let found = media.get(actor, call.id()).await?.record;
    let read = async |part| media.read(actor, &found, part).await;
    file::answer(call.request(), &found, read).await
}
