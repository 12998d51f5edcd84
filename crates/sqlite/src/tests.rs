//! Tests of stored data that the ports do not show.

use diesel::{
    QueryResult, RunQueryDsl, SqliteConnection,
    connection::SimpleConnection,
    prelude::QueryableByName,
    sql_types::{BigInt, Text},
};
use futures_util::StreamExt;
use patrol_domain::{
    Delete, Edit, Existing, Get, List, References, StoreError, Target, Timestamp, Update,
    access::{Digest, NewToken, Role, Token, Tokens},
    data_set::{DataSets, NewUser, Record},
    event::{EventQuery, Events, Origin, Resource, of_record},
    ids::{LocationId, MediaId, PointId, ScheduledTaskId, TaskExecutionId, TokenId, UserId, Uuid},
    list::{Condition, Listed, Query},
    location::{Location, LocationList},
    point::{HistoryList, Point, PointType},
    scheduled_task::ScheduledTask,
    task_execution::TaskExecution,
    user::{User, UserStatus},
};
use patrol_repository::Repository;
use tempfile::TempDir;

use crate::{ProgramKind, Settings, Store, engine::Abort};

const ID: Uuid = Uuid::from_u128(0x0190_a000_0000_7000_8000_0000_0000_0001);

/// Inserts the location and the scheduled task of executions.
pub(crate) const PLACE: &str = "
    INSERT INTO locations (row, id, name, name_folded, address, address_folded, tags, tags_folded)
    VALUES (1, zeroblob(16), '', '', '', '', '[]', '');
    INSERT INTO scheduled_tasks (row, id, name) VALUES (1, zeroblob(16), '');";

/// Begins the statement that inserts executions. Columns that were added later have defaults.
pub(crate) const INSERT_EXECUTIONS: &str = "
    INSERT INTO task_executions (row, id, version, scheduled_task_id, series_id, location_id,
        performer_id, assignee_ids, point_ids, state, status, priority, published,
        order_steps_required, strict_time_required, deadlined, edited, start_at, end_at, started_at,
        ended_at, error_count, warning_count, step_count, executed_step_count, name, name_folded,
        tags, tags_folded, description, description_folded, flag_count)";

/// Settings of a small store in this folder.
pub(crate) fn settings(folder: &TempDir, lock: ProgramKind) -> Settings {
    Settings {
        path: folder.path().join("a.db"),
        readers: 1,
        queue: 8,
        lock,
        wal_limit: 1 << 30,
        list_memory: 1 << 26,
    }
}

fn time(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis).unwrap()
}

/// One record of each kind that others refer to, all with the same id.
fn records() -> Vec<Record> {
    let location = Location::new(LocationId(ID), "Port");
    let user = User { linked: true, ..User::new(UserId(ID), "Anna", "Ivanova", "en", Role::Admin) };
    let point = Point {
        qr_code: Some("Ё".to_owned()),
        tags: vec!["a".to_owned(), "b".to_owned()],
        ..Point::new(PointId(ID), LocationId(ID), "Gate", PointType::Qr)
    };
    let task = ScheduledTask::new(ScheduledTaskId(ID), "Round");
    vec![
        Record::Location(location),
        NewUser { user, password_hash: Some("$argon2id$".to_owned()) }.into(),
        Record::Point(Box::new(point)),
        Record::from(task),
        Record::from(execution()),
    ]
}

fn execution() -> TaskExecution {
    let (id, task, location) = (TaskExecutionId(ID), ScheduledTaskId(ID), LocationId(ID));
    let period = [time(1), time(2)];
    TaskExecution { published: true, ..TaskExecution::new(id, task, location, "Round", period) }
}

async fn filled(folder: &TempDir) -> Store {
    let store = Store::open(&settings(folder, ProgramKind::Server)).unwrap();
    let lines = (1..).zip(records()).map(Ok);
    store.import(Box::new(lines), Origin::of_program(time(77))).await.unwrap();
    store
}

