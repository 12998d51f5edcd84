//! Load at a fixed rate: requests are due at fixed times, even when the server falls behind, and a
//! latency counts from the due time. So a stall counts for all requests that were due meanwhile.
//! wrk, which sends the next request after a response, cannot measure that.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use super::{
    company,
    load::{Requests, Target},
};

/// The number of connections. Each has a thread and an equal share of the due times.
const CONNECTIONS: u32 = 64;

/// How long it runs before the measurement.
const WARM_UP: Duration = Duration::from_secs(1);

/// The most time for a request.
const PATIENCE: Duration = Duration::from_secs(10);

/// Latencies of requests, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct Latencies {
    /// The median.
    pub p50: f64,
    /// The 90th percentile.
    pub p90: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The 99.9th percentile.
    pub p999: f64,
}

impl Latencies {
    /// The percentiles of these times.
    ///
    /// # Panics
    /// When there are none.
    #[must_use]
    pub fn of(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        let percentile = |part: f64| {
            let at = (times.len() as f64 * part) as usize;
            *times.get(at.min(times.len() - 1)).expect("there were requests")
        };
        Self {
            p50: percentile(0.5),
            p90: percentile(0.9),
            p99: percentile(0.99),
            p999: percentile(0.999),
        }
    }

    /// The percentiles in order.
    #[must_use]
    pub const fn all(&self) -> [f64; 4] {
        let Self { p50, p90, p99, p999 } = *self;
        [p50, p90, p99, p999]
    }
}

/// Sends GET requests at `rate` per second for some seconds.
///
/// # Panics
/// When a request fails, or is a change.
#[must_use]
pub fn at(target: Target<'_>, requests: Requests<'_>, rate: u32, seconds: u64) -> Latencies {
    let paths = paths(requests);
    let between = Duration::from_secs(1) / rate;
    let start = Instant::now() + Duration::from_millis(100);
    let end = start + WARM_UP + Duration::from_secs(seconds);
    let latencies: Vec<f64> = thread::scope(|scope| {
        let connection = |number| {
            let paths = &paths;
            scope.spawn(move || {
                let mut client = Client::connect(target);
                let mut latencies = Vec::new();
                for at in (number..).step_by(CONNECTIONS as usize) {
                    let due = start + between * at;
                    if due >= end {
                        break;
                    }
                    thread::sleep(due.saturating_duration_since(Instant::now()));
                    let picked = company::spread(at, u32::MAX) as usize % paths.len();
                    client.get(&paths[picked]);
                    if due >= start + WARM_UP {
                        latencies.push(due.elapsed().as_secs_f64() * 1e3);
                    }
                }
                latencies
            })
        };
        let connections: Vec<_> = (0..CONNECTIONS).map(connection).collect();
        connections.into_iter().flat_map(|it| it.join().expect("requests are answered")).collect()
    });
    Latencies::of(latencies)
}

fn paths(requests: Requests<'_>) -> Vec<String> {
    match requests {
        Requests::Same(path) => vec![path.to_owned()],
        Requests::Each { before, ids, after } => {
            let ids = fs::read_to_string(ids).expect("the ids");
            ids.lines().map(|id| format!("{before}{id}{after}")).collect()
        }
        Requests::Change { .. } => panic!("only reads are sent at a fixed rate"),
    }
}

/// A persistent connection.
struct Client<'a> {
    target: Target<'a>,
    stream: BufReader<TcpStream>,
    body: Vec<u8>,
}

impl<'a> Client<'a> {
    fn connect(target: Target<'a>) -> Self {
        let stream = TcpStream::connect(target.address).expect("the server takes connections");
        stream.set_nodelay(true).expect("an option of the socket");
        stream.set_read_timeout(Some(PATIENCE)).expect("an option of the socket");
        Self { target, stream: BufReader::with_capacity(1 << 16, stream), body: Vec::new() }
    }

    /// Reads the whole response for a path.
    fn get(&mut self, path: &str) {
        let Target { address, token } = self.target;
        let authorization = match token {
            "" => String::new(),
            token => format!("Authorization: Bearer {token}\r\n"),
        };
        let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{authorization}\r\n");
        self.stream.get_mut().write_all(request.as_bytes()).expect("a request is sent");
        let mut line = String::new();
        let mut length = None;
        while line != "\r\n" {
            line.clear();
            let read = self.stream.read_line(&mut line).expect("an answer");
            assert!(read > 0, "the server hangs up");
            if let Some(status) = line.strip_prefix("HTTP/1.1 ") {
                assert!(status.starts_with("200"), "{path}: {status}");
            } else if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().ok();
            }
        }
        let length = length.unwrap_or_else(|| panic!("{path} answers without a length"));
        self.body.resize(length, 0);
        self.stream.read_exact(&mut self.body).expect("the answer is whole");
    }
}
