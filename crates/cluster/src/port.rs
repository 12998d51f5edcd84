//! Ports of servers.

use std::{
    hash::{BuildHasher, RandomState},
    net::TcpListener,
};

/// Where they are looked for: none of those that the system hands out to clients (from 32768 on).
/// A client that tries in vain to reach a server on such a port ends up connected to itself sooner
/// or later, and then the server cannot have its port back.
const FIRST: u16 = 20_000;
const COUNT: u16 = 12_000;

/// A port of 127.0.0.1 that nobody listens on.
///
/// # Panics
/// When there is none.
#[must_use]
pub fn free_port() -> u16 {
    // Others look for one at the same time.
    let start = RandomState::new().hash_one(std::process::id()) % u64::from(COUNT);
    let offsets = (start..start + u64::from(COUNT)).map(|offset| offset % u64::from(COUNT));
    let mut ports = offsets.filter_map(|offset| Some(FIRST + u16::try_from(offset).ok()?));
    ports.find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()).expect("a free port")
}
