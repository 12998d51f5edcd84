//! The address of a client, also behind reverse proxies.

use std::{
    net::{IpAddr, Ipv6Addr},
    str::FromStr,
};

use actix_web::http::header::{HeaderMap, X_FORWARDED_FOR};
use ipnet::{IpNet, Ipv4Net};

/// The addresses of the reverse proxies whose `X-Forwarded-For` is trusted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TrustedProxies(Vec<IpNet>);

impl TrustedProxies {
    /// The client of a request. Each proxy appends the address that it was called from to
    /// `X-Forwarded-For`, so the header is read from its end. The search stops at the first
    /// address that is not a trusted proxy: this is the client. The client may have written all
    /// addresses to the left of it. A hop that is not an address also ends the search: then the
    /// trusted address that was read just before counts as the client.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        if !self.contains(client) {
            return client;
        }
        // Several headers mean the same as one that joins their values in this order.
        let lines: Vec<_> = headers.get_all(X_FORWARDED_FOR).collect();
        let hops = lines.iter().rev().flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','));
        for hop in hops {
            let Some(address) = std::str::from_utf8(hop).ok().and_then(address) else { break };
            client = address;
            if !self.contains(client) {
                break;
            }
        }
        client
    }

    fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }
}

/// Parses addresses and networks, separated by commas: `10.0.0.7, 192.168.0.0/16, fd00::/8`. An
/// empty text trusts no proxy.
impl FromStr for TrustedProxies {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let parse = |one: &str| {
            network(one.trim()).ok_or_else(|| {
                format!(
                    "`{}` is not an address or a network, such as `10.0.0.7`, `10.0.0.0/8` or \
                     `fd00::/8`; separate several by commas",
                    one.trim()
                )
            })
        };
        text.split(',').map(parse).collect::<Result<_, _>>().map(Self)
    }
}

/// A network, or an address as a network of its own. An IPv4 network in the form of IPv6 becomes
/// an IPv4 network, because clients have their IPv4 address.
fn network(text: &str) -> Option<IpNet> {
    let network = match text.parse() {
        Ok(network) => network,
        Err(_) => IpNet::from(text.parse::<IpAddr>().ok()?),
    };
    let IpNet::V6(v6) = network else { return Some(network) };
    let mapped = v6.addr().to_ipv4_mapped().zip(v6.prefix_len().checked_sub(96));
    match mapped {
        Some((address, length)) => Some(Ipv4Net::new(address, length).ok()?.into()),
        None => Some(network),
    }
}

/// The address under which the requests of a client are counted: with IPv6 the /64 network, because
/// one subscriber has a whole network.
pub(crate) fn client_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address => address,
    }
}

/// The address of a hop, with or without a port; an IPv6 address with a port is in brackets.
fn address(hop: &str) -> Option<IpAddr> {
    let hop = hop.trim();
    let plain = hop.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(hop);
    let address: Option<IpAddr> = plain.parse().ok();
    let address = address.or_else(|| Some(hop.parse::<std::net::SocketAddr>().ok()?.ip()));
    address.map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    fn client(trusted: &str, peer: &str, lines: &[&[u8]]) -> String {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(X_FORWARDED_FOR, HeaderValue::from_bytes(line).unwrap());
        }
        let trusted: TrustedProxies = trusted.parse().unwrap();
        trusted.client(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn the_header_of_an_untrusted_peer_is_ignored() {
        for trusted in ["", " ", "10.0.0.0/8", "::1"] {
            assert_eq!(client(trusted, "192.0.2.1", &[b"203.0.113.9"]), "192.0.2.1");
        }
    }

    #[test]
    fn the_last_untrusted_hop_is_the_client() {
        const TRUSTED: &str = "10.0.0.0/8, 192.0.2.1,fd00::/8";
        for (lines, found) in [
            (&[][..], "10.0.0.1"),
            (&[&b"203.0.113.9"[..]], "203.0.113.9"),
            (&[b"1.1.1.1, 203.0.113.9"], "203.0.113.9"),
            (&[b"1.1.1.1, 203.0.113.9 ,10.0.0.2,\t192.0.2.1"], "203.0.113.9"),
            (&[b"1.1.1.1", b"203.0.113.9", b"10.0.0.2, 10.0.0.3"], "203.0.113.9"),
            (&[b"10.0.0.4, 10.0.0.3"], "10.0.0.4"),
            (&[b"2001:db8::7, fd00::2"], "2001:db8::7"),
            (&[b"::ffff:203.0.113.9, ::ffff:10.0.0.2"], "203.0.113.9"),
            (&[b"203.0.113.9:4711, 10.0.0.2:80"], "203.0.113.9"),
            (&[b"[2001:db8::7]:4711, [fd00::2]"], "2001:db8::7"),
        ] {
            assert_eq!(client(TRUSTED, "10.0.0.1", lines), found, "{lines:?}");
        }
    }

    #[test]
    fn a_hop_that_is_no_address_ends_the_walk() {
        for (lines, found) in [
            (&[&b"unknown"[..]][..], "10.0.0.1"),
            (&[b""], "10.0.0.1"),
            (&[b"203.0.113.9, unknown, 10.0.0.2"], "10.0.0.2"),
            (&[b"203.0.113.9,,10.0.0.2"], "10.0.0.2"),
            (&[b"203.0.113.9", b"\xff", b"10.0.0.2"], "10.0.0.2"),
            (&[b"203.0.113.9 1.1.1.1"], "10.0.0.1"),
            (&[b"10.0.0.256"], "10.0.0.1"),
        ] {
            assert_eq!(client("10.0.0.0/8", "10.0.0.1", lines), found, "{lines:?}");
        }
    }

    #[test]
    fn an_ipv4_peer_of_an_ipv6_listener_is_an_ipv4_client() {
        assert_eq!(client("10.0.0.0/8", "::ffff:10.0.0.1", &[b"203.0.113.9"]), "203.0.113.9");
        assert_eq!(client("", "::ffff:10.0.0.1", &[b"203.0.113.9"]), "10.0.0.1");
        for mapped in ["::ffff:10.0.0.1", "::ffff:10.0.0.0/104", "::ffff:0:0/96"] {
            assert_eq!(client(mapped, "10.0.0.1", &[b"203.0.113.9"]), "203.0.113.9", "{mapped}");
        }
        assert_eq!(client("::/0", "10.0.0.1", &[b"203.0.113.9"]), "10.0.0.1");
    }

    #[test]
    fn a_value_that_is_no_address_or_network_is_refused() {
        for bad in ["proxy", "10.0.0.0/33", "10.0.0", "10.0.0.1,", ",", "fd00::/129", "10.0.0.1:80"]
        {
            let error = TrustedProxies::from_str(bad).unwrap_err();
            assert!(error.contains("is not an address or a network"), "{error}");
        }
    }
}
