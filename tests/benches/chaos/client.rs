//! A client that tolerates outages.

use std::{
    error::Error as _,
    io,
    time::{Duration, Instant},
};

use reqwest::{Method, blocking};
use serde_json::Value;

/// Longer than any response may take. A client without a timeout would hide an outage.
const PATIENCE: Duration = Duration::from_secs(20);

/// A client of one address.
#[derive(Clone)]
pub(crate) struct Client {
    http: blocking::Client,
    root: String,
    token: String,
}

/// The result of a request.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The status, or why there is no response.
    pub(crate) answer: Result<u16, Silence>,
    /// The body, if it is JSON.
    pub(crate) body: Value,
    /// Whether the response has `Retry-After`.
    pub(crate) has_retry_after: bool,
    /// How long the request took.
    pub(crate) took: Duration,
}

/// Why there is no response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Silence {
    /// The connection was refused: the request was never sent.
    Refused,
    /// The connection was closed early.
    Broken,
    /// No response arrived in time.
    Timeout,
}

impl Outcome {
    /// Whether the response is a success.
    pub(crate) fn is_success(&self) -> bool {
        matches!(self.answer, Ok(200..=299))
    }

    /// Whether this is allowed during an outage: a 503 with `Retry-After`, or no response.
    pub(crate) fn is_outage(&self) -> bool {
        match self.answer {
            Ok(status) => status == 503 && self.has_retry_after,
            Err(_) => true,
        }
    }

    /// The result in a word or two.
    pub(crate) fn label(&self) -> String {
        match self.answer {
            Ok(503) if !self.has_retry_after => "503 without Retry-After".to_owned(),
            Ok(status) => status.to_string(),
            Err(Silence::Refused) => "refused".to_owned(),
            Err(Silence::Broken) => "broken off".to_owned(),
            Err(Silence::Timeout) => "no answer".to_owned(),
        }
    }
}

impl Client {
    /// A client of the server at `address` that sends a token.
    pub(crate) fn new(address: &str, token: &str) -> Self {
        let http = patrol_tests::http().timeout(PATIENCE).build();
        Self {
            http: http.expect("a client"),
            root: format!("http://{address}"),
            token: format!("Bearer {token}"),
        }
    }

    /// Sends a request to a path below `/v1` and reads the whole response.
    pub(crate) fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Outcome {
        self.request(method, &format!("/v1{path}"), body)
    }

    /// GET of a path below `/v1`.
    pub(crate) fn get(&self, path: &str) -> Outcome {
        self.send("GET", path, None)
    }

    /// The status of a path outside `/v1`.
    pub(crate) fn status(&self, path: &str) -> Result<u16, Silence> {
        self.request("GET", path, None).answer
    }

    fn request(&self, method: &str, path: &str, body: Option<&Value>) -> Outcome {
        let start = Instant::now();
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        let mut request = self.http.request(method, format!("{}{path}", self.root));
        request = request.header("Authorization", &self.token);
        if let Some(body) = body {
            request = request.header("Content-Type", "application/json").body(body.to_string());
        }
        let mut has_retry_after = false;
        let read = request.send().and_then(|response| {
            has_retry_after = response.headers().contains_key("Retry-After");
            Ok((response.status().as_u16(), response.bytes()?))
        });
        let (answer, body) = match read {
            Ok((status, body)) => (Ok(status), serde_json::from_slice(&body).unwrap_or_default()),
            Err(error) => (Err(silence(&error)), Value::Null),
        };
        Outcome { answer, body, has_retry_after, took: start.elapsed() }
    }
}

fn silence(error: &reqwest::Error) -> Silence {
    if error.is_timeout() {
        return Silence::Timeout;
    }
    let mut source = error.source();
    while let Some(cause) = source {
        let kind = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        if error.is_connect() && kind == Some(io::ErrorKind::ConnectionRefused) {
            return Silence::Refused;
        }
        source = cause.source();
    }
    Silence::Broken
}
