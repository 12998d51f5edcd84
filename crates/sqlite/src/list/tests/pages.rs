//! Short pages of executions, which are found in memory, are parts of the long list, which SQLite
//! finds and sorts.

use std::{
    sync::mpsc,
    time::{Duration, Instant},
};

use diesel::connection::SimpleConnection;
use futures_util::StreamExt;
use patrol_domain::{
    List, Resource, StoreError,
    ids::Uuid,
    list::{Comparison, Condition, Direction, Membership, Page, Part, Query, Sort, Test},
    task_execution::{ExecutionFilter, ExecutionList, ExecutionSort},
};
use tempfile::TempDir;

use super::time;
use crate::{
    ProgramKind, Store,
    engine::{Abort, LONG_LISTS},
    revision,
    tests::{INSERT_EXECUTIONS, PLACE, settings},
};

/// Enough for several blocks of an index, and for more matches than are sorted without one.
const ROWS: u64 = 9_000;

/// Ids, names and times are in different orders. The tag `season` is on the latest executions, the
/// state 0 as well; 97 executions start at the same time.
fn fill() -> String {
    format!(
        "{PLACE}
        INSERT INTO locations (row, id, name, name_folded, address, address_folded, tags, tags_folded)
        SELECT 2, x'00000000000000000000000000000001', name, '', '', '', '[]', '' FROM locations;
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 9000)
        {INSERT_EXECUTIONS}
        SELECT n, unhex(printf('%032x', n * 7919 % 9001)), 1, zeroblob(16), NULL,
            CASE WHEN n % 50 = 0 THEN x'00000000000000000000000000000001' ELSE zeroblob(16) END,
            NULL, x'', x'', CASE WHEN n > 7000 THEN 0 WHEN n % 20 = 0 THEN 1 ELSE 2 END, NULL,
            n % 3, n % 90 <> 0, 0, 0, 0, 0, n / 97, n / 97 + 1, NULL, NULL, n % 5, 0, 1, 0,
            'round ' || (n * 31 % 700), 'round ' || (n * 31 % 700), '[]', '', NULL, NULL,
            n % 60 = 0
        FROM numbers;
        INSERT INTO task_execution_tags SELECT 'season', row FROM task_executions WHERE row > 6500;
        INSERT INTO task_execution_tags SELECT 'often', row FROM task_executions WHERE row % 3 > 0;
        INSERT INTO task_execution_tags SELECT 'rare', row FROM task_executions WHERE row % 800 = 0;"
    )
}

/// The times that belong to the states.
const TIMES: &str = "UPDATE task_executions SET
    started_at = CASE WHEN state > 0 THEN 0 END, ended_at = CASE WHEN state = 2 THEN 1 END";

/// What the log of changes has for a change of these rows.
const EVENTS: &str = "
    INSERT INTO events (id, at, type, resource_type, resource_id, size, changes)
    SELECT id, 0, 'taskExecution.updated', 'taskExecution', id, 2, '[]' FROM task_executions
    WHERE row IN ";

struct Trial {
    store: Store,
    _folder: TempDir,
}

type Listed = (Vec<Uuid>, u64);

