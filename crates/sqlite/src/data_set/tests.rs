//! Indexes and triggers are the same after an import.

use std::sync::mpsc;

use diesel::{
    QueryResult, QueryableByName, RunQueryDsl, SqliteConnection,
    connection::SimpleConnection,
    sql_types::{BigInt, Text},
};
use futures_util::StreamExt;
use patrol_domain::{
    List, Rule, StoreError, Timestamp, Version,
    access::Role,
    data_set::{DataSets, ImportError, NewUser, Record, RefusedLine},
    event::Origin,
    ids::{LocationId, PointId, ScheduledTaskId, StepId, TaskExecutionId, UserId, Uuid},
    list::{Condition, Page, Part, Query},
    location::Location,
    scheduled_task::ScheduledTask,
    task_execution::{ExecutionList, State, Step, TaskExecution},
    user::User,
};
use tempfile::TempDir;

use super::executions::{self, Executions};
use crate::{
    ProgramKind, Store, engine::Abort, task_execution::PreparedExecution, tests::settings,
};

/// Enough that the import drops the indexes.
const MANY: u64 = executions::MIN_FOR_REBUILD.unsigned_abs() + 400;

type Lines = Vec<Result<(u64, Record), String>>;

fn time(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis).unwrap()
}

fn id(number: u64) -> Uuid {
    Uuid::from_u128(0x0190_a000_0000_7000_8000_0000_0000_0000 | u128::from(number))
}

/// The records that executions refer to.
fn company() -> Lines {
    let location = Location::new(LocationId(id(1)), "Port");
    let task = ScheduledTask::new(ScheduledTaskId(id(1)), "Round");
    let user = |number| User::new(UserId(id(number)), "Anna", "Ivanova", "en", Role::Employee);
    let users = [user(1), user(2)].map(|user| Record::from(NewUser::from(user)));
    let records = [Record::Location(location), Record::from(task)].into_iter().chain(users);
    (1..).zip(records).map(Ok).collect()
}

fn execution(number: u64) -> Result<(u64, Record), String> {
    let step = Step {
        id: StepId(id(number)),
        series_id: None,
        point_id: Some(PointId(id(number % 7))),
        name: "Gate".to_owned(),
        order: 0,
        actual_order: None,
        started_at: None,
        ended_at: None,
        state: State::Pending,
        actions: Vec::new(),
    };
    let execution = TaskExecution {
        published: true,
        assignee_ids: vec![UserId(id(1 + number % 2))],
        tags: vec!["night".to_owned()],
        steps: vec![step],
        ..TaskExecution::new(
            TaskExecutionId(id(number)),
            ScheduledTaskId(id(1)),
            LocationId(id(1)),
            format!("Round {number} of many"),
            [time(1), time(2)],
        )
    };
    Ok((number + 10, Record::from(execution)))
}

fn open(folder: &TempDir, lock: ProgramKind) -> Store {
    Store::open(&settings(folder, lock)).unwrap()
}

async fn import(store: &Store, lines: Lines) -> Result<u64, ImportError> {
    Ok(store.import(Box::new(lines.into_iter()), Origin::of_program(time(77))).await?.records())
}

/// All indexes, triggers and planner statistics.
async fn schema(store: &Store) -> Vec<String> {
    #[derive(QueryableByName)]
    struct SchemaLine {
        #[diesel(sql_type = Text)]
        line: String,
    }
    let line = store.read(|conn| {
        let line: Vec<SchemaLine> = diesel::sql_query(
            "SELECT type || ' ' || name || ' ' || coalesce(sql, '') AS line FROM sqlite_schema
             UNION ALL
             SELECT tbl || ' ' || coalesce(idx, '') || ' ' || stat FROM sqlite_stat1 ORDER BY line",
        )
        .load(conn)?;
        Ok(line)
    });
    line.await.unwrap().into_iter().map(|line| line.line).collect()
}

