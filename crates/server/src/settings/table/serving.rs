//! The settings of the server: its network, TLS, and who may call it.

use super::defaults::{HOUR, cores};
use crate::settings::{
    setting::{Initial, Setting, Topic},
    value,
};

/// The number of cores, at most the maximum number of workers.
fn workers() -> usize {
    cores().min(patrol_http::Settings::MAX_WORKERS)
}

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "listen",
        value: "ADDRESS",
        default: Initial::Text("127.0.0.1:8080"),
        help: "Address and port; port 0 chooses a free one, shown in the log line `listening`",
        topic: Topic::Serving,
        set: |to, text| {
            to.http.listen = value::address(text)?;
            Ok(())
        },
    },
    Setting {
        name: "workers",
        value: "NUMBER",
        default: Initial::Machine(workers),
        help: "HTTP workers: as many as cores, at most 512",
        topic: Topic::Serving,
        set: |to, text| {
            to.http.workers = value::number(text, 1..=patrol_http::Settings::MAX_WORKERS)?;
            Ok(())
        },
    },
    Setting {
        name: "keep_alive",
        value: "TIME",
        default: Initial::Text("75s"),
        help: "How long an idle connection is kept",
        topic: Topic::Serving,
        set: |to, text| {
            to.http.keep_alive = value::duration_up_to(text, HOUR)?;
            Ok(())
        },
    },
    Setting {
        name: "connections",
        value: "NUMBER",
        default: Initial::Text("10000"),
        help: "Most connections of clients at once; fewer if the limit of open files is low",
        topic: Topic::Serving,
        set: |to, text| {
            to.http.connections = value::number(text, 1..=1_000_000)?;
            Ok(())
        },
    },
    Setting {
        name: "drain",
        value: "TIME",
        default: Initial::Text("1s"),
        help: "How long new connections are still accepted after SIGTERM",
        topic: Topic::Serving,
        set: |to, text| {
            to.http.drain = value::pause_up_to(text, HOUR)?;
            Ok(())
        },
    },
    Setting {
        name: "trusted_proxies",
        value: "NETWORKS",
        default: Initial::None,
        help: "Reverse proxies whose X-Forwarded-For names the client in the log and for \
               failed_authentications: addresses or networks, with commas",
        topic: Topic::Serving,
        set: |to, text| {
            to.http.trusted_proxies = text.parse()?;
            Ok(())
        },
    },
    Setting {
        name: "tls_certificate",
        value: "FILE",
        default: Initial::None,
        help: "Serve HTTPS: the certificate and those of its issuers, PEM; needs tls_key",
        topic: Topic::Serving,
        set: |to, text| {
            to.tls_paths.certificate = Some(value::named(text)?.into());
            Ok(())
        },
    },
    Setting {
        name: "tls_key",
        value: "FILE",
        default: Initial::None,
        help: "The private key of tls_certificate, PEM, without a password",
        topic: Topic::Serving,
        set: |to, text| {
            to.tls_paths.key = Some(value::named(text)?.into());
            Ok(())
        },
    },
    Setting {
        name: "cors_origins",
        value: "ORIGINS",
        default: Initial::None,
        help: "Origins whose pages may call the API from a browser, such as \
               https://app.example.org, with commas",
        topic: Topic::Serving,
        set: |to, text| {
            to.http.cors_origins = text.parse()?;
            Ok(())
        },
    },
    Setting {
        name: "auth_jwt_issuer",
        value: "ISSUER",
        default: Initial::None,
        help: "Accept JWTs with this `iss` as well as tokens; needs audience and jwks",
        topic: Topic::Serving,
        set: |to, text| {
            to.jwt.issuer = Some(value::named(text)?);
            Ok(())
        },
    },
    Setting {
        name: "auth_jwt_audience",
        value: "AUDIENCE",
        default: Initial::None,
        help: "The name that the `aud` of a JWT has to contain",
        topic: Topic::Serving,
        set: |to, text| {
            to.jwt.audience = Some(value::named(text)?);
            Ok(())
        },
    },
    Setting {
        name: "auth_jwt_jwks",
        value: "PLACE",
        default: Initial::None,
        help: "The public keys of JWTs, a JWK set: an http or https URL, or a file",
        topic: Topic::Serving,
        set: |to, text| {
            to.jwt.keys = Some(text.parse()?);
            Ok(())
        },
    },
];
