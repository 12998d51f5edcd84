//! The table of all settings.

use std::time::Duration;

use patrol_domain::report::PresenceRadius;
use patrol_http::Settings as Http;

use super::{
    setting::{
        Initial::{Machine, None, Text},
        Setting, Topic,
    },
    value,
};
use crate::log;

const MIB: usize = 1 << 20;
const GIB: usize = 1 << 30;
const TIB: usize = 1 << 40;
const HOUR: Duration = Duration::from_secs(3600);
/// The longest time of any setting.
const CENTURY: Duration = Duration::from_secs(36_500 * 24 * 3600);
/// The longest horizon of schedules: a rule with 96 rounds a day makes 35,000 of them.
const LEAP_YEAR: Duration = Duration::from_secs(366 * 24 * 3600);
/// More than the camera of any phone produces; each pixel takes up to 11 bytes of memory.
const MAX_PIXELS: u64 = 200_000_000;
/// Bounded, because a photo is held in memory.
const MAX_PHOTO: usize = 64 * MIB;
/// The most connections to a database.
const MAX_POOL: usize = 1024;

/// The number of processors that the program may use.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Twice the cores, at least 8 and at most [`MAX_POOL`].
fn twice_the_cores() -> usize {
    (2 * cores()).clamp(8, MAX_POOL)
}

/// The number of cores, at most the maximum number of workers.
fn workers() -> usize {
    cores().min(Http::MAX_WORKERS)
}

/// The bound of a field: a length or a count.
fn field_bound(text: &str) -> Result<usize, String> {
    value::number(text, 1..=1_000_000)
}

/// Declares the settings of each section of `--help`, in its order. A setting has its name, the
/// placeholder of its value, its default, the member of the configuration with the value made from the
/// text, and its description.
macro_rules! settings {
    ($($topic:ident {$(
        $name:ident: $value:ident = $default:expr,
            |$text:ident| $($member:ident).+ = $read:expr,
            $help:literal;
    )+})+) => {
        /// All settings, in the order of `--help`.
        pub(crate) const SETTINGS: &[Setting] = &[$($(Setting {
            name: stringify!($name),
            value: stringify!($value),
            default: $default,
            help: $help,
            topic: Topic::$topic,
            set: |to, $text| {
                to.$($member).+ = $read;
                Ok(())
            },
        },)+)+];
    };
}

