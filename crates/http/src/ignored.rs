//! `Patrol-Ignored`: the header that names what a request holds and Patrol does not know, so that a
//! misspelled member or parameter is noticed. It costs nothing when everything is known.

use actix_web::{
    HttpMessage as _, HttpRequest,
    http::header::{HeaderName, HeaderValue},
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::query_string;

/// The header.
pub(crate) const IGNORED: HeaderName = HeaderName::from_static("patrol-ignored");

/// Most names in the header.
pub(crate) const MOST: usize = 20;

/// Most characters of a name. What is longer is cut, so that it is still recognised.
const LONGEST: usize = 100;

/// Most bytes of the header: proxies refuse an answer with a long head.
const ROOM: usize = 2_048;

/// What is written as it is: what paths of members are made of.
const ENCODED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'_').remove(b'[').remove(b']');

/// What has been ignored of a request so far.
struct Names(Vec<String>);

/// Notes what was ignored of the request.
pub(crate) fn note(request: &HttpRequest, names: Vec<String>) {
    if names.is_empty() {
        return;
    }
    let mut data = request.extensions_mut();
    match data.get_mut::<Names>() {
        Some(Names(known)) => known.extend(names),
        None => data.insert(Names(names)).map_or((), drop),
    }
}

/// Notes the parameters of the query string that the route does not know, each once.
pub(crate) fn note_parameters(request: &HttpRequest, is_known: fn(&str) -> bool) {
    let mut names: Vec<String> = Vec::new();
    for parameter in query_string::parameters(request.query_string()) {
        let name = parameter.name.as_ref();
        if names.len() < MOST && !is_known(name) && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    note(request, names);
}

/// The value of the header; none when nothing was ignored.
pub(crate) fn header(request: &HttpRequest) -> Option<HeaderValue> {
    let data = request.extensions();
    let Names(names) = data.get::<Names>()?;
    let mut value = String::new();
    for name in names.iter().take(MOST) {
        let cut = name.char_indices().nth(LONGEST).and_then(|(end, _)| name.get(..end));
        let encoded = utf8_percent_encode(cut.unwrap_or(name), ENCODED).to_string();
        if value.len().saturating_add(encoded.len()) >= ROOM {
            break;
        }
        if !value.is_empty() {
            value.push(',');
        }
        value.push_str(&encoded);
    }
    HeaderValue::try_from(value).ok().filter(|value| !value.is_empty())
}