/// The number of tag pairs, of point pairs and of assignee pairs, and how many of each have an
/// existing row with the value.
async fn pairs(store: &Store) -> [i64; 6] {
    #[derive(QueryableByName)]
    struct Pairs {
        #[diesel(sql_type = BigInt)]
        tags: i64,
        #[diesel(sql_type = BigInt)]
        right_tags: i64,
        #[diesel(sql_type = BigInt)]
        points: i64,
        #[diesel(sql_type = BigInt)]
        right_points: i64,
        #[diesel(sql_type = BigInt)]
        assignees: i64,
        #[diesel(sql_type = BigInt)]
        right_assignees: i64,
    }
    let pairs = store.read(|conn| {
        let pairs: Pairs = diesel::sql_query(
            "SELECT (SELECT count(*) FROM task_execution_tags) AS tags,
                 (SELECT count(*) FROM task_execution_tags JOIN task_executions USING (row)
                  WHERE tags = json_array(value)) AS right_tags,
                 (SELECT count(*) FROM task_execution_points) AS points,
                 (SELECT count(*) FROM task_execution_points JOIN task_executions USING (row)
                  WHERE point_ids = value) AS right_points,
                 (SELECT count(*) FROM task_execution_assignees) AS assignees,
                 (SELECT count(*) FROM task_execution_assignees JOIN task_executions USING (row)
                  WHERE assignee_ids = value) AS right_assignees",
        )
        .get_result(conn)?;
        let Pairs { tags, right_tags, points, right_points, assignees, right_assignees } = pairs;
        Ok([tags, right_tags, points, right_points, assignees, right_assignees])
    });
    pairs.await.unwrap()
}

/// The number of executions whose texts contain `term`.
async fn count(store: &Store, term: Option<&str>) -> u64 {
    let query: Query<ExecutionList> = Query {
        search: term.map(str::to_owned),
        page: Page { limit: 0, ..Page::default() },
        ..Query::of(Condition::All(Vec::new()), time(0))
    };
    let parts: Vec<_> = List::list(store, query).collect().await;
    match parts.last() {
        Some(Ok(Part::Total(total))) => *total,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_large_import_drops_the_indexes_and_the_trigger() {
    fn number(conn: &mut SqliteConnection, sql: &str) -> QueryResult<i64> {
        #[derive(QueryableByName)]
        struct Number {
            #[diesel(sql_type = BigInt)]
            value: i64,
        }
        diesel::sql_query(sql).get_result::<Number>(conn).map(|number| number.value)
    }
    let indexes = "SELECT count(*) AS value FROM pragma_index_list('task_executions')
        WHERE NOT \"unique\"";
    let triggers = "SELECT count(*) AS value FROM sqlite_schema
        WHERE type = 'trigger' AND name = 'task_executions_inserted'";
    let folder = TempDir::new().unwrap();
    let store = open(&folder, ProgramKind::Command);
    import(&store, company()).await.unwrap();
    let looked = store.exclusive(move |conn| -> Result<_, Abort<ImportError>> {
        let look = |conn: &mut SqliteConnection| -> QueryResult<[i64; 2]> {
            Ok([number(conn, indexes)?, number(conn, triggers)?])
        };
        let before = look(conn)?;
        let mut few = before;
        let mut executions = Executions::new(conn)?;
        for at in 1..=executions::MIN_FOR_REBUILD.unsigned_abs() + 1 {
            few = look(conn)?;
            let Ok((_, Record::TaskExecution(new))) = execution(at) else { unreachable!() };
            let execution = new.execution;
            let new = PreparedExecution::of(&execution)?;
            let row = executions.insert_row(conn, &new, Version(1))?;
            executions.insert_parts(conn, row, &new)?;
        }
        let many = look(conn)?;
        executions.finish(conn)?;
        Ok((before, few, many, look(conn)?))
    });
    let (before, few, many, after) = looked.await.unwrap();
    assert!(before[0] > 0 && before[1] == 1, "{before:?}");
    assert_eq!((few, many, after), (before, [0, 0], before));
}

#[tokio::test]
async fn a_large_import_restores_the_indexes_and_the_trigger() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder, ProgramKind::Command);
    let before = schema(&store).await;
    assert_eq!(import(&store, company()).await, Ok(4));
    // The second import adds its texts to the search in two parts.
    for (first, last) in [(1, MANY), (MANY + 1, 4 * MANY), (4 * MANY + 1, 4 * MANY + 5)] {
        let lines = (first..=last).map(execution).collect();
        assert_eq!(import(&store, lines).await, Ok(last + 1 - first));
        assert_eq!(schema(&store).await, before);
        assert_eq!(count(&store, None).await, last);
        assert_eq!(pairs(&store).await, [i64::try_from(last).unwrap(); 6]);
        assert_eq!(count(&store, Some("round")).await, last);
        for number in [first, last] {
            assert_eq!(count(&store, Some(&format!("round {number} "))).await, 1, "{number}");
        }
    }
}

