//! The metrics for Prometheus.

use actix_web::{
    HttpResponse,
    http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue},
    web::Data,
};

use crate::{
    error::{ApiError, HandlerResult},
    shared::Shared,
};

/// GET /metrics.
pub(super) async fn metrics(shared: Data<Shared>) -> HandlerResult {
    // Takes at most the time of a ping, also when the store hangs.
    let is_ready = shared.health.is_ready().await;
    let text = shared.metrics.text(&shared.services.monitored, is_ready);
    let text = text.map_err(|error| ApiError::internal(error.to_string()))?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, HeaderValue::from_static(prometheus::TEXT_FORMAT)))
        .insert_header((CACHE_CONTROL, HeaderValue::from_static("no-store")))
        .body(text))
}
