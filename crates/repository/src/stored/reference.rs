//! Where the records and values that changes name are stored.

use patrol_domain::{Reference, Resource, StoreError, UniqueValue, ids::Uuid};

use crate::stored::{
    list::{Bind, Sql},
    row::Row,
    sql::{Id, types},
    tables::Tables,
};

/// Selects records of this kind, as [`RecordTypes`]. The operator and the operand for the id have
/// to follow. `None` when no table has such records.
#[must_use]
pub fn select(kind: Resource) -> Option<Sql> {
    let tables = Tables::of(kind)?;
    let parent = tables.parent.unwrap_or("NULL");
    Some(Sql::of(&["SELECT id, ", parent, " FROM ", tables.records, " WHERE id"]))
}

/// The SQL types of a record and the record that it belongs to.
pub type RecordTypes = (types::Id, types::Nullable<types::Id>);

/// Decodes a row of [`RecordTypes`].
///
/// # Errors
/// `Corrupt` when an id cannot be read.
pub fn record(kind: Resource, (id, parent): (Id, Option<Id>)) -> Result<Reference, StoreError> {
    let tables = Tables::of(kind);
    let row = Row::new(tables.map_or("", |tables| tables.records), id);
    let column = tables.and_then(|tables| tables.parent).unwrap_or_default();
    let parent = parent.map(|parent| row.id(column, parent)).transpose()?;
    Ok(Reference { kind, id: row.id("id", id)?, parent })
}

/// The table with values of a kind, and a query for each column. A query selects the place of the
/// kind in [`UniqueValue::ALL`], the id and the value; the operator and the operand for the value
/// have to follow.
const fn unique(kind: UniqueValue) -> (&'static str, &'static [&'static str]) {
    match kind {
        UniqueValue::UserName => (
            "users",
            &[
                "SELECT 0, id, employee_no_folded FROM users WHERE employee_no_folded",
                "SELECT 0, id, email_folded FROM users WHERE email_folded",
            ],
        ),
        UniqueValue::QrCode => ("points", &["SELECT 1, id, qr_code FROM points WHERE qr_code"]),
        UniqueValue::RfidCode => {
            ("points", &["SELECT 2, id, rfid_code FROM points WHERE rfid_code"])
        }
    }
}

/// Selects the records that have one of the values, as [`OwnerTypes`]. Several values of a kind are joined: for
/// an array of them PostgreSQL takes the trigrams of the quick search, a thousand times slower than the unique index.
pub fn owners(values: impl IntoIterator<Item = (UniqueValue, Bind)>) -> Sql {
    let mut sql = Sql::default();
    let mut before = "";
    for (kind, value) in values {
        let (_, selects) = unique(kind);
        for select in selects {
            sql.texts(&[before, select]);
            if value.single().is_some() {
                sql.is_one_of(&value);
            } else {
                sql.text(" IN (SELECT unnest(");
                sql.bind(value.clone());
                sql.text("))");
            }
            before = " UNION ALL ";
        }
    }
    sql
}

/// The SQL types of [`owners`].
pub type OwnerTypes = (types::Integer, types::Id, types::Text);

/// Decodes a row of [`OwnerTypes`]: a value and the record that has it.
///
/// # Errors
/// `Corrupt` when the id cannot be read.
pub fn owner(
    (place, id, value): (i32, Id, String),
) -> Result<(UniqueValue, String, Uuid), StoreError> {
    let kind = usize::try_from(place).ok().and_then(|place| UniqueValue::ALL.get(place));
    let Some(kind) = kind else {
        return Err(StoreError::Internal(format!("no kind of unique value has the place {place}")));
    };
    let (table, _) = unique(*kind);
    Ok((*kind, value, Row::new(table, id).id("id", id)?))
}

#[cfg(test)]
mod tests {
    use super::{UniqueValue, unique};

    #[test]
    fn each_query_selects_the_place_of_its_kind_from_its_table() {
        for (place, kind) in UniqueValue::ALL.iter().enumerate() {
            let (table, selects) = unique(*kind);
            for select in selects {
                assert!(select.starts_with(&format!("SELECT {place}, id, ")), "{select}");
                assert!(select.contains(&format!(" FROM {table} WHERE ")), "{select}");
            }
        }
    }
}