#[tokio::test]
async fn a_large_import_with_an_unknown_location_names_its_line() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder, ProgramKind::Command);
    import(&store, company()).await.unwrap();
    let before = schema(&store).await;
    let mut lines: Lines = (1..=MANY).map(execution).collect();
    let Some(Ok((line, Record::TaskExecution(new)))) = lines.last_mut() else {
        panic!("the last line is an execution");
    };
    new.execution.location_id = LocationId(id(3));
    let expected = *line;
    match import(&store, lines).await {
        Err(ImportError::Refused { lines, unread: None }) => {
            assert_eq!(lines.iter().map(|refused| refused.line).collect::<Vec<_>>(), [expected]);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(schema(&store).await, before);
    assert_eq!(pairs(&store).await, [0; 6]);
}

#[tokio::test]
async fn rows_of_executions_that_were_removed_are_used_again() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder, ProgramKind::Command);
    import(&store, company()).await.unwrap();
    let lines = || (1..=MANY).map(execution).collect();
    import(&store, lines()).await.unwrap();
    let removed = store.write(|conn| -> Result<(), Abort<StoreError>> {
        let all = "DELETE FROM task_execution_tags; DELETE FROM task_execution_points;
            DELETE FROM task_execution_assignees; DELETE FROM task_executions";
        Ok(conn.batch_execute(all)?)
    });
    removed.await.unwrap();
    assert_eq!(count(&store, Some("round")).await, 0);
    assert_eq!(import(&store, lines()).await, Ok(MANY));
    assert_eq!(pairs(&store).await, [i64::try_from(MANY).unwrap(); 6]);
    assert_eq!(count(&store, Some("round")).await, MANY);
    assert_eq!(count(&store, Some(&format!("round {MANY} "))).await, 1);
}

#[tokio::test]
async fn an_import_that_fails_late_leaves_everything_as_it_was() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder, ProgramKind::Command);
    import(&store, company()).await.unwrap();
    import(&store, (1..=3).map(execution).collect()).await.unwrap();
    let before = schema(&store).await;
    let lines = (10..MANY + 10).chain([2]).map(execution).collect();
    let refused = import(&store, lines).await;
    let Err(ImportError::Refused { lines, unread: None }) = refused else { panic!("{refused:?}") };
    let [RefusedLine { line: 12, faults, .. }] = lines.as_slice() else { panic!("{lines:?}") };
    let [fault] = faults.as_slice() else { panic!("{faults:?}") };
    assert_eq!((fault.identifier.as_str(), &fault.rule), ("id", &Rule::Unique));
    let broken = (10..MANY + 10).map(execution).chain([Err("line 9: no".to_owned())]).collect();
    assert_eq!(import(&store, broken).await, Err(ImportError::Source("line 9: no".to_owned())));
    assert_eq!(schema(&store).await, before);
    assert_eq!(count(&store, None).await, 3);
    assert_eq!(count(&store, Some("round")).await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_continues_to_read_during_a_large_import() {
    let folder = TempDir::new().unwrap();
    let server = open(&folder, ProgramKind::Server);
    let command = open(&folder, ProgramKind::Command);
    import(&command, company()).await.unwrap();
    import(&command, vec![execution(1)]).await.unwrap();
    assert_eq!(count(&server, None).await, 1);
    let (go_on, waits) = mpsc::channel::<()>();
    let (begun, is_under_way) = tokio::sync::oneshot::channel();
    let mut begun = Some(begun);
    let lines = (2..=MANY).map(move |number| {
        if number == MANY
            && let Some(begun) = begun.take()
        {
            begun.send(()).unwrap();
            waits.recv().unwrap();
        }
        execution(number)
    });
    let importing =
        tokio::spawn(
            async move { command.import(Box::new(lines), Origin::of_program(time(77))).await },
        );
    is_under_way.await.unwrap();
    assert_eq!(count(&server, None).await, 1);
    assert_eq!(count(&server, Some("round 1 ")).await, 1);
    go_on.send(()).unwrap();
    importing.await.unwrap().unwrap();
    assert_eq!(count(&server, None).await, MANY);
    assert_eq!(count(&server, Some(&format!("round {MANY} "))).await, 1);
}
