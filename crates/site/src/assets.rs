//! The style sheet, the script and the icon.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{CACHE_CONTROL, CONTENT_TYPE},
};

use crate::{view, visit::site_of};

pub(crate) const STYLE: &str = include_str!("../assets/site.css");
const SCRIPT: &str = include_str!("../assets/site.js");
const LIVE: &str = include_str!("../assets/live.js");
const ICON: &str = include_str!("../assets/icon.svg");

pub(crate) async fn style(request: HttpRequest) -> actix_web::Result<HttpResponse> {
    file(&request, "text/css; charset=utf-8", STYLE)
}

pub(crate) async fn script(request: HttpRequest) -> actix_web::Result<HttpResponse> {
    file(&request, "text/javascript; charset=utf-8", SCRIPT)
}

pub(crate) async fn live(request: HttpRequest) -> actix_web::Result<HttpResponse> {
    file(&request, "text/javascript; charset=utf-8", LIVE)
}

pub(crate) async fn icon(request: HttpRequest) -> actix_web::Result<HttpResponse> {
    file(&request, "image/svg+xml", ICON)
}

fn file(
    request: &HttpRequest,
    media_type: &'static str,
    content: &'static str,
) -> actix_web::Result<HttpResponse> {
    let site = site_of(request)?;
    let mut answer = HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, media_type))
        // Short, because a new version of the program has the same addresses.
        .insert_header((CACHE_CONTROL, "max-age=300"))
        .body(content);
    view::secure(answer.headers_mut(), &site.settings.public_url);
    Ok(answer)
}
