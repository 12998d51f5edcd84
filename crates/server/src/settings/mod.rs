//! Configuration. A flag overrides an environment variable, which overrides the file, which
//! overrides the default.

mod file;
mod setting;
mod table;
pub(crate) mod value;

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use patrol_domain::{
    Limits, report::PresenceRadius, schedule::TimeZone, sign_in::SessionLimits,
    task_execution::Punctuality,
};
use patrol_http::TlsFiles;
use patrol_identity::{KeySource, Provider};
use patrol_photos::Place;
use patrol_site::MapTiles;

use file::File;
pub(crate) use setting::{Initial, Setting, Topic};
pub(crate) use table::SETTINGS;
pub(crate) use value::Database;

use crate::log::{LogSettings, TraceSettings};

/// The checked configuration.
pub(crate) struct Configuration {
    pub(crate) database: Database,
    /// The maximum number of connections to PostgreSQL.
    pub(crate) database_pool: usize,
    /// The maximum size of SQLite's write-ahead log on disk, in bytes.
    pub(crate) wal_limit: u64,
    /// The memory for the sets and orders of rows of lists, in bytes.
    pub(crate) list_memory: u64,
    /// How long events are kept.
    pub(crate) events_keep: Duration,
    /// How long before their start rounds are made from schedules.
    pub(crate) schedule_horizon: Duration,
    pub(crate) presence_radius: PresenceRadius,
    pub(crate) punctuality: Punctuality,
    /// The time zone where nothing else names one.
    pub(crate) time_zone: TimeZone,
    pub(crate) photos: PhotoSettings,
    pub(crate) log: LogSettings,
    pub(crate) traces: TraceSettings,
    pub(crate) http: patrol_http::Settings,
    pub(crate) limits: Limits,
    /// The pages on which people sign in.
    pub(crate) site: SiteSettings,
    /// The identity provider whose JWTs are accepted, if any.
    pub(crate) provider: Option<Provider>,
    jwt: JwtSettings,
    /// The certificate and its key; without them the server speaks HTTP.
    pub(crate) tls: Option<TlsFiles>,
    tls_paths: TlsPaths,
}

/// The settings for TLS: both or none.
#[derive(Default)]
struct TlsPaths {
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
}

/// The settings for JWTs: all three or none.
#[derive(Default)]
struct JwtSettings {
    issuer: Option<String>,
    audience: Option<String>,
    keys: Option<KeySource>,
}

/// The maximum number of characters that every index of PostgreSQL can store. A character has up to
/// four bytes.
const MAX_INDEXED_LENGTH: usize = 650;

/// The variable of OpenTelemetry for the endpoint of a collector.
const COLLECTOR: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";

/// The settings of photos.
#[derive(Clone)]
pub(crate) struct PhotoSettings {
    pub(crate) place: Place,
    /// The maximum number of pixels of a photo.
    pub(crate) pixels: u64,
}

/// The settings of the site.
#[derive(Clone, Default)]
pub(crate) struct SiteSettings {
    /// Whether there is a site.
    pub(crate) enabled: bool,
    /// Where people reach the program: an origin as browsers send it, such as
    /// `https://patrol.example.org`. `None` for the address at which it listens.
    pub(crate) public_url: Option<String>,
    /// How long sessions are valid.
    pub(crate) sessions: SessionLimits,
    /// The server of the tiles behind maps.
    pub(crate) map_tiles: Option<MapTiles>,
}

impl Configuration {
    /// Loads the configuration. `flags` returns the value of the flag of a setting; `named` is the
    /// file given with `--config`.
    pub(crate) fn load(
        flags: impl Fn(&str) -> Option<String>,
        named: Option<&Path>,
    ) -> Result<Self, String> {
        Self::from_sources(flags, |name| env::var_os(name), &File::read(named)?)
    }

