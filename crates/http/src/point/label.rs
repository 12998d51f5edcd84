//! The QR code of a point.

use actix_web::{
    HttpResponse,
    http::header::{
        CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, EntityTag, HeaderValue,
    },
};
use patrol_application::Failure;
use patrol_domain::{Fault, Refusal, Rule};
use patrol_label::TooLong;
use patrol_record::{hex, value::Id};
use sha2::{Digest as _, Sha256};

use crate::{
    error::HandlerResult,
    image::{ImageFile, NOTHING_RUNS, PRIVATE, unchanged},
    route::Call,
};

/// Read the QR code of a point
///
/// The picture for its label. It says an address of the page with which guards walk rounds; the part after
/// `#` is the percent-encoded `qrCode`. A point without a `qrCode` has none.
#[utoipa::path(
    get,
    path = "/locations/points/{id}/label",
    operation_id = "getPointLabel",
    params(("id" = Id, Path, description = "The point."), ("If-None-Match", Header)),
    responses(
        (
            status = 200,
            description = "The picture, with an error correction of M or better and its quiet zone.",
            content((ImageFile = "image/svg+xml")),
            headers(("ETag"), ("Content-Security-Policy")),
        ),
        (status = 304, description = "The client has this picture already."),
    ),
)]
pub(super) async fn label(call: Call) -> HandlerResult {
    let services = call.services();
    let point = services.points.get(call.actor(), call.id()).await?.record;
    let code = point.qr_code.ok_or(Failure::NotFound)?;
    let svg = patrol_label::svg(&services.public_url, &code).map_err(too_long)?;
    let tag = EntityTag::new_strong(hex(&Sha256::digest(&svg).into()));
    if let Some(answer) = unchanged(call.request(), &tag) {
        return Ok(answer);
    }
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, HeaderValue::from_static("image/svg+xml")))
        .insert_header((CONTENT_SECURITY_POLICY, NOTHING_RUNS))
        .insert_header((CACHE_CONTROL, PRIVATE))
        .insert_header((ETAG, tag))
        .body(svg))
}

fn too_long(TooLong { max }: TooLong) -> Failure {
    let rule = Rule::Length { min: 1, max };
    Refusal::Invalid(vec![Fault { identifier: "qrCode".to_owned(), rule }]).into()
}
