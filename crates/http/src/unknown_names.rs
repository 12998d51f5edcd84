//! `Patrol-Ignored`: the header that lists unknown members and parameters of a request, so that
//! clients notice misspelled names.

use actix_web::{
    HttpMessage as _, HttpRequest,
    http::header::{HeaderName, HeaderValue},
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::query_string;

/// The name of the header.
pub(crate) const IGNORED: HeaderName = HeaderName::from_static("patrol-ignored");

/// The maximum number of names in the header.
pub(crate) const MAX_NAMES: usize = 20;

/// The maximum number of characters of a name. A longer name is cut.
const MAX_NAME_LENGTH: usize = 100;

/// The maximum number of bytes of the header, because proxies refuse responses with a long head.
const MAX_BYTES: usize = 2_048;

/// The characters that are percent-encoded: all except those of member paths.
const ENCODED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'_').remove(b'[').remove(b']');

/// The unknown names of a request so far.
struct UnknownNames(Vec<String>);

/// Records unknown names.
pub(crate) fn note(request: &HttpRequest, names: Vec<String>) {
    if names.is_empty() {
        return;
    }
    let mut data = request.extensions_mut();
    match data.get_mut::<UnknownNames>() {
        Some(UnknownNames(known)) => known.extend(names),
        None => data.insert(UnknownNames(names)).map_or((), drop),
    }
}

/// Records each unknown parameter of the query string once.
pub(crate) fn note_parameters(request: &HttpRequest, is_known: fn(&str) -> bool) {
    let mut names: Vec<String> = Vec::new();
    for parameter in query_string::parameters(request.query_string()) {
        let name = parameter.name.as_ref();
        if names.len() < MAX_NAMES && !is_known(name) && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    note(request, names);
}

/// The value of the header; `None` when there are no unknown names.
pub(crate) fn header(request: &HttpRequest) -> Option<HeaderValue> {
    let data = request.extensions();
    let UnknownNames(names) = data.get::<UnknownNames>()?;
    let mut value = String::new();
    for name in names.iter().take(MAX_NAMES) {
        let cut = name.char_indices().nth(MAX_NAME_LENGTH).and_then(|(end, _)| name.get(..end));
        let encoded = utf8_percent_encode(cut.unwrap_or(name), ENCODED).to_string();
        if value.len().saturating_add(encoded.len()) >= MAX_BYTES {
            break;
        }
        if !value.is_empty() {
            value.push(',');
        }
        value.push_str(&encoded);
    }
    HeaderValue::try_from(value).ok().filter(|value| !value.is_empty())
}
