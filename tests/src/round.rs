//! Scheduled tasks and the rounds that are made from them.

use std::{
    collections::BTreeSet,
    thread,
    time::{Duration, Instant, SystemTime},
};

use serde_json::{Value, json};

use crate::{client::Api, company::PORT};

/// Rounds are made within 5 s; a busy machine may take longer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits while less than a minute is left of a half hour. A round that begins in the middle of a test is still ahead
/// in one of its answers and under way in the next.
fn await_the_next_start() {
    const HALF_HOUR: u64 = 1_800;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("a year after 1970");
    let left = HALF_HOUR - now.as_secs() % HALF_HOUR;
    if left < 60 {
        thread::sleep(Duration::from_secs(left));
    }
}

/// The body of a scheduled task whose rounds start in UTC by this rule, since the beginning of 2026. None of them
/// begins within the next minute, unless the rule has other minutes than each half hour.
///
/// # Panics
/// When the clock is before 1970.
#[must_use]
pub fn scheduled(name: &str, rule: &str) -> Value {
    await_the_next_start();
    json!({
        "name": name, "locationId": PORT,
        "schedule": {
            "timeZone": "UTC", "start": "2026-01-01T12:00:00", "durationMinutes": 30, "rrule": rule,
        },
    })
}

/// The most rounds that a rule may have: 96 a day.
pub const DENSE: &str = "FREQ=DAILY;BYHOUR=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23;\
    BYMINUTE=0,15,30,45";

/// The summaries of the executions with this name, in order of their planned start.
///
/// Rounds may be made or deleted between two pages, so that one comes twice: then all are read again.
///
/// # Panics
/// When the list cannot be read, or has more than 5,000 items.
#[must_use]
pub fn rounds(api: &Api, name: &str) -> Vec<Value> {
    loop {
        let all = pages(api, name);
        let ids: BTreeSet<_> = all.iter().map(|round| round["id"].as_str()).collect();
        if ids.len() == all.len() {
            return all;
        }
    }
}

fn pages(api: &Api, name: &str) -> Vec<Value> {
    const LIMIT: usize = 500;
    let mut all: Vec<Value> = Vec::new();
    loop {
        let page = format!("name=eq:{name}&sort=startAt,asc&limit={LIMIT}&offset={}", all.len());
        let mut list = api.get(&format!("/task-executions/info?{page}")).ok();
        let Some(Value::Array(items)) = list.get_mut("data").map(Value::take) else {
            panic!("{list}")
        };
        let last = items.len() < LIMIT;
        all.extend(items);
        if last {
            return all;
        }
        assert!(all.len() <= 5_000, "too many rounds");
    }
}

/// The planned starts of these executions; each occurrence exists once.
///
/// # Panics
/// When one exists twice.
#[must_use]
pub fn starts(rounds: &[Value]) -> BTreeSet<String> {
    let starts: Vec<_> =
        rounds.iter().map(|round| round["startAt"].as_str().expect("a time").to_owned()).collect();
    let set: BTreeSet<_> = starts.iter().cloned().collect();
    assert_eq!(set.len(), starts.len(), "made twice: {starts:?}");
    set
}

/// Waits until `asked` has an answer.
///
/// # Panics
/// When it has none for a minute.
pub fn eventually<T>(what: &str, mut asked: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(answer) = asked() {
            return answer;
        }
        assert!(begun.elapsed() < PATIENCE, "not within {PATIENCE:?}: {what}");
        thread::sleep(Duration::from_millis(50));
    }
}
