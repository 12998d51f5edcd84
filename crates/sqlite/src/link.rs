//! The statements of link tables.

use std::{
    collections::{BTreeMap, HashSet},
    mem,
};

use diesel::{
    QueryResult, RunQueryDsl as _, SqliteConnection, result::Error::NotFound, sql_types::BigInt,
};
use patrol_repository::stored::{
    link::{Link, Linked},
    list::BuiltStatement,
};

use crate::{
    list::{Bind, Sql},
    row::row_of,
};

/// Changes the pairs of a record from those of `old` to those of `new`. Writes only the differences.
pub(crate) fn replace_of<T: Linked>(
    conn: &mut SqliteConnection,
    old: Option<&T>,
    new: Option<&T>,
) -> QueryResult<()> {
    let [before, after] = [old, new].map(|of| of.map(T::links).unwrap_or_default());
    let (Some(record), true) = (new.or(old), before != after) else { return Ok(()) };
    let row = row_of(conn, T::RESOURCE, record.id())?.ok_or(NotFound)?;
    replace(conn, row, &before, &after)
}

/// Changes the pairs of `row` from `old` to `new`. Writes only the differences.
pub(crate) fn replace(
    conn: &mut SqliteConnection,
    row: i64,
    old: &[Link],
    new: &[Link],
) -> QueryResult<()> {
    if old == new {
        return Ok(());
    }
    for (table, value) in missing(old, new) {
        let mut sql = Sql::of(&["DELETE FROM ", table]);
        sql.fill(" WHERE value = ? AND row = ?", [value.clone(), Bind::Integer(row)]);
        BuiltStatement::<BigInt>::from(sql).execute(conn)?;
    }
    for (table, value) in missing(new, old) {
        add(conn, table, [(value.clone(), row)])?;
    }
    Ok(())
}

/// Those of `some` that are not in `others`.
fn missing<'a>(some: &'a [Link], others: &'a [Link]) -> impl Iterator<Item = &'a Link> {
    let others: HashSet<_> = if some.is_empty() { HashSet::new() } else { others.iter().collect() };
    some.iter().filter(move |link| !others.contains(link))
}

/// Inserts pairs into a link table.
pub(crate) fn add(
    conn: &mut SqliteConnection,
    table: &'static str,
    pairs: impl IntoIterator<Item = (Bind, i64)>,
) -> QueryResult<()> {
    let mut sql = Sql::of(&["INSERT INTO ", table, " (value, row) VALUES "]);
    let mut pair = "(?, ?)";
    for (value, row) in pairs {
        sql.fill(pair, [value, Bind::Integer(row)]);
        pair = ", (?, ?)";
    }
    BuiltStatement::<BigInt>::from(sql).execute(conn)?;
    Ok(())
}

/// The row keys of records by table and value. The keys of a value ascend, because each new record
/// gets a greater key.
type RowsByValue = BTreeMap<&'static str, BTreeMap<Bind, Vec<i64>>>;

/// Pairs of many new records. They are stored later, together and sorted, so that they touch few
/// pages.
#[derive(Default)]
pub(crate) struct DeferredPairs {
    rows: RowsByValue,
    /// The approximate memory of the pairs.
    bytes: usize,
}

impl DeferredPairs {
    /// The pairs are stored when they take this many bytes.
    const CAPACITY: usize = 8 * 1024 * 1024;

    /// The maximum memory of a pair, in a vector that has just grown.
    const PAIR_BYTES: usize = 16;

    /// The memory of a value, without its text.
    const VALUE_BYTES: usize = 128;

    /// The number of pairs in one statement. The others are inserted one by one, so that the
    /// statements of a table have two texts.
    const TOGETHER: usize = 32;

    /// Collects the pairs of `row`. Stores all collected pairs when they take [`Self::CAPACITY`].
    pub(crate) fn add(
        &mut self,
        conn: &mut SqliteConnection,
        row: i64,
        links: &[Link],
    ) -> QueryResult<()> {
        for (table, value) in links {
            let values = self.rows.entry(table).or_default();
            match values.get_mut(value) {
                Some(rows) => rows.push(row),
                None => {
                    self.bytes += Self::VALUE_BYTES + value.heap_bytes();
                    values.insert(value.clone(), vec![row]);
                }
            }
        }
        self.bytes += links.len() * Self::PAIR_BYTES;
        if self.bytes >= Self::CAPACITY { self.store(conn) } else { Ok(()) }
    }

    /// Stores the collected pairs in the order of the key, in which inserts are fastest.
    pub(crate) fn store(&mut self, conn: &mut SqliteConnection) -> QueryResult<()> {
        for (table, values) in mem::take(&mut self.rows) {
            let mut pairs = values
                .into_iter()
                .flat_map(|(value, rows)| rows.into_iter().map(move |row| (value.clone(), row)));
            loop {
                let group: Vec<_> = pairs.by_ref().take(Self::TOGETHER).collect();
                if group.len() < Self::TOGETHER {
                    for pair in group {
                        add(conn, table, [pair])?;
                    }
                    break;
                }
                add(conn, table, group)?;
            }
        }
        self.bytes = 0;
        Ok(())
    }
}
