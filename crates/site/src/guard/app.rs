//! The files of the app. They are the same for everybody: the app has no data but what it fetches.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue},
    },
    web::Path,
};
use patrol_http::PageError;
use sha2::{Digest as _, Sha256};

use crate::{pages::HandlerResult, view, visit::site_of};

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const PNG: &str = "image/png";

/// A file of the app.
macro_rules! file {
    ($name:literal) => {
        ($name, include_str!(concat!("../../assets/guard/", $name)))
    };
}

/// The style sheet and the modules.
const FILES: [(&str, &str); 16] = [
    file!("guard.css"),
    file!("app.js"),
    file!("api.js"),
    file!("context.js"),
    file!("device.js"),
    file!("pages/round.js"),
    file!("pages/rounds.js"),
    file!("pages/scan.js"),
    file!("rules/code.js"),
    file!("rules/list.js"),
    file!("rules/queue.js"),
    file!("rules/round.js"),
    file!("store.js"),
    file!("sync.js"),
    file!("texts.js"),
    file!("view.js"),
];

const SHELL: &str = include_str!("../../assets/guard/shell.html");
const WORKER: &str = include_str!("../../assets/guard/worker.js");
const MANIFEST: &str = include_str!("../../assets/guard/manifest.json");

/// The icons, by name.
const PICTURES: [(&str, &[u8]); 3] = [
    ("icon-192.png", include_bytes!("../../assets/guard/icon-192.png")),
    ("icon-512.png", include_bytes!("../../assets/guard/icon-512.png")),
    ("icon-maskable.png", include_bytes!("../../assets/guard/icon-maskable.png")),
];

/// What the app needs of itself, of its pictures (`blob:`) and of the API.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' blob:; connect-src 'self'; \
     worker-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
);

/// As on the other pages, but for the camera and the position.
const PERMISSIONS: HeaderValue = HeaderValue::from_static(
    "camera=(self), clipboard-read=(), clipboard-write=(), display-capture=(), geolocation=(self), \
     microphone=(), payment=(), usb=()",
);

const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
const SERVICE_WORKER_ALLOWED: HeaderName = HeaderName::from_static("service-worker-allowed");

/// Files with the version in their address never change.
const FOREVER: &str = "max-age=31536000, immutable";

/// The shell and the worker, which name the other files by their version.
pub(crate) struct App {
    /// The digest of all files, in hexadecimal digits.
    version: String,
    shell: String,
    worker: String,
}

impl App {
    /// The app of this program.
    pub(crate) fn new() -> Self {
        let mut digest = Sha256::new();
        for (name, content) in FILES.into_iter().chain([("", SHELL), ("", WORKER), ("", MANIFEST)])
        {
            digest.update(name);
            digest.update(content);
        }
        let version: String =
            digest.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        let paths = FILES.map(|(name, _)| format!("/guard/files/{version}/{name}"));
        let preload = |path: &String| format!("<link rel=\"modulepreload\" href=\"{path}\">");
        let preloads: Vec<_> =
            paths.iter().filter(|path| path.ends_with(".js")).map(preload).collect();
        let shell = SHELL.replace("PRELOADS", &preloads.join("\n")).replace("VERSION", &version);
        let worker = WORKER.replace("FILES\"]", &format!("{}\"]", paths.join("\", \"")));
        Self { shell, worker: worker.replace("VERSION", &version), version }
    }
}

/// GET /guard and every path below it without a resource of its own.
pub(crate) async fn shell(request: HttpRequest) -> HandlerResult {
    let site = site_of(&request)?;
    answer(&request, HTML, "no-cache", site.app.shell.clone())
}

/// GET /guard/worker.js
pub(crate) async fn worker(request: HttpRequest) -> HandlerResult {
    let site = site_of(&request)?;
    let mut answer = answer(&request, SCRIPT, "no-cache", site.app.worker.clone())?;
    // Its scope is not only what is below its folder, `/guard/`, but also `/guard` itself.
    answer.headers_mut().insert(SERVICE_WORKER_ALLOWED, HeaderValue::from_static("/guard"));
    Ok(answer)
}

/// GET /guard/manifest.webmanifest
pub(crate) async fn manifest(request: HttpRequest) -> HandlerResult {
    answer(&request, "application/manifest+json", "no-cache", MANIFEST)
}

/// GET /guard/{picture}.png
pub(crate) async fn picture(request: HttpRequest, name: Path<String>) -> HandlerResult {
    let found = PICTURES.iter().find(|(known, _)| known.strip_suffix(".png") == Some(&name));
    let (_, content) = found.ok_or(PageError::new(StatusCode::NOT_FOUND))?;
    answer(&request, PNG, "max-age=86400", *content)
}

/// GET /guard/files/{version}/{name}
pub(crate) async fn file(request: HttpRequest, path: Path<(String, String)>) -> HandlerResult {
    let (version, name) = path.into_inner();
    let site = site_of(&request)?;
    let found = FILES.iter().find(|(known, _)| *known == name && version == site.app.version);
    let (name, content) = found.ok_or(PageError::new(StatusCode::NOT_FOUND))?;
    let media_type = if name.ends_with(".css") { "text/css; charset=utf-8" } else { SCRIPT };
    answer(&request, media_type, FOREVER, *content)
}

fn answer(
    request: &HttpRequest,
    media_type: &'static str,
    cached: &'static str,
    content: impl actix_web::body::MessageBody + 'static,
) -> HandlerResult {
    let site = site_of(request)?;
    let mut answer = HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, media_type))
        .insert_header((CACHE_CONTROL, cached))
        .body(content);
    let headers = answer.headers_mut();
    view::secure(headers, &site.settings.public_url);
    headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(PERMISSIONS_POLICY, PERMISSIONS);
    Ok(answer)
}
