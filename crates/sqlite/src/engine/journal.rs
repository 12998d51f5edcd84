//! How SQLite keeps what it needs to take a transaction back.

use diesel::{
    QueryResult, RunQueryDsl, SqliteConnection, result::Error as DieselError, sql_types::Text,
};

use super::error::{Cause, cause};

#[derive(diesel::QueryableByName)]
struct Mode {
    #[diesel(sql_type = Text)]
    journal_mode: String,
}

/// The usual mode: readers go on beside a writer. It is a property of the file. Two processes that
/// set it at once meet a lock that SQLite does not wait for by itself.
pub(super) fn use_wal(connection: &mut SqliteConnection) -> QueryResult<()> {
    let mode: Mode = diesel::sql_query("PRAGMA journal_mode = WAL").get_result(connection)?;
    if mode.journal_mode == "wal" {
        Ok(())
    } else {
        Err(DieselError::QueryBuilderError("the file system has no shared memory for WAL".into()))
    }
}

/// Has changes written to their places at once, and what was there before to a journal, when nobody
/// else has the database open; else leaves the mode as it is. What a great transaction adds is then
/// written once, where the log and the next checkpoint write it twice. After a crash, whoever opens
/// the database next takes the transaction back.
pub(super) fn leave_wal(connection: &mut SqliteConnection) -> QueryResult<()> {
    match diesel::sql_query("PRAGMA journal_mode = DELETE").execute(connection) {
        Err(error) if cause(&error) != Cause::Busy => Err(error),
        _ => Ok(()),
    }
}
