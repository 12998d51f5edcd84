//! Lists over a test table.

mod abandoned;
mod meaning;
mod pages;
mod query_plans;
mod search;

use std::time::Duration;

use diesel::{
    Connection, Queryable, QueryableByName, RunQueryDsl, SqliteConnection,
    connection::SimpleConnection,
    sql_types::{BigInt, Binary, Integer, Nullable, Text},
};
use futures_util::StreamExt;
use patrol_domain::{
    List, Resource, StoreError, Timestamp,
    list::{Condition, Listed, Membership, Page, Part, Query, SortProperty, Test},
};
use patrol_repository::stored::list::{Column, ListTable, SortKey, Text as Both};
use tempfile::TempDir;
use uuid::Uuid;

use crate::{ProgramKind, Settings, Store, engine::Abort, revision, tests::settings};

#[derive(Clone, Debug)]
struct Things;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Property {
    Name,
    Owner,
    Rank,
    At,
    Tags,
    Users,
    /// An expression that may fail in SQLite.
    Distance,
}

#[derive(Clone, PartialEq, Debug)]
struct Thing {
    id: Uuid,
    name: String,
    owner: Option<Uuid>,
    rank: Option<i64>,
    at: Option<i64>,
    tags: Vec<String>,
    users: Vec<Uuid>,
}

impl SortProperty for Property {
    const NAMED: &'static [(&'static str, Self)] = &[];
}

impl Listed for Things {
    type Filter = Property;
    type Sort = Property;
    type Item = Uuid;

    fn bytes(item: &Uuid) -> usize {
        size_of_val(item)
    }
}

#[derive(Queryable)]
struct Read {
    id: Vec<u8>,
    name: String,
}

impl ListTable for Things {
    const KEY: &'static str = "thing.row";
    const SEARCH: &'static [&'static str] =
        &["name", "(SELECT group_concat(value, char(10)) FROM thing_tag WHERE row = thing.row)"];
    const FROM: &'static str = "thing";
    const COLUMNS: Both = Both::same("id, name");
    const KIND: Resource = Resource::CheckList;
    type SqlType = (Binary, Text);
    type Row = Read;

    fn column(filter: Property) -> Column {
        match filter {
            Property::Name => Column::Plain("name"),
            Property::Owner => Column::Plain("owner"),
            Property::Rank => Column::Plain("rank"),
            Property::At => Column::Plain("at"),
            Property::Tags => Column::Set { table: "thing_tag", array: "", or: None },
            Property::Users => Column::Set { table: "thing_user", array: "", or: Some("owner") },
            Property::Distance => Column::Plain("coalesce(abs(rank), 0)"),
        }
    }

    fn item(Read { id, name }: Read) -> Result<Uuid, StoreError> {
        if name == "corrupt" {
            return Err(StoreError::Internal("corrupt".to_owned()));
        }
        Ok(Uuid::from_slice(&id).unwrap())
    }

    fn sort(sort: Property) -> SortKey {
        match sort {
            Property::Name => SortKey::of("name"),
            Property::Owner => SortKey::nullable("owner"),
            Property::Rank => SortKey::nullable("rank"),
            Property::At => SortKey::nullable("at"),
            Property::Distance => SortKey::of("abs(:now - coalesce(at, :now))"),
            Property::Tags | Property::Users => SortKey::of("id"),
        }
    }
}

struct Trial {
    store: Store,
    folder: TempDir,
}

impl Trial {
    async fn new(things: Vec<Thing>) -> Self {
        let folder = TempDir::new().unwrap();
        // Without time limits, because a busy machine is slow.
        let settings = settings(&folder, ProgramKind::Command);
        let store = Store::open(&Settings { readers: 2, queue: 64, ..settings }).unwrap();
        let tables = "CREATE TABLE thing (
                row INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, name TEXT NOT NULL, owner BLOB,
                rank INTEGER, at INTEGER
            ) STRICT;
            CREATE TABLE thing_tag (
                value TEXT, row INTEGER, PRIMARY KEY (value, row)
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE thing_user (
                value BLOB, row INTEGER, PRIMARY KEY (value, row)
            ) STRICT, WITHOUT ROWID;";
        let filled = store.write(move |conn| {
            conn.batch_execute(tables)?;
            for (row, thing) in (1..).zip(&things) {
                insert(conn, row, thing)?;
            }
            Ok::<_, Abort<StoreError>>(())
        });
        filled.await.unwrap();
        Self { store, folder }
    }

