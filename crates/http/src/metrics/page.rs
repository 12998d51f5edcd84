//! The page for Prometheus.

use actix_web::{
    HttpResponse,
    http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue},
};

use crate::{
    error::ApiError,
    route::{Answer, Page, PageContext},
};

/// `/metrics`.
pub(crate) fn pages() -> Vec<Page> {
    vec![Page::new("/metrics", metrics)]
}

async fn metrics(context: PageContext) -> Answer {
    let shared = context.shared;
    let text = shared.metrics.text(&shared.services.monitored);
    let text = text.map_err(|error| ApiError::internal(error.to_string()))?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, HeaderValue::from_static(prometheus::TEXT_FORMAT)))
        .insert_header((CACHE_CONTROL, HeaderValue::from_static("no-store")))
        .body(text))
}
