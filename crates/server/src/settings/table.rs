//! The table of all settings.

use std::time::Duration;

use super::{
    setting::{Initial, Setting, Topic},
    value,
};
use crate::log;

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The number of cores, at most the maximum number of workers.
fn workers() -> usize {
    cores().min(patrol_http::Settings::MAX_WORKERS)
}

/// Twice the cores, at least 8.
fn twice_the_cores() -> usize {
    (2 * cores()).max(8)
}

const MIB: usize = 1 << 20;
/// More than the camera of any phone produces; each pixel takes up to 11 bytes of memory.
const MAX_PIXELS: u64 = 200_000_000;
/// Bounded, because a photo is held in memory.
const MAX_PHOTO: usize = 64 * MIB;
const HOUR: Duration = Duration::from_secs(3600);
const CENTURY: Duration = Duration::from_secs(36_500 * 24 * 3600);

/// Declares a setting that is the bound of a field.
macro_rules! field {
    ($name:literal, $field:ident, $default:literal, $help:literal) => {
        Setting {
            name: $name,
            value: "NUMBER",
            default: Initial::Text($default),
            help: $help,
            topic: Topic::Fields,
            set: |to, text| {
                to.limits.$field = value::number(text, 1..=1_000_000)?;
                Ok(())
            },
        }
    };
}

