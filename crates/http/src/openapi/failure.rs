//! Error responses of an operation, derived from its route.

use std::{collections::BTreeMap, io};

use patrol_application::Operation;
use patrol_domain::Timestamp;
use serde_json::{Map, Value, json};

use super::{
    object::{headers, reference},
    part::ExampleFault,
};
use crate::{
    error::{Code, Detail, Language, Problem},
    extract::media,
    route::{BodyFault, BodyKind, IdFault, RouteEntry, SeveralFault, check},
};

/// The time in examples: 2026-01-31T08:00:00Z, in milliseconds.
const EXAMPLE_TIME: i64 = 1_769_846_400_000;

/// Responses that several operations share: the name of the component, the code, the meaning, and
/// headers besides those of every error.
const SHARED: [(&str, Code, &str, &[&str]); 12] = [
    (
        "Unauthorized",
        Code::Unauthorized,
        "The token is missing, malformed, unknown, expired or revoked.",
        &["WWW-Authenticate"],
    ),
    ("Denied", Code::AccessDenied, "The role of the token may not do this.", &[]),
    ("NotFound", Code::NotFound, "There is no such record.", &[]),
    (
        "NotAcceptable",
        Code::NotAcceptable,
        "The Content-Type of the request is not application/json, its Content-Encoding is not \
         identity, or, for PUT of a check-list action, its JSON is malformed.",
        &[],
    ),
    (
        "PreconditionFailed",
        Code::PreconditionFailed,
        "If-Match is given and the record has changed since.",
        &[],
    ),
    (
        "KeyInUse",
        Code::KeyInUse,
        "The first request with this Idempotency-Key is still running; try again.",
        &["Retry-After"],
    ),
    ("KeyReused", Code::KeyReused, "The Idempotency-Key was used for another request.", &[]),
    (
        "TooLarge",
        Code::PayloadTooLarge,
        "The body, or the head of the request, is larger than the configured limit.",
        &[],
    ),
    (
        "RangeNotSatisfiable",
        Code::RangeNotSatisfiable,
        "The file has no such part; Content-Range has its length.",
        &["Content-Range"],
    ),
    (
        "TooMany",
        Code::TooManyRequests,
        "Too many failed authentications from this address within a minute, or too many long \
         lists, previews, dry runs or updates of a series of this user at once.",
        &["Retry-After"],
    ),
    ("Internal", Code::Internal, "An unexpected failure; try again later.", &[]),
    (
        "Unavailable",
        Code::Unavailable,
        "The store cannot be reached, is full or has too much to do, request bodies take too much \
         memory, or there are too many connections; try again.",
        &["Retry-After"],
    ),
];

/// The meaning of 409 where records may be in use.
const IN_USE: &str = "Other records still need this one, or other bytes have the id of this medium \
    (resource.in.use). For a deletion, details tell how many records of each kind. Or the first request with \
    this Idempotency-Key is still running; try again.";

/// Errors of every operation.
const EVERYWHERE: [Code; 5] = [
    Code::Unauthorized,
    Code::PayloadTooLarge,
    Code::TooManyRequests,
    Code::Internal,
    Code::Unavailable,
];

/// Examples of one status: name and error.
type NamedProblems = Vec<(String, Problem)>;

/// The shared responses, for `components/responses`.
pub(super) fn shared() -> io::Result<Map<String, Value>> {
    let responses = SHARED.iter().map(|(name, code, description, headers)| {
        let content = json!({"example": body(&example(*code))?});
        Ok(((*name).to_owned(), answer(description, headers, content)))
    });
    responses.collect()
}

/// An error with this code, as the checks of headers report it.
fn example(code: Code) -> Problem {
    let problem = Problem::new(code);
    if code != Code::NotAcceptable {
        return problem;
    }
    Problem { identifier: Some("Content-Type".into()), args: vec![media::JSON.into()], ..problem }
}