    async fn list(&self, query: Query<Things>) -> (Vec<Uuid>, u64) {
        let parts: Vec<_> = self.store.list(query).collect().await;
        let mut ids = Vec::new();
        let (last, rows) = parts.split_last().unwrap();
        for part in rows {
            let Ok(Part::Rows(rows)) = part else { panic!("{part:?}") };
            assert!(!rows.is_empty());
            ids.extend(rows);
        }
        let Ok(Part::Total(total)) = last else { panic!("{last:?}") };
        (ids, *total)
    }
}

fn insert(conn: &mut SqliteConnection, row: i64, thing: &Thing) -> Result<(), Abort<StoreError>> {
    diesel::sql_query("INSERT INTO thing VALUES (?, ?, ?, ?, ?, ?)")
        .bind::<BigInt, _>(row)
        .bind::<Binary, _>(thing.id.as_bytes().as_slice())
        .bind::<Text, _>(&thing.name)
        .bind::<Nullable<Binary>, _>(thing.owner.map(|id| id.into_bytes().to_vec()))
        .bind::<Nullable<BigInt>, _>(thing.rank)
        .bind::<Nullable<BigInt>, _>(thing.at)
        .execute(conn)?;
    for tag in &thing.tags {
        diesel::sql_query("INSERT INTO thing_tag VALUES (?, ?)")
            .bind::<Text, _>(tag)
            .bind::<BigInt, _>(row)
            .execute(conn)?;
    }
    for user in &thing.users {
        diesel::sql_query("INSERT INTO thing_user VALUES (?, ?)")
            .bind::<Binary, _>(user.as_bytes().as_slice())
            .bind::<BigInt, _>(row)
            .execute(conn)?;
    }
    Ok(())
}

fn uuid(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

fn time(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis).unwrap()
}

fn all() -> Query<Things> {
    Query::of(Condition::All(vec![]), time(3))
}

/// Things that differ only in id and name.
fn plain(count: u128) -> Vec<Thing> {
    (0..count)
        .map(|at| Thing {
            id: uuid(at),
            name: format!("{at:06}"),
            owner: None,
            rank: None,
            at: None,
            tags: vec![],
            users: vec![],
        })
        .collect()
}

#[tokio::test]
async fn a_long_list_comes_in_batches_in_order() {
    let things = plain(1_500);
    let trial = Trial::new(things.clone()).await;
    let mut sizes = Vec::new();
    let mut list = trial.store.list(all());
    while let Some(part) = list.next().await {
        match part.unwrap() {
            Part::Rows(rows) => sizes.push(rows.len()),
            Part::Total(total) => assert_eq!(total, 1_500),
        }
    }
    assert_eq!(sizes, [64, 256, 256, 256, 256, 256, 156]);
    assert_eq!(trial.list(all()).await, meaning::list(&things, &all()));
}

