//! `patrol health`.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use reqwest::Client;

use crate::{error::CommandError, settings::Configuration};

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
    let url = format!("{scheme}://{}/health/ready", reachable(listen));
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

/// The address of a server on this machine.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

/// The innermost cause, such as "Connection refused"; the outer ones repeat the URL.
fn cause(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
