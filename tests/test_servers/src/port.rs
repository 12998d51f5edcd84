//! Ports for servers.

use std::{
    hash::{BuildHasher, RandomState},
    iter,
    net::TcpListener,
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering},
    },
};

/// The first port to try. Ports from 32768 on are excluded, because the system uses them for
/// clients: a client that retries such a port can end up connected to itself, and then the server
/// cannot get its port back.
const FIRST: u16 = 20_000;
const COUNT: u16 = 12_000;

/// Counts the ports tried by this process, from a random number, because other processes search at
/// the same time. No port is returned twice: a port is free until its server listens, so two
/// threads would otherwise start their servers on one port.
static TRIED: LazyLock<AtomicU64> =
    LazyLock::new(|| AtomicU64::new(RandomState::new().hash_one(std::process::id()) >> 1));

/// A free port of 127.0.0.1, another one at each call.
///
/// # Panics
/// When no port is free.
#[must_use]
pub fn free_port() -> u16 {
    iter::repeat_with(|| TRIED.fetch_add(1, Ordering::Relaxed) % u64::from(COUNT))
        .take(usize::from(COUNT))
        .filter_map(|offset| Some(FIRST + u16::try_from(offset).ok()?))
        .find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok())
        .expect("a free port")
}