impl Trial {
    async fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let settings = settings(&folder, ProgramKind::Command);
        let trial = Self { store: Store::open(&settings).unwrap(), _folder: folder };
        trial.write(fill(), 1).await;
        trial
    }

    /// Counts as this number of changes.
    async fn write(&self, sql: String, changes: i64) {
        let write = self.store.write(move |conn| {
            conn.batch_execute(&sql)?;
            conn.batch_execute(TIMES)?;
            Ok::<_, Abort<StoreError>>(revision::raise_by(conn, Resource::TaskExecution, changes)?)
        });
        write.await.unwrap();
    }

    /// Changes rows, with the events of these changes.
    async fn change(&self, rows: &str, changes: i64, sql: &str) {
        self.write(format!("{sql}; {EVENTS} ({rows});"), changes).await;
    }

    /// The memory of sets and orders, as its metric shows it.
    fn kept(&self) -> String {
        let [bytes, _] = self.store.caches().metrics();
        bytes.value.to_string()
    }

    async fn list(&self, query: Query<ExecutionList>) -> Listed {
        let (mut ids, mut total) = (Vec::new(), None);
        let mut list = self.store.list(query);
        while let Some(part) = list.next().await {
            match part.unwrap() {
                Part::Rows(rows) => ids.extend(rows.iter().map(|row| row.id.0)),
                Part::Total(count) => total = Some(count),
            }
        }
        (ids, total.unwrap())
    }

    /// Compares pages of all filters and sorts with the long list.
    async fn assert_pages(&self, when: &str) {
        for condition in conditions() {
            for sort in sorts() {
                let query = |page| Query {
                    sort: sort.clone(),
                    page,
                    ..Query::of(condition.clone(), time(0))
                };
                let (all, total) = self.list(query(Page { limit: 1_000_000, offset: 0 })).await;
                assert_eq!(u64::try_from(all.len()), Ok(total));
                for (limit, offset) in
                    [(50, 0), (1_000, 20), (7, total / 2), (50, total.saturating_sub(3)), (0, 0)]
                {
                    let page = Page { limit, offset };
                    let expected: Vec<_> = all
                        .iter()
                        .skip(usize::try_from(offset).unwrap())
                        .take(usize::try_from(limit).unwrap())
                        .copied()
                        .collect();
                    let found = self.list(query(page)).await;
                    assert_eq!(found, (expected, total), "{when}: {:?}", query(page));
                }
            }
        }
    }
}

fn sorts() -> Vec<Vec<Sort<ExecutionSort>>> {
    let by = |property, direction| vec![Sort { property, direction }];
    vec![
        vec![],
        by(ExecutionSort::Name, Direction::Descending),
        by(ExecutionSort::StartAt, Direction::Ascending),
        by(ExecutionSort::StartAt, Direction::Descending),
        by(ExecutionSort::ErrorCount, Direction::Descending),
    ]
}

fn conditions() -> Vec<Condition<ExecutionFilter>> {
    let is = Condition::Is;
    let state = |membership, codes: &[i16]| {
        is(ExecutionFilter::State, Test::Codes(membership, codes.to_vec()))
    };
    let tags = |membership, tags: &[&str]| {
        let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        is(ExecutionFilter::Tags, Test::Tags(membership, tags))
    };
    let start = |comparison, at| is(ExecutionFilter::StartAt, Test::Time(comparison, time(at)));
    let clock = |comparison, at| is(ExecutionFilter::StartAt, Test::Clock(comparison, time(at)));
    let delay = |than| is(ExecutionFilter::StartDelay, Test::Millis(Comparison::Greater, than));
    let any = Membership::Any;
    let none = Membership::None;
    vec![
        Condition::All(vec![]),
        Condition::Any(vec![]),
        state(any, &[2]),
        Condition::All(vec![state(any, &[0])]),
        Condition::All(vec![state(any, &[0, 1])]),
        state(none, &[2]),
        Condition::All(vec![tags(any, &["season"])]),
        Condition::All(vec![tags(any, &["often"]), state(any, &[0, 1])]),
        Condition::All(vec![tags(any, &["rare", "season"]), tags(none, &["often"])]),
        Condition::All(vec![tags(any, &["rare"])]),
        Condition::All(vec![
            Condition::All(vec![
                start(Comparison::GreaterOrEqual, 40),
                start(Comparison::Less, 60),
            ]),
            tags(any, &["often"]),
        ]),
        // Most rows, at the end of the order by start.
        Condition::All(vec![start(Comparison::Greater, 60), tags(any, &["often"])]),
        Condition::All(vec![start(Comparison::LessOrEqual, 60), tags(any, &["often"])]),
        Condition::All(vec![Condition::Any(vec![
            start(Comparison::NotEqual, 3),
            state(any, &[1]),
        ])]),
        is(ExecutionFilter::Location, Test::Ids(any, vec![Uuid::from_u128(1)])),
        is(ExecutionFilter::Location, Test::Ids(none, vec![Uuid::from_u128(1)])),
        Condition::All(vec![state(any, &[0]), clock(Comparison::Less, 80)]),
        Condition::All(vec![clock(Comparison::GreaterOrEqual, 90), tags(any, &["rare"])]),
        Condition::Any(vec![clock(Comparison::Less, 3), delay(-30)]),
        is(ExecutionFilter::Published, Test::Flag(false)),
        is(ExecutionFilter::Flagged, Test::Flag(true)),
        is(ExecutionFilter::Name, Test::Contains("round 1".to_owned())),
        Condition::All(vec![
            is(ExecutionFilter::Name, Test::Contains("nd 3".to_owned())),
            state(any, &[2]),
        ]),
        is(ExecutionFilter::User, Test::Ids(none, vec![Uuid::from_u128(1)])),
        is(ExecutionFilter::Id, Test::Ids(any, vec![Uuid::from_u128(5), Uuid::from_u128(6)])),
    ]
}

