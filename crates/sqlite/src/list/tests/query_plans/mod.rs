//! Which indexes lists use. The planner uses the statistics of the schema instead of the data, so
//! an empty store gives the same plans as a full one.

mod executions;
mod memory;
mod others;
mod promised;

use diesel::sql_types::{Integer, Text};
use patrol_domain::{
    Timestamp,
    list::{Condition, Direction, Listed, Membership, Page, Query, Sort, Test},
};
use patrol_repository::stored::list::{ListTable, Table, TableQuery};
use tempfile::TempDir;
use uuid::Uuid;

use super::super::{
    Sql,
    condition::{FilterOptions, filter},
    count::Counts,
    produce::{ListPlan, planned, select},
    statement::Select,
    trigrams::SelectiveTerms,
};
use crate::{ProgramKind, Store, tests::settings};

fn is<F>(filter: F, test: Test) -> Condition<F> {
    Condition::Is(filter, test)
}

fn ids<F>(filter: F) -> Condition<F> {
    is(filter, Test::Ids(Membership::Any, vec![Uuid::nil()]))
}

fn rank<F>(filter: F) -> Condition<F> {
    is(filter, Test::Codes(Membership::Any, vec![2]))
}

fn text<F>(filter: F) -> Condition<F> {
    is(filter, Test::Text(Membership::Any, vec!["round".to_owned()]))
}

fn tag<F>(filter: F) -> Condition<F> {
    is(filter, Test::Tags(Membership::Any, vec!["night".to_owned()]))
}

/// The default order.
fn by_id<L: Listed>(all: Vec<Condition<L::Filter>>) -> Query<L> {
    Query {
        page: Page { limit: 50, offset: 0 },
        ..Query::of(Condition::All(all), Timestamp::from_millis(0).unwrap())
    }
}

/// Descending.
fn by<L: Listed>(property: L::Sort, all: Vec<Condition<L::Filter>>) -> Query<L> {
    Query { sort: vec![Sort { property, direction: Direction::Descending }], ..by_id(all) }
}

/// The plan of a page.
async fn of_page<L: ListTable + Copy>(
    store: &Store,
    query: &Query<L>,
    list_plan: ListPlan,
) -> String {
    let asked = TableQuery::from(query.clone());
    let select = store.read(move |conn| {
        let TableQuery { table, condition, search, .. } = &asked;
        let selective =
            SelectiveTerms::of(conn, table, condition, search.as_deref(), &Counts::new())?;
        Ok(select(&asked, &planned(&asked, &selective, list_plan), asked.page, list_plan))
    });
    plan(store, select.await.unwrap()).await
}

/// The plan of a count.
async fn of_count<L: ListTable>(store: &Store, condition: &Condition<L::Filter>) -> String
where
    L::Filter: Clone,
{
    let (table, condition) = (Table::of::<L>(), condition.clone().map(L::column));
    let filter = filter(&condition, None, FilterOptions::find(table, &SelectiveTerms::none()));
    plan(store, Sql::count(table, &filter)).await
}

/// SQLite's plan for `statement`, one line for each loop.
async fn plan(store: &Store, statement: Sql) -> String {
    let mut explain = Sql::default();
    explain.text("EXPLAIN QUERY PLAN ");
    explain.append(&statement);
    let lines = store.read(move |conn| {
        type Row = (i32, i32, i32, String);
        let rows = <(Integer, Integer, Integer, Text) as Select<Row>>::rows(explain, conn)?;
        let lines = rows.map(|row| Ok(row?.3)).collect::<diesel::QueryResult<Vec<_>>>()?;
        Ok(lines.join("\n"))
    });
    lines.await.unwrap()
}

fn store(folder: &TempDir) -> Store {
    Store::open(&settings(folder, ProgramKind::Server)).unwrap()
}
