//! `patrol health`.

use std::time::Duration;

use reqwest::Client;

use crate::{error::CommandError, settings::Configuration, site_address::on_this_machine};

const TIMEOUT: Duration = Duration::from_secs(5);

/// Asks the server at the configured address whether it is ready.
pub(super) async fn run(configuration: &Configuration) -> Result<(), CommandError> {
    let listen = configuration.http.listen;
    if listen.port() == 0 {
        return Err(CommandError::Usage(
            "port 0 is not the port of a server; name the port with --listen".to_owned(),
        ));
    }
    let scheme = if configuration.tls.is_some() { "https" } else { "http" };
    let url = format!("{scheme}://{}/health/ready", on_this_machine(listen));
    let answer = async {
        let client = Client::builder()
            .no_proxy()
            .timeout(TIMEOUT)
            // The machine may have no certificates of authorities, and a name is not verified here:
            // the program asks itself.
            .tls_danger_accept_invalid_certs(true)
            .build()?;
        client.get(&url).send().await
    };
    match answer.await {
        Ok(answer) if answer.status().is_success() => Ok(()),
        Ok(answer) => Err(CommandError::Failed(format!(
            "{url} answers {}: the server is stopping or cannot reach its store; see its log",
            answer.status().as_u16()
        ))),
        Err(error) => Err(CommandError::Failed(format!(
            "{url} does not answer: {}; start the server or name its address with --listen",
            cause(&error)
        ))),
    }
}

/// The innermost cause, such as "Connection refused"; the outer ones repeat the URL.
fn cause(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
