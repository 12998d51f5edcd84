//! Journal modes of SQLite.

use diesel::{
    QueryResult, RunQueryDsl, SqliteConnection, dsl::sql, result::Error as DieselError,
    sql_types::Text,
};

use super::error::{Cause, cause};

/// Switches to WAL, in which readers and a writer work in parallel. The mode is stored in the file.
/// When two processes switch at the same time, one of them fails with `Cause::Busy` without
/// waiting, so the caller has to retry.
pub(super) fn use_wal(connection: &mut SqliteConnection) -> QueryResult<()> {
    let mode: String = sql::<Text>("PRAGMA journal_mode = WAL").get_result(connection)?;
    if mode == "wal" {
        Ok(())
    } else {
        Err(DieselError::QueryBuilderError("the file system has no shared memory for WAL".into()))
    }
}

/// Switches to a rollback journal if no other connection has the database open; otherwise the mode
/// stays. A large transaction then writes new pages once, instead of once to the log and once in a
/// checkpoint. After a crash, the next process that opens the database rolls the transaction back.
pub(super) fn leave_wal(connection: &mut SqliteConnection) -> QueryResult<()> {
    match diesel::sql_query("PRAGMA journal_mode = DELETE").execute(connection) {
        Err(error) if cause(&error) != Cause::Busy => Err(error),
        _ => Ok(()),
    }
}
