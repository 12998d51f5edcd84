//! The address of the database.

use std::{fmt, path::PathBuf, str::FromStr, sync::Arc, time::Duration};

use percent_encoding::percent_decode_str;
use thiserror::Error;
use tokio_postgres::{Config, config::TargetSessionAttrs};

use super::{
    host::Hosts,
    limit::{ListLimits, Reader, long_connections},
    tls::{self, Tls, Trust},
};

/// The address of the database and its use. [`fmt::Debug`] hides addresses and passwords.
#[derive(Clone)]
pub struct Settings {
    pub(super) hosts: Arc<Hosts>,
    pub(super) tls: Tls,
    /// The number of connections for writes, pages and transactions. Reads by id have a few more.
    pub(super) pool: usize,
    /// The maximum number of callers that wait for each kind of connection; more are refused.
    pub(super) queue: usize,
    pub(super) reader: Reader,
    pub(super) lists: ListLimits,
    /// The memory for sets and orders of rows, in bytes.
    pub(super) list_memory: u64,
}

impl Settings {
    /// The maximum number of database connections that a store with these settings opens.
    #[must_use]
    pub fn connections(&self) -> usize {
        /// For readiness checks.
        const PING: usize = 1;
        /// For idempotency keys.
        const KEYS: usize = 1;
        let kinds = [self.pool, long_connections(self.pool), self.shared(), PING, KEYS];
        kinds.into_iter().fold(0, usize::saturating_add)
    }

    /// The number of shared connections for reads by key.
    pub(super) fn shared(&self) -> usize {
        self.pool.div_ceil(4).clamp(2, 4)
    }
}

/// Why a database URL is invalid. Messages do not quote the URL.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SettingsError {
    /// It is not a PostgreSQL URL.
    #[error("it has to begin with postgres:// or postgresql://")]
    Scheme,
    /// A part of it is malformed.
    #[error("{0}")]
    Invalid(String),
    /// The trusted certificates cannot be read.
    #[error("the certificates to trust: {0}")]
    Certificates(String),
}

/// The maximum number of callers that wait for a connection of the pool, and the most concurrent
/// reads by id; more are refused.
const QUEUE: usize = 1_024;

/// See [`Settings::with_list_memory`].
const LIST_MEMORY: u64 = 64 * 1024 * 1024;

