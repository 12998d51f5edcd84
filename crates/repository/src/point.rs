//! Points, and their history.

use diesel::prelude::*;
use patrol_domain::{
    EditError, StoreError, Timestamp, Version, Versioned, event::Origin, ids::PointId, point::Point,
};

use crate::{
    Creatable, Dialect, Editable, Entity, Findable, Removable,
    stored::{
        Abort,
        event::RecordChange,
        point::{HistoryColumns, PointColumns, PointRow, operation_of},
        schema::points,
        sql::{columns, id},
        statement::{Lock, update, with_lock},
    },
};

impl Entity for Point {
    const HAS_HISTORY: bool = true;

    async fn record<C: Dialect>(
        conn: &C,
        changes: &[RecordChange<'_, Self>],
        by: &Origin,
    ) -> QueryResult<()> {
        let records = changes.iter().map(|change| {
            let point = change.record();
            (HistoryColumns::of(point, operation_of(change), by.at), point.tags.as_slice())
        });
        conn.insert_point_history(records.collect()).await
    }
}

fn versioned((read, version): (PointRow, i64)) -> Result<Versioned<Point>, StoreError> {
    Ok(Versioned { record: read.point()?, version: Version(version) })
}

impl Findable for Point {
    async fn find<C: Dialect, E: Send>(
        conn: &C,
        point: PointId,
        lock: Lock,
    ) -> Result<Option<Versioned<Self>>, Abort<E>> {
        let query = points::table
            .filter(points::id.eq(id(point)))
            .select((columns::<PointRow>(), points::version));
        Ok(conn.first(with_lock(query, lock)).await?.map(versioned).transpose()?)
    }
}

impl Creatable for Point {
    async fn insert<C: Dialect, E: Send>(
        conn: &C,
        new: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<E>> {
        let rows = new.iter().map(|new| {
            let version = points::version.eq(at.millis());
            diesel::insert_into(points::table).values((PointColumns::of(new), version))
        });
        conn.execute_all(rows.collect()).await?;
        Ok(())
    }
}

impl Editable for Point {
    async fn replace<C: Dialect>(
        conn: &C,
        old: &Versioned<Self>,
        new: &Self,
    ) -> Result<(), Abort<EditError>> {
        let columns = (PointColumns::of(new), points::version.eq(old.version.next().0));
        conn.execute(update(points::table, points::id.eq(id(new.id)), columns)).await?;
        Ok(())
    }
}

impl Removable for Point {
    async fn remove<C: Dialect>(conn: &C, old: &Self) -> QueryResult<Option<i64>> {
        conn.execute(diesel::delete(points::table.filter(points::id.eq(id(old.id))))).await?;
        Ok(None)
    }
}
