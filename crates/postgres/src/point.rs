//! Points, and their history.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use patrol_domain::{
    EditError, References, StoreError, Timestamp, Versioned,
    data_set::ImportError,
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
        at: Timestamp,
    ) -> Result<(), Abort<E>> {
        let recorded = changes
            .iter()
            .map(|change| HistoryWritten::of(change.record(), operation_of(change), at));
        let recorded: Vec<_> = recorded.collect();
        diesel::insert_into(point_history::table).values(recorded).execute(&mut conn).await?;
        Ok(())
    }
}

impl Findable for Point {
    async fn find<E: Send>(
        mut conn: &Connection,
        point: PointId,
    ) -> Result<Option<Versioned<Self>>, Abort<E>> {
        let query = points::table.find(id(point)).select(Read::as_select());
        let found = query.first(&mut conn).await.optional()?.map(Read::point).transpose()?;
        Ok(found.map(Versioned::unversioned))
    }

    async fn lock(
        mut conn: &Connection,
        point: PointId,
        _: &References,
    ) -> Result<Option<Versioned<Self>>, Abort<EditError>> {
        let query = points::table.find(id(point)).select(Read::as_select()).for_update();
        let found = query.first(&mut conn).await.optional()?.map(Read::point).transpose()?;
        Ok(found.map(Versioned::unversioned))
    }
}

impl Creatable for Point {
    async fn insert<E: Send>(
        mut conn: &Connection,
        new: &[&Self],
        _: Timestamp,
    ) -> Result<(), Abort<E>> {
        let written: Vec<_> = new.iter().map(|point| Written::of(point)).collect();
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
        diesel::update(place).set(Written::of(new)).execute(&mut conn).await?;
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
        Self::record(conn, &changes, at).await
    }

    async fn page(conn: &Connection, after: Option<Uuid>) -> Result<Vec<Self>, Abort<StoreError>> {
        let query = points::table.select(Read::as_select());
        let rows: Vec<Read> = page!(conn, after, points, query);
        Ok(rows.into_iter().map(Read::point).collect::<Result<_, _>>()?)
    }
}
