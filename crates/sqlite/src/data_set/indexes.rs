//! Drops indexes and the search trigger during a large import, and rebuilds them at the end. A
//! sorted pass over the table builds an index at a fraction of the cost of random inserts.
//! Meanwhile texts are added to the search index in large parts.
//!
//! All of this is part of the import's transaction: others see either the old schema or the new
//! one.

use diesel::{
    connection::SimpleConnection,
    dsl::sql,
    prelude::*,
    sql_types::{Nullable, Text},
};

use crate::task_execution::search;

/// An index or a trigger in the schema.
#[derive(Queryable)]
struct Dependent {
    kind: String,
    name: String,
    sql: String,
    /// The planner statistics of an index. The migrations define them, and SQLite deletes them with
    /// the index.
    stat: Option<String>,
}

/// The dropped indexes and triggers, and the texts that the search index lacks.
pub(super) struct DroppedIndexes {
    dependents: Vec<Dependent>,
    /// Texts of executions from this row on are not in the search index yet.
    unsearched: i64,
}

impl DroppedIndexes {
    /// The number of executions whose texts are added together. Their rows are still in the page
    /// cache, and the index gets few parts to merge.
    const SEARCHED_TOGETHER: i64 = 8_192;

    /// Drops the non-unique indexes of the executions, and the trigger that maintains the search
    /// index. New executions have row keys from `row` on.
    pub(super) fn drop(conn: &mut SqliteConnection, row: i64) -> QueryResult<Self> {
        let dependents: Vec<Dependent> = sql::<(Text, Text, Text, Nullable<Text>)>(
            "SELECT known.type, known.name, known.sql, stats.stat
             FROM sqlite_schema known
             LEFT JOIN sqlite_stat1 stats ON stats.tbl = known.tbl_name AND stats.idx = known.name
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
        search::remove_from(conn, row)?;
        Ok(Self { dependents, unsearched: row })
    }

    /// Adds texts to the search index, if enough are missing. All executions before `row` are
    /// stored.
    pub(super) fn add_texts(&mut self, conn: &mut SqliteConnection, row: i64) -> QueryResult<()> {
        if row.saturating_sub(self.unsearched) >= Self::SEARCHED_TOGETHER {
            search::add(conn, self.unsearched..row)?;
            self.unsearched = row;
        }
        Ok(())
    }

    /// Restores everything. The last execution is before `row`.
    pub(super) fn restore(self, conn: &mut SqliteConnection, row: i64) -> QueryResult<()> {
        search::add(conn, self.unsearched..row)?;
        search::merge_all(conn)?;
        // A second thread sorts while this one reads the table. SQLite sorts in runs of the size
        // of the page cache, so a smaller cache (4 MiB) gives the second thread work early. The
        // connection is closed after the import, so the settings are not reset.
        conn.batch_execute("PRAGMA threads = 1; PRAGMA cache_size = -4096")?;
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
