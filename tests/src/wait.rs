//! Waits for a condition.

use std::{
    thread,
    time::{Duration, Instant},
};

/// Repeats `asked` until it is true; a try after `limit` must be true.
///
/// # Panics
/// When it is not.
pub fn within(limit: Duration, what: &str, mut asked: impl FnMut() -> bool) {
    let started = Instant::now();
    loop {
        let begun = started.elapsed();
        if asked() {
            return;
        }
        assert!(begun < limit, "not within {limit:?}: {what}");
        thread::sleep(Duration::from_millis(50));
    }
}
