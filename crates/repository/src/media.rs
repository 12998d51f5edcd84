//! Media.

use std::collections::{BTreeSet, HashMap};

use async_trait::async_trait;
use diesel::prelude::*;
use futures_util::FutureExt as _;
use patrol_domain::{
    EditError, StoreError, Timestamp, Versioned,
    event::Origin,
    ids::MediaId,
    media::{Media, Medium, Sha256},
};

use crate::{
    Connection, Creatable, Dialect, Engine, Entity, Findable, Removable, Repository,
    photo::attach,
    stored::{
        Abort,
        media::{MediumRow, unused},
        photo,
        schema::media,
        sql::{Id, columns, id, ids, time},
        statement::{Lock, with_lock},
    },
};

#[async_trait]
impl<S: Engine> Media for Repository<S> {
    async fn unused(
        &self,
        until: Timestamp,
        after: Option<MediaId>,
        limit: u32,
    ) -> Result<Vec<MediaId>, StoreError> {
        self.0
            .page((until, after, limit), |conn, (until, after, limit)| {
                unused_after(conn, *until, *after, *limit).boxed()
            })
            .await
    }
}

async fn unused_after(
    conn: &impl Connection,
    until: Timestamp,
    after: Option<MediaId>,
    limit: u32,
) -> Result<Vec<MediaId>, Abort<StoreError>> {
    let unused = unused(time(until), limit.into());
    let found: Vec<Id> = match after {
        None => conn.load(unused).await?,
        Some(after) => conn.load(unused.filter(media::id.gt(id(after)))).await?,
    };
    Ok(found.into_iter().filter_map(Id::get).collect())
}

/// The digests of those of the named media that exist.
pub(crate) async fn digests<E: Send>(
    conn: &impl Dialect,
    named: &BTreeSet<MediaId>,
) -> Result<HashMap<MediaId, Sha256>, Abort<E>> {
    if named.is_empty() {
        return Ok(HashMap::new());
    }
    let named: Vec<_> = named.iter().copied().collect();
    let query = media::table.filter(media::id.eq_any(ids(&named))).select(columns::<MediumRow>());
    let rows: Vec<MediumRow> = conn.load(query).await?;
    let media = rows.into_iter().map(MediumRow::medium);
    Ok(media
        .map(|read| read.map(|Versioned { record, .. }| (record.id, record.sha256)))
        .collect::<Result<_, _>>()?)
}

impl Entity for Medium {}

impl Findable for Medium {
    async fn find<C: Dialect, E: Send>(
        conn: &C,
        medium: MediaId,
        lock: Lock,
    ) -> Result<Option<Versioned<Self>>, Abort<E>> {
        let query = media::table.filter(media::id.eq(id(medium))).select(columns::<MediumRow>());
        Ok(conn.first(with_lock(query, lock)).await?.map(MediumRow::medium).transpose()?)
    }
}

impl Creatable for Medium {
    /// Ends the announcements of the objects.
    async fn insert<C: Dialect, E: Send>(
        conn: &C,
        new: &[&Self],
        _: Timestamp,
    ) -> Result<(), Abort<E>> {
        for medium in new {
            attach(conn, medium.object).await?;
        }
        let rows =
            new.iter().map(|new| diesel::insert_into(media::table).values(MediumRow::of(new)));
        conn.execute_all(rows.collect()).await?;
        Ok(())
    }
}

impl Removable for Medium {
    /// Announces the object and marks it for removal.
    async fn remove_with<C: Dialect>(
        conn: &C,
        old: &Self,
        by: &Origin,
    ) -> Result<(), Abort<EditError>> {
        conn.execute(photo::announce_for_removal(old.object, by.at)).await?;
        Ok(())
    }

    async fn remove<C: Dialect>(conn: &C, old: &Self) -> QueryResult<Option<i64>> {
        conn.execute(diesel::delete(media::table.filter(media::id.eq(id(old.id))))).await?;
        Ok(None)
    }
}
