//! Statements that select the keys of rows.

use diesel::{QueryResult, SqliteConnection, sql_types::BigInt};
use patrol_domain::{ids::Uuid, list::Condition};
use patrol_stored::list::Column;
use roaring::RoaringTreemap;

use super::{
    ListTable,
    condition::{Guide, filter, is_one_of},
    statement::{Bind, Select, Sql},
    trigrams::Selective,
};

/// Keys of rows.
pub(super) type Rows = RoaringTreemap;

/// The condition and the quick search as a test of one row.
pub(super) fn test<L: ListTable>(condition: &Condition<L::Filter>, search: Option<&str>) -> Sql {
    filter::<L>(condition, search, Guide::test())
}

/// Selects the keys of the rows that meet the condition and contain the term.
pub(super) fn find<L: ListTable>(
    condition: &Condition<L::Filter>,
    search: Option<&str>,
    selective: &Selective,
) -> Sql {
    if let (Condition::Is(filter, test), None) = (condition, search)
        && let Column::Set { table, or, .. } = L::column(*filter)
        && let Some(values) = Bind::any_of(test)
    {
        let mut sql = Sql::default();
        sql.text("SELECT row FROM ");
        sql.text(table);
        sql.text(" WHERE value");
        is_one_of(&mut sql, &values);
        if let Some(column) = or {
            sql.text(" UNION ALL SELECT ");
            sql.text(L::KEY);
            sql.text(" FROM ");
            sql.text(L::FROM);
            sql.text(" WHERE ");
            sql.text(column);
            is_one_of(&mut sql, &values);
        }
        return sql;
    }
    let mut sql = select_key::<L>();
    sql.append(&filter::<L>(condition, search, Guide::find(selective)));
    sql
}

/// Those of `rows` that pass the test.
pub(super) fn among<L: ListTable>(
    connection: &mut SqliteConnection,
    rows: &Rows,
    test: &Sql,
) -> QueryResult<Rows> {
    let mut sql = select_key::<L>();
    sql.append(&is_in::<L>(rows));
    sql.text(" AND ");
    sql.append(test);
    keys(connection, sql)
}

/// The condition that a row is one of these.
pub(super) fn is_in<L: ListTable>(rows: &Rows) -> Sql {
    let mut sql = Sql::default();
    sql.text(L::KEY);
    sql.text(" IN (SELECT value FROM json_each(");
    let mut numbers = String::from("[");
    for row in rows {
        if numbers.len() > 1 {
            numbers.push(',');
        }
        numbers.push_str(&row.to_string());
    }
    numbers.push(']');
    sql.bind(Bind::Text(numbers));
    sql.text("))");
    sql
}

/// The rows with these ids.
pub(super) fn with_ids<L: ListTable>(
    connection: &mut SqliteConnection,
    ids: &[Uuid],
) -> QueryResult<Rows> {
    let mut rows = Rows::new();
    for some in ids.chunks(500) {
        let mut sql = select_key::<L>();
        sql.text("id");
        is_one_of(
            &mut sql,
            &some.iter().map(|id| Bind::Bytes(id.into_bytes())).collect::<Vec<_>>(),
        );
        rows |= keys(connection, sql)?;
    }
    Ok(rows)
}

fn select_key<L: ListTable>() -> Sql {
    let mut sql = Sql::default();
    sql.text("SELECT ");
    sql.text(L::KEY);
    sql.text(" FROM ");
    sql.text(L::FROM);
    sql.text(" WHERE ");
    sql
}

/// The keys that `sql` selects. They are collected before they become a set, because a set is made
/// from sorted keys twice as fast.
pub(super) fn keys(connection: &mut SqliteConnection, sql: Sql) -> QueryResult<Rows> {
    let mut keys = <BigInt as Select<i64>>::rows(sql, connection)?
        .map(|key| Ok(key?.cast_unsigned()))
        .collect::<QueryResult<Vec<u64>>>()?;
    keys.sort_unstable();
    keys.dedup();
    // Sorted, so every key is appended.
    Ok(Rows::from_iter(keys))
}
