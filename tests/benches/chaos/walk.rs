//! A round that is reported on, as a device does: what is not acknowledged is sent again.

use std::collections::BTreeMap;

use patrol_tests::execution_id;
use serde_json::{Value, json};

/// A round with the entries that were reported on it.
pub(crate) struct Walk {
    /// The path of the round, below `/v1`.
    pub(crate) round: String,
    /// The entries by id: whether each was acknowledged; after the comparison, whether it is listed.
    pub(crate) entries: BTreeMap<String, bool>,
    /// Entries that were not acknowledged, the oldest first.
    unsent: Vec<Value>,
}

impl Walk {
    /// A walk of the execution with this number.
    pub(crate) fn of(execution: u32) -> Self {
        let round = format!("/task-executions/{}", execution_id(execution));
        Self { round, entries: BTreeMap::new(), unsent: Vec::new() }
    }

    /// Adds an entry of now. `id` is its number, which no other entry has.
    pub(crate) fn add(&mut self, id: u64, mut entry: Value) {
        let id = format!("0190a000-00c3-7000-8000-{id:012x}");
        entry["id"] = json!(id);
        entry["at"] = json!("2026-01-31T08:00:00Z");
        self.entries.insert(id, false);
        self.unsent.push(entry);
    }

    /// The body with all entries that are not acknowledged; `None` when there are none.
    pub(crate) fn unsent(&self) -> Option<Value> {
        (!self.unsent.is_empty()).then(|| json!(self.unsent))
    }

    /// All of [`Self::unsent`] is acknowledged.
    pub(crate) fn acknowledge(&mut self) {
        for entry in self.unsent.drain(..) {
            let id = entry["id"].as_str().unwrap_or_default();
            self.entries.insert(id.to_owned(), true);
        }
    }
}
