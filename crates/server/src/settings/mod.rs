//! Configuration: a flag wins over a variable, that over the file, that over the default
//! (operations, "Configuration").

mod file;
mod table;
pub(crate) mod value;

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use patrol_domain::Limits;
use patrol_identity::{KeySource, Provider};
use patrol_photos::Place;

use file::File;
pub(crate) use table::{SETTINGS, Setting, Topic};
pub(crate) use value::Database;

use crate::log::LogSettings;

/// All that can be configured, checked.
pub(crate) struct Configuration {
    /// Where the data is.
    pub(crate) database: Database,
    /// Connections to a database server.
    pub(crate) database_pool: usize,
    /// What SQLite's write-ahead log takes on the disk at most, in bytes.
    pub(crate) wal_limit: u64,
    /// Photos.
    pub(crate) photos: PhotoSettings,
    /// The log.
    pub(crate) log: LogSettings,
    /// Serving HTTP.
    pub(crate) http: patrol_http::Settings,
    /// Bounds of fields.
    pub(crate) limits: Limits,
    /// Whose JWTs are taken, if any.
    pub(crate) provider: Option<Provider>,
    jwt: JwtSettings,
}

/// What is said of JWTs: all of it, or nothing.
#[derive(Default)]
struct JwtSettings {
    issuer: Option<String>,
    audience: Option<String>,
    keys: Option<KeySource>,
}

/// Longest text that every index of PostgreSQL takes, in characters of up to four bytes.
const LONGEST_INDEXED: usize = 650;

/// Photos of users.
#[derive(Clone)]
pub(crate) struct PhotoSettings {
    /// Where they are.
    pub(crate) place: Place,
    /// Most pixels of one.
    pub(crate) pixels: u64,
}

impl Setting {
    /// Its environment variable.
    pub(crate) fn variable(&self) -> String {
        format!("PATROL_{}", self.name.to_uppercase())
    }

    /// Its flag, without the hyphens before it.
    pub(crate) fn flag(&self) -> String {
        self.name.replace('_', "-")
    }
}

impl Configuration {
    /// The configuration of this process. `flags` gives the value of a flag by the name of its
    /// setting, `named` is the file that was named.
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
            photos: PhotoSettings { place: Place::Memory, pixels: 0 },
            log: LogSettings::default(),
            http: patrol_http::Settings::default(),
            limits: Limits::default(),
            provider: None,
            jwt: JwtSettings::default(),
        };
        for setting in SETTINGS {
            let (value, source) = effective(setting, &flags, &variables, file)?;
            if let Some(value) = value {
                (setting.set)(&mut configuration, &value)
                    .map_err(|reason| format!("{source}: {reason}"))?;
            }
        }
        configuration.provider = std::mem::take(&mut configuration.jwt).provider()?;
        configuration.check_indexes()?;
        Ok(configuration)
    }
}

impl Configuration {
    /// PostgreSQL refuses values in an index that take more than a third of a page, 2,704 bytes.
    fn check_indexes(&self) -> Result<(), String> {
        let Limits { name, text, tag, .. } = self.limits;
        match &self.database {
            Database::Postgres(_) if name.max(text).max(tag) > LONGEST_INDEXED => Err(format!(
                "limit_name, limit_text and limit_tag: on PostgreSQL at most {LONGEST_INDEXED}"
            )),
            _ => Ok(()),
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

/// The value of a setting, and how an error names where it comes from.
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
    // An empty variable counts as none: so `PATROL_LOG=` takes a variable back.
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
