//! The time of a failed sign-in does not tell whether the name is known.

use std::time::{Duration, Instant};

use patrol_tests::{DataSet, Running, Store, company::user, with};
use serde_json::json;

use super::{PASSWORD, browser};

/// The failed sign-ins of known names, and of unknown ones, between two comparisons. Each has a name and
/// an address of its own, because few are allowed.
const TRIES: usize = 30;

/// How often more tries may be added to the medians: other programs take the processor meanwhile.
const ATTEMPTS: usize = 8;

/// The kinds of known users: with another password, without one, and INACTIVE.
const KINDS: usize = 3;

fn id(number: usize) -> String {
    format!("0190a000-0001-7000-8000-000000010{number:03x}")
}

/// Users of the three kinds, by turns.
fn people() -> DataSet {
    DataSet::new((0..ATTEMPTS * TRIES).map(|number| {
        let user = user(&id(number), "EMPLOYEE", &format!("N{number}"));
        match number % KINDS {
            0 => with(user, json!({ "password": PASSWORD })),
            1 => user,
            _ => with(user, json!({ "password": PASSWORD, "status": "INACTIVE" })),
        }
    }))
}

/// In seconds.
fn median(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64()
}

#[test]
fn an_unknown_name_takes_as_long_as_a_wrong_password() {
    let running = Running::set(
        Store::with(&super::company().and(people().records().to_vec())),
        &[("PATROL_TRUSTED_PROXIES", "127.0.0.1")],
    );
    let mut seen = Vec::new();
    let mut known = [const { Vec::new() }; KINDS];
    let mut unknown = Vec::new();
    for attempt in 0..ATTEMPTS {
        let time = |name: &str, address: String| {
            let mut browser = browser(&running).with("X-Forwarded-For", &address);
            let form = browser.open("/sign-in");
            let started = Instant::now();
            let fields = [("name", name), ("password", "wrong horse battery")];
            browser.submit(&form, "/sign-in", &fields).refused("Sign-in failed");
            started.elapsed()
        };
        for number in 0..TRIES {
            let place = attempt * TRIES + number;
            known[place % KINDS].push(time(&format!("N{place}"), format!("198.51.100.{place}")));
            unknown.push(time(&format!("unknown {place}"), format!("203.0.113.{place}")));
        }
        let of_unknown = median(&mut unknown);
        let of_known = known.each_mut().map(|times| median(times));
        if of_known.iter().all(|known| (0.8..=1.25).contains(&(known / of_unknown))) {
            return;
        }
        seen.push((of_known, of_unknown));
    }
    panic!("medians of known and unknown names, in seconds: {seen:?}");
}
