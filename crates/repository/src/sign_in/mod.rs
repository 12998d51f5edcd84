//! Passwords, sessions, invitations and failed sign-ins.

mod account;
mod failures;
mod invitations;
mod passwords;
mod sessions;

use patrol_stored::{Abort, statement::Statement};

pub(crate) use self::account::insert_hash;
use crate::Connection;

/// Runs the statement, and returns the number of changed rows.
async fn execute_counted<E>(
    conn: &impl Connection,
    statement: impl Statement,
) -> Result<usize, Abort<E>> {
    Ok(conn.execute(statement).await?)
}
