//! Import and export of the kinds of records.

mod faults;
mod kinds;
mod occurrences;
mod reports;

use std::future::Future;

use futures_util::{FutureExt as _, future::BoxFuture};
use patrol_domain::{
    StoreError, Timestamp,
    data_set::{DataSetRecord, ImportError, Record},
    record_kinds,
};

pub use self::{
    faults::{breaks_rule, faults},
    occurrences::execution_of,
    reports::ReportedRounds,
};
use crate::{
    Dialect,
    stored::{Abort, page::Place},
};

/// A kind of record of the data set.
pub trait Kind: DataSetRecord + Into<Record> + Send + Sync + 'static {
    /// The size of the record in rows and parts of documents (steps, actions), to bound a batch.
    fn parts(&self) -> usize {
        1
    }

    /// Stores new records, the own row of each first.
    ///
    /// # Errors
    /// Those of the database: a record may violate a constraint. The caller has checked only what
    /// no constraint ensures: the names of users, that the graphic plans of a point are of its
    /// location, and that no existing execution has the occurrence of a new one.
    fn store<C: Dialect>(
        conn: &C,
        records: &[&Self],
        at: Timestamp,
    ) -> impl Future<Output = Result<(), Abort<ImportError>>> + Send;

    /// The records of a page, and where the next one begins.
    ///
    /// # Errors
    /// Those of the database; `Corrupt` when a record cannot be read.
    fn page<C: Dialect>(
        conn: &C,
        after: Place,
    ) -> impl Future<Output = Result<Page<Self>, Abort<StoreError>>> + Send;
}

/// The error when the records of an import end before their source has said so: it has panicked.
#[must_use]
pub fn broken_off() -> ImportError {
    StoreError::Internal("the reading of the records broke off".to_owned()).into()
}

/// Records, and where the next page begins; `None` at the end.
pub type Page<K> = (Vec<K>, Option<Place>);

/// Takes the records of an export.
pub trait Sink: Send {
    /// Takes a batch; waits until there is room for it.
    ///
    /// # Errors
    /// When the export is cancelled.
    fn send(
        &mut self,
        records: Vec<Record>,
    ) -> impl Future<Output = Result<(), Abort<StoreError>>> + Send;
}

macro_rules! export_all {
    ($($kind:ident: $type:ty;)+) => {
        async fn export_all(
            conn: &impl Dialect,
            to: &mut impl Sink,
        ) -> Result<(), Abort<StoreError>> {
            $(export_kind::<$type>(conn, to).await?;)+
            Ok(())
        }

        /// Stores new records, all of the kind of the first. Boxed, because the compiler cannot show of a known connection
        /// that the future is `Send` (rust-lang/rust#100013).
        ///
        /// # Errors
        /// Those of [`Kind::store`].
        pub fn store<'a>(
            conn: &'a impl Dialect,
            records: &'a [&'a Record],
            at: Timestamp,
        ) -> BoxFuture<'a, Result<(), Abort<ImportError>>> {
            match records.first() {
                None => async { Ok(()) }.boxed(),
                $(Some(Record::$kind(_)) => async move {
                    let all = records.iter().filter_map(|record| match record {
                        Record::$kind(record) => {
                            let record: &$type = record;
                            Some(record)
                        }
                        _ => None,
                    });
                    <$type as Kind>::store(conn, &all.collect::<Vec<_>>(), at).await
                }.boxed(),)+
            }
        }

        /// See [`Kind::parts`].
        #[must_use]
        pub fn parts(record: &Record) -> usize {
            match record {
                $(Record::$kind(record) => <$type as Kind>::parts(record),)+
            }
        }
    };
}

record_kinds!(export_all);

/// Sends all records in batches. A record comes after those it refers to.
///
/// # Errors
/// Those of the database and of the sink; `Corrupt` when a record cannot be read.
pub fn export<'a>(
    conn: &'a impl Dialect,
    to: &'a mut impl Sink,
) -> BoxFuture<'a, Result<(), Abort<StoreError>>> {
    export_all(conn, to).boxed()
}

async fn export_kind<K: Kind>(
    conn: &impl Dialect,
    to: &mut impl Sink,
) -> Result<(), Abort<StoreError>> {
    let mut after = Place::Start;
    loop {
        let (records, next) = K::page(conn, after).await?;
        to.send(records.into_iter().map(Into::into).collect()).await?;
        let Some(next) = next else { return Ok(()) };
        after = next;
    }
}
