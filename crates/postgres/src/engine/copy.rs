//! Many rows at once.

use std::{
    mem,
    pin::{Pin, pin},
};

use bytes::Bytes;
use diesel::QueryResult;
use futures_util::SinkExt as _;
use patrol_domain::StoreError;
use patrol_repository::stored::trace;
use tokio_postgres::CopyInSink;

use super::{
    connection::{Connection, SYSTEM},
    error::Abort,
    statement::{AFTER_ROWS, BEFORE_ROWS, Copied, Prepared, Statement},
};

impl Connection {
    /// Stores rows with the same columns by `COPY`. PostgreSQL plans nothing, and stores rows while
    /// later ones are being made.
    ///
    /// # Errors
    /// The first error in `rows`; errors of PostgreSQL; a wrong number of stored rows.
    pub(crate) async fn copy<E>(
        &self,
        mut rows: Box<dyn Iterator<Item = Result<Copied, Abort<E>>> + Send + '_>,
    ) -> Result<(), Abort<E>> {
        let Some(first) = rows.next() else { return Ok(()) };
        let first = first?;
        let statement = first.statement();
        let span = SYSTEM.statement(|| statement.key.sql.as_str());
        let done = self.copy_from(statement, first, rows).await;
        done.inspect_err(|_| trace::failed(&span))
    }

    /// Stores the rows of the changes that share the transaction, table by table.
    ///
    /// # Errors
    /// Those of [`Self::copy`].
    pub(super) async fn store_group<E>(&self) -> Result<(), Abort<E>> {
        let mut kept = self.group().as_mut().map(mem::take).unwrap_or_default();
        while let Some(sql) = kept.first().map(|rows| rows.sql().to_owned()) {
            let same: Vec<_> = kept.extract_if(.., |rows| rows.sql() == sql).collect();
            self.copy(Box::new(same.into_iter().map(Ok))).await?;
        }
        Ok(())
    }

    async fn copy_from<E>(
        &self,
        statement: Statement,
        mut copied: Copied,
        mut rows: Box<dyn Iterator<Item = Result<Copied, Abort<E>>> + Send + '_>,
    ) -> Result<(), Abort<E>> {
        let (Prepared { statement, columns: _ }, _) = self.prepared(statement).await?;
        // After an error here the driver sends one Sync too many (rust-postgres#789): its answer would be taken for
        // that of the next statement.
        let sink = self.noted(self.client.copy_in(&statement)).await;
        let mut sink = pin!(sink.inspect_err(|_| self.give_up())?);
        self.feed(sink.as_mut(), Bytes::from_static(BEFORE_ROWS)).await?;
        let mut sent = 0_u64;
        loop {
            self.feed(sink.as_mut(), copied.rows()?).await?;
            sent = sent.saturating_add(copied.count());
            let Some(next) = rows.next() else { break };
            copied = next?;
        }
        self.feed(sink.as_mut(), Bytes::from_static(AFTER_ROWS)).await?;
        let stored = self.noted(sink.finish()).await?;
        if stored != sent {
            let differs = format!("the database has stored {stored} of {sent} rows");
            return Err(StoreError::Internal(differs).into());
        }
        Ok(())
    }

    /// Sends part of a `COPY`. If PostgreSQL refuses rows, it reports the reason at the end. If
    /// rows cannot be sent in time, the connection is closed, because they would be missing
    /// unnoticed.
    async fn feed(&self, mut sink: Pin<&mut CopyInSink<Bytes>>, rows: Bytes) -> QueryResult<()> {
        let sent = async {
            drop(sink.send(rows).await);
            Ok(())
        };
        self.noted(sent).await
    }
}
