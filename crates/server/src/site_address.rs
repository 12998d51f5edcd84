//! The addresses at which people reach the program.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::{error::CommandError, settings::Configuration};

/// The address of a server that listens at `address`, for clients on this machine.
pub(crate) fn on_this_machine(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// The origin of a server that listens at `address`, for clients on this machine.
pub(crate) fn local_origin(address: SocketAddr, tls: bool) -> String {
    let address = on_this_machine(address);
    let scheme = if tls { "https" } else { "http" };
    let is_default = matches!((scheme, address.port()), ("http", 80) | ("https", 443));
    match (is_default, address.ip()) {
        (true, IpAddr::V4(ip)) => format!("{scheme}://{ip}"),
        (true, IpAddr::V6(ip)) => format!("{scheme}://[{ip}]"),
        (false, _) => format!("{scheme}://{address}"),
    }
}

/// The origin for links, for a command that does not listen itself.
///
/// # Errors
/// When the port is not known before a server has started.
pub(crate) fn public_origin(configuration: &Configuration) -> Result<String, CommandError> {
    let listen = configuration.http.listen;
    match &configuration.site.public_url {
        Some(origin) => Ok(origin.clone()),
        None if listen.port() == 0 => Err(CommandError::Usage(
            "the port of the site is not known, because --listen has port 0; name the site with \
             --public-url"
                .to_owned(),
        )),
        None => Ok(local_origin(listen, configuration.tls.is_some())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_becomes_an_origin_as_browsers_send_it() {
        for (bound, tls, origin) in [
            ("127.0.0.1:8080", false, "http://127.0.0.1:8080"),
            ("0.0.0.0:81", false, "http://127.0.0.1:81"),
            ("0.0.0.0:80", false, "http://127.0.0.1"),
            ("[::]:8080", false, "http://[::1]:8080"),
            ("[::]:443", true, "https://[::1]"),
            ("192.0.2.7:9", true, "https://192.0.2.7:9"),
        ] {
            assert_eq!(local_origin(bound.parse().unwrap(), tls), origin);
        }
    }
}