async fn execute(store: &Store, sql: &'static str) {
    let run =
        move |conn: &mut SqliteConnection| Ok::<_, Abort<StoreError>>(conn.batch_execute(sql)?);
    store.write(run).await.unwrap();
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Text)]
    text: String,
    #[diesel(sql_type = BigInt)]
    number: i64,
}

/// The columns `text` and `number` of the rows of `sql`.
async fn found(store: &Store, sql: &'static str) -> Vec<(String, i64)> {
    let load = move |conn: &mut SqliteConnection| {
        let rows: QueryResult<Vec<Found>> = diesel::sql_query(sql).load(conn);
        Ok(rows?.into_iter().map(|Found { text, number }| (text, number)).collect())
    };
    store.read(load).await.unwrap()
}

#[tokio::test]
async fn an_unreadable_value_is_reported_with_table_column_and_row() {
    for (damage, table, column) in [
        ("UPDATE task_executions SET state = 9", "task_executions", "state"),
        ("UPDATE task_executions SET state = 1", "task_executions", "state"),
        ("UPDATE task_executions SET priority = -1", "task_executions", "priority"),
        ("UPDATE task_executions SET end_at = 1 << 60", "task_executions", "end_at"),
        ("UPDATE task_executions SET assignee_ids = x'00'", "task_executions", "assignee_ids"),
        ("UPDATE task_executions SET series_id = x'00'", "task_executions", "series_id"),
        ("UPDATE task_executions SET tags = '[1]'", "task_executions", "tags"),
        ("UPDATE task_execution_steps SET document = x'5b'", "task_execution_steps", "document"),
        ("DELETE FROM task_execution_steps", "task_execution_steps", "document"),
    ] {
        let folder = TempDir::new().unwrap();
        let store = filled(&folder).await;
        execute(&store, damage).await;
        let read = Get::<TaskExecution>::get(&Repository(store.clone()), TaskExecutionId(ID)).await;
        let Err(StoreError::Corrupt { table: in_table, column: in_column, row, .. }) = read else {
            panic!("{damage}: {read:?}");
        };
        assert_eq!((in_table, in_column, row), (table, column, ID.to_string()), "{damage}");
    }
}

