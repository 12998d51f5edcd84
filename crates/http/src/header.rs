//! Header values of every response.

use actix_web::http::header::HeaderValue;

/// The value of `X-Content-Type-Options`, so that browsers do not guess the type of a response.
pub(crate) const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
