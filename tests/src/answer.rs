//! Responses and checks of their form.

use std::collections::BTreeSet;

use reqwest::{blocking::Response, header::HeaderMap};
use serde_json::{Value, json};

/// A complete response.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

impl Answer {
    /// Reads the whole response.
    pub(crate) fn of(response: Response) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = response.bytes().expect("the body is whole").to_vec();
        Self { status, headers, body }
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("the body is UTF-8")
    }

    /// A header; `None` when it is missing or occurs twice.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let value = values.next()?.to_str().expect("a header is ASCII");
        values.next().is_none().then_some(value)
    }

    /// The strong `ETag`, which has to be there.
    #[must_use]
    pub fn etag(&self) -> String {
        let etag = self.header("ETag").expect("an ETag");
        assert!(etag.len() > 2 && etag.starts_with('"') && etag.ends_with('"'), "strong: {etag}");
        etag.to_owned()
    }

    /// The JSON body of a 200 response.
    #[must_use]
    pub fn ok(&self) -> Value {
        self.json(200)
    }

    /// The JSON body of a response with this status.
    #[must_use]
    pub fn json(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        assert_eq!(self.header("Content-Type"), Some("application/json"));
        assert!(self.header("X-Request-Id").is_some(), "a request id");
        serde_json::from_slice(&self.body).expect("the body is JSON")
    }

    /// Checks that the response is a well-formed error with this status and code.
    #[must_use]
    pub fn refused(&self, status: u16, code: &str) -> Refusal {
        let body = self.json(status);
        let members: BTreeSet<_> = body.as_object().expect("an object").keys().cloned().collect();
        let known = ["args", "code", "details", "identifier", "message", "timestamp"];
        for member in ["code", "message", "timestamp"] {
            assert!(members.contains(member), "{member} is missing in {body}");
        }
        assert!(members.iter().all(|member| known.contains(&&**member)), "{body}");
        assert_eq!(body["code"], code, "{body}");
        if self.header("Content-Language") == Some("en") {
            check_message(&body);
            for entry in body["details"].as_array().into_iter().flatten() {
                check_message(entry);
            }
        }
        check_timestamp(&body["timestamp"]);
        Refusal { body }
    }

    /// Checks for `validation.failed` with exactly these details.
    pub fn invalid(&self, details: &[Value]) {
        self.refused(400, "validation.failed").shows(details);
    }

    /// Checks for `input.data.invalid` with exactly these details.
    pub fn misunderstood(&self, details: &[Value]) {
        self.refused(400, "input.data.invalid").shows(details);
    }

    /// Checks for this status without a body.
    pub fn is_bare(&self, status: u16) {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        assert!(self.body.is_empty(), "{}", String::from_utf8_lossy(&self.body));
        assert!(self.header("Content-Type").is_none());
    }
}

/// An error.
#[derive(Debug)]
pub struct Refusal {
    /// The body.
    pub body: Value,
}

impl Refusal {
    /// Checks all details in order: code, identifier and args. Without details, the member has to
    /// be absent.
    pub fn shows(&self, expected: &[Value]) {
        if expected.is_empty() {
            assert!(self.body.get("details").is_none(), "details: {}", self.body);
            return;
        }
        let details = self.body["details"].as_array().unwrap_or_else(|| {
            panic!("no details in {}", self.body);
        });
        let shown: Vec<_> = details
            .iter()
            .map(|entry| {
                let mut entry = entry.clone();
                let message = entry.as_object_mut().and_then(|entry| entry.remove("message"));
                assert!(message.is_some_and(|message| message.is_string()), "{}", self.body);
                entry
            })
            .collect();
        assert_eq!(shown, expected, "details of {}", self.body);
    }

    /// Checks that the details have only the line and column of malformed JSON.
    pub fn shows_a_place(&self) {
        let args = self.body["details"][0]["args"].as_array().expect("args");
        let place: Vec<_> = args.iter().map(|arg| arg.as_str().expect("text")).collect();
        let is_number = |arg: &&str| arg.parse::<u32>().is_ok_and(|number| number > 0);
        assert!(place.len() == 2 && place.iter().all(is_number), "{}", self.body);
        self.shows(&[detail("json.malformed", "", &place)]);
    }
}

/// An entry of `details`, without its message. Empty `args` and an empty identifier are absent.
#[must_use]
pub fn detail(code: &str, identifier: &str, args: &[&str]) -> Value {
    let mut entry = json!({ "code": code });
    if !identifier.is_empty() {
        entry["identifier"] = json!(identifier);
    }
    if !args.is_empty() {
        entry["args"] = json!(args);
    }
    entry
}

/// The English messages, as `docs/api/errors.md` has them.
const MESSAGES: [(&str, &str); 8] = [
    ("input.data.invalid", "invalid input data"),
    ("data.type.invalid", "invalid data type"),
    ("validation.failed", "validation failed"),
    ("validation.notnull.failed", "must not be null"),
    ("multiple.resources.not.allowed", "multiple resources not allowed"),
    ("not.found", "resource wasn't found"),
    ("not.acceptable", "mismatch in the types of content"),
    ("internal.server.error", "internal server error"),
];

fn check_message(entry: &Value) {
    let message = entry["message"].as_str().unwrap_or_else(|| panic!("no message in {entry}"));
    match MESSAGES.iter().find(|(code, _)| entry["code"] == *code) {
        Some((_, expected)) => assert_eq!(message, *expected),
        None => assert!(!message.is_empty() && !message.ends_with('.'), "{message}"),
    }
}

/// Checks the form of a time: three decimals and a `Z`.
pub(crate) fn check_timestamp(timestamp: &Value) {
    const FORM: &str = "0000-00-00T00:00:00.000Z";
    let text = timestamp.as_str().unwrap_or_else(|| panic!("not a timestamp: {timestamp}"));
    let form: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!(form, FORM, "{text}");
}
