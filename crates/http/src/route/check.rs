//! Checks of a request before its handler.

use std::time::Instant;

use actix_web::{HttpRequest, http::header::HeaderMap};
use patrol_application::{Failure, Operation};
use patrol_domain::{
    access::{Caller, Rejection},
    ids::{self, Uuid},
};
use patrol_record::json::document::{Json, Malformed, Place};

use crate::{
    body_kind::BodyKind,
    error::{ApiError, Code, Detail, Problem},
    extract::{credential::Credential, media},
    fault_style::{FaultStyle, IdFault, SeveralFault},
    page::SessionCredential,
    request_state::RequestState,
    shared::Shared,
};

const CONTENT_TYPE: &str = "Content-Type";
const CONTENT_ENCODING: &str = "Content-Encoding";

/// Authenticates the request by its token, or by its session if it has no header `Authorization`. The
/// response is the same for every kind of wrong credential; only the log has the reason. Wrong
/// credentials are counted by address, and too many get 429.
pub(crate) async fn authenticate(
    request: &HttpRequest,
    state: &RequestState,
) -> Result<Caller, ApiError> {
    match Credential::of(request.headers()) {
        Credential::Absent => authenticate_session(request, state).await,
        Credential::Missing => Err(missing(state)),
        Credential::Malformed => Err(rejected(&Rejection::Malformed, state)),
        Credential::Token(token) => {
            let checked = state.shared.services.authentication.authenticate(token).await?;
            checked.map_err(|rejection| rejected(&rejection, state))
        }
    }
}

/// Authenticates the request by its session of the site.
pub(crate) async fn authenticate_session(
    request: &HttpRequest,
    state: &RequestState,
) -> Result<Caller, ApiError> {
    let Some(site) = &state.shared.site else { return Err(missing(state)) };
    match (site.session)(request.clone()).await? {
        SessionCredential::Missing => Err(missing(state)),
        SessionCredential::Ended => Err(rejected(&Rejection::EndedSession, state)),
        SessionCredential::Foreign { header } => {
            let problem = Problem::new(Code::AccessDenied);
            Err(Problem { identifier: Some(header.into()), ..problem }.into())
        }
        SessionCredential::Valid(caller) => {
            state.caller.set(Some(caller));
            if state.needs_token.get() { Err(Code::AccessDenied.into()) } else { Ok(caller) }
        }
    }
}

/// The error of a request without a credential.
fn missing(state: &RequestState) -> ApiError {
    state.shared.credentials.note_missing();
    Code::Unauthorized.into()
}

/// The error of a request with a wrong credential.
fn rejected(rejection: &Rejection, state: &RequestState) -> ApiError {
    let Shared { throttle, credentials: metrics, .. } = state.shared.get_ref();
    metrics.note(rejection);
    let retry = state.client.and_then(|address| throttle.note_failure(address, Instant::now()));
    let problem = match retry {
        None => Problem::new(Code::Unauthorized),
        Some(seconds) => {
            metrics.note_throttled();
            Problem::retry_later(Code::TooManyRequests, seconds)
        }
    };
    Problem { cause: Some(rejection.to_string()), ..problem }.into()
}

/// Checks that the caller's role may execute the operation, for at least some records.
pub(super) fn permit(caller: Caller, operation: Operation) -> Result<(), ApiError> {
    Ok(patrol_application::permit(caller.into(), operation).map_err(Failure::from)?)
}

/// Checks the headers of the body. The error names the header and the expected value.
pub(super) fn content_type(
    headers: &HeaderMap,
    body: BodyKind,
    code: Code,
) -> Result<(), ApiError> {
    let (fits, expected) = match body {
        BodyKind::Ignored => return Ok(()),
        BodyKind::Json | BodyKind::Batch => (media::is_json(headers), media::JSON),
        BodyKind::Form | BodyKind::Media => (media::boundary(headers).is_some(), media::FORM),
    };
    let (header, expected) = match (fits, media::is_uncompressed(headers)) {
        (true, true) => return Ok(()),
        (false, _) => (CONTENT_TYPE, expected),
        (true, false) => (CONTENT_ENCODING, media::IDENTITY),
    };
    let problem = Problem {
        identifier: Some(header.into()),
        args: vec![expected.into()],
        ..Problem::new(code)
    };
    Err(problem.into())
}

/// Parses the id in the path.
pub(super) fn path_id(text: &str, style: &FaultStyle) -> Result<Uuid, ApiError> {
    if let Some(id) = ids::parse(text) {
        return Ok(id);
    }
    if style.several != SeveralFault::Ordinary && is_list_of_ids(text) {
        return Err(several_resources(style.several, Some("id")).into());
    }
    Err(malformed_id(style.id).into())
}

/// The error of a malformed id.
pub(crate) fn malformed_id(style: IdFault) -> Problem {
    match style {
        IdFault::Top => Problem {
            identifier: Some("id".into()),
            args: vec!["UUID".into()],
            ..Problem::new(Code::TypeInvalid)
        },
        IdFault::NotFound => Problem::new(Code::NotFound),
        IdFault::Detail => {
            let detail = Detail::new(Code::TypeInvalid, "id").with_args(["UUID"]);
            Problem::with(Code::InputInvalid, vec![detail])
        }
    }
}

/// The response to malformed JSON: it has the line and the column, the log also the reason. A
/// duplicate member is always `input.data.invalid`, regardless of the style of the endpoint.
pub(super) fn malformed_json(malformed: &Malformed, syntax: Code) -> ApiError {
    let cause = Some(malformed.to_string());
    if malformed.repeats_member() {
        return Problem { cause, ..Problem::new(Code::InputInvalid) }.into();
    }
    let Place { line, column } = malformed.place();
    let place = [line.to_string(), column.to_string()];
    let details = vec![Detail::of_body(Code::JsonMalformed).with_args(place)];
    Problem { cause, ..Problem::with(syntax, details) }.into()
}

/// Checks that the body is not an array where one resource is expected.
pub(super) fn check_single(document: &Json<'_>, style: SeveralFault) -> Result<(), ApiError> {
    match (document, style) {
        (Json::List(_), SeveralFault::Top | SeveralFault::Detail) => {
            Err(several_resources(style, None).into())
        }
        _ => Ok(()),
    }
}

fn is_list_of_ids(text: &str) -> bool {
    text.contains(',') && text.split(',').all(|id| ids::parse(id).is_some())
}

/// The error of several resources: of ids in the path, or of an array as body.
pub(crate) fn several_resources(style: SeveralFault, identifier: Option<&'static str>) -> Problem {
    match style {
        SeveralFault::Ordinary | SeveralFault::Top => Problem::new(Code::MultipleResources),
        SeveralFault::Detail => {
            let detail = Detail::at(Code::MultipleResources, identifier.map(Into::into));
            Problem::with(Code::InputInvalid, vec![detail])
        }
    }
}
