//! Finds the rows that have changed in the log of changes.

use diesel::sql_types::{BigInt, Nullable, Text};
use patrol_domain::{Resource, event::ChangeKind};

use super::{Rows, row_key};
use crate::stored::list::{Sql, Table};

/// After more changes than this, sets and orders are read from the data again.
pub const MAX_CHANGES: i64 = 10_000;

/// The SQL types of an event that [`select_events`] selects.
pub type EventTypes = (Text, Text, Nullable<BigInt>, Nullable<BigInt>);

/// Its type, the kind of its record, the key of the row that was removed, and that of the present
/// row.
pub type Event = (String, String, Option<i64>, Option<i64>);

/// Selects events with the rows of `table` that they are about. A condition on `events` has to follow.
#[must_use]
pub fn select_events(table: &Table) -> Sql {
    Sql::of(&[
        "SELECT events.type, events.resource_type, events.removed_row, ",
        table.key,
        " FROM events LEFT JOIN ",
        table.from,
        " ON ",
        table.from,
        ".id = events.resource_id WHERE ",
    ])
}

/// The changes of the rows of a table, from their events.
#[derive(Debug)]
pub struct Changes {
    /// The rows that have changed, also removed ones; `None` when an event does not name its rows, for
    /// example that of an import.
    pub rows: Option<Rows>,
    /// The number of events that are changes of the table.
    pub logged: i64,
    /// The number of all events.
    pub read: i64,
}

impl Default for Changes {
    fn default() -> Self {
        Self { rows: Some(Rows::new()), logged: 0, read: 0 }
    }
}

impl Changes {
    /// Adds an event. `logged` is the kind of record that the rows are.
    pub fn add(&mut self, logged: Resource, (what, kind, removed, row): Event) {
        self.read = self.read.saturating_add(1);
        if kind == Resource::DataSet.name() {
            self.rows = None;
        } else if kind == logged.name() {
            self.logged = self.logged.saturating_add(1);
            // A record that was changed and then removed has no row any more: the event of the removal
            // has the key. Events of older versions of the program lack it.
            let row = if what.ends_with(&format!(".{}", ChangeKind::Deleted.name())) {
                removed.map(Some)
            } else {
                Some(row)
            };
            match (row, &mut self.rows) {
                (Some(Some(row)), Some(rows)) => match row_key(row) {
                    Ok(row) => drop(rows.insert(row)),
                    Err(_) => self.rows = None,
                },
                (Some(None), _) | (_, None) => {}
                (None, Some(_)) => self.rows = None,
            }
        }
    }
}
