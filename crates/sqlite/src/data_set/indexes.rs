//! What is left out while many executions come in, and made when all are there: indexes, of which a
//! sorted pass over the table makes one at a fraction of the cost of an entry at a random place for
//! each row, and the texts that are searched, which a trigger keeps up otherwise.
//!
//! All of it is part of the import's transaction. Others see either the old schema or the new one.

use diesel::{
    connection::SimpleConnection,
    prelude::*,
    sql_types::{BigInt, Nullable, Text},
};

/// An index or a trigger, as the schema has it.
#[derive(QueryableByName)]
struct Dependent {
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    sql: String,
    /// What the planner is told of an index. The migrations have written that down, and it goes with
    /// the index.
    #[diesel(sql_type = Nullable<Text>)]
    stat: Option<String>,
}

/// What is to be made again.
pub(super) struct LeftOut {
    dependents: Vec<Dependent>,
    /// The texts of executions from this row on are not searched yet.
    unsearched: i64,
}

impl LeftOut {
    /// Drops the indexes of the executions, but for those that keep values unique, and the trigger that
    /// has their texts searched. The executions that follow have this row and later ones.
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

    /// Makes everything as it was.
    pub(super) fn restore(self, conn: &mut SqliteConnection) -> QueryResult<()> {
        // A row may have been another execution's, which was removed.
        diesel::sql_query("DELETE FROM task_execution_texts WHERE rowid >= ?")
            .bind::<BigInt, _>(self.unsearched)
            .execute(conn)?;
        // As the migration of the search has it.
        diesel::sql_query(
            r"INSERT INTO task_execution_texts (rowid, texts)
              SELECT row, name_folded || char(10) || coalesce(description_folded, '') || char(10)
                  || json_extract(
                      replace(replace(json_quote(tags_folded), '\\', '\u005c'), '\u0000', '\n'), '$'
                  )
              FROM task_executions WHERE row >= ?",
        )
        .bind::<BigInt, _>(self.unsearched)
        .execute(conn)?;
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
