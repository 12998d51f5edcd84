//! Values of headers that every answer has.

use actix_web::http::header::HeaderValue;

/// The value of `X-Content-Type-Options`, which is on every answer: no browser guesses its type.
pub(crate) const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
