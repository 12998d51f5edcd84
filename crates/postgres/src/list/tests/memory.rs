//! Pages that are found in memory.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::StreamExt;
use patrol_domain::{
    List,
    ids::Uuid,
    list::{Direction, Page, Part, Query},
    task_execution::{ExecutionFilter, ExecutionList, ExecutionSort},
};
use patrol_repository::stored::list::Table;
use patrol_test_servers::postgres::execute;
use tokio::sync::{Semaphore, mpsc};

use super::{
    super::{
        memory::is_in,
        one_round_trip::expected,
        produce::{ListPlan, select},
    },
    CONNECTIONS, Copied,
    executions::FILL,
    filled, page, plan, sorted, tag,
};
use crate::{Store, engine::long_connections};

/// 200 of 20,000 executions, the latest first.
fn query() -> Query<ExecutionList> {
    let query = page::<ExecutionList>(vec![(ExecutionFilter::Tags, tag())]);
    sorted(query, ExecutionSort::StartAt, Direction::Descending)
}

async fn listed(store: &Store) -> (Vec<Uuid>, Option<u64>) {
    list(store, query()).await
}

async fn list(store: &Store, query: Query<ExecutionList>) -> (Vec<Uuid>, Option<u64>) {
    let (mut ids, mut total) = (Vec::new(), None);
    let mut list = store.list(query);
    while let Some(part) = list.next().await {
        match part.unwrap() {
            Part::Rows(rows) => ids.extend(rows.iter().map(|row| row.id.0)),
            Part::Total(count) => total = Some(count),
        }
    }
    (ids, total)
}

/// The page in one round trip, as memory knows it now. `None` when it has to be read from a snapshot.
async fn in_one_round_trip(store: &Store) -> Option<(Vec<Uuid>, Option<u64>)> {
    let last = store.last_seen();
    let expected = expected(&query().into(), store.memory(), last)?;
    let read = async |conn: Arc<_>| expected.read::<ExecutionList>(&conn, last).await;
    let (rows, total) = store.read(read).await.unwrap()?;
    Some((rows.iter().map(|row| row.id.0).collect(), Some(total)))
}

/// The page in one round trip. Transactions of other databases of the server, those of other tests,
/// also end a state, so that it may take several attempts.
async fn eventually_in_one_round_trip(store: &Store) -> (Vec<Uuid>, Option<u64>) {
    for _ in 0..500 {
        if let Some(page) = in_one_round_trip(store).await {
            return page;
        }
        listed(store).await;
    }
    panic!("no page was read in one round trip");
}

/// A change of the execution with this number, with its event.
fn change(url: &str, number: u32, change: &str) {
    let id = format!("lpad('{number}', 32, '0')::uuid");
    execute(
        url,
        &format!(
            "BEGIN;
            INSERT INTO events (id, at, type, resource_type, resource_id, size, changes)
            VALUES (gen_random_uuid(), now(), 'taskExecution.updated', 'taskExecution', {id}, 2, '[]');
            UPDATE task_executions SET {change} WHERE id = {id};
            COMMIT"
        ),
    );
}

#[tokio::test]
async fn a_page_is_read_in_one_round_trip_until_something_changes() {
    let (Copied { copy: database, .. }, store) = filled(FILL).await;
    assert!(in_one_round_trip(&store).await.is_none(), "nothing is known yet");
    let first = listed(&store).await;
    assert_eq!(first.0.len(), 50);
    assert_eq!(first.1, Some(200));
    assert_eq!(eventually_in_one_round_trip(&store).await, first);
    assert_eq!(listed(&store).await, first);

    let late = "start_at = '2030-01-01', end_at = '2030-01-02'";
    change(&database.url(), 7, late);
    assert!(in_one_round_trip(&store).await.is_none(), "an execution has moved");
    let moved = listed(&store).await;
    assert_eq!(moved.0.first(), Some(&Uuid::from_u128(7)));
    assert_eq!(moved.0.get(1..), first.0.get(..49));
    assert_eq!(eventually_in_one_round_trip(&store).await, moved);

    change(&database.url(), 7, "tags = '{}'");
    let less = listed(&store).await;
    assert_eq!((less.0, less.1), (first.0, Some(199)));

    // The event of a change is deleted before a list has seen it.
    change(&database.url(), 107, "tags = '{}'");
    change(&database.url(), 8, "edited = TRUE");
    execute(
        &database.url(),
        "DELETE FROM events WHERE position < (SELECT max(position) FROM events)",
    );
    assert_eq!(listed(&store).await.1, Some(198));

    // As an import does, without an event of the record.
    execute(
        &database.url(),
        "INSERT INTO events (id, at, type, resource_type, size, changes)
        VALUES (gen_random_uuid(), now(), 'dataSet.imported', 'dataSet', 2, '[]');
        UPDATE task_executions SET tags = '{}' WHERE start_at < '2026-01-05'",
    );
    // 58 of the 200 started before that day.
    assert_eq!(listed(&store).await.1, Some(142));
}

#[tokio::test]
async fn known_rows_are_not_looked_for_in_the_requested_order() {
    let (_database, store) = filled(FILL).await;
    let table = Table::of::<ExecutionList>();
    for rows in [1, 300] {
        let known = is_in(table, 19_000..19_000 + rows);
        let columns = table.columns.postgres;
        let one = Page { limit: 1, offset: 0 };
        let plan =
            plan(&store, &select(&query().into(), columns, &known, one, ListPlan::ByKey)).await;
        assert!(plan.contains("_by_row") && !plan.contains("_by_start"), "{plan}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_order_of_a_large_table_is_made_after_its_first_page() {
    let (Copied { copy: database, .. }, store) = filled(FILL).await;
    let large = "ALTER TABLE task_executions SET (autovacuum_enabled = false);
        UPDATE pg_class SET reltuples = 60000 WHERE oid = 'task_executions'::regclass";
    execute(&database.url(), large);
    let kept = || store.memory().metrics()[0].value.to_string();
    let query = || sorted(page(vec![]), ExecutionSort::StartAt, Direction::Descending);
    // Only the order is not in memory then.
    list(&store, Query { page: Page { limit: 0, offset: 0 }, ..query() }).await;
    // No connection for long lists is free until the page is answered.
    let (started, mut starts) = mpsc::channel(1);
    let answered = Arc::new(Semaphore::new(0));
    for _ in 0..long_connections(CONNECTIONS) {
        let (started, answered) = (started.clone(), Arc::clone(&answered));
        store.in_background(async move |_, _| {
            started.send(()).await.unwrap();
            answered.acquire().await.unwrap_err();
            Ok(())
        });
        starts.recv().await.unwrap();
    }
    let before = kept();
    let first = list(&store, query()).await;
    assert_eq!(kept(), before);
    answered.close();
    let begun = Instant::now();
    while kept() == before {
        assert!(begun.elapsed() < Duration::from_secs(120), "the order is made");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(list(&store, query()).await, first, "from memory");
    let long = Query { page: Page { limit: 1_000_000, offset: 0 }, ..query() };
    let (mut all, total) = list(&store, long).await;
    all.truncate(50);
    assert_eq!((all, total), first);
}
