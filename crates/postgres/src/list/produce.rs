//! Reading a list, batch by batch.

use diesel::{QueryResult, sql_types::BigInt};
use futures_util::StreamExt;
use patrol_domain::{
    StoreError,
    list::{Batch, Direction, Page, Part, Query, bytes_of},
};

use super::{
    ListTable, PAGE,
    condition::{filter, is_vague},
    statement::{Bind, Select, Sql},
};
use crate::{
    engine::{Abort, Connection, Counts, Sender},
    value::time,
};

/// Up to how many records are all found before they are sorted. Finding these by an index takes
/// some milliseconds; to walk through the list in its order until enough of them have come by takes
/// seconds when they are as few.
const FEW: u64 = 10_000;

/// Sends the rows that meet the query in order, and then how many there are without limit and
/// offset. `connection` has to be within a snapshot.
pub(super) async fn produce<L: ListTable>(
    connection: &Connection,
    query: &Query<L>,
    counts: &Counts,
    sender: &Sender<Part<L::Item>>,
) -> Result<(), Abort<StoreError>> {
    let filter = filter::<L>(&query.condition, query.search.as_deref());
    let page = query.page;
    let is_vague = query.search.is_some() || is_vague::<L>(&query.condition);
    let counted = if is_vague && page.limit <= PAGE {
        Some(total::<L>(connection, counts, &filter).await?)
    } else {
        None
    };
    let (last, sent) = if page.limit > 0 && counted.is_none_or(|total| total > page.offset) {
        let order =
            if counted.is_some_and(|total| total <= FEW) { Order::Made } else { Order::Walked };
        rows::<L>(connection, select(query, &filter, order), sender).await?
    } else {
        (Vec::new(), 0)
    };
    let total = match counted.or_else(|| page.known_total(sent)) {
        Some(total) => total,
        None => total::<L>(connection, counts, &filter).await?,
    };
    // Held back until nothing can fail any more: most lists are one batch.
    if !last.is_empty() {
        send::<L>(sender, last).await?;
    }
    sender.send(Part::Total(total), 0).await
}

/// Where the order of a list comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// From an index, if PostgreSQL thinks that this is worth it.
    Walked,
    /// By sorting all records that pass.
    Made,
}

/// Reads rows and sends all parts but the last, which it returns with the number of rows that were
/// read.
async fn rows<L: ListTable>(
    connection: &Connection,
    select: Sql,
    sender: &Sender<Part<L::Item>>,
) -> Result<(Vec<L::Item>, u64), Abort<StoreError>> {
    let mut batch = Batch::<L>::default();
    let mut read = 0;
    let mut rows = L::SqlType::rows(select, connection).await?;
    while let Some(row) = rows.next().await {
        let item = L::item(row?)?;
        if read == 0 {
            connection.has_first_row();
        }
        read += 1;
        if let Some(full) = batch.push(item) {
            send::<L>(sender, full).await?;
        }
    }
    connection.has_first_row();
    Ok((batch.into_rest(), read))
}

async fn send<L: ListTable>(
    sender: &Sender<Part<L::Item>>,
    items: Vec<L::Item>,
) -> Result<(), Abort<StoreError>> {
    let bytes = bytes_of::<L>(&items);
    sender.send(Part::Rows(items), bytes).await
}

pub(super) fn count<L: ListTable>(filter: &Sql) -> Sql {
    let mut sql = Sql::default();
    sql.text("SELECT count(*) FROM ");
    sql.text(L::FROM);
    sql.text(" WHERE ");
    sql.append(filter);
    sql
}

/// How many records pass, known or counted.
async fn total<L: ListTable>(
    connection: &Connection,
    counts: &Counts,
    filter: &Sql,
) -> Result<u64, Abort<StoreError>> {
    let count = count::<L>(filter);
    let question = format!("{count:?}");
    counts.count(connection, question, counted(connection, count)).await
}

async fn counted(connection: &Connection, count: Sql) -> QueryResult<u64> {
    let mut rows = <BigInt as Select<i64>>::rows(count, connection).await?;
    // It is one row, and never negative.
    let total = rows.next().await.transpose()?.unwrap_or(0);
    Ok(u64::try_from(total).unwrap_or(0))
}

pub(super) fn select<L: ListTable>(query: &Query<L>, filter: &Sql, order: Order) -> Sql {
    let mut sql = Sql::default();
    sql.text("SELECT ");
    sql.text(L::COLUMNS);
    sql.text(" FROM ");
    // PostgreSQL plans a part with an offset by itself.
    if order == Order::Made {
        sql.text("(SELECT * FROM ");
    }
    sql.text(L::FROM);
    sql.text(" WHERE ");
    sql.append(filter);
    if order == Order::Made {
        sql.text(" OFFSET 0) AS ");
        sql.text(L::FROM);
    }
    let mut before = " ORDER BY ";
    for sort in &query.sort {
        let key = L::sort(sort.property);
        sql.text(before);
        // `:now` is a value, which has to be bound in its place.
        for (at, part) in key.sql.split(":now").enumerate() {
            if at > 0 {
                sql.bind(Bind::Time(time(query.now)));
            }
            sql.text(part);
        }
        // Nulls are the greatest values for PostgreSQL, and come last in both directions here.
        sql.text(match sort.direction {
            Direction::Ascending => "",
            Direction::Descending if key.nullable => " DESC NULLS LAST",
            Direction::Descending => " DESC",
        });
        before = ", ";
    }
    for tie in L::TIES {
        sql.text(before);
        sql.text(tie);
        before = ", ";
    }
    let Page { limit, offset } = query.page;
    sql.text(" LIMIT ");
    sql.bind(Bind::Integer(i64::from(limit)));
    sql.text(" OFFSET ");
    // An offset that PostgreSQL cannot take is beyond the end of any list.
    sql.bind(Bind::Integer(i64::try_from(offset).unwrap_or(i64::MAX)));
    sql
}
