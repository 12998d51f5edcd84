//! The time of a failed sign-in does not tell whether the name is known.

use std::time::{Duration, Instant};

use patrol_tests::{DataSet, Running, Store, company::user, with};
use serde_json::json;

use super::{PASSWORD, browser};

/// The failed sign-ins of each kind. Each has a name and an address of its own, because few are allowed.
const TRIES: usize = 30;

/// How often the comparison may be repeated: another program can take the processor meanwhile.
const ATTEMPTS: usize = 5;

fn id(number: usize) -> String {
    format!("0190a000-0001-7000-8000-0000000001{number:02x}")
}

/// Users with a password, without one, and INACTIVE ones, by turns.
fn people() -> DataSet {
    DataSet::new((0..ATTEMPTS * TRIES).map(|number| {
        let user = user(&id(number), "EMPLOYEE", &format!("N{number}"));
        match number % 10 {
            // Hashing takes time in an import too.
            0 => with(user, json!({ "password": PASSWORD })),
            1 => with(user, json!({ "password": PASSWORD, "status": "INACTIVE" })),
            _ => user,
        }
    }))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

#[test]
fn an_unknown_name_takes_as_long_as_a_wrong_password() {
    let running = Running::set(
        Store::with(&super::company().and(people().records().to_vec())),
        &[("PATROL_TRUSTED_PROXIES", "127.0.0.1")],
    );
    let mut seen = Vec::new();
    for attempt in 0..ATTEMPTS {
        let time = |name: &str, address: String| {
            let mut browser = browser(&running).with("X-Forwarded-For", &address);
            let form = browser.open("/sign-in");
            let started = Instant::now();
            let fields = [("name", name), ("password", "wrong horse battery")];
            browser.submit(&form, "/sign-in", &fields).refused("Sign-in failed");
            started.elapsed()
        };
        let (mut known, mut unknown) = (Vec::new(), Vec::new());
        for number in 0..TRIES {
            let place = attempt * TRIES + number;
            known.push(time(&format!("N{place}"), format!("198.51.100.{place}")));
            unknown.push(time(&format!("unknown {place}"), format!("203.0.113.{place}")));
        }
        let (known, unknown) = (median(known).as_secs_f64(), median(unknown).as_secs_f64());
        if (0.8..=1.25).contains(&(known / unknown)) {
            return;
        }
        seen.push((known, unknown));
    }
    panic!("medians of known and unknown names, in seconds: {seen:?}");
}