#[tokio::test]
async fn pages_are_parts_of_the_long_list_after_any_change() {
    let trial = Trial::new().await;
    trial.assert_pages("new").await;
    trial
        .change(
            "17, 2000, 8999",
            3,
            "UPDATE task_executions SET state = 1, start_at = 91, end_at = 95, name = 'a round 1',
                name_folded = 'a round 1', published = 0 WHERE row IN (17, 2000, 8999);
            DELETE FROM task_execution_tags WHERE row IN (17, 2000, 8999);
            INSERT INTO task_execution_tags VALUES ('season', 17), ('rare', 8999)",
        )
        .await;
    trial.assert_pages("after changes").await;
    trial
        .change(
            "SELECT row FROM task_executions WHERE row BETWEEN 100 AND 1500",
            1_401,
            "UPDATE task_executions SET state = 0, start_at = 200, end_at = 201,
                name = 'zone', name_folded = 'zone' WHERE row BETWEEN 100 AND 1500",
        )
        .await;
    trial.assert_pages("after many changes").await;
    trial
        .write(
            "INSERT INTO events (id, at, type, resource_type, resource_id, size, changes, removed_row)
            SELECT id, 0, 'taskExecution.deleted', 'taskExecution', id, 2, '[]', row
            FROM task_executions WHERE row = 8000;
            DELETE FROM task_executions WHERE row = 8000;
            DELETE FROM task_execution_tags WHERE row = 8000;"
                .to_owned(),
            1,
        )
        .await;
    trial.assert_pages("after a removal").await;
    // An older version of the program writes no events.
    trial.write("UPDATE task_executions SET state = 2 WHERE row = 7500".to_owned(), 1).await;
    trial.assert_pages("after a change without an event").await;
    assert!(trial.list(everything()).await.1 == ROWS - 1);
}

#[tokio::test]
async fn the_order_of_a_large_table_is_made_after_its_first_page() {
    // An order by a number is not kept.
    let is_kept =
        |sort: &Vec<Sort<_>>| sort.iter().all(|by| by.property != ExecutionSort::ErrorCount);
    for sort in sorts().into_iter().filter(is_kept) {
        let trial = &Trial::new().await;
        // The size of a table is its greatest key.
        let large = "UPDATE task_executions SET row = 60000 WHERE row = 9000;
            UPDATE task_execution_tags SET row = 60000 WHERE row = 9000;";
        trial.write(large.to_owned(), 1).await;
        // Only the order is not in memory then.
        trial.list(everything()).await;
        // No thread for long lists is free until the page is answered.
        let (started, starts) = mpsc::channel();
        let mut ends = Vec::new();
        for _ in 0..LONG_LISTS {
            let ((end, ended), started) = (mpsc::channel::<()>(), started.clone());
            trial.store.background().run(move |_| {
                started.send(()).unwrap();
                // The other end is dropped.
                ended.recv().unwrap_err();
                Ok(())
            });
            starts.recv_timeout(Duration::from_secs(30)).unwrap();
            ends.push(end);
        }
        let listed = async |limit| {
            let page = Page { limit, offset: 0 };
            trial.list(Query { sort: sort.clone(), page, ..everything() }).await
        };
        let kept = trial.kept();
        let first = listed(50).await;
        assert_eq!(trial.kept(), kept, "{sort:?}");
        drop(ends);
        let begun = Instant::now();
        while trial.kept() == kept {
            assert!(begun.elapsed() < Duration::from_secs(120), "the order is made: {sort:?}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(listed(50).await, first, "from memory");
        let (mut all, total) = listed(1_000_000).await;
        all.truncate(50);
        assert_eq!((all, total), first);
    }
}

fn everything() -> Query<ExecutionList> {
    Query { page: Page { limit: 0, offset: 0 }, ..Query::of(Condition::All(vec![]), time(0)) }
}
