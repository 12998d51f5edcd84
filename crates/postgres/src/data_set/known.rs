//! Which of the referenced records exist.

use std::collections::{BTreeMap, HashSet};

use patrol_domain::{
    Existing, Holder, Reference, Resource,
    data_set::{ImportError, Record},
};

use patrol_repository::existing_records;

use super::batch::Line;
use crate::engine::{Abort, Connection, JobConnection};

/// The maximum number of references in memory.
const MAX: usize = 100_000;

/// References to existing records. Records that may not be deleted while others refer to them stay until the
/// end of the import.
#[derive(Default)]
pub(super) struct Known(Existing);

impl Known {
    /// Looks up the references of `lines` that are not known yet.
    pub(super) async fn look_up(
        &mut self,
        conn: &Connection,
        lines: &[Line],
    ) -> Result<(), Abort<ImportError>> {
        let named: HashSet<_> = lines
            .iter()
            .flat_map(|(_, record)| record.references())
            .map(|(_, reference)| reference)
            .collect();
        if self.0.records.len() > MAX {
            self.0.records.clear();
        }
        let mut unknown: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for reference in named.into_iter().filter(|named| !self.0.holds(named)) {
            unknown.entry(reference.kind).or_default().push(reference.id);
        }
        for (kind, ids) in unknown {
            // Nothing keeps a round from being deleted, but its entries refer to it.
            let keep = kind == Resource::TaskExecution || !Holder::of(kind).is_empty();
            let found = existing_records(&JobConnection(conn), kind, &ids, keep).await;
            self.0.extend::<Vec<_>>(found?);
        }
        Ok(())
    }

    /// Whether the referenced record exists.
    fn holds(&self, reference: &Reference) -> bool {
        self.0.holds(reference)
    }

    /// Whether all references of the record exist.
    pub(super) fn hold_all(&self, record: &Record) -> bool {
        record.references().iter().all(|(_, reference)| self.holds(reference))
    }
}
