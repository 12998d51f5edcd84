//! The files of the app. They are the same for everybody: the app has no data but what it fetches.

use actix_web::{
    HttpRequest, HttpResponse,
    body::MessageBody,
    http::{
        StatusCode,
        header::{
            AcceptEncoding, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, Encoding, Header as _,
            HeaderName, HeaderValue, VARY,
        },
    },
    web::Path,
};
use patrol_http::PageError;

use super::bundle::{self, MANIFEST};
use crate::{assets, view::PERMISSIONS_POLICY, visit::site_of};

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const PNG: &str = "image/png";

/// What the app needs of itself, of its pictures (`blob:`) and of the API.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' blob:; connect-src 'self'; \
     worker-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
);

/// As on the other pages, but for the camera and the position.
const PERMISSIONS: HeaderValue = HeaderValue::from_static(
    "camera=(self), clipboard-read=(), clipboard-write=(self), display-capture=(), geolocation=(self), \
     microphone=(), payment=(), usb=()",
);

const SERVICE_WORKER_ALLOWED: HeaderName = HeaderName::from_static("service-worker-allowed");

/// Files with the version in their address never change.
const FOREVER: &str = "max-age=31536000, immutable";

/// GET /guard and every path below it without a resource of its own.
pub(crate) async fn shell(request: HttpRequest) -> actix_web::Result<HttpResponse> {
    let site = site_of(&request)?;
    answer(&request, HTML, "no-cache", site.app.shell.clone())
}

/// GET /guard/worker.js
pub(crate) async fn worker(request: HttpRequest) -> actix_web::Result<HttpResponse> {
    let site = site_of(&request)?;
    let mut answer = answer(&request, SCRIPT, "no-cache", site.app.worker.clone())?;
    // Its scope is not only what is below its folder, `/guard/`, but also `/guard` itself.
    answer.headers_mut().insert(SERVICE_WORKER_ALLOWED, HeaderValue::from_static("/guard"));
    Ok(answer)
}

/// GET /guard/manifest.webmanifest
pub(crate) async fn manifest(request: HttpRequest) -> actix_web::Result<HttpResponse> {
    answer(&request, "application/manifest+json", "no-cache", MANIFEST)
}

/// GET /guard/{picture}.png
pub(crate) async fn picture(
    request: HttpRequest,
    name: Path<String>,
) -> actix_web::Result<HttpResponse> {
    match bundle::picture(&name) {
        Some(content) => answer(&request, PNG, "max-age=86400", content),
        None => shell(request).await,
    }
}

/// GET /guard/files/{version}/{name}
pub(crate) async fn file(
    request: HttpRequest,
    path: Path<(String, String)>,
) -> actix_web::Result<HttpResponse> {
    let (version, name) = path.into_inner();
    let site = site_of(&request)?;
    let found = site.app.file(&version, &name);
    let (name, content, compressed) = found.ok_or(PageError::new(StatusCode::NOT_FOUND))?;
    let media_type = if name.ends_with(".css") { "text/css; charset=utf-8" } else { SCRIPT };
    let accepts = AcceptEncoding::parse(&request).ok();
    let gzip = Encoding::gzip();
    let is_compressed = accepts.is_some_and(|accepts| {
        accepts.negotiate([Encoding::identity(), gzip.clone()].iter()) == Some(gzip)
    });
    let mut answer = if is_compressed {
        answer(&request, media_type, FOREVER, compressed)?
    } else {
        answer(&request, media_type, FOREVER, content)?
    };
    let headers = answer.headers_mut();
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if is_compressed {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(answer)
}

fn answer(
    request: &HttpRequest,
    media_type: &'static str,
    cached: &'static str,
    content: impl MessageBody + 'static,
) -> actix_web::Result<HttpResponse> {
    let mut answer = assets::answer(request, media_type, cached, content)?;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(PERMISSIONS_POLICY, PERMISSIONS);
    Ok(answer)
}
