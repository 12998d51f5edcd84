//! The paths of the API.

use actix_web::HttpRequest;

/// The prefix of every path of the API.
pub(crate) const BASE: &str = "/v1";

/// Whether the path of a request belongs to the API, even if no resource has this path.
pub(crate) fn is_api(request: &HttpRequest) -> bool {
    // The path as actix-web matches it: with percent-encoded letters decoded.
    let below = request.match_info().as_str().strip_prefix(BASE);
    below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
}
