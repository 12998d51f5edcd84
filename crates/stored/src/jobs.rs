//! SQL statements for the leases of jobs. They are the same for every store except for the clock,
//! and have three parameters: a time in milliseconds, the name of the job, and the id of the run as
//! text. SQLite numbers parameters by their first use, so the statements use them in this order.

/// Gives a run the lease of its job: writes one row on success, none otherwise. `now` is an SQL
/// expression in milliseconds since 1970.
#[must_use]
pub fn acquire(now: &str) -> String {
    format!(
        "INSERT INTO jobs (held_until, name, holder, due_at) VALUES ({now} + $1, $2, $3, {now}) \
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until \
         WHERE jobs.held_until <= {now} AND jobs.due_at <= {now}"
    )
}

/// Renews the lease of a run: writes one row if the run still has it, none otherwise.
#[must_use]
pub fn renew(now: &str) -> String {
    format!("UPDATE jobs SET held_until = {now} + $1 WHERE name = $2 AND holder = $3")
}

/// Ends the lease of a run, and sets the time when the job is due again.
#[must_use]
pub fn release(now: &str) -> String {
    format!(
        "UPDATE jobs SET holder = NULL, held_until = 0, due_at = {now} + $1 \
         WHERE name = $2 AND holder = $3"
    )
}

/// A duration as a parameter of the statements.
#[must_use]
pub fn millis(time: std::time::Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
