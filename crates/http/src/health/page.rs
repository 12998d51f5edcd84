//! The health pages.

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue},
    },
};

use crate::route::{Answer, Page, PageContext};

/// `/health/live` and `/health/ready`.
pub(crate) fn pages() -> Vec<Page> {
    vec![Page::new("/health/live", live), Page::new("/health/ready", ready)]
}

async fn live(_: PageContext) -> Answer {
    Ok(status_answer(StatusCode::OK, "{\"status\":\"live\"}"))
}

async fn ready(context: PageContext) -> Answer {
    Ok(if context.shared.health.is_ready().await {
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