/// The errors of an operation, by status.
pub(super) fn of(
    path: &str,
    route: &RouteEntry,
    is_conditional: bool,
    faults: BTreeMap<String, ExampleFault>,
) -> io::Result<Vec<(String, Value)>> {
    let mut statuses: BTreeMap<u16, NamedProblems> = BTreeMap::new();
    for code in EVERYWHERE.into_iter().chain(conditional(path, route, is_conditional)) {
        statuses.entry(code.status().as_u16()).or_default();
    }
    let mut examples = before_the_handler(path, route);
    examples.extend(faults.into_iter().map(|(name, fault)| (name, fault.into())));
    for (name, problem) in examples {
        statuses.entry(problem.code.status().as_u16()).or_default().push((name, problem));
    }
    let answers = statuses
        .into_iter()
        .map(|(status, examples)| Ok((status.to_string(), described_answer(status, examples)?)));
    answers.collect()
}

/// Errors that depend on the route, and on whether it reads `If-Match`.
fn conditional(path: &str, route: &RouteEntry, is_conditional: bool) -> Vec<Code> {
    let mut codes = Vec::new();
    if route.endpoint.operation != Operation::Read {
        codes.push(Code::AccessDenied);
    }
    if path.contains("{id}") {
        codes.push(Code::NotFound);
    }
    // A file is read in parts.
    if path.ends_with("/file") {
        codes.push(Code::RangeNotSatisfiable);
    }
    let style = &route.endpoint.faults;
    if matches!(route.body, BodyKind::Json | BodyKind::Batch)
        && style.media == BodyFault::NotAcceptable
    {
        codes.push(Code::NotAcceptable);
    }
    if is_conditional {
        codes.push(Code::PreconditionFailed);
    }
    if route.is_change() {
        codes.extend([Code::KeyInUse, Code::KeyReused]);
    }
    codes
}

/// Examples of errors from the checks before the handler.
fn before_the_handler(path: &str, route: &RouteEntry) -> NamedProblems {
    let style = &route.endpoint.faults;
    let mut examples = Vec::new();
    let mut add = |name: &str, problem| examples.push((name.to_owned(), problem));
    if path.contains("{id}") && style.id != IdFault::NotFound {
        add("id", check::malformed_id(style.id));
    }
    if route.is_change() {
        let detail = Detail::new(Code::Characters, "Idempotency-Key");
        add("key", Problem::with(Code::InputInvalid, vec![detail]));
    }
    if route.body != BodyKind::Ignored {
        let place = Detail::of_body(Code::JsonMalformed).with_args(["1", "17"]);
        let is_json = matches!(route.body, BodyKind::Json | BodyKind::Batch);
        let details = is_json.then_some(place).into_iter().collect();
        add("malformed", Problem::with(style.syntax.into(), details));
    }
    if style.several != SeveralFault::Ordinary {
        add("array", check::several_resources(style.several, None));
    }
    if style.several == SeveralFault::Detail {
        add("several", check::several_resources(style.several, Some("id")));
    }
    examples
}

/// The response of one status; without examples a reference to a shared response.
fn described_answer(status: u16, examples: NamedProblems) -> io::Result<Value> {
    let shared = SHARED.iter().find(|(_, code, ..)| code.status().as_u16() == status);
    let is_in_use = examples.iter().any(|(_, problem)| problem.code == Code::ResourceInUse);
    let (description, headers) = match shared {
        Some((name, ..)) if examples.is_empty() => return Ok(reference("responses", name)),
        Some((.., headers)) if is_in_use => (IN_USE, *headers),
        Some((_, _, description, headers)) => (*description, *headers),
        None => ("The request is not valid.", &[][..]),
    };
    let mut values = Map::new();
    for (name, problem) in &examples {
        values.insert(name.clone(), json!({"value": body(problem)?}));
    }
    Ok(answer(description, headers, json!({"examples": values})))
}

/// The JSON body of an error.
fn body(problem: &Problem) -> io::Result<Value> {
    let time = Timestamp::from_millis(EXAMPLE_TIME)
        .ok_or_else(|| io::Error::other("the example time is out of range"))?;
    Ok(serde_json::to_value(problem.body(Language::English, time))?)
}

fn answer(description: &str, further: &[&str], mut content: Value) -> Value {
    if let Some(content) = content.as_object_mut() {
        content.insert("schema".to_owned(), reference("schemas", "Error"));
    }
    json!({
        "description": description,
        "headers": headers(["Content-Language"].iter().chain(further)),
        "content": {"application/json": content},
    })
}
