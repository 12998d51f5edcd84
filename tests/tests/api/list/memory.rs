//! What lists keep in memory has a bound, and pages do not depend on it.

use patrol_tests::{
    Store,
    company::{PORT, company},
};

use super::*;

/// More than a page that the store sorts without an order.
const EXECUTIONS: u32 = 400;

const QUERIES: [&str; 6] = [
    "limit=7&offset=100",
    "limit=7&offset=50&sort=name,desc",
    "limit=7&sort=startAt,desc&tags=late",
    "limit=7&offset=300&sort=endAt",
    "limit=7&sort=startAt&startAt=gte:2026-01-01T02:00:00Z&endAt=lt:2026-01-01T06:30:00Z",
    "limit=7&tags=nin:late&published=true&sort=name",
];

/// Executions whose names and times are in other orders than their ids.
fn executions() -> impl Iterator<Item = Value> {
    let minute = |n: u32, hour: u32| {
        let at = n * 37 % EXECUTIONS;
        format!("2026-01-01T{:02}:{:02}:00.000Z", hour + at / 60, at % 60)
    };
    (0..EXECUTIONS).map(move |n| {
        let name = format!("Round {}", n * 13 % 50);
        let tags = if n % 3 == 0 { vec!["late"] } else { vec![] };
        let times = json!({ "startAt": minute(n, 0), "endAt": minute(n, 1) });
        with(with(planned(n), times), json!({ "name": name, "tags": tags }))
    })
}

fn running(memory: &str) -> Running {
    static ROUNDS: Template = Template::new(|| company().and(executions()));
    Running::set(Store::copy_of(&ROUNDS), &[("PATROL_LIST_MEMORY", memory)])
}

/// The ids and the total of each page, asked for several times between changes; and the most memory
/// that was kept.
fn pages(running: &Running) -> (Vec<(Vec<String>, Value)>, f64) {
    let (mut pages, mut most) = (Vec::new(), 0.0_f64);
    for round in 0..4_u32 {
        for query in QUERIES.iter().flat_map(|query| [query, query]) {
            let page = running.admin.get(&format!("{LIST}?{query}")).ok();
            let items = page["data"].as_array().unwrap();
            let ids = items.iter().map(|item| item["id"].as_str().unwrap().to_owned());
            pages.push((ids.collect(), page["meta"]["count"].clone()));
            let kept = running.metric("patrol_store_list_memory_bytes", &[]).expect("the metric");
            most = most.max(kept);
        }
        for n in [3, 100, 350] {
            let path = format!("/task-executions/{}", execution_id(n + round));
            let change =
                json!({ "name": format!("Round {round}"), "tags": ["late"], "locationId": PORT });
            let _ = running.admin.patch(&path, &change).ok();
        }
    }
    (pages, most)
}

#[test]
fn pages_are_the_same_whatever_fits_in_the_memory_of_lists() {
    let large = running("64 MiB");
    let (expected, most) = pages(&large);
    assert!(most > 8_192.0, "{most}");
    for limit in [0_u16, 4_096, 8_192] {
        let (found, most) = pages(&running(&limit.to_string()));
        assert!(most <= f64::from(limit), "{most} of {limit}");
        assert_eq!(found, expected, "{limit}");
    }
}
