//! Passwords, sessions, invitations and failed sign-ins.

mod account;
mod failures;
mod invitations;
mod passwords;
mod sessions;

pub(crate) use self::account::insert_hash;
use crate::{
    Connection,
    stored::{Abort, statement::Statement},
};

/// Runs the statement, and returns the number of changed rows.
async fn execute_counted<E>(
    conn: &impl Connection,
    statement: impl Statement,
) -> Result<usize, Abort<E>> {
    Ok(conn.execute(statement).await?)
}
