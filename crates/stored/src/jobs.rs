//! The statements of the leases of jobs. They are the same for every store but for the clock, and take
//! three values: a time in milliseconds, the name of the job, and the id of the run as text. SQLite numbers
//! values by their first use, so they are used in this order.

/// Gives a run the lease of its job: one row is written if it gets it, none otherwise. `now` is an
/// expression, in milliseconds since 1970.
#[must_use]
pub fn acquire(now: &str) -> String {
    format!(
        "INSERT INTO jobs (held_until, name, holder, due_at) VALUES ({now} + $1, $2, $3, {now}) \
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until \
         WHERE jobs.held_until <= {now} AND jobs.due_at <= {now}"
    )
}

/// Prolongs the lease of a run: one row is written if it still has it, none otherwise.
#[must_use]
pub fn renew(now: &str) -> String {
    format!("UPDATE jobs SET held_until = {now} + $1 WHERE name = $2 AND holder = $3")
}

/// Ends the lease of a run, and says when the job is due again.
#[must_use]
pub fn release(now: &str) -> String {
    format!(
        "UPDATE jobs SET holder = NULL, held_until = 0, due_at = {now} + $1 \
         WHERE name = $2 AND holder = $3"
    )
}

/// A length of time as the statements take it.
#[must_use]
pub fn millis(time: std::time::Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