    fn from_sources(
        flags: impl Fn(&str) -> Option<String>,
        variables: impl Fn(&str) -> Option<OsString>,
        file: &File,
    ) -> Result<Self, String> {
        file.check_keys(|key| SETTINGS.iter().any(|setting| setting.name == key))?;
        let mut configuration = Self {
            database: Database::Sqlite(PathBuf::new()),
            database_pool: 0,
            wal_limit: 0,
            list_memory: 0,
            events_keep: Duration::ZERO,
            schedule_horizon: Duration::ZERO,
            presence_radius: PresenceRadius::default(),
            punctuality: Punctuality::default(),
            time_zone: TimeZone::UTC,
            photos: PhotoSettings { place: Place::Memory, pixels: 0 },
            log: LogSettings::default(),
            traces: TraceSettings::default(),
            http: patrol_http::Settings::default(),
            limits: Limits::default(),
            site: SiteSettings::default(),
            provider: None,
            jwt: JwtSettings::default(),
            tls: None,
            tls_paths: TlsPaths::default(),
        };
        for setting in SETTINGS {
            let (value, source) = effective(setting, &flags, &variables, file)?;
            if let Some(value) = value {
                (setting.set)(&mut configuration, &value)
                    .map_err(|reason| format!("{source}: {reason}"))?;
            }
        }
        configuration.find_collector(&variables)?;
        configuration.provider = std::mem::take(&mut configuration.jwt).provider()?;
        configuration.tls = std::mem::take(&mut configuration.tls_paths).files()?;
        configuration.check_indexes()?;
        Ok(configuration)
    }

    /// The endpoint that other programs with OpenTelemetry use is the default.
    fn find_collector(
        &mut self,
        variables: impl Fn(&str) -> Option<OsString>,
    ) -> Result<(), String> {
        let usual = variables(COLLECTOR).and_then(|value| value.into_string().ok());
        if let (None, Some(usual)) = (&self.traces.endpoint, usual.filter(|url| !url.is_empty())) {
            let endpoint = value::collector(&usual);
            self.traces.endpoint =
                Some(endpoint.map_err(|reason| format!("{COLLECTOR}: {reason}"))?);
        }
        Ok(())
    }

    /// PostgreSQL refuses index values of more than a third of a page, 2,704 bytes.
    fn check_indexes(&self) -> Result<(), String> {
        let Limits { name, text, tag, .. } = self.limits;
        match &self.database {
            Database::Postgres(_) if name.max(text).max(tag) > MAX_INDEXED_LENGTH => Err(format!(
                "limit_name, limit_text and limit_tag: on PostgreSQL at most {MAX_INDEXED_LENGTH}"
            )),
            _ => Ok(()),
        }
    }
}

impl TlsPaths {
    fn files(self) -> Result<Option<TlsFiles>, String> {
        match (self.certificate, self.key) {
            (None, None) => Ok(None),
            (Some(certificate), Some(key)) => Ok(Some(TlsFiles { certificate, key })),
            _ => Err("tls_certificate and tls_key: HTTPS needs both, or leave both out".to_owned()),
        }
    }
}

impl JwtSettings {
    fn provider(self) -> Result<Option<Provider>, String> {
        match (self.issuer, self.audience, self.keys) {
            (None, None, None) => Ok(None),
            (Some(issuer), Some(audience), Some(keys)) => {
                Ok(Some(Provider { issuer, audience, keys }))
            }
            _ => Err("auth_jwt_issuer, auth_jwt_audience and auth_jwt_jwks: JWTs need all three, \
                      or leave all three out"
                .to_owned()),
        }
    }
}

/// The value of a setting, and how error messages name its source.
fn effective(
    setting: &Setting,
    flags: impl Fn(&str) -> Option<String>,
    variables: impl Fn(&str) -> Option<OsString>,
    file: &File,
) -> Result<(Option<String>, String), String> {
    if let Some(value) = flags(setting.name) {
        return Ok((Some(value), format!("--{}", setting.flag())));
    }
    let variable = setting.variable();
    // An empty variable counts as unset, so `PATROL_LOG=` overrides an exported variable.
    if let Some(value) = variables(&variable).filter(|value| !value.is_empty()) {
        let value = value.into_string().map_err(|_| format!("{variable}: it is not UTF-8"))?;
        return Ok((Some(value), variable));
    }
    let source = file.source(setting.name);
    match file.value(setting.name).map_err(|reason| format!("{source}: {reason}"))? {
        Some(value) => Ok((Some(value), source)),
        None => Ok((setting.default.text(), format!("the default of {}", setting.name))),
    }
}

#[cfg(test)]
mod tests;
