//! Points, and their history.

pub(crate) mod texts;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use patrol_domain::{
    EditError, References, StoreError, Timestamp, Version, Versioned,
    data_set::ImportError,
    event::Origin,
    ids::{PointId, Uuid},
    point::Point,
};
use patrol_stored::{
    point::{HistoryWritten, Read, Written, operation_of},
    schema::{point_history, points},
    sql::id,
};

use crate::{
    change::{Change, Creatable, Editable, Entity, Findable, Removable},
    data_set::{Kind, page},
    engine::{Abort, Connection},
};

impl Entity for Point {
    async fn record<E: Send>(
        mut conn: &Connection,
        changes: &[Change<'_, Self>],
        by: &Origin,
    ) -> Result<(), Abort<E>> {
        let recorded = changes
            .iter()
            .map(|change| HistoryWritten::of(change.record(), operation_of(change), by.at));
        let recorded: Vec<_> = recorded.collect();
        diesel::insert_into(point_history::table).values(recorded).execute(&mut conn).await?;
        Ok(())
    }
}

/// The point in a row, with its version.
fn versioned((version, read): (i64, Read)) -> Result<Versioned<Point>, StoreError> {
    Ok(Versioned { record: read.point()?, version: Version(version) })
}

impl Findable for Point {
    async fn find<E: Send>(
        mut conn: &Connection,
        point: PointId,
    ) -> Result<Option<Versioned<Self>>, Abort<E>> {
        let query = points::table.find(id(point)).select((points::version, Read::as_select()));
        Ok(query.first(&mut conn).await.optional()?.map(versioned).transpose()?)
    }

    async fn lock(
        mut conn: &Connection,
        point: PointId,
        _: &References,
    ) -> Result<Option<Versioned<Self>>, Abort<EditError>> {
        let query = points::table.find(id(point)).select((points::version, Read::as_select()));
        Ok(query.for_update().first(&mut conn).await.optional()?.map(versioned).transpose()?)
    }
}

impl Creatable for Point {
    /// An id may have been used before; its versions were lower than the current time in milliseconds.
    async fn insert<E: Send>(
        mut conn: &Connection,
        new: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<E>> {
        let version = points::version.eq(at.millis());
        let written: Vec<_> = new.iter().map(|point| (Written::of(point), version)).collect();
        diesel::insert_into(points::table).values(written).execute(&mut conn).await?;
        Ok(())
    }
}

impl Editable for Point {
    async fn replace(
        mut conn: &Connection,
        old: &Versioned<Self>,
        new: &Self,
    ) -> Result<(), Abort<EditError>> {
        let place = points::table.find(id(old.record.id));
        let columns = (Written::of(new), points::version.eq(old.version.next().0));
        diesel::update(place).set(columns).execute(&mut conn).await?;
        Ok(())
    }
}

impl Removable for Point {
    async fn remove(
        mut conn: &Connection,
        point: PointId,
    ) -> Result<Option<i64>, Abort<EditError>> {
        diesel::delete(points::table.find(id(point))).execute(&mut conn).await?;
        Ok(None)
    }
}

impl Kind for Point {
    async fn store(
        conn: &Connection,
        points: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<ImportError>> {
        Self::insert(conn, points, at).await?;
        let changes: Vec<_> = points.iter().map(|point| Change::Create(*point)).collect();
        Self::record(conn, &changes, &Origin::of_program(at)).await
    }

    async fn page(conn: &Connection, after: Option<Uuid>) -> Result<Vec<Self>, Abort<StoreError>> {
        let query = points::table.select(Read::as_select());
        let rows: Vec<Read> = page!(conn, after, points, query);
        Ok(rows.into_iter().map(Read::point).collect::<Result<_, _>>()?)
    }
}
