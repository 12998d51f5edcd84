//! Counts that are known already: without them, the count is what a list page costs (architecture 7).

use diesel::{QueryResult, SqliteConnection, sql_types::BigInt};
use moka::sync::Cache;
use patrol_domain::StoreError;

use super::{
    ListTable,
    statement::{Select, Sql},
};
use crate::{
    engine::{Abort, is_interrupted, store_error},
    revision,
};

/// How many bytes of counts are kept.
const CAPACITY: u64 = 4 * 1024 * 1024;

/// Counts of records, each true for one state of the data.
#[derive(Clone)]
pub(crate) struct Counts {
    known: Cache<Question, u64>,
}

/// What is counted, and how often the data has been changed by then.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Question {
    statement: Sql,
    changes: i64,
}

impl Counts {
    pub(crate) fn new() -> Self {
        let size = |question: &Question, _: &u64| {
            u32::try_from(question.statement.size()).unwrap_or(u32::MAX)
        };
        Self { known: Cache::builder().weigher(size).max_capacity(CAPACITY).build() }
    }

    /// How many records of the list meet `filter`, in the snapshot that `connection` reads.
    pub(super) fn count<L: ListTable>(
        &self,
        connection: &mut SqliteConnection,
        filter: &Sql,
    ) -> Result<u64, Abort<StoreError>> {
        let mut statement = Sql::default();
        statement.text("SELECT count(*) FROM ");
        statement.text(L::FROM);
        statement.text(" WHERE ");
        statement.append(filter);
        self.number::<L>(connection, statement)
    }

    /// The number that `statement`, about the records of the list, gives in the snapshot that
    /// `connection` reads. Those who ask for the same at the same time share one query; when whoever
    /// runs it goes away, the next of them runs it again.
    pub(super) fn number<L: ListTable>(
        &self,
        connection: &mut SqliteConnection,
        statement: Sql,
    ) -> Result<u64, Abort<StoreError>> {
        let changes = revision::changes(connection, L::AGGREGATE)?;
        let question = Question { statement, changes };
        loop {
            let mut is_own = false;
            let known = self.known.try_get_with_by_ref(&question, || {
                is_own = true;
                query(connection, question.statement.clone())
            });
            match known {
                Err(error) if !is_own && is_interrupted(&error) => {}
                known => return known.map_err(|error| Abort::Store(store_error(&error))),
            }
        }
    }
}

fn query(connection: &mut SqliteConnection, count: Sql) -> QueryResult<u64> {
    let count = <BigInt as Select<i64>>::rows(count, connection)?.next();
    // It is one row, and never negative.
    count.map_or(Ok(0), |count| Ok(u64::try_from(count?).unwrap_or(0)))
}
