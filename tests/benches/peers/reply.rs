//! The response of a server to one request.

use std::{sync::LazyLock, time::Duration};

use reqwest::blocking::Client;
use serde_json::Value;

/// The most time for one response.
const PATIENCE: Duration = Duration::from_secs(30);

static CLIENT: LazyLock<Client> =
    LazyLock::new(|| patrol_tests::http().timeout(PATIENCE).build().expect("a client"));

/// The document at a path.
pub(crate) fn get(address: &str, path: &str, token: &str) -> Result<Value, String> {
    let request = CLIENT.get(format!("http://{address}{path}"));
    let answer = request.bearer_auth(token).send().map_err(|error| error.to_string())?;
    let status = answer.status();
    let body = answer.text().map_err(|error| error.to_string())?;
    if status != 200 {
        return Err(format!("{path} is answered with {status}: {body}"));
    }
    serde_json::from_str(&body).map_err(|error| format!("{path}: {error}"))
}

/// The response to a POST of a document.
pub(crate) fn post(address: &str, path: &str, body: &Value) -> Result<Value, String> {
    let answer = CLIENT.post(format!("http://{address}{path}")).json(body).send();
    let answer = answer.map_err(|error| error.to_string())?;
    let status = answer.status();
    if status != 200 {
        return Err(format!("{path} is answered with {status}"));
    }
    answer.json().map_err(|error| error.to_string())
}
