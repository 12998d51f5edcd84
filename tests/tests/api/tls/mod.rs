//! HTTPS: the same API and the same guards as without TLS, and certificates that change.

mod drain;
mod reload;
mod start;
mod strangers;

use std::time::{Duration, Instant};

use patrol_tests::{
    Api, Certificate, Server, Store, Wire, company::ADMIN, company::company, execution_id, planned,
};
use rustls::{
    ALL_VERSIONS, SupportedProtocolVersion,
    version::{TLS12, TLS13},
};
use serde_json::json;

/// A server with HTTPS.
struct Secure {
    server: Server,
    store: Store,
    certificate: Certificate,
    /// The administrator's token.
    token: String,
}

impl Secure {
    /// A server with these settings on a store with the company and an execution.
    fn set(settings: &[(&str, &str)]) -> Self {
        Self::on(Store::with(&company().and([planned(1)])), settings)
    }

    fn on(store: Store, settings: &[(&str, &str)]) -> Self {
        let certificate = Certificate::issue();
        certificate.write(&store);
        let token = store.token(ADMIN);
        let mut command = store.command(&["serve"]);
        command.envs(settings.iter().copied()).envs(Certificate::settings(&store));
        Self { server: Server::run(command), store, certificate, token }
    }

    /// A client without a token.
    fn api(&self) -> Api {
        Api::secure(self.server.address(), &self.certificate)
    }

    fn admin(&self) -> Api {
        self.api().with_token(&self.token)
    }

    /// A connection after its handshake.
    fn wire(&self) -> Wire {
        self.wire_with(&["http/1.1"], ALL_VERSIONS)
    }

    fn wire_with(
        &self,
        protocols: &[&str],
        versions: &[&'static SupportedProtocolVersion],
    ) -> Wire {
        let config = self.certificate.client(protocols, versions);
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            // On a busy machine the handshake may exceed a short request timeout.
            match Wire::try_secure(self.server.address(), &config) {
                Ok(wire) => return wire,
                Err(error) => assert!(Instant::now() < until, "no handshake: {error}"),
            }
        }
    }
}

fn path() -> String {
    format!("/task-executions/{}", execution_id(1))
}

#[test]
fn the_api_is_served() {
    let secure = Secure::set(&[]);
    let admin = secure.admin();
    assert_eq!(admin.get(&path()).ok()["id"], *execution_id(1));
    let _ = admin.patch(&path(), &json!({ "name": "over HTTPS" })).ok();
    assert_eq!(admin.get(&path()).ok()["name"], "over HTTPS");
    assert_eq!(admin.get("/task-executions/info").ok()["data"].as_array().unwrap().len(), 1);
    let _ = secure.api().get(&path()).refused(401, "unauthorized");
    assert_eq!(secure.api().outside("/health/ready").status, 200);
    let log = secure.server.log_once(|log| log.contains("serving"));
    assert!(log.contains("tls=true"), "{log}");
}

#[test]
fn both_versions_of_tls_and_http_1_are_spoken() {
    let secure = Secure::set(&[]);
    for (protocols, versions, chosen) in [
        (&["h2", "http/1.1"][..], &[&TLS13][..], Some("http/1.1")),
        (&["http/1.1"], &[&TLS12], Some("http/1.1")),
        (&[], ALL_VERSIONS, None),
    ] {
        let mut wire = secure.wire_with(protocols, versions);
        assert_eq!(wire.tls().1.as_deref(), chosen);
        for _ in 0..2 {
            wire.send("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n");
            assert_eq!(wire.read_status(), 200);
            assert_eq!(wire.read(64).unwrap(), b"{\"status\":\"live\"}");
        }
    }
    let config = secure.certificate.client(&["h2"], ALL_VERSIONS);
    assert!(Wire::try_secure(secure.server.address(), &config).is_err(), "HTTP/2 is not spoken");
}

#[test]
fn the_health_command_uses_https() {
    let secure = Secure::set(&[]);
    let mut command = secure.store.command(&["health"]);
    command.env("PATROL_LISTEN", secure.server.address());
    assert!(!command.output().unwrap().status.success(), "without the settings it asks over HTTP");
    command.envs(Certificate::settings(&secure.store));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_demo_prints_its_address_with_https() {
    let store = Store::empty();
    Certificate::issue().write(&store);
    let mut command = store.command(&["serve", "--demo"]);
    command.envs(Certificate::settings(&store));
    let server = Server::run(command);
    let _ = server.log_once(|_| server.output().contains("https://127.0.0.1:"));
}
