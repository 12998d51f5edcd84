//! The files of the site: the style sheet, the scripts and the icon.

use std::future::ready;

use actix_web::{
    Handler, HttpRequest, HttpResponse,
    body::MessageBody,
    http::header::{CACHE_CONTROL, CONTENT_TYPE},
};

use crate::{view, visit::site_of};

pub(crate) const STYLE: &str = include_str!("../assets/site.css");
pub(crate) const SCRIPT: &str = include_str!("../assets/site.js");
pub(crate) const LIVE: &str = include_str!("../assets/live.js");
pub(crate) const ICON: &str = include_str!("../assets/icon.svg");

/// The handler of a file.
pub(crate) fn handler(
    media_type: &'static str,
    content: &'static str,
) -> impl Handler<(HttpRequest,), Output = actix_web::Result<HttpResponse>> {
    // Kept for a short time, because a new version of the program has the same addresses.
    move |request: HttpRequest| ready(answer(&request, media_type, "max-age=300", content))
}

/// The answer with a file. `cached`: how long browsers keep it.
///
/// # Errors
/// When the resource has no state of the site, which is a defect.
pub(crate) fn answer(
    request: &HttpRequest,
    media_type: &'static str,
    cached: &'static str,
    content: impl MessageBody + 'static,
) -> actix_web::Result<HttpResponse> {
    let site = site_of(request)?;
    let mut answer = HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, media_type))
        .insert_header((CACHE_CONTROL, cached))
        .body(content);
    view::secure(answer.headers_mut(), &site.settings.public_url);
    Ok(answer)
}
