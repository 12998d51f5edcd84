//! The keys of rows.

use diesel::{QueryResult, RunQueryDsl, SqliteConnection, define_sql_function, sql_types::BigInt};
use patrol_domain::{Resource, ids::Uuid};
use patrol_repository::stored::tables::Tables;

use crate::list::{Bind, Select as _, Sql};

define_sql_function! {
    /// The key of the last row that the connection inserted.
    fn last_insert_rowid() -> BigInt;
}

/// The key of the row that the connection inserted last.
pub(crate) fn last_inserted(conn: &mut SqliteConnection) -> QueryResult<i64> {
    diesel::select(last_insert_rowid()).get_result(conn)
}

/// The key of the row of a record, if it exists.
pub(crate) fn row_of(
    conn: &mut SqliteConnection,
    kind: Resource,
    id: Uuid,
) -> QueryResult<Option<i64>> {
    let Some(tables) = Tables::of(kind) else { return Ok(None) };
    let mut sql = Sql::of(&["SELECT row FROM ", tables.records, " WHERE id = "]);
    sql.bind(Bind::id(id));
    BigInt::rows(sql, conn)?.next().transpose()
}
