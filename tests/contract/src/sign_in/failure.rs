//! Failed sign-ins.

use patrol_domain::sign_in::{Attempt, FAILURES_OF_ADDRESS, FAILURES_OF_NAME};

use super::{Adapter, MINUTE, attempt, digest, fail, filled, millis, time};

/// Failures count for their name and for their address, until 15 minutes have passed. A failure that
/// is refused is not stored.
pub async fn failures_of_a_name_and_of_an_address_are_counted<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    assert_eq!(ports.sign_in_failures.retry_after(attempt(0)).await, Ok(None));
    fail(&ports, attempt(0), 4).await;
    assert_eq!(ports.sign_in_failures.retry_after(attempt(10)).await, Ok(None));
    fail(&ports, attempt(10), 1).await;
    // Until the first of five no longer counts.
    assert_eq!(ports.sign_in_failures.retry_after(attempt(MINUTE)).await, Ok(millis(14 * 60_000)));
    assert_eq!(ports.sign_in_failures.add(attempt(MINUTE)).await, Ok(millis(14 * 60_000)));
    let last = attempt(15 * MINUTE);
    assert_eq!(ports.sign_in_failures.retry_after(last).await, Ok(None));
    let elsewhere = Attempt { name: digest(102), ..attempt(MINUTE) };
    assert_eq!(ports.sign_in_failures.retry_after(elsewhere).await, Ok(None));
    // 45 more from the address, each with a name of its own.
    for name in 0..45 {
        fail(&ports, Attempt { name: digest(110 + name), ..attempt(20) }, 1).await;
    }
    assert_eq!(ports.sign_in_failures.retry_after(elsewhere).await, Ok(millis(14 * 60_000)));
    assert_eq!(ports.sign_in_failures.add(elsewhere).await, Ok(millis(14 * 60_000)));
    let free = Attempt { address: digest(202), ..elsewhere };
    fail(&ports, free, 1).await;
    assert_eq!(ports.sign_in_failures.retry_after(last).await, Ok(None));
}

/// Failures at the same time are never more than the limit.
pub async fn failures_at_once_count_each_other<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    // All with the same name; then all from the same address.
    for (limit, same_name) in [(FAILURES_OF_NAME, true), (FAILURES_OF_ADDRESS, false)] {
        let attempts = (0..60_u8).map(|number| {
            let other = digest(number);
            let attempt = match same_name {
                true => Attempt { address: other, ..attempt(1) },
                false => Attempt { name: other, ..attempt(1) },
            };
            let failures = ports.sign_in_failures.clone();
            tokio::spawn(async move { failures.add(attempt).await })
        });
        let mut added = 0;
        for attempt in attempts.collect::<Vec<_>>() {
            match attempt.await.expect("an attempt").expect("a failure") {
                None => added += 1,
                Some(wait) => assert_eq!(Some(wait), millis(15 * 60_000)),
            }
        }
        assert_eq!(added, limit);
    }
}

/// Failures that no longer count are deleted.
pub async fn failures_that_no_longer_count_are_deleted<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    fail(&ports, attempt(0), 1).await;
    fail(&ports, Attempt { name: digest(102), ..attempt(5) }, 1).await;
    let end = 15 * MINUTE;
    assert_eq!(ports.sign_in_failures.delete_expired(time(end - 1)).await, Ok(0));
    // The name; the failures from the address still count.
    assert_eq!(ports.sign_in_failures.delete_expired(time(end)).await, Ok(1));
    assert_eq!(ports.sign_in_failures.delete_expired(time(end + 5)).await, Ok(2));
    assert_eq!(ports.sign_in_failures.delete_expired(time(end + 5)).await, Ok(0));
}
