//! The health of the server.

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue},
    },
    web::Data,
};

use crate::{error::HandlerResult, shared::Shared};

/// GET /health/live.
pub(super) async fn live() -> HandlerResult {
    Ok(status_answer(StatusCode::OK, "{\"status\":\"live\"}"))
}

/// GET /health/ready.
pub(super) async fn ready(shared: Data<Shared>) -> HandlerResult {
    Ok(if shared.health.is_ready().await {
        status_answer(StatusCode::OK, "{\"status\":\"ready\"}")
    } else {
        status_answer(StatusCode::SERVICE_UNAVAILABLE, "{\"status\":\"unavailable\"}")
    })
}

fn status_answer(status: StatusCode, body: &'static str) -> HttpResponse {
    HttpResponse::build(status)
        .insert_header((CONTENT_TYPE, HeaderValue::from_static("application/json")))
        .insert_header((CACHE_CONTROL, HeaderValue::from_static("no-store")))
        .body(body)
}
