//! Checks the conditions for a fast quick search.

use diesel::{
    QueryResult,
    sql_types::{Bool, Nullable},
};
use diesel_async::RunQueryDsl;

use super::Connection;

/// A warning about the trigram index, if it cannot be used.
pub(super) async fn warning(mut conn: &Connection) -> QueryResult<Option<&'static str>> {
    let asked = diesel::dsl::sql::<(Nullable<Bool>, Bool)>(
        "SELECT (SELECT indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid \
             WHERE indrelid = to_regclass('task_executions') \
             AND relname = 'task_executions_by_text'), \
         datctype IN ('C', 'POSIX') FROM pg_database WHERE datname = current_database()",
    );
    let (is_valid, is_ascii): (Option<bool>, bool) = asked.get_result(&mut conn).await?;
    Ok(match is_valid {
        None => Some("there is no index of trigrams, since pg_trgm could not be installed"),
        Some(false) => Some("the index of trigrams is not complete"),
        Some(true) if is_ascii => {
            Some("the database's LC_CTYPE knows no letters but those of ASCII")
        }
        Some(true) => None,
    })
}