#[tokio::test]
async fn an_imported_point_begins_its_history() {
    let folder = TempDir::new().unwrap();
    let store = filled(&folder).await;
    let history = "SELECT name_folded || ' ' || qr_code_folded || ' ' || operation || ' ' || tags
        AS text, recorded_at AS number FROM point_history WHERE hex(id) LIKE '0190A000%'";
    let record = (r#"gate ё 0 ["a","b"]"#.to_owned(), 77);
    assert_eq!(found(&store, history).await, [record]);
    let tags = "SELECT value AS text, row AS number FROM point_history_tags";
    assert_eq!(found(&store, tags).await, [("a".to_owned(), 1), ("b".to_owned(), 1)]);
}

#[tokio::test]
async fn a_point_is_not_changed_without_its_record() {
    let folder = TempDir::new().unwrap();
    let store = filled(&folder).await;
    let before = Get::<Point>::get(&Repository(store.clone()), PointId(ID)).await;
    // The tags of the record are the last write of a change.
    let full = "CREATE TRIGGER full BEFORE INSERT ON point_history_tags
        BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END";
    execute(&store, full).await;
    let points = Repository(store.clone());
    let update = || {
        let renamed = |point: &Point, _: &Existing| {
            Ok(Some(Point { name: "New".to_owned(), ..point.clone() }))
        };
        let at = Target::any_version(PointId(ID));
        let edit = Edit { at, references: References::default(), change: Box::new(renamed) };
        Update::<Point>::update(&points, edit, Origin::of_program(time(78)))
    };
    let unavailable = StoreError::Unavailable("database or disk is full".to_owned());
    assert_eq!(update().await, Err(unavailable.clone().into()));
    let at = Target::<Point>::any_version(PointId(ID));
    let deleted = Delete::delete(&points, at, Origin::of_program(time(78))).await;
    assert_eq!(deleted, Err(unavailable.into()));
    assert_eq!(Get::<Point>::get(&Repository(store.clone()), PointId(ID)).await, before);
    let history = "SELECT name AS text, history_id AS number FROM point_history";
    assert_eq!(found(&store, history).await, [("Gate".to_owned(), 1)]);
    execute(&store, "DROP TRIGGER full").await;
    update().await.unwrap();
    assert_eq!(found(&store, history).await, [("Gate".to_owned(), 1), ("New".to_owned(), 2)]);
}

#[tokio::test]
async fn an_unreadable_list_is_reported_with_its_column() {
    for (damage, table, column) in [
        ("UPDATE point_history SET operation = 3", "point_history", "operation"),
        ("UPDATE point_history SET recorded_at = 1 << 60", "point_history", "recorded_at"),
        ("UPDATE point_history SET graphic_plans = '{}'", "point_history", "graphic_plans"),
        ("UPDATE point_history SET latitude = 1", "point_history", "longitude"),
        ("UPDATE locations SET tags = '[1]'", "locations", "tags"),
        (
            "INSERT INTO graphic_plans (id, location_id, name) SELECT x'00', id, 'a' FROM locations",
            "graphic_plans",
            "id",
        ),
    ] {
        let folder = TempDir::new().unwrap();
        let store = filled(&folder).await;
        execute(&store, damage).await;
        let error = if table == "point_history" {
            List::list(&store, all::<HistoryList>()).map(Result::err).collect::<Vec<_>>().await
        } else {
            List::list(&store, all::<LocationList>()).map(Result::err).collect().await
        };
        let [Some(StoreError::Corrupt { table: in_table, column: in_column, row, .. })] =
            error.as_slice()
        else {
            panic!("{damage}: {error:?}");
        };
        assert_eq!((*in_table, *in_column, row), (table, column, &ID.to_string()), "{damage}");
    }
}

fn all<L: Listed>() -> Query<L> {
    Query::of(Condition::All(Vec::new()), time(0))
}

#[tokio::test]
async fn numbers_of_the_history_are_never_reused() {
    let folder = TempDir::new().unwrap();
    let store = filled(&folder).await;
    execute(&store, "DELETE FROM point_history; DELETE FROM points;").await;
    let point = records().swap_remove(2);
    store
        .import(Box::new([Ok((1, point))].into_iter()), Origin::of_program(time(78)))
        .await
        .unwrap();
    let history = "SELECT name AS text, history_id AS number FROM point_history";
    assert_eq!(found(&store, history).await, [("Gate".to_owned(), 2)]);
}

#[tokio::test]
async fn every_aggregate_that_is_changed_is_counted() {
    let folder = TempDir::new().unwrap();
    let store = filled(&folder).await;
    let changes = "SELECT aggregate AS text, changes AS number FROM revision WHERE changes > 0";
    let once = ["location", "point", "scheduled_task", "task_execution", "user"];
    let once = once.map(|aggregate| (aggregate.to_owned(), 1));
    assert_eq!(found(&store, changes).await, once);
    let at = Target::any_version(TaskExecutionId(ID));
    let same = |stored: &TaskExecution, _: &Existing| Ok(Some(stored.clone()));
    let edit = Edit { at, references: References::default(), change: Box::new(same) };
    Repository(store.clone()).update(edit, Origin::of_program(Timestamp::LAST)).await.unwrap();
    assert_eq!(found(&store, changes).await, once, "nothing that a list shows has changed");
    Delete::<TaskExecution>::delete(
        &Repository(store.clone()),
        Target::any_version(TaskExecutionId(ID)),
        Origin::of_program(Timestamp::LAST),
    )
    .await
    .unwrap();
    let of_executions = "SELECT aggregate AS text, changes AS number FROM revision
        WHERE aggregate = 'task_execution'";
    assert_eq!(found(&store, of_executions).await, [("task_execution".to_owned(), 2)]);
}

/// More events than one statement searches for those of one record.
const EVENTS: &str = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 90000) \
    INSERT INTO events (position, id, at, type, resource_type, resource_id, size, changes) \
    SELECT 1000 + i, zeroblob(16), i, 'point.updated', 'point', \
    CASE WHEN i % 7000 = 1 THEN x'0190a000000070008000000000000001' ELSE randomblob(16) END, \
    2, '[]' FROM n";