#[tokio::test]
async fn a_list_that_breaks_off_never_looks_complete() {
    let mut things = plain(1_500);
    things[700].name = "corrupt".to_owned();
    let trial = Trial::new(things).await;
    let parts: Vec<_> = trial.store.list(all()).collect().await;
    assert_eq!(parts.last(), Some(&Err(StoreError::Internal("corrupt".to_owned()))));
    assert!(parts.len() > 2);
    assert!(!parts.iter().any(|part| matches!(part, Ok(Part::Total(_)))), "no total");

    // An error of SQLite in the middle of a statement: abs() fails for the smallest integer.
    let mut things = plain(1_500);
    things[700].rank = Some(i64::MIN);
    let trial = Trial::new(things).await;
    let condition = Condition::Is(Property::Distance, Test::Codes(Membership::Any, vec![0]));
    let parts: Vec<_> = trial.store.list(Query { condition, ..all() }).collect().await;
    assert_eq!(parts.last(), Some(&Err(StoreError::Internal("integer overflow".to_owned()))));
    assert!(parts.len() > 2);
    assert!(!parts.iter().any(|part| matches!(part, Ok(Part::Total(_)))), "no total");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_list_waits_for_its_reader_and_a_page_does_not() {
    #[derive(QueryableByName)]
    struct Checkpoint {
        #[diesel(sql_type = Integer)]
        busy: i32,
    }
    let trial = Trial::new(plain(3_000)).await;
    let mut beside =
        SqliteConnection::establish(trial.folder.path().join("a.db").to_str().unwrap()).unwrap();
    let mut is_read = || {
        let checkpoint = diesel::sql_query("PRAGMA wal_checkpoint(TRUNCATE)");
        checkpoint.get_result::<Checkpoint>(&mut beside).unwrap().busy == 1
    };
    for (limit, waits) in [(1_001, true), (1_000, false)] {
        let mut list = trial.store.list(Query { page: Page { limit, offset: 0 }, ..all() });
        let Some(Ok(Part::Rows(_))) = list.next().await else { panic!() };
        let write = trial.store.write(|conn| {
            conn.batch_execute("UPDATE thing SET rank = 1 WHERE row = 1")?;
            Ok::<_, Abort<StoreError>>(())
        });
        write.await.unwrap();
        let mut looks = 0;
        while is_read() && looks < if waits { 20 } else { 500 } {
            looks += 1;
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(is_read(), waits, "{limit}");
    }
}

#[tokio::test]
async fn rows_and_total_are_of_one_snapshot() {
    let trial = Trial::new(plain(1_500)).await;
    let mut list = trial.store.list(Query { page: Page { limit: 1_400, offset: 0 }, ..all() });
    let Some(Ok(Part::Rows(_))) = list.next().await else { panic!() };
    let delete = trial.store.write(|conn| {
        conn.batch_execute("DELETE FROM thing WHERE row > 100")?;
        Ok::<_, Abort<StoreError>>(revision::raise(conn, Resource::CheckList)?)
    });
    delete.await.unwrap();
    let parts: Vec<_> = list.collect().await;
    assert_eq!(parts.last(), Some(&Ok(Part::Total(1_500))));
    let page = Page { limit: 10, offset: 0 };
    assert_eq!(
        trial.list(Query { page, ..all() }).await.1,
        100,
        "what is known is known of a state"
    );
}

#[tokio::test]
async fn a_count_is_reused_for_the_same_state() {
    let trial = Trial::new(plain(30)).await;
    let query = || Query { page: Page { limit: 10, offset: 0 }, ..all() };
    assert_eq!(trial.list(query()).await.1, 30);
    // Without changing the revision: a new count would differ.
    let mut beside =
        SqliteConnection::establish(trial.folder.path().join("a.db").to_str().unwrap()).unwrap();
    beside.batch_execute("DELETE FROM thing WHERE row = 30").unwrap();
    assert_eq!(trial.list(query()).await.1, 30);
    assert_eq!(trial.list(Query { page: Page { limit: 0, offset: 0 }, ..all() }).await.1, 30);
    let condition = Condition::Is(Property::Name, Test::Contains("0".to_owned()));
    assert_eq!(trial.list(Query { condition, ..query() }).await.1, 29, "another question");
    revision::raise(&mut beside, Resource::CheckList).unwrap();
    assert_eq!(trial.list(query()).await.1, 29);
}

#[tokio::test]
async fn thousands_of_filters_are_one_statement() {
    let trial = Trial::new(plain(5)).await;
    let many = |name: &str| {
        Condition::Is(Property::Name, Test::Text(Membership::None, vec![name.to_owned()]))
    };
    let condition = Condition::All((0..10_000).map(|at| many(&at.to_string())).collect());
    assert_eq!(trial.list(Query { condition, ..all() }).await.1, 5);
    let names = (0..10_000).map(|at| format!("{at:06}")).collect();
    let condition = Condition::Is(Property::Name, Test::Text(Membership::Any, names));
    assert_eq!(trial.list(Query { condition, ..all() }).await.1, 5);
}
