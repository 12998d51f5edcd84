//! The hosts of a URL.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use tokio_postgres::{
    Config,
    config::{Host, SslMode},
};

use super::limit;

/// The hosts to try, starting with the last one that answered.
pub(super) struct Hosts {
    each: Vec<Config>,
    preferred: AtomicUsize,
}

impl Hosts {
    /// Splits the hosts of `all`, so that each has its own limit: the driver would stay with a host
    /// that accepts the connection and then hangs.
    pub(super) fn of(all: &Config) -> Result<Self, String> {
        let (names, addresses, ports) = (all.get_hosts(), all.get_hostaddrs(), all.get_ports());
        let count = names.len().max(addresses.len());
        let matches = |given: usize, least: usize| given <= least || given == count;
        if count == 0 || names.first().is_some_and(is_unnamed) {
            return Err("it names no host".to_owned());
        }
        if !matches(ports.len(), 1) || !matches(addresses.len(), 0) || !matches(names.len(), 0) {
            return Err("it has as many ports as hosts, or one".to_owned());
        }
        let each = (0..count).map(|at| {
            let mut one = without_hosts(all);
            match names.get(at) {
                Some(Host::Tcp(name)) => {
                    one.host(name.as_str());
                }
                #[cfg(unix)]
                Some(Host::Unix(folder)) => {
                    // Like libpq: a local socket needs no encryption.
                    one.host_path(folder).ssl_mode(SslMode::Disable);
                }
                None => {}
            }
            if let Some(address) = addresses.get(at) {
                one.hostaddr(*address);
            }
            if let Some(port) = ports.get(at).or_else(|| ports.first()) {
                one.port(*port);
            }
            one
        });
        Ok(Self { each: each.collect(), preferred: AtomicUsize::new(0) })
    }

    pub(super) const fn len(&self) -> usize {
        self.each.len()
    }

    /// Whether only a host that accepts writes is acceptable.
    #[cfg(test)]
    pub(super) fn want_writes(&self) -> bool {
        let wanted = tokio_postgres::config::TargetSessionAttrs::ReadWrite;
        self.each.iter().all(|one| one.get_target_session_attrs() == wanted)
    }

    /// The hosts in the order of attempts, each with its index.
    pub(super) fn in_order(&self) -> impl Iterator<Item = (usize, &Config)> {
        let first = self.preferred.load(Ordering::Relaxed);
        let numbered = || self.each.iter().enumerate();
        numbered().skip(first).chain(numbered().take(first))
    }

    /// Records that the host with this index has answered.
    pub(super) fn prefer(&self, place: usize) {
        self.preferred.store(place, Ordering::Relaxed);
    }

    /// The time limit for each host.
    pub(super) fn limit(&self) -> Duration {
        let count = u32::try_from(self.each.len()).unwrap_or(u32::MAX).max(1);
        limit::CONNECT / count
    }
}

fn is_unnamed(host: &Host) -> bool {
    matches!(host, Host::Tcp(name) if name.is_empty())
}

/// All parts of the URL except the hosts.
fn without_hosts(all: &Config) -> Config {
    let mut one = Config::new();
    if let Some(user) = all.get_user() {
        one.user(user);
    }
    if let Some(password) = all.get_password() {
        one.password(password);
    }
    if let Some(name) = all.get_dbname() {
        one.dbname(name);
    }
    if let Some(options) = all.get_options() {
        one.options(options);
    }
    if let Some(name) = all.get_application_name() {
        one.application_name(name);
    }
    if let Some(time) = all.get_connect_timeout() {
        one.connect_timeout(*time);
    }
    if let Some(time) = all.get_tcp_user_timeout() {
        one.tcp_user_timeout(*time);
    }
    if let Some(interval) = all.get_keepalives_interval() {
        one.keepalives_interval(interval);
    }
    if let Some(retries) = all.get_keepalives_retries() {
        one.keepalives_retries(retries);
    }
    one.keepalives(all.get_keepalives())
        .keepalives_idle(all.get_keepalives_idle())
        .ssl_mode(all.get_ssl_mode())
        .ssl_negotiation(all.get_ssl_negotiation())
        .channel_binding(all.get_channel_binding())
        .target_session_attrs(all.get_target_session_attrs());
    one
}
