//! The description as JSON, at `/openapi.json`.

use actix_web::{
    HttpResponse,
    http::header::{CONTENT_TYPE, HeaderValue},
    web::Data,
};

use crate::{error::HandlerResult, shared::Shared};

/// The path of the description.
pub(super) const PATH: &str = "/openapi.json";

/// The description, made at start.
pub(super) async fn document(shared: Data<Shared>) -> HandlerResult {
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, HeaderValue::from_static("application/json")))
        .body(shared.description.clone()))
}
