//! Repairs the folded texts of users, points, check-lists, graphic plans and tasks, which lists
//! compare: an older version of the program does not write them, and a new version of Unicode can
//! fold a text differently. The folded texts of other tables are not repaired.

use diesel::prelude::*;
use futures_util::{FutureExt as _, future::BoxFuture};
use patrol_domain::{ids::Uuid, shared::text::fold};
use patrol_stored::{
    page,
    page::Place,
    point, scheduled_task,
    schema::{check_lists, graphic_plans, points, scheduled_tasks, users},
    sql::{StoredId, columns, id},
    statement::update,
    texts::is_outdated,
    user,
};

use crate::Connection;

/// Whether texts are missing or outdated. Only reads. Boxed, because the compiler cannot show of a known
/// connection that the future is `Send` (rust-lang/rust#100013).
///
/// # Errors
/// Those of the database.
pub fn are_outdated(conn: &impl Connection) -> BoxFuture<'_, QueryResult<bool>> {
    check_all(conn, Mode::Find).boxed()
}

/// Writes the texts where they are missing or outdated, unless a record has changed in the meantime.
///
/// # Errors
/// Those of the database.
pub fn repair(conn: &impl Connection) -> BoxFuture<'_, QueryResult<()>> {
    async { check_all(conn, Mode::Repair).await.map(drop) }.boxed()
}

/// What to do with outdated texts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Stop at the first one.
    Find,
    Repair,
}

/// Returns whether it found outdated texts and stopped.
async fn check_all(conn: &impl Connection, mode: Mode) -> QueryResult<bool> {
    let is_done = |found| found && mode == Mode::Find;
    Ok(is_done(of_users(conn, mode).await?)
        || is_done(of_points(conn, mode).await?)
        || is_done(of_check_lists(conn, mode).await?)
        || is_done(of_graphic_plans(conn, mode).await?)
        || is_done(of_scheduled_tasks(conn, mode).await?))
}

/// Declares the check of a table: the columns to read, their type, and the right texts if those of the row
/// are outdated.
macro_rules! check_table {
    ($name:ident, $table:ident, $columns:expr, $read:ty, $outdated:expr) => {
        async fn $name(conn: &impl Connection, mode: Mode) -> QueryResult<bool> {
            let (mut after, mut found) = (Place::Start, false);
            loop {
                let query = page!($table, ($table::version, $columns), after);
                let rows: Vec<(i64, StoredId, (i64, $read))> = conn.load(query).await?;
                let Some((row, last, _)) = rows.last() else { return Ok(found) };
                after = Place::after(*row, *last);
                let mut updates = Vec::new();
                for (_, record, (version, read)) in rows {
                    let (Some(record), Some(texts)) = (record.get::<Uuid>(), $outdated(read))
                    else {
                        continue;
                    };
                    let same = $table::id.eq(id(record)).and($table::version.eq(version));
                    updates.push(update($table::table, same, texts));
                }
                found |= !updates.is_empty();
                if found && mode == Mode::Find {
                    return Ok(true);
                }
                conn.execute_all(updates).await?;
            }
        }
    };
}

check_table!(
    of_users,
    users,
    (columns::<user::Read>(), columns::<user::Folded>()),
    (user::Read, user::Folded),
    user::outdated
);
check_table!(
    of_points,
    points,
    (columns::<point::Read>(), columns::<point::Folded>()),
    (point::Read, point::Folded),
    point::outdated
);
check_table!(
    of_scheduled_tasks,
    scheduled_tasks,
    columns::<scheduled_task::Unfolded>(),
    scheduled_task::Unfolded,
    scheduled_task::Unfolded::outdated
);
check_table!(
    of_check_lists,
    check_lists,
    (check_lists::name, check_lists::name_folded),
    Name,
    |name| { folded(name).map(|folded| check_lists::name_folded.eq(folded)) }
);
check_table!(
    of_graphic_plans,
    graphic_plans,
    (graphic_plans::name, graphic_plans::name_folded),
    Name,
    |name| folded(name).map(|folded| graphic_plans::name_folded.eq(folded))
);

/// A name, and its stored folded form.
type Name = (String, Option<String>);

/// The right folded form of a name, if the stored one is missing or outdated.
fn folded((name, stored): Name) -> Option<String> {
    is_outdated(&name, stored.as_deref()).then(|| fold(&name))
}
