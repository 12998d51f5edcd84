//! SQL statements for the leases of jobs. They are the same for every store except for the clock,
//! and have three parameters: a time in milliseconds, the name of the job, and the id of the run as
//! text. SQLite numbers parameters by their first use, so the statements use them in this order.

use diesel::sql_types::{BigInt, Text};
use patrol_domain::job::{JobRun, LeaseChange};

use crate::stored::statement::Statement;

/// Gives a run the lease of its job: writes one row on success, none otherwise.
fn acquire(now: &str) -> String {
    format!(
        "INSERT INTO jobs (held_until, name, holder, due_at) VALUES ({now} + $1, $2, $3, {now}) \
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until \
         WHERE jobs.held_until <= {now} AND jobs.due_at <= {now}"
    )
}

/// Renews the lease of a run: writes one row if the run still has it, none otherwise.
fn renew(now: &str) -> String {
    format!("UPDATE jobs SET held_until = {now} + $1 WHERE name = $2 AND holder = $3")
}

/// Ends the lease of a run, and sets the time when the job is due again.
fn release(now: &str) -> String {
    format!(
        "UPDATE jobs SET holder = NULL, held_until = 0, due_at = {now} + $1 \
         WHERE name = $2 AND holder = $3"
    )
}

/// The change of a lease. `now` is an SQL expression in milliseconds since 1970. The statement writes
/// one row if the change is possible, none otherwise.
pub fn change_lease(run: JobRun, change: LeaseChange, now: &str) -> impl Statement + use<> {
    let (statement, time) = match change {
        LeaseChange::Acquire(lease) => (acquire(now), lease),
        LeaseChange::Renew(lease) => (renew(now), lease),
        LeaseChange::Release(pause) => (release(now), pause),
    };
    diesel::sql_query(statement)
        .bind::<BigInt, _>(i64::try_from(time.as_millis()).unwrap_or(i64::MAX))
        .bind::<Text, _>(run.job)
        .bind::<Text, _>(run.id.to_string())
}
