//! Error responses of an operation, derived from its route.

use std::{collections::BTreeMap, io, iter};

use patrol_application::Operation;
use patrol_domain::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    object::{Object, headers, reference},
    part::ExampleFault,
};
use crate::{
    error::{Code, Detail, Language, Problem},
    extract::media,
    route::{BodyKind, IdFault, RouteEntry, SeveralFault, check},
};

/// The time in examples: 2026-01-31T08:00:00Z, in milliseconds.
const EXAMPLE_TIME: i64 = 1_769_846_400_000;

/// A response that several operations share, in `components/responses` of `common.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SharedResponse {
    code: Code,
    description: String,
    /// Besides those of every error.
    #[serde(default)]
    headers: Vec<String>,
}

/// The responses that several operations share, with the names of their components.
pub(super) type SharedResponses = Vec<(String, SharedResponse)>;

/// Reads the responses of `common.json`.
///
/// # Errors
/// When they are malformed, which a test rules out.
pub(super) fn read_shared(responses: Object) -> io::Result<SharedResponses> {
    responses.into_iter().map(|(name, value)| Ok((name, serde_json::from_value(value)?))).collect()
}

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

/// The shared responses as the document has them.
pub(super) fn described(shared: &SharedResponses) -> io::Result<Object> {
    let responses = shared.iter().map(|(name, SharedResponse { code, description, headers })| {
        let content = json!({"example": body(&example(*code))?});
        Ok((name.clone(), answer(description, headers, content)))
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
    shared: &SharedResponses,
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
    let answers = statuses.into_iter().map(|(status, examples)| {
        Ok((status.to_string(), described_answer(status, examples, shared)?))
    });
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
    if matches!(route.body, BodyKind::Json | BodyKind::Batch) && style.media == Code::NotAcceptable
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
        add("malformed", Problem::with(style.syntax, details));
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
fn described_answer(
    status: u16,
    examples: NamedProblems,
    shared: &SharedResponses,
) -> io::Result<Value> {
    let shared = shared.iter().find(|(_, shared)| shared.code.status().as_u16() == status);
    let is_in_use = examples.iter().any(|(_, problem)| problem.code == Code::ResourceInUse);
    let (description, headers) = match shared {
        Some((name, _)) if examples.is_empty() => return Ok(reference("responses", name)),
        Some((_, shared)) if is_in_use => (IN_USE, &shared.headers[..]),
        Some((_, shared)) => (&*shared.description, &shared.headers[..]),
        None => ("The request is not valid.", &[][..]),
    };
    let mut values = Object::new();
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

fn answer(description: &str, further: &[String], mut content: Value) -> Value {
    if let Some(content) = content.as_object_mut() {
        content.insert("schema".to_owned(), reference("schemas", "Error"));
    }
    json!({
        "description": description,
        "headers": headers(iter::once("Content-Language").chain(further.iter().map(String::as_str))),
        "content": {"application/json": content},
    })
}
