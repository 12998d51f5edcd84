//! Export: every record of one snapshot. A record comes after those it refers to.

use diesel::SqliteConnection;
use patrol_domain::{StoreError, data_set::Record, list::PART_BYTES, record_kinds};

use super::Kind;
use crate::engine::{Abort, Sender};

macro_rules! export_all {
    ($($kind:ident: $type:ty;)+) => {
        /// Sends all records in batches.
        pub(super) fn export(
            conn: &mut SqliteConnection,
            to: &mut Sender<Vec<Record>>,
        ) -> Result<(), Abort<StoreError>> {
            $(export_kind::<$type>(conn, to)?;)+
            Ok(())
        }
    };
}

record_kinds!(export_all);

fn export_kind<K: Kind + Into<Record>>(
    conn: &mut SqliteConnection,
    to: &mut Sender<Vec<Record>>,
) -> Result<(), Abort<StoreError>> {
    let mut after = 0;
    loop {
        let page = K::page(conn, after)?;
        to.note_row();
        let Some((last, _)) = page.last() else { return Ok(()) };
        after = *last;
        to.send(page.into_iter().map(|(_, record)| record.into()).collect(), PART_BYTES)?;
    }
}
