//! A client of a proxy, over HTTPS.

use std::{
    net::{IpAddr, SocketAddr},
    thread,
    time::{Duration, Instant},
};

use patrol_tests::Certificate;
use reqwest::blocking::{Client as Http, RequestBuilder};

use crate::proxy::Proxy;

/// The address that clients connect from. It is not the one of the proxies.
pub(crate) const ADDRESS: &str = "127.0.0.9";

const NAME: &str = "patrol.example.org";
const PATIENCE: Duration = Duration::from_secs(60);

/// A client of one proxy.
#[derive(Clone)]
pub(crate) struct Client {
    /// The name of the proxy.
    pub(crate) name: &'static str,
    http: Http,
    root: String,
    token: String,
}

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) text: String,
}

impl Client {
    pub(crate) fn new(proxy: &Proxy, certificate: &Certificate, token: &str) -> Self {
        let trusted = reqwest::Certificate::from_pem(certificate.pem.as_bytes()).unwrap();
        let http = patrol_tests::http()
            .timeout(PATIENCE)
            .local_address(ADDRESS.parse::<IpAddr>().unwrap())
            .resolve(NAME, SocketAddr::from(([127, 0, 0, 1], proxy.port)))
            .tls_certs_only([trusted]);
        Self {
            name: proxy.kind.name(),
            http: http.build().unwrap(),
            root: format!("https://{NAME}:{}", proxy.port),
            token: token.to_owned(),
        }
    }

    /// Waits until the proxy has started.
    pub(crate) fn wait_until_served(&self) {
        let until = Instant::now() + PATIENCE;
        loop {
            let asked = self.request("GET", "/v1/task-executions/info").send();
            match asked {
                Ok(answer) if answer.status() == 200 => return,
                other => assert!(Instant::now() < until, "{} does not serve: {other:?}", self.name),
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    pub(crate) fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        let request = self.request("GET", path);
        let request =
            headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        answer(request).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// PATCH with this text as a body of JSON.
    pub(crate) fn patch(&self, path: &str, body: String) -> Answer {
        let request = self.request("PATCH", path).header("content-type", "application/json");
        answer(request.body(body)).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    pub(crate) fn request(&self, method: &str, path: &str) -> RequestBuilder {
        let request = self.http.request(method.parse().unwrap(), format!("{}{path}", self.root));
        request.header("authorization", &self.token)
    }
}

/// Sends a request and reads the response.
pub(crate) fn answer(request: RequestBuilder) -> Result<Answer, String> {
    let shown = |error: reqwest::Error| format!("{error:?}");
    let response = request.send().map_err(shown)?;
    let status = response.status().as_u16();
    Ok(Answer { status, text: response.text().map_err(shown)? })
}
