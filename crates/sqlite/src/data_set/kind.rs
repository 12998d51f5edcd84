//! What an import and an export do with each kind of record.

use diesel::{
    SqliteConnection,
    result::{DatabaseErrorKind, Error},
};
use patrol_domain::{StoreError, Timestamp, data_set::ImportError};

use super::executions::Executions;
use crate::{engine::Abort, task_execution::New};

/// A kind of record of the data set.
pub(crate) trait Kind: Sized {
    /// Columns and documents that are serialised ahead of the writer.
    fn prepare(&self) -> Result<Option<Box<New>>, StoreError> {
        Ok(None)
    }

    /// Stores a new record. References are not checked beforehand: the record may violate a
    /// constraint of a table.
    fn store(&self, conn: &mut SqliteConnection, import: &mut Import<'_>) -> Result<(), Failure>;

    /// The records with a row key above `after`, in that order, at most `BATCH`; each with its key.
    fn page(conn: &mut SqliteConnection, after: i64)
    -> Result<Vec<(i64, Self)>, Abort<StoreError>>;
}

/// The parts of an import that storing a record needs.
pub(crate) struct Import<'a> {
    /// The time of the import.
    pub(crate) at: Timestamp,
    pub(crate) executions: &'a mut Executions,
    /// The result of [`Kind::prepare`].
    pub(crate) prepared: Option<&'a New>,
}

/// Why a record was not stored.
pub(crate) enum Failure {
    /// It violates a constraint. `row` is its own row, if only its other rows violate one.
    Refused {
        row: Option<i64>,
    },
    Other(Abort<ImportError>),
}

impl Failure {
    /// The failure to store the other rows of a record with the key `row`.
    pub(crate) fn beside(row: i64) -> impl Fn(Abort<ImportError>) -> Self {
        move |abort| Self::new(abort, Some(row))
    }

    pub(super) fn new(abort: Abort<ImportError>, row: Option<i64>) -> Self {
        match abort {
            Abort::Database(Error::DatabaseError(
                DatabaseErrorKind::UniqueViolation | DatabaseErrorKind::ForeignKeyViolation,
                _,
            )) => Self::Refused { row },
            other => Self::Other(other),
        }
    }
}

impl From<Abort<ImportError>> for Failure {
    /// The failure to store the row of a record.
    fn from(abort: Abort<ImportError>) -> Self {
        Self::new(abort, None)
    }
}

/// [`Kind::page`] of a record that is made by `$decode` from one row, read as `$read`.
macro_rules! page {
    ($conn:ident, $after:ident, $table:ident, $read:ty, $decode:expr) => {{
        let rows: Vec<(i64, $read)> = patrol_stored::schema::$table::table
            .filter(patrol_stored::schema::$table::row.gt($after))
            .order(patrol_stored::schema::$table::row)
            .limit(patrol_stored::data_set::BATCH)
            .select((patrol_stored::schema::$table::row, <$read>::as_select()))
            .load($conn)?;
        rows.into_iter().map(|(row, read)| Ok((row, $decode(row, read)?))).collect()
    }};
}
pub(crate) use page;
