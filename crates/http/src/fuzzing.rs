//! The parsers of requests, for the fuzz targets in `tests/fuzz`, whose workspace alone sets the
//! feature `fuzzing`. Each function panics when a rule is broken.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a fuzz target reports by panicking"
)]

use std::future::ready;

use actix_web::{
    HttpRequest,
    http::header::{
        ACCEPT_LANGUAGE, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, IF_MATCH,
        IF_NONE_MATCH,
    },
    test::TestRequest,
};
use bytes::Bytes;
use futures_util::FutureExt;
use patrol_domain::{
    Timestamp, Version, access::TokenList, event::EventList, location::LocationList,
    point::HistoryList, task_execution::ExecutionList, task_execution::Punctuality,
};

use crate::{
    error::Language,
    extract::{Conditions, credential::Credential, etag},
    form,
    list::{ListDeclaration, parse_query},
};

/// Headers with this value, unless no HTTP message can contain it.
fn headers(name: HeaderName, value: &[u8]) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    headers.insert(name, HeaderValue::from_bytes(value).ok()?);
    Some(headers)
}

/// The query string of every list: what an accepted query echoes is accepted again, as the same.
pub fn query(text: &str) {
    query_of::<ExecutionList>(text);
    query_of::<LocationList>(text);
    query_of::<HistoryList>(text);
    query_of::<TokenList>(text);
    query_of::<EventList>(text);
}

fn query_of<L: ListDeclaration>(text: &str) {
    let moment = Punctuality::default().at(Timestamp::from_millis(0).unwrap());
    let Ok(parsed) = parse_query::<L>(text, moment) else { return };
    let encode = |value: &str| {
        percent_encoding::utf8_percent_encode(value, percent_encoding::NON_ALPHANUMERIC).to_string()
    };
    let filters: Vec<_> = parsed.echo.filter.iter().collect();
    let again: Vec<_> =
        filters.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
    let Ok(second) = parse_query::<L>(&again.join("&"), moment) else {
        panic!("{again:?} was accepted before")
    };
    assert_eq!(second.echo.filter, parsed.echo.filter);
}

/// `Authorization`: a token has no blanks, and is the same with and without its scheme.
pub fn authorization(value: &[u8]) {
    let Some(given) = headers(AUTHORIZATION, value) else { return };
    let Credential::Token(token) = Credential::of(&given) else { return };
    assert!(!token.is_empty() && !token.contains([' ', '\t']), "{token:?}");
    let with_scheme = headers(AUTHORIZATION, format!("Bearer {token}").as_bytes()).unwrap();
    assert!(Credential::of(&with_scheme) == Credential::Token(token), "{token:?}");
}

/// `Accept-Language`: an answer in Russian was asked for, by name or by `*`.
pub fn accept_language(value: &[u8]) {
    let Some(given) = headers(ACCEPT_LANGUAGE, value) else { return };
    if Language::of(&given) == Language::Russian {
        let value = value.to_ascii_lowercase();
        let asked = value.windows(2).any(|part| part == b"ru") || value.contains(&b'*');
        assert!(asked, "{}", String::from_utf8_lossy(&value));
    }
}

/// `If-Match` and `If-None-Match`: a version matches only where its tag or `*` is given.
pub fn conditions(value: &[u8]) {
    let version = Version(7);
    let is_given = value.windows(3).any(|part| part == b"\"7\"") || value.contains(&b'*');
    let Some(read) = request(IF_NONE_MATCH, value) else { return };
    assert!(is_given || !Conditions::of(&read).none_match_contains(&etag(version)));
    let Some(change) = request(IF_MATCH, value) else { return };
    let expected = Conditions::of(&change).expected_version(|| ready(Ok(version))).now_or_never();
    let Ok(expected) = expected.unwrap() else { panic!("the version is known") };
    assert!(is_given || expected.is_some_and(|expected| expected != version));
}

fn request(name: HeaderName, value: &[u8]) -> Option<HttpRequest> {
    let value = HeaderValue::from_bytes(value).ok()?;
    Some(TestRequest::default().append_header((name, value)).to_http_request())
}

/// A form, after a line with its Content-Type: the part that is found is in the body.
pub fn multipart(input: &[u8]) {
    let Some(end) = input.iter().position(|byte| *byte == b'\n') else { return };
    let (kind, body) = (&input[..end], &input[end + 1..]);
    let Some(headers) = headers(CONTENT_TYPE, kind) else { return };
    let found = form::parts(&headers, Bytes::copy_from_slice(body), ["photo"], 1000).now_or_never();
    if let Ok([Some(part)]) = found.unwrap() {
        let is_there = part.is_empty() || body.windows(part.len()).any(|at| at == part);
        assert!(part.len() <= 1000 && is_there);
    }
}