/// All settings, in the order of `--help`.
pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        name: "database_url",
        value: "URL",
        default: Initial::Text("sqlite:data/patrol.db"),
        help: "The store: sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE",
        topic: Topic::Store,
        set: |to, text| {
            to.database = value::database(text)?;
            Ok(())
        },
    },
    Setting {
        name: "database_pool",
        value: "NUMBER",
        default: Initial::Machine(twice_the_cores),
        help: "Connections to a database server, 2 × cores and at least 8; \
               SQLite has threads instead, by the number of cores",
        topic: Topic::Store,
        set: |to, text| {
            to.database_pool = value::number(text, 2..=1024)?;
            Ok(())
        },
    },
    Setting {
        name: "wal_limit",
        value: "SIZE",
        default: Initial::Text("1 GiB"),
        help: "Largest write-ahead log of SQLite; a list that would make it larger is aborted, the \
               longest running one first",
        topic: Topic::Store,
        set: |to, text| {
            let size = value::size(text, 4 * MIB..=1024 * 1024 * MIB)?;
            to.wal_limit = u64::try_from(size).unwrap_or(u64::MAX);
            Ok(())
        },
    },
    Setting {
        name: "events_keep",
        value: "TIME",
        default: Initial::Text("400d"),
        help: "How long the log of changes keeps an event",
        topic: Topic::Store,
        set: |to, text| {
            to.events_keep = value::duration_up_to(text, CENTURY)?;
            Ok(())
        },
    },
    Setting {
        name: "photos_url",
        value: "URL",
        default: Initial::Text("file:data/photos"),
        help: "The photo store: file:PATH, s3://BUCKET/PREFIX or memory:",
        topic: Topic::Store,
        set: |to, text| {
            to.photos.place = value::photos(text)?;
            Ok(())
        },
    },
    Setting {
        name: "log",
        value: "FILTER",
        default: Initial::Text("info"),
        help: "What is logged: off, error, warn, info, debug, trace, or TARGET=LEVEL, with commas",
        topic: Topic::Log,
        set: |to, text| {
            to.log.filter = log::filter(text)?;
            Ok(())
        },
    },
    Setting {
        name: "log_format",
        value: "FORMAT",
        default: Initial::Text("text"),
        help: "The form of the log: text or json",
        topic: Topic::Log,
        set: |to, text| {
            to.log.format = log::format(text)?;
            Ok(())
        },
    },
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
    Setting {
        name: "idempotency_keep",
        value: "TIME",
        default: Initial::Text("24h"),
        help: "How long the answer to a request with an Idempotency-Key is kept",
        topic: Topic::Requests,
        set: |to, text| {
            to.http.idempotency_keep = value::duration_up_to(text, CENTURY)?;
            Ok(())
        },
    },
    Setting {
        name: "failed_authentications",
        value: "NUMBER",
        default: Initial::Text("1000"),
        help: "Wrong tokens of one address within a minute; further ones get 429",
        topic: Topic::Requests,
        set: |to, text| {
            to.http.failed_authentications = value::number(text, 1..=1_000_000_000)?;
            Ok(())
        },
    },
    Setting {
        name: "request_timeout",
        value: "TIME",
        default: Initial::Text("30s"),
        help: "How long the head of a request may take to arrive, and how long its body",
        topic: Topic::Requests,
        set: |to, text| {
            to.http.request_timeout = value::duration_up_to(text, HOUR)?;
            Ok(())
        },
    },
    Setting {
        name: "bodies",
        value: "SIZE",
        default: Initial::Text("256MiB"),
        help: "Memory for the bodies of all requests in flight",
        topic: Topic::Requests,
        set: |to, text| {
            to.http.bodies = value::size(text, MIB..=1024 * 1024 * MIB)?;
            Ok(())
        },
    },
    Setting {
        name: "limit_header",
        value: "SIZE",
        default: Initial::Text("32 KiB"),
        help: "Largest head of a request",
        topic: Topic::Requests,
        set: |to, text| {
            to.http.header_limit = value::size(text, 1024..=MIB)?;
            Ok(())
        },
    },
    Setting {
        name: "limit_body",
        value: "SIZE",
        default: Initial::Text("2 MiB"),
        help: "Largest JSON body",
        topic: Topic::Requests,
        set: |to, text| {
            to.http.body_limit = value::size(text, 1024..=1024 * MIB)?;
            Ok(())
        },
    },
    Setting {
        name: "limit_batch",
        value: "SIZE",
        default: Initial::Text("8 MiB"),
        help: "Largest JSON body of a batch of users",
        topic: Topic::Requests,
        set: |to, text| {
            to.http.batch_limit = value::size(text, 1024..=1024 * MIB)?;
            Ok(())
        },
    },
    Setting {
        name: "limit_photo",
        value: "SIZE",
        default: Initial::Text("10 MiB"),
        help: "Largest photo",
        topic: Topic::Requests,
        set: |to, text| {
            to.http.photo_limit = value::size(text, 1024..=MAX_PHOTO)?;
            Ok(())
        },
    },
    Setting {
        name: "limit_pixels",
        value: "NUMBER",
        default: Initial::Text("25000000"),
        help: "Most pixels of a photo, width × height",
        topic: Topic::Requests,
        set: |to, text| {
            to.photos.pixels = value::number(text, 1..=MAX_PIXELS)?;
            Ok(())
        },
    },
    Setting {
        name: "limit_nesting",
        value: "NUMBER",
        default: Initial::Text("64"),
        help: "Deepest nesting of a JSON body and of a line of a data set",
        topic: Topic::Requests,
        set: |to, text| {
            to.http.nesting = value::number(text, 1..=127)?;
            Ok(())
        },
    },
    field!("limit_name", name, "255", "Longest name of any record, in characters"),
    field!("limit_description", description, "10000", "Longest description, in characters"),
    field!("limit_address", address, "1000", "Longest address, in characters"),
    field!("limit_text", text, "255", "Longest text of another kind, in characters"),
    field!("limit_tags", tags, "100", "Most tags of one record"),
    field!("limit_tag", tag, "100", "Longest tag, in characters"),
    field!("limit_steps", steps, "500", "Most steps of one execution"),
    field!("limit_actions", actions, "200", "Most actions of one step"),
    field!("limit_assignees", assignees, "1000", "Most assignees of one execution"),
    field!("limit_locations", locations, "10000", "Most locations of one user"),
    field!("limit_tokens", tokens, "1000", "Most tokens of one user"),
    field!("limit_plan_places", plan_places, "100", "Most graphicPlans of one point"),
    Setting {
        name: "limit_plan_place",
        value: "SIZE",
        default: Initial::Text("4 KiB"),
        help: "Largest element of a point's graphicPlans, as compact JSON",
        topic: Topic::Fields,
        set: |to, text| {
            to.limits.plan_place = value::size(text, 256..=MIB)?;
            Ok(())
        },
    },
];
