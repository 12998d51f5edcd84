//! Ports for servers.

use std::{
    hash::{BuildHasher, RandomState},
    net::TcpListener,
};

/// The first port to try. Ports from 32768 on are excluded, because the system uses them for
/// clients: a client that retries such a port can end up connected to itself, and then the server
/// cannot get its port back.
const FIRST: u16 = 20_000;
const COUNT: u16 = 12_000;

/// A free port of 127.0.0.1.
///
/// # Panics
/// When no port is free.
#[must_use]
pub fn free_port() -> u16 {
    // Starts at a random port, because other processes search at the same time.
    let start = RandomState::new().hash_one(std::process::id()) % u64::from(COUNT);
    let offsets = (start..start + u64::from(COUNT)).map(|offset| offset % u64::from(COUNT));
    let mut ports = offsets.filter_map(|offset| Some(FIRST + u16::try_from(offset).ok()?));
    ports.find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()).expect("a free port")
}
