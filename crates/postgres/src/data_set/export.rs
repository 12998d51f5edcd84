//! Export: every record of one snapshot. A record comes after those it refers to.

use patrol_domain::{
    StoreError,
    data_set::{DataSetRecord, Record},
    list::PART_BYTES,
    record_kinds,
};

use super::Kind;
use crate::engine::{Abort, Connection, Sender};

/// The size that a batch counts for: two of them wait to be written.
const BATCH_BYTES: usize = PART_BYTES / 2;

macro_rules! export_all {
    ($($kind:ident: $type:ty;)+) => {
        /// Sends all records in batches.
        pub(super) async fn export(
            conn: &Connection,
            to: &Sender<Vec<Record>>,
        ) -> Result<(), Abort<StoreError>> {
            $(export_kind::<$type>(conn, to).await?;)+
            Ok(())
        }
    };
}

record_kinds!(export_all);

async fn export_kind<K: Kind + DataSetRecord>(
    conn: &Connection,
    to: &Sender<Vec<Record>>,
) -> Result<(), Abort<StoreError>> {
    let mut after = None;
    loop {
        let page = K::page(conn, after).await?;
        conn.has_first_row();
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.reference().id);
        to.send(page.into_iter().map(Into::into).collect(), BATCH_BYTES).await?;
    }
}