#[tokio::test]
async fn the_events_of_a_record_are_found_among_many() {
    let folder = TempDir::new().unwrap();
    let store = filled(&folder).await;
    execute(&store, EVENTS).await;
    let page = async |after, limit| {
        let condition = of_record(Resource::Point, ID);
        let page = Events::page(&Repository(store.clone()), EventQuery { after, limit, condition })
            .await
            .unwrap();
        let positions: Vec<i64> = page.events.iter().map(|event| event.position).collect();
        (positions, page.next, page.more)
    };
    let all: Vec<i64> = (0..13).map(|number| 1001 + 7000 * number).collect();
    let (first, rest) = all.split_at(5);
    assert_eq!(page(0, 20).await, (all.clone(), 91_000, false));
    assert_eq!(page(0, 5).await, (first.to_vec(), 29_001, true));
    assert_eq!(page(29_001, 8).await, (rest.to_vec(), 91_000, false));
    assert_eq!(page(91_000, 8).await, (Vec::new(), 91_000, false));
}

#[tokio::test]
async fn a_token_shows_the_status_of_its_user() {
    let folder = TempDir::new().unwrap();
    let store = filled(&folder).await;
    let token = Token {
        id: TokenId(ID),
        user_id: UserId(ID),
        name: "t".to_owned(),
        created_at: time(1),
        expires_at: None,
        last_used_at: None,
    };
    let digest = Digest([7; 32]);
    Tokens::create(
        &Repository(store.clone()),
        NewToken { token, digest, max_tokens: 1 },
        Origin::of_program(Timestamp::LAST),
    )
    .await
    .unwrap();
    let status =
        async || Repository(store.clone()).owner(digest).await.unwrap().map(|owner| owner.status);
    assert_eq!(status().await, Some(UserStatus::Active));
    execute(&store, "UPDATE users SET status = 1").await;
    assert_eq!(status().await, Some(UserStatus::Inactive));
}

#[tokio::test]
async fn users_are_exported_with_their_photo_id_and_without_password() {
    let folder = TempDir::new().unwrap();
    let store = filled(&folder).await;
    execute(&store, "UPDATE users SET photo_id = id").await;
    let photo = Get::<User>::get(&Repository(store.clone()), UserId(ID))
        .await
        .unwrap()
        .and_then(|user| user.record.photo_id);
    assert_eq!(photo, Some(MediaId(ID)));
    let batches: Vec<_> = store.export().collect().await;
    let records = batches.into_iter().flat_map(Result::unwrap);
    let users: Vec<_> = records
        .filter_map(|record| match record {
            Record::User(new) => Some((new.user.photo_id, new.password_hash)),
            _ => None,
        })
        .collect();
    assert_eq!(users, [(Some(MediaId(ID)), None)]);
}

#[tokio::test]
async fn hashes_of_passwords_are_kept_apart_from_the_users() {
    let folder = TempDir::new().unwrap();
    let store = filled(&folder).await;
    assert!(
        Get::<User>::get(&Repository(store.clone()), UserId(ID))
            .await
            .unwrap()
            .is_some_and(|user| user.record.linked)
    );
    let hashes = "SELECT hash AS text, user_row AS number FROM passwords";
    assert_eq!(found(&store, hashes).await, [("$argon2id$".to_owned(), 1)]);
}
