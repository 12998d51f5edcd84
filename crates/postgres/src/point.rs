//! Points, and their history.

use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use patrol_domain::{
    Edit, EditError, References, StoreError, Timestamp, Versioned,
    data_set::ImportError,
    event::Origin,
    ids::{PointId, Uuid},
    list::Listing,
    point::{HistoryQuery, HistoryRecord, NewPoint, Point, Points},
};
use patrol_stored::{
    point::{HistoryWritten, Read, Written, operation_of},
    schema::{point_history, points},
    sql::id,
};

use crate::{
    Store,
    change::{self, Change, Editable, Entity, Findable, Removable, unversioned},
    data_set::{Kind, page},
    engine::{Abort, Connection},
    reference,
};

#[async_trait]
impl Points for Store {
    async fn get(&self, id: PointId) -> Result<Option<Point>, StoreError> {
        self.read(async |conn| get(&conn, id).await).await
    }

    async fn create(&self, new: NewPoint, by: Origin) -> Result<Point, EditError> {
        self.transaction(async |conn| create(&conn, &new, &by).await).await
    }

    async fn update(&self, id: PointId, edit: Edit<Point>, by: Origin) -> Result<Point, EditError> {
        Ok(self
            .transaction_on(id.0, async |conn| change::update(&conn, id, None, &edit, &by).await)
            .await?
            .record)
    }

    async fn delete(&self, id: PointId, by: Origin) -> Result<(), EditError> {
        self.transaction_on(id.0, async |conn| change::delete::<Point>(&conn, id, None, &by).await)
            .await
    }

    fn history(&self, query: HistoryQuery) -> Listing<HistoryRecord> {
        self.listing(query)
    }
}

async fn get(mut conn: &Connection, point: PointId) -> Result<Option<Point>, Abort<StoreError>> {
    let query = points::table.find(id(point)).select(Read::as_select());
    Ok(query.first(&mut conn).await.optional()?.map(Read::point).transpose()?)
}

async fn create(conn: &Connection, new: &NewPoint, by: &Origin) -> Result<Point, Abort<EditError>> {
    let point = (new.make)(&reference::existing(conn, &new.names).await?)?;
    insert(conn, &[&point]).await?;
    change::note(conn, &[Change::Create(&point)], by).await?;
    Ok(point)
}

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
    type Id = PointId;

    async fn lock(
        mut conn: &Connection,
        point: PointId,
        _: &References,
    ) -> Result<Option<Versioned<Self>>, Abort<EditError>> {
        let query = points::table.find(id(point)).select(Read::as_select()).for_update();
        let found = query.first(&mut conn).await.optional()?.map(Read::point).transpose()?;
        Ok(found.map(unversioned))
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
    async fn remove(mut conn: &Connection, point: PointId) -> Result<(), Abort<EditError>> {
        diesel::delete(points::table.find(id(point))).execute(&mut conn).await?;
        Ok(())
    }
}

impl Kind for Point {
    async fn store(
        conn: &Connection,
        points: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<ImportError>> {
        insert(conn, points).await?;
        let changes: Vec<_> = points.iter().map(|point| Change::Create(*point)).collect();
        Self::record(conn, &changes, at).await
    }

    async fn page(conn: &Connection, after: Option<Uuid>) -> Result<Vec<Self>, Abort<StoreError>> {
        let query = points::table.select(Read::as_select());
        let rows: Vec<Read> = page!(conn, after, points, query);
        Ok(rows.into_iter().map(Read::point).collect::<Result<_, _>>()?)
    }
}

/// Stores new points, without history records.
async fn insert(mut conn: &Connection, points: &[&Point]) -> QueryResult<()> {
    let written: Vec<_> = points.iter().map(|point| Written::of(point)).collect();
    diesel::insert_into(points::table).values(written).execute(&mut conn).await?;
    Ok(())
}
