//! What an import and an export do with each kind of record.

use std::future::{self, Future};

use diesel::prelude::*;
use patrol_domain::{StoreError, Timestamp, data_set::ImportError, ids::Uuid};

use crate::engine::{Abort, Connection};

/// A kind of record of the data set.
pub(crate) trait Kind: Sized + Send + Sync {
    /// The number of rows or parts of a document that the record takes.
    fn parts(&self) -> usize {
        1
    }

    /// Takes the locks that the new records need, and returns whether a value is taken that no
    /// unique index protects.
    fn lock_and_find_clash(
        _conn: &Connection,
        _records: &[&Self],
    ) -> impl Future<Output = QueryResult<bool>> + Send {
        future::ready(Ok(false))
    }

    /// Stores new records, whose references exist.
    fn store(
        conn: &Connection,
        records: &[&Self],
        at: Timestamp,
    ) -> impl Future<Output = Result<(), Abort<ImportError>>> + Send;

    /// The records with an id above `after`, in that order, at most `BATCH`.
    fn page(
        conn: &Connection,
        after: Option<Uuid>,
    ) -> impl Future<Output = Result<Vec<Self>, Abort<StoreError>>> + Send;
}

/// The rows of [`Kind::page`] that `$query` selects from `$table`.
macro_rules! page {
    ($conn:ident, $after:ident, $table:ident, $query:expr) => {{
        let mut conn = $conn;
        let id = patrol_stored::schema::$table::id;
        let mut page = $query.order(id).limit(patrol_stored::data_set::BATCH).into_boxed();
        if let Some(after) = $after {
            page = page.filter(id.gt(patrol_stored::sql::id(after)));
        }
        page.load(&mut conn).await?
    }};
}
pub(crate) use page;
