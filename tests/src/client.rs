//! A client of the API.

use std::{
    thread,
    time::{Duration, Instant},
};

use reqwest::{
    Method,
    blocking::{Client, ClientBuilder, Response},
};
use rustls::crypto::ring;
use serde_json::Value;

use crate::{answer::Answer, certificate::Certificate, form::Form};

/// A client with the headers that it adds to every request.
#[derive(Clone, Debug)]
pub struct Api {
    http: Client,
    root: String,
    headers: Vec<(String, String)>,
    is_patient: bool,
}

/// The most time that a patient client tries for.
const TURN: Duration = Duration::from_secs(120);

/// A client without proxies that trusts no certificates. TLS, which the builder needs even for HTTP,
/// is that of ring.
pub fn http() -> ClientBuilder {
    // It is refused when it is already installed.
    drop(ring::default_provider().install_default());
    // Reading the certificates of the machine takes longer than most requests.
    Client::builder().no_proxy().tls_certs_only([])
}

impl Api {
    /// A client of the server at `address` without additional headers.
    #[must_use]
    pub fn new(address: &str) -> Self {
        let http = http().timeout(None).build().expect("a client");
        Self { http, root: format!("http://{address}"), headers: Vec::new(), is_patient: false }
    }

    /// A client of the server with HTTPS at `address` that trusts only this certificate.
    ///
    /// # Panics
    /// When the certificate is malformed.
    #[must_use]
    pub fn secure(address: &str, certificate: &Certificate) -> Self {
        let trusted = reqwest::Certificate::from_pem(certificate.pem.as_bytes());
        let http = http().timeout(None);
        let http = http.tls_certs_only([trusted.expect("a certificate")]);
        let http = http.build().expect("a client");
        Self { http, root: format!("https://{address}"), headers: Vec::new(), is_patient: false }
    }

    /// This client with one more header.
    #[must_use]
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut with = self.clone();
        with.headers.push((name.to_owned(), value.to_owned()));
        with
    }

    /// This client, with a token.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        self.with("Authorization", &format!("Bearer {token}"))
    }

    /// This client, which sends a request again after an answer of 503, when `Retry-After` says. Many
    /// such clients at once all come to their end, however slow the machine is.
    #[must_use]
    pub fn patient(&self) -> Self {
        Self { is_patient: true, ..self.clone() }
    }

    /// Sends a request to a path below `/v1`.
    ///
    /// # Panics
    /// When a patient client gets nothing but 503.
    #[must_use]
    pub fn send(&self, method: &str, path: &str, body: Option<&[u8]>) -> Answer {
        let started = Instant::now();
        loop {
            let answer = Answer::of(self.open(method, &format!("/v1{path}"), body));
            if !self.is_patient || answer.status != 503 {
                return answer;
            }
            let _ = answer.refused(503, "service.unavailable");
            assert_eq!(answer.header("Retry-After"), Some("1"));
            assert!(started.elapsed() < TURN, "its turn never comes");
            thread::sleep(Duration::from_secs(1));
        }
    }

    /// Sends a request to a path of the server, and leaves the body of the response unread.
    #[must_use]
    pub fn open(&self, method: &str, path: &str, body: Option<&[u8]>) -> Response {
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        let mut request = self.http.request(method, format!("{}{path}", self.root));
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        if let Some(body) = body {
            request = request.body(body.to_vec());
        }
        request.send().expect("the server answers")
    }

    /// GET of a path outside `/v1`.
    #[must_use]
    pub fn outside(&self, path: &str) -> Answer {
        Answer::of(self.open("GET", path, None))
    }

    /// POST of this body to a path outside `/v1`.
    #[must_use]
    pub fn post_outside(&self, path: &str, body: &[u8]) -> Answer {
        Answer::of(self.open("POST", path, Some(body)))
    }

    /// GET of a path below `/v1`.
    #[must_use]
    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, None)
    }

    /// DELETE of a path below `/v1`.
    #[must_use]
    pub fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, None)
    }

    /// PUT of a JSON body to a path below `/v1`.
    #[must_use]
    pub fn put(&self, path: &str, body: &Value) -> Answer {
        self.json("PUT", path, body)
    }

    /// PATCH with a JSON body of a path below `/v1`.
    #[must_use]
    pub fn patch(&self, path: &str, body: &Value) -> Answer {
        self.json("PATCH", path, body)
    }

    /// POST of a JSON body to a path below `/v1`.
    #[must_use]
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.json("POST", path, body)
    }

    /// POST of a form to a path below `/v1`.
    #[must_use]
    pub fn form(&self, path: &str, form: &Form) -> Answer {
        self.with("Content-Type", &form.content_type()).send("POST", path, Some(&form.body()))
    }

    /// POST of a form with this image as its only part.
    #[must_use]
    pub fn upload(&self, path: &str, picture: &[u8]) -> Answer {
        self.form(path, &Form::default().file("photo", picture))
    }

    fn json(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.text(method, path, body.to_string())
    }

    /// Sends this body with the Content-Type of JSON.
    #[must_use]
    pub fn text(&self, method: &str, path: &str, body: impl AsRef<[u8]>) -> Answer {
        self.with("Content-Type", "application/json").send(method, path, Some(body.as_ref()))
    }
}

/// A value of a query string, percent-encoded.
#[must_use]
pub fn escaped(value: &str) -> String {
    value
        .bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect()
}
