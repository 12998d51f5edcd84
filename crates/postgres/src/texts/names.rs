//! Repairs the folded names of check-lists and graphic plans.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use futures_util::future::try_join_all;
use patrol_domain::{ids::Uuid, shared::text::fold};
use patrol_stored::{
    schema::{check_lists, graphic_plans},
    sql::{StoredId, id},
    texts::is_outdated,
};

use crate::{data_set::page, engine::Connection};

/// Declares the repair of tables with the columns `name` and `name_folded`.
macro_rules! tables {
    ($($table:ident),+) => {
        /// Writes the folded names where they are missing or outdated, unless another node has
        /// changed the record in the meantime.
        pub(crate) async fn repair(conn: &Connection) -> QueryResult<()> {
            $({
                let mut after: Option<Uuid> = None;
                loop {
                    let columns = ($table::id, $table::name, $table::name_folded);
                    let rows: Vec<(StoredId, String, Option<String>)> =
                        page!(conn, after, $table, $table::table.select(columns));
                    after = rows.last().and_then(|(last, ..)| last.get());
                    let outdated = rows.into_iter().filter_map(|(row, name, folded)| {
                        let row: Uuid = row.get()?;
                        is_outdated(&name, folded.as_deref()).then_some((row, name))
                    });
                    // Sent one after another without waiting for the answers.
                    let write = |(row, name): (Uuid, String)| async move {
                        let mut conn = conn;
                        diesel::update($table::table.find(id(row)))
                            .filter($table::name.eq(name.clone()))
                            .set($table::name_folded.eq(fold(&name)))
                            .execute(&mut conn)
                            .await
                    };
                    try_join_all(outdated.map(write)).await?;
                    if after.is_none() {
                        break;
                    }
                }
            })+
            Ok(())
        }
    };
}

tables!(check_lists, graphic_plans);