settings! {
    Store {
        database_url: URL = Text("sqlite:data/patrol.db"), |text| database = value::database(text)?,
            "The store: sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE";
        database_pool: NUMBER = Machine(twice_the_cores),
            |text| database_pool = value::number(text, 2..=MAX_POOL)?,
            "Connections to a database server, 2 × cores and at least 8; SQLite has threads \
             instead, by the number of cores";
        wal_limit: SIZE = Text("1 GiB"), |text| wal_limit = value::bytes(text, 4 * MIB..=TIB)?,
            "Largest write-ahead log of SQLite; a list that would make it larger is aborted, the \
             longest running one first";
        list_memory: SIZE = Text("64 MiB"), |text| list_memory = value::bytes(text, 0..=TIB)?,
            "Memory for what lists of task executions keep for later lists";
        events_keep: TIME = Text("400d"),
            |text| events_keep = value::duration_up_to(text, CENTURY)?,
            "How long the log of changes keeps an event";
        schedule_horizon: TIME = Text("14d"),
            |text| schedule_horizon = value::duration_up_to(text, LEAP_YEAR)?,
            "How long before their start rounds are made from schedules; at most 366d";
        presence_radius: METRES = Text("100"),
            |text| presence_radius = PresenceRadius(value::metres(text)?),
            "How far from its point a code may be scanned without a verdict";
        late_after: TIME = Text("10m"),
            |text| punctuality.late_after = value::pause_up_to(text, LEAP_YEAR)?,
            "How long after its planned start a round may start without being late; at most 366d";
        time_zone: ZONE = Text("UTC"), |text| time_zone = value::time_zone(text)?,
            "Time zone of days and times where nothing else names one, such as Europe/London";
        photos_url: URL = Text("file:data/photos"), |text| photos.place = value::photos(text)?,
            "The photo store: file:PATH, s3://BUCKET/PREFIX or memory:";
    }
    Log {
        log: FILTER = Text("info"), |text| log.filter = log::filter(text)?,
            "What is logged: off, error, warn, info, debug, trace, or TARGET=LEVEL, with commas";
        log_format: FORMAT = Text("text"), |text| log.format = log::format(text)?,
            "The form of the log: text or json";
        traces_endpoint: URL = None, |text| traces.endpoint = Some(value::collector(text)?),
            "Where traces go: the base URL of a collector that takes OTLP over HTTP, for example \
             http://127.0.0.1:4318";
        traces_ratio: NUMBER = Text("1"), |text| traces.ratio = value::ratio(text)?,
            "The share of requests that are traced, from 0 to 1, unless the client has decided";
    }
    Serving {
        listen: ADDRESS = Text("127.0.0.1:8080"), |text| http.listen = value::address(text)?,
            "Address and port; port 0 chooses a free one, shown in the log line `listening`";
        workers: NUMBER = Machine(workers),
            |text| http.workers = value::number(text, 1..=Http::MAX_WORKERS)?,
            "HTTP workers: as many as cores, at most 512";
        keep_alive: TIME = Text("75s"), |text| http.keep_alive = value::duration_up_to(text, HOUR)?,
            "How long an idle connection is kept";
        connections: NUMBER = Text("10000"),
            |text| http.connections = value::number(text, 1..=1_000_000)?,
            "Most connections of clients at once; fewer if the limit of open files is low";
        drain: TIME = Text("1s"), |text| http.drain = value::pause_up_to(text, HOUR)?,
            "How long new connections are still accepted after SIGTERM";
        trusted_proxies: NETWORKS = None, |text| http.trusted_proxies = text.parse()?,
            "Reverse proxies whose X-Forwarded-For names the client in the log and for \
             failed_authentications: addresses or networks, with commas";
        tls_certificate: FILE = None,
            |text| tls_paths.certificate = Some(value::named(text)?.into()),
            "Serve HTTPS: the certificate and those of its issuers, PEM; needs tls_key";
        tls_key: FILE = None, |text| tls_paths.key = Some(value::named(text)?.into()),
            "The private key of tls_certificate, PEM, without a password";
        cors_origins: ORIGINS = None, |text| http.cors_origins = text.parse()?,
            "Origins whose pages may call the API from a browser, such as \
             https://app.example.org, with commas";
        auth_jwt_issuer: ISSUER = None, |text| jwt.issuer = Some(value::named(text)?),
            "Accept JWTs with this `iss` as well as tokens; needs audience and jwks";
        auth_jwt_audience: AUDIENCE = None, |text| jwt.audience = Some(value::named(text)?),
            "The name that the `aud` of a JWT has to contain";
        auth_jwt_jwks: PLACE = None, |text| jwt.keys = Some(text.parse()?),
            "The public keys of JWTs, a JWK set: an http or https URL, or a file";
        public_url: URL = None, |text| site.public_url = Some(value::public_url(text)?),
            "Where people reach the program: scheme and host, such as \
             https://patrol.example.org; the address to listen at if left out";
        site: BOOLEAN = Text("true"), |text| site.enabled = value::boolean(text)?,
            "Serve the pages on which people sign in: true or false";
        session_idle: TIME = Text("12h"),
            |text| site.sessions.idle = value::duration_up_to(text, CENTURY)?,
            "How long a session of the site lasts without a request";
        session_max: TIME = Text("7d"),
            |text| site.sessions.max = value::duration_up_to(text, CENTURY)?,
            "How long a session of the site lasts at most";
        map_tiles: URL = None, |text| site.map_tiles = Some(value::map_tiles(text)?),
            "Tiles behind maps, such as https://tiles.example.org/{z}/{x}/{y}.png; pages with a \
             map then load pictures from there";
    }
    Requests {
        idempotency_keep: TIME = Text("24h"),
            |text| http.idempotency_keep = value::duration_up_to(text, CENTURY)?,
            "How long the answer to a request with an Idempotency-Key is kept";
        failed_authentications: NUMBER = Text("1000"),
            |text| http.failed_authentications = value::number(text, 1..=1_000_000_000)?,
            "Wrong tokens of one address within a minute; further ones get 429";
        request_timeout: TIME = Text("30s"),
            |text| http.request_timeout = value::duration_up_to(text, HOUR)?,
            "How long the head of a request may take to arrive, and how long its body";
        bodies: SIZE = Text("256MiB"), |text| http.bodies = value::size(text, MIB..=TIB)?,
            "Memory for the bodies of all requests in flight";
        limit_header: SIZE = Text("32 KiB"),
            |text| http.header_limit = value::size(text, 1024..=MIB)?,
            "Largest head of a request";
        limit_body: SIZE = Text("2 MiB"), |text| http.body_limit = value::size(text, 1024..=GIB)?,
            "Largest JSON body";
        limit_batch: SIZE = Text("8 MiB"), |text| http.batch_limit = value::size(text, 1024..=GIB)?,
            "Largest JSON body of a batch of users";
        limit_photo: SIZE = Text("10 MiB"),
            |text| http.photo_limit = value::size(text, 1024..=MAX_PHOTO)?,
            "Largest photo";
        media_limit: SIZE = Text("50 MiB"),
            |text| http.media_limit = value::size(text, 1024..=TIB)?,
            "Largest medium: a photo, recording or document of a report";
        limit_pixels: NUMBER = Text("25000000"),
            |text| photos.pixels = value::number(text, 1..=MAX_PIXELS)?,
            "Most pixels of a photo, width × height";
        limit_nesting: NUMBER = Text("64"), |text| http.nesting = value::number(text, 1..=127)?,
            "Deepest nesting of a JSON body and of a line of a data set";
    }
    Fields {
        limit_name: NUMBER = Text("255"), |text| limits.name = field_bound(text)?,
            "Longest name of any record, in characters";
        limit_description: NUMBER = Text("10000"),
            |text| limits.description = field_bound(text)?,
            "Longest description, in characters";
        limit_address: NUMBER = Text("1000"),
            |text| limits.address = field_bound(text)?,
            "Longest address, in characters";
        limit_text: NUMBER = Text("255"), |text| limits.text = field_bound(text)?,
            "Longest text of another kind, in characters";
        limit_tags: NUMBER = Text("100"), |text| limits.tags = field_bound(text)?,
            "Most tags of one record";
        limit_tag: NUMBER = Text("100"), |text| limits.tag = field_bound(text)?,
            "Longest tag, in characters";
        limit_steps: NUMBER = Text("500"),
            |text| limits.steps = field_bound(text)?,
            "Most steps of one execution";
        limit_actions: NUMBER = Text("200"),
            |text| limits.actions = field_bound(text)?,
            "Most actions of one step";
        limit_assignees: NUMBER = Text("1000"),
            |text| limits.assignees = field_bound(text)?,
            "Most assignees of one execution";
        limit_locations: NUMBER = Text("10000"),
            |text| limits.locations = field_bound(text)?,
            "Most locations of one user";
        limit_tokens: NUMBER = Text("1000"),
            |text| limits.tokens = field_bound(text)?,
            "Most tokens of one user";
        limit_plan_places: NUMBER = Text("100"),
            |text| limits.plan_places = field_bound(text)?,
            "Most graphicPlans of one point";
        limit_plan_place: SIZE = Text("4 KiB"),
            |text| limits.plan_place = value::size(text, 256..=MIB)?,
            "Largest element of a point's graphicPlans, as compact JSON";
    }
}
