//! JSON objects of the document, references and headers.

use serde_json::{Map, Value, json};

/// Headers that a response of any operation may have.
const EVERY_ANSWER: [&str; 5] = [
    "X-Request-Id",
    "X-Content-Type-Options",
    "Cache-Control",
    "Patrol-Ignored",
    "Idempotency-Replayed",
];

/// A JSON object. Its members keep their order.
pub(super) type Object = Map<String, Value>;

/// The members of an object.
pub(super) fn as_object(value: Value) -> Object {
    match value {
        Value::Object(members) => members,
        _ => Object::new(),
    }
}

/// A reference to a component.
pub(super) fn reference(kind: &str, name: &str) -> Value {
    json!({"$ref": format!("#/components/{kind}/{name}")})
}

/// The headers that any response may have, and the `further` headers of one response.
pub(super) fn headers<N: AsRef<str>>(further: impl Iterator<Item = N>) -> Object {
    let header = |name: &str| (name.to_owned(), reference("headers", name));
    let every = EVERY_ANSWER.iter().map(|name| header(name));
    every.chain(further.map(|name| header(name.as_ref()))).collect()
}