impl Settings {
    /// Parses a URL: `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?…`. Of several hosts,
    /// the first that accepts writes is used, unless `target_session_attrs` says otherwise.
    /// `sslmode` is `disable`, `prefer` (the default), `require`, `verify-ca` or `verify-full`;
    /// `sslrootcert` is a file with trusted certificates, by default those of the machine.
    ///
    /// # Errors
    /// When the URL or the file of `sslrootcert` cannot be read.
    pub fn new(url: &str, pool: usize) -> Result<Self, SettingsError> {
        let pool = pool.max(1);
        let Parted { url, trust, names_target } = parted(url)?;
        let mut config = Config::from_str(&url).map_err(|error| invalid(&error))?;
        if config.get_application_name().is_none() {
            config.application_name("patrol");
        }
        let several = config.get_hosts().len().max(config.get_hostaddrs().len()) > 1;
        if several && !names_target {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        keep_alive(&mut config);
        let hosts = Hosts::of(&config).map_err(SettingsError::Invalid)?;
        let tls = tls::connector(&trust).map_err(SettingsError::Certificates)?;
        let (reader, lists) = (Reader::Client, ListLimits::of(Reader::Client));
        let (hosts, list_memory) = (Arc::new(hosts), LIST_MEMORY);
        Ok(Self { hosts, tls, pool, queue: QUEUE, reader, lists, list_memory })
    }

    /// Sets the memory for sets and orders of rows, in bytes; the default is 64 MiB.
    #[must_use]
    pub const fn with_list_memory(mut self, bytes: u64) -> Self {
        self.list_memory = bytes;
        self
    }

    /// Sets the reader of long lists; the default is a client.
    #[must_use]
    pub const fn read_by(mut self, reader: Reader) -> Self {
        self.reader = reader;
        self.lists = ListLimits::of(reader);
        self
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { hosts, tls: _, pool, queue, reader, lists: _, list_memory: _ } = self;
        out.debug_struct("Settings")
            .field("hosts", &hosts.len())
            .field("pool", pool)
            .field("queue", queue)
            .field("reader", reader)
            .finish_non_exhaustive()
    }
}

/// A server that is gone without notice is detected within a few seconds, unless the URL says
/// otherwise.
fn keep_alive(config: &mut Config) {
    if config.get_keepalives_idle() == Config::new().get_keepalives_idle() {
        config.keepalives_idle(Duration::from_secs(5));
    }
    if config.get_keepalives_interval().is_none() {
        config.keepalives_interval(Duration::from_secs(2));
    }
    if config.get_keepalives_retries().is_none() {
        config.keepalives_retries(3);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(Duration::from_secs(5));
    }
}

/// The driver's message about a wrong URL contains names of options, never their values.
fn invalid(error: &tokio_postgres::Error) -> SettingsError {
    SettingsError::Invalid(super::error::text(error))
}

/// A URL without the options that the driver does not have.
#[derive(Debug, PartialEq, Eq)]
struct Parted {
    url: String,
    trust: Trust,
    /// Whether it sets `target_session_attrs`.
    names_target: bool,
}

/// Extracts the options about trust, which the driver does not have.
fn parted(url: &str) -> Result<Parted, SettingsError> {
    let rest = url.strip_prefix("postgres://").or_else(|| url.strip_prefix("postgresql://"));
    if rest.is_none() {
        return Err(SettingsError::Scheme);
    }
    let Some((place, options)) = url.split_once('?') else {
        let url = url.to_owned();
        return Ok(Parted { url, trust: Trust::Anybody, names_target: false });
    };
    let (mut mode, mut roots, mut names_target, mut of_machine) = (None, None, false, false);
    let mut kept = Vec::new();
    for option in options.split('&') {
        match option.split_once('=') {
            Some(("sslmode", value)) => mode = Some(value),
            Some(("sslrootcert", "system")) => of_machine = true,
            Some(("sslrootcert", value)) => roots = Some(path(value)?),
            Some(("target_session_attrs", _)) => {
                names_target = true;
                kept.push(option.to_owned());
            }
            _ => kept.push(option.to_owned()),
        }
    }
    // Like libpq: with the authorities of the machine the host name is verified, because they
    // certify any host.
    if of_machine && mode.is_none() {
        mode = Some("verify-full");
    }
    if of_machine && !matches!(mode, Some("verify-ca" | "verify-full")) {
        let weak = "sslrootcert=system needs sslmode verify-full";
        return Err(SettingsError::Invalid(weak.to_owned()));
    }
    // Like libpq: `require` with a certificate file verifies the certificate.
    let (plain, trust) = match (mode, roots) {
        (Some("verify-full"), roots) => ("require", Trust::Host(roots)),
        (Some("verify-ca"), roots) | (Some("require"), roots @ Some(_)) => {
            ("require", Trust::Authority(roots))
        }
        (Some(mode @ ("disable" | "prefer" | "require")), _) => (mode, Trust::Anybody),
        (None, _) => ("prefer", Trust::Anybody),
        (Some(_), _) => {
            let modes = "sslmode is disable, prefer, require, verify-ca or verify-full";
            return Err(SettingsError::Invalid(modes.to_owned()));
        }
    };
    kept.push(format!("sslmode={plain}"));
    Ok(Parted { url: format!("{place}?{}", kept.join("&")), trust, names_target })
}

fn path(value: &str) -> Result<PathBuf, SettingsError> {
    let decoded = percent_decode_str(value).decode_utf8();
    let path = decoded
        .map_err(|_| SettingsError::Invalid("sslrootcert is not the name of a file".to_owned()))?;
    Ok(PathBuf::from(path.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "sesame";

    fn error(url: &str) -> SettingsError {
        Settings::new(url, 8).unwrap_err()
    }

    #[test]
    fn nothing_shows_what_a_url_keeps_secret() {
        let settings =
            Settings::new("postgres://anna:sesame@db.example:1,b.example:2/patrol", 8).unwrap();
        let shown = format!("{settings:?}");
        assert!(!shown.contains(SECRET) && !shown.contains("example"), "{shown}");
        for wrong in [
            "postgres://anna:sesame@db.example:port/patrol",
            "postgres://anna:sesame@db.example/patrol?sslmode=sesame",
            "postgres://anna:sesame@db.example/patrol?color=sesame",
            "postgres://anna:sesame@db.example/patrol?target_session_attrs=sesame",
            "postgres://anna:sesame@db.example/patrol?sslmode=verify-full&sslrootcert=/none",
            "mysql://anna:sesame@db.example/patrol",
            "postgres://anna:sesame@/patrol",
        ] {
            let text = error(wrong).to_string();
            assert!(!text.contains(SECRET) && !text.contains("anna"), "{text}");
        }
    }

    #[test]
    fn what_the_driver_does_not_know_is_taken_out_of_the_url() {
        let of = |options: &str| {
            parted(&format!("postgres://a/b?{options}")).map(|parted| (parted.url, parted.trust))
        };
        let require = "postgres://a/b?x=1&sslmode=require".to_owned();
        assert_eq!(of("sslmode=verify-full&x=1"), Ok((require.clone(), Trust::Host(None))));
        let of_machine = of("x=1&sslmode=verify-ca&sslrootcert=system");
        assert_eq!(of_machine, Ok((require.clone(), Trust::Authority(None))));
        let named = Trust::Authority(Some(PathBuf::from("/a b")));
        assert_eq!(of("x=1&sslmode=require&sslrootcert=/a%20b"), Ok((require.clone(), named)));
        assert_eq!(of("x=1&sslrootcert=system"), Ok((require.clone(), Trust::Host(None))));
        for weak in ["disable", "prefer", "require"] {
            assert!(of(&format!("sslrootcert=system&sslmode={weak}")).is_err(), "{weak}");
        }
        assert_eq!(of("x=1&sslmode=require"), Ok((require, Trust::Anybody)));
        let disable = "postgres://a/b?sslmode=disable".to_owned();
        assert_eq!(of("sslmode=disable"), Ok((disable, Trust::Anybody)));
        assert!(of("sslmode=verify").is_err());
        assert_eq!(parted("sqlite:a"), Err(SettingsError::Scheme));
    }

    #[test]
    fn several_hosts_are_asked_for_one_that_takes_writes() {
        let writes = |url| Settings::new(url, 8).unwrap().hosts.want_writes();
        assert!(writes("postgres://a,b/c"));
        assert!(writes("postgres://a/c?target_session_attrs=read-write"));
        assert!(!writes("postgres://a,b/c?target_session_attrs=any"));
        assert!(!writes("postgres://a/c"));
    }
}
