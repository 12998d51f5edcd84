//! What a route asks of a request before its handler may see it.

use std::{net::IpAddr, time::Instant};

use actix_web::{HttpRequest, http::header::HeaderMap};
use patrol_application::{Operation, may};
use patrol_domain::{
    access::{Authentication, Caller, Rejection},
    ids::{self, Uuid},
};
use patrol_json::document::{Json, Malformed, Place};

use super::{Body, BodyFault, BodyGuard, Call, FaultStyle, IdFault, Several};
use crate::{
    error::{ApiError, Code, Detail, Problem},
    extract::{credential::Credential, media},
    throttle::Throttle,
};

/// Whom the request speaks for. All that is wrong with a credential is answered alike, and only the
/// log says what; wrong ones count, and too many from one address are answered with 429.
pub(super) async fn authenticate(
    request: &HttpRequest,
    authentication: &dyn Authentication,
    throttle: &Throttle,
) -> Result<Caller, ApiError> {
    let checked = match Credential::of(request.headers()) {
        Credential::Missing => return Err(Code::Unauthorized.into()),
        Credential::Malformed => Err(Rejection::Malformed),
        Credential::Token(token) => authentication.authenticate(token).await?,
    };
    checked.map_err(|rejection| {
        let address = request.peer_addr().map(|peer| peer.ip());
        let problem = refuse(throttle, address);
        Problem { cause: Some(rejection.to_string()), ..problem }.into()
    })
}

fn refuse(throttle: &Throttle, address: Option<IpAddr>) -> Problem {
    match address.and_then(|address| throttle.fail(address, Instant::now())) {
        None => Problem::new(Code::Unauthorized),
        Some(seconds) => {
            Problem { retry_after: Some(seconds), ..Problem::new(Code::TooManyRequests) }
        }
    }
}

/// What the caller's role may never do.
pub(super) fn permit(caller: Caller, operation: Operation) -> Result<(), ApiError> {
    if may(caller.role, operation) { Ok(()) } else { Err(Code::AccessDenied.into()) }
}

/// That the body is what the route takes, as far as its headers tell. The answer names the header
/// and the value that is expected.
pub(super) fn content_type(headers: &HeaderMap, style: &FaultStyle) -> Result<(), ApiError> {
    let (fits, expected) = match style.body {
        Body::Ignored => return Ok(()),
        Body::Json | Body::Batch => (media::is_json(headers), media::JSON),
        Body::Form => (media::boundary(headers).is_some(), media::FORM),
    };
    let (header, expected) = match (fits, media::is_plain(headers)) {
        (true, true) => return Ok(()),
        (false, _) => (CONTENT_TYPE, expected),
        (true, false) => (CONTENT_ENCODING, media::PLAIN),
    };
    let problem = Problem {
        identifier: Some(header.into()),
        args: vec![expected.into()],
        ..Problem::new(Code::from(style.media))
    };
    Err(problem.into())
}

/// The id in the path.
pub(super) fn id(text: &str, style: &FaultStyle) -> Result<Uuid, ApiError> {
    if let Some(id) = ids::parse(text) {
        return Ok(id);
    }
    if style.several != Several::Unknown && is_list_of_ids(text) {
        return Err(several(style.several, Some("id")));
    }
    Err(match style.id {
        IdFault::Top => Problem {
            identifier: Some("id".into()),
            args: vec!["UUID".into()],
            ..Problem::new(Code::TypeInvalid)
        }
        .into(),
        IdFault::NotFound => Code::NotFound.into(),
        IdFault::Detail => {
            ApiError::invalid(vec![Detail::new(Code::TypeInvalid, "id").expecting(["UUID"])])
        }
    })
}

/// The answer to malformed JSON: it says in which line and column the fault is, the log also why.
/// A member that stands twice is always `input.data.invalid`, whatever the style of the route.
pub(super) fn unread(malformed: &Malformed, syntax: BodyFault) -> ApiError {
    let cause = Some(malformed.to_string());
    if malformed.repeats_member() {
        return Problem { cause, ..Problem::new(Code::InputInvalid) }.into();
    }
    let Place { line, column } = malformed.place();
    let place = [line.to_string(), column.to_string()];
    let details = vec![Detail::of_body(Code::JsonMalformed).expecting(place)];
    Problem { cause, ..Problem::with(Code::from(syntax), details) }.into()
}

/// What the caller's role may not do with this body.
pub(super) fn allow(
    call: &Call,
    guard: Option<BodyGuard>,
    document: &Json<'_>,
) -> Result<(), ApiError> {
    match guard {
        Some(guard) if !guard(call, document) => Err(Code::AccessDenied.into()),
        _ => Ok(()),
    }
}

/// That the body is not an array where one resource is meant.
pub(super) fn is_one(document: &Json<'_>, style: Several) -> Result<(), ApiError> {
    match (document, style) {
        (Json::List(_), Several::Top | Several::Detail) => Err(several(style, None)),
        _ => Ok(()),
    }
}

const CONTENT_TYPE: &str = "Content-Type";
const CONTENT_ENCODING: &str = "Content-Encoding";

fn is_list_of_ids(text: &str) -> bool {
    text.contains(',') && text.split(',').all(|id| ids::parse(id).is_some())
}

fn several(style: Several, identifier: Option<&'static str>) -> ApiError {
    match style {
        Several::Unknown | Several::Top => Code::MultipleResources.into(),
        Several::Detail => ApiError::invalid(vec![match identifier {
            Some(identifier) => Detail::new(Code::MultipleResources, identifier),
            None => Detail::of_body(Code::MultipleResources),
        }]),
    }
}
