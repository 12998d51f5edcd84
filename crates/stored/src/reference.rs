//! Where the records and values that changes name are stored.

use patrol_domain::{Reference, Resource, StoreError, UniqueValue, ids::Uuid};

use crate::{
    list::Sql,
    row::Row,
    sql::{StoredId, types},
};

/// The table of a kind of record, and the column of the record that each belongs to; `None` for
/// kinds without a table.
const fn table(kind: Resource) -> Option<(&'static str, &'static str)> {
    match kind {
        Resource::User => Some(("users", "NULL")),
        Resource::Location => Some(("locations", "NULL")),
        Resource::GraphicPlan => Some(("graphic_plans", "location_id")),
        Resource::Point => Some(("points", "NULL")),
        Resource::CheckList => Some(("check_lists", "NULL")),
        Resource::ScheduledTask => Some(("scheduled_tasks", "NULL")),
        Resource::TaskExecution => Some(("task_executions", "NULL")),
        Resource::Token | Resource::Media | Resource::DataSet => None,
    }
}

/// Selects records of this kind, as [`RecordTypes`]. The operator and the operand for the id have
/// to follow. `None` when no table has such records.
#[must_use]
pub fn select<B: Clone>(kind: Resource) -> Option<Sql<B>> {
    let (table, owner) = table(kind)?;
    let mut sql = Sql::default();
    for text in ["SELECT id, ", owner, " FROM ", table, " WHERE id"] {
        sql.text(text);
    }
    Some(sql)
}

/// The SQL types of a record and the record that it belongs to.
pub type RecordTypes = (types::Id, types::Nullable<types::Id>);

/// Decodes a row of [`RecordTypes`].
///
/// # Errors
/// `Corrupt` when an id cannot be read.
pub fn record(
    kind: Resource,
    (id, owner): (StoredId, Option<StoredId>),
) -> Result<Reference, StoreError> {
    let (table, column) = table(kind).unwrap_or_default();
    let row = Row::new(table, id);
    let owner = owner.map(|owner| row.id(column, owner)).transpose()?;
    Ok(Reference { kind, id: row.id("id", id)?, owner })
}

/// The columns of unique values. Each query selects its place here, the id and the value; the
/// operator and the operand for the value have to follow.
const UNIQUE: [(UniqueValue, &str); 4] = [
    (UniqueValue::UserName, "SELECT 0, id, employee_no_folded FROM users WHERE employee_no_folded"),
    (UniqueValue::UserName, "SELECT 1, id, email_folded FROM users WHERE email_folded"),
    (UniqueValue::QrCode, "SELECT 2, id, qr_code FROM points WHERE qr_code"),
    (UniqueValue::RfidCode, "SELECT 3, id, rfid_code FROM points WHERE rfid_code"),
];

/// Selects the records that have one of the values, as [`HolderTypes`]. `test` appends the operator
/// and the operand.
pub fn holders<B: Clone>(
    values: impl IntoIterator<Item = (UniqueValue, B)>,
    test: impl Fn(&mut Sql<B>, B),
) -> Sql<B> {
    let mut sql = Sql::default();
    let mut before = "";
    for (kind, value) in values {
        for (_, select) in UNIQUE.iter().filter(|(of, _)| *of == kind) {
            sql.text(before);
            sql.text(select);
            test(&mut sql, value.clone());
            before = " UNION ALL ";
        }
    }
    sql
}

/// The SQL types of [`holders`].
pub type HolderTypes = (types::Integer, types::Id, types::Text);

/// Decodes a row of [`HolderTypes`]: a value and the record that has it.
///
/// # Errors
/// `Corrupt` when the id cannot be read.
pub fn holder(
    (place, id, value): (i32, StoredId, String),
) -> Result<(UniqueValue, String, Uuid), StoreError> {
    let row = Row::new("users or points", id);
    let column = usize::try_from(place).ok().and_then(|place| UNIQUE.get(place));
    let (kind, _) = column.ok_or_else(|| row.corrupt("place", "not one of the columns"))?;
    Ok((*kind, value, row.id("id", id)?))
}

#[cfg(test)]
mod tests {
    use super::UNIQUE;

    #[test]
    fn each_query_selects_its_own_place() {
        for (place, (_, select)) in UNIQUE.iter().enumerate() {
            assert!(select.starts_with(&format!("SELECT {place}, id, ")), "{select}");
        }
    }
}
