//! Drops indexes and the search trigger during a large import, and rebuilds them at the end. A
//! sorted pass over the table builds an index at a fraction of the cost of random inserts.
//!
//! All of this is part of the import's transaction: others see either the old schema or the new
//! one.

use diesel::{
    connection::SimpleConnection,
    prelude::*,
    sql_types::{Nullable, Text},
};

use crate::task_execution::search;

/// An index or a trigger in the schema.
#[derive(QueryableByName)]
struct Dependent {
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    sql: String,
    /// The planner statistics of an index. The migrations define them, and SQLite deletes them with
    /// the index.
    #[diesel(sql_type = Nullable<Text>)]
    stat: Option<String>,
}

/// What has to be restored.
pub(super) struct LeftOut {
    dependents: Vec<Dependent>,
    /// Texts of executions from this row on are not in the search index yet.
    unsearched: i64,
}

impl LeftOut {
    /// Drops the non-unique indexes of the executions, and the trigger that maintains the search
    /// index. New executions have row keys from `row` on.
    pub(super) fn drop(conn: &mut SqliteConnection, row: i64) -> QueryResult<Self> {
        let dependents: Vec<Dependent> = diesel::sql_query(
            "SELECT known.type AS kind, known.name, known.sql, told.stat
             FROM sqlite_schema known
             LEFT JOIN sqlite_stat1 told ON told.tbl = known.tbl_name AND told.idx = known.name
             WHERE known.tbl_name = 'task_executions' AND known.sql IS NOT NULL AND (
                 known.name = 'task_executions_inserted'
                 OR known.name IN (
                     SELECT name FROM pragma_index_list('task_executions') WHERE NOT \"unique\"
                 )
             )
             ORDER BY known.type, known.name",
        )
        .load(conn)?;
        for Dependent { kind, name, .. } in &dependents {
            let name = name.replace('"', "\"\"");
            conn.batch_execute(&format!("DROP {kind} \"{name}\""))?;
        }
        Ok(Self { dependents, unsearched: row })
    }

    /// Restores everything.
    pub(super) fn restore(self, conn: &mut SqliteConnection) -> QueryResult<()> {
        search::add_many(conn, self.unsearched)?;
        for Dependent { kind: _, name, sql, stat } in self.dependents {
            conn.batch_execute(&sql)?;
            if let Some(stat) = stat {
                diesel::sql_query(
                    "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('task_executions', ?, ?)",
                )
                .bind::<Text, _>(name)
                .bind::<Text, _>(stat)
                .execute(conn)?;
            }
        }
        Ok(())
    }
}
