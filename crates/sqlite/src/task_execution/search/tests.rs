//! The steps are small, and nothing is lost between them.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use diesel::connection::SimpleConnection;
use patrol_domain::StoreError;
use tempfile::TempDir;

use super::*;
use crate::{
    ProgramKind, Settings, Store,
    engine::Abort,
    tests::{INSERT_EXECUTIONS, PLACE, settings},
};

/// The maximum number of rows of a step. A group of 64 writes waits for a step, so it has to stay
/// small: with 1,000,000 executions a step of so many rows takes 9 ms.
const MAX_ROWS: i64 = 320;

/// The maximum number of rows and pages that a step writes or removes.
const MAX_CHANGES: i64 = 1_500;

/// The most pages of the index that a merge writes or removes.
const MAX_MERGED: i64 = 256;

fn store(folder: &TempDir) -> Store {
    Store::open(&Settings { queue: 5_000, ..settings(folder, ProgramKind::Server) }).unwrap()
}

/// Executions 1 to `count` whose names are `name`, their number, and more trigrams.
fn executions(count: usize, name: &str) -> String {
    format!(
        "{PLACE}
        WITH RECURSIVE many (row) AS (SELECT 1 UNION ALL SELECT row + 1 FROM many LIMIT {count})
        {INSERT_EXECUTIONS} SELECT row, unhex(printf('%032x', row)), 1, zeroblob(16), NULL,
            zeroblob(16), NULL, x'', x'', 0, NULL, 1, 1, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, 0, 0,
            '', '{name} ' || row || printf(' %x', row * 111111111111), '[]', '', NULL, NULL, 0 FROM many"
    )
}

fn count(conn: &mut SqliteConnection, sql: &str) -> i64 {
    number(conn, sql).unwrap().unwrap_or_default()
}

fn pending(conn: &mut SqliteConnection) -> i64 {
    count(conn, "SELECT count(*) AS value FROM task_execution_unsearched")
}

fn matches(conn: &mut SqliteConnection, pattern: &str) -> i64 {
    count(
        conn,
        &format!(
            "SELECT count(*) AS value FROM task_execution_texts
             WHERE task_execution_texts MATCH '{pattern}'"
        ),
    )
}

/// The changes that `step` makes, and what it returns.
fn changes<T>(
    conn: &mut SqliteConnection,
    step: impl FnOnce(&mut SqliteConnection) -> QueryResult<T>,
) -> (i64, T) {
    const CHANGES: &str = "SELECT total_changes() AS value";
    let before = count(conn, CHANGES);
    let result = step(conn).unwrap();
    (count(conn, CHANGES) - before, result)
}

#[tokio::test]
async fn steps_add_few_rows_each_and_in_the_end_all() {
    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    let done = store.exclusive(|conn| {
        conn.batch_execute(&executions(2_000, "round"))?;
        let mut steps = 0;
        while has_enough_pending(conn)? {
            let before = pending(conn);
            let (changes, ()) = changes(conn, add_pending);
            let added = before - pending(conn);
            assert!((1..=MAX_ROWS).contains(&added), "{added}");
            assert_eq!(matches(conn, "\"rou\""), 2_000 - pending(conn));
            assert!(changes <= MAX_CHANGES, "{changes}");
            steps += 1;
        }
        assert_eq!(steps, 6);
        assert!(pending(conn) < MIN_PENDING);
        add_pending(conn)?;
        assert_eq!((pending(conn), matches(conn, "\"rou\"")), (0, 2_000));
        Ok::<_, Abort<StoreError>>(())
    });
    done.await.unwrap();
}

#[tokio::test]
async fn a_step_adds_few_rows_with_long_texts_and_at_least_one() {
    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    let done = store.exclusive(|conn| {
        conn.batch_execute(&executions(300, "round"))?;
        let long = |characters: i64, rows: &str| {
            format!(
                "UPDATE task_executions SET description_folded = hex(zeroblob({}))
                 WHERE row IN ({rows})",
                characters / 2
            )
        };
        conn.batch_execute(&long(12 * 1024, "1, 2, 3, 4, 5, 6"))?;
        conn.batch_execute(&long(96 * 1024, "7"))?;
        let mut left = vec![pending(conn)];
        for _ in 0..4 {
            add_pending(conn)?;
            left.push(pending(conn));
        }
        // The change of row 7; three of the other six; three, and all new rows that are short; row
        // 7.
        assert_eq!(left, [307, 306, 303, 7, 6]);
        while pending(conn) > 0 {
            add_pending(conn)?;
        }
        assert_eq!((matches(conn, "\"rou\""), matches(conn, "\"000\"")), (300, 7));
        Ok::<_, Abort<StoreError>>(())
    });
    done.await.unwrap();
}

#[tokio::test]
async fn merging_writes_few_pages_at_a_time_until_there_is_nothing_to_merge() {
    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    let done = store.exclusive(|conn| {
        conn.batch_execute(&executions(9_000, "round"))?;
        let mut parts = 0;
        while pending(conn) > 0 {
            add_pending(conn)?;
            parts += 1;
        }
        assert!(parts > 16, "{parts}");
        let mut steps = 0;
        loop {
            let (changes, merged) = changes(conn, merge);
            if !merged {
                break;
            }
            assert!(changes <= MAX_MERGED, "{changes}");
            assert_eq!(matches(conn, "\"rou\""), 9_000);
            steps += 1;
        }
        assert!(steps > 2, "{steps}");
        Ok::<_, Abort<StoreError>>(())
    });
    done.await.unwrap();
}

#[tokio::test]
async fn writes_that_never_end_leave_few_rows_pending() {
    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    let rows = 500;
    let made = store.exclusive(move |conn| {
        Ok::<_, Abort<StoreError>>(conn.batch_execute(&executions(rows, "round"))?)
    });
    made.await.unwrap();
    let most = Arc::new(AtomicI64::new(0));
    let writes = (0..4_000).map(|at| {
        let most = Arc::clone(&most);
        store.write(move |conn| {
            most.fetch_max(pending(conn), Ordering::Relaxed);
            let row = at % rows + 1;
            conn.batch_execute(&format!(
                "UPDATE task_executions SET name_folded = 'tour {at}' WHERE row = {row}"
            ))?;
            Ok::<_, Abort<StoreError>>(())
        })
    });
    for written in futures_util::future::join_all(writes).await {
        written.unwrap();
    }
    // A step follows each group of 64 writes, and steps that add alternate with steps that merge.
    let most = most.load(Ordering::Relaxed);
    assert!(most < 900, "{most}");
    let counted = store.exclusive(|conn| {
        while pending(conn) > 0 {
            add_pending(conn)?;
        }
        let found = (matches(conn, "\"rou\""), matches(conn, "\"tou\""));
        Ok::<_, Abort<StoreError>>(found)
    });
    assert_eq!(counted.await.unwrap(), (0, 500));
}
