//! The photos of users, and announced objects.

use std::sync::Arc;

use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use patrol_domain::{
    At, EditError, References, StoreError, Timestamp, Versioned,
    event::Origin,
    ids::{MediaId, UserId},
    photo::UserPhotos,
    user::User,
};
use patrol_stored::{
    photo,
    schema::{photo_announcements, users},
    sql::{StoredId, id, ids, time},
};

use crate::{
    Store,
    change::{self, Change},
    engine::Connection,
};

#[async_trait]
impl UserPhotos for Store {
    async fn announce(&self, photo: MediaId, at: Timestamp) -> Result<(), StoreError> {
        self.transaction(async |conn| {
            Ok(photo::announce(photo, at).execute(&mut conn.as_ref()).await.map(drop)?)
        })
        .await
    }

    async fn set(
        &self,
        user: UserId,
        photo: Option<MediaId>,
        by: Origin,
    ) -> Result<(User, Option<MediaId>), EditError> {
        self.transaction_on(user.0, async |conn| {
            let mut conn = conn.as_ref();
            let at = At::<User>::any_version(user);
            let Versioned { record: found, version } =
                change::load(conn, &at, &References::default()).await?;
            if let Some(photo) = photo
                && diesel::delete(photo::open_announcement(id(photo))).execute(&mut conn).await?
                    == 0
            {
                return Err(photo::not_announced().into());
            }
            let old = found.photo_id;
            if old == photo {
                return Ok((found, None));
            }
            if let Some(old) = old {
                photo::announce_for_removal(old, by.at).execute(&mut conn).await?;
            }
            diesel::update(users::table.find(id(user)))
                .set((users::photo_id.eq(photo.map(id)), users::version.eq(version.next().0)))
                .execute(&mut conn)
                .await?;
            let changed = User { photo_id: photo, ..found.clone() };
            change::record_changes(conn, &[Change::Update(&found, &changed)], &by).await?;
            Ok((changed, old))
        })
        .await
    }

    async fn mark_for_removal(
        &self,
        photos: Vec<MediaId>,
        at: Timestamp,
    ) -> Result<Vec<MediaId>, StoreError> {
        // Sorted, so that two nodes that condemn the same photos cannot deadlock.
        let mut ordered = photos.clone();
        ordered.sort_unstable();
        self.transaction(async |conn| {
            let mut conn = conn.as_ref();
            // Condemns the photos first, which waits for a transaction that gives one of them to a
            // user; after that none can. So the later query sees which of them a user has.
            for photo in &ordered {
                photo::announce_for_removal(*photo, at).execute(&mut conn).await?;
            }
            let of_users: Vec<StoredId> = users::table
                .filter(users::photo_id.eq_any(ids(&ordered)))
                .select(users::photo_id.assume_not_null())
                .load(&mut conn)
                .await?;
            let of_users: Vec<MediaId> = of_users.into_iter().filter_map(StoredId::get).collect();
            end_announcements(conn, &of_users).await?;
            Ok(photos.iter().copied().filter(|photo| !of_users.contains(photo)).collect())
        })
        .await
    }

    async fn end_announcements(&self, photos: Vec<MediaId>) -> Result<(), StoreError> {
        self.transaction(async |conn| Ok(end_announcements(&conn, &photos).await?)).await
    }

    async fn announced(&self, until: Timestamp, limit: u32) -> Result<Vec<MediaId>, StoreError> {
        let query = photo::announced(time(until), limit.into());
        photo::photos(
            self.transaction(async |conn| Ok(query.load(&mut conn.as_ref()).await?)).await?,
        )
    }

    async fn owners(
        &self,
        after: Option<UserId>,
        limit: u32,
    ) -> Result<Vec<(UserId, MediaId)>, StoreError> {
        let find = async |conn: Arc<Connection>| {
            let (owners, mut conn) = (photo::owners(limit.into()), conn.as_ref());
            match after {
                Some(after) => Ok(owners.filter(users::id.gt(id(after))).load(&mut conn).await?),
                None => Ok(owners.load(&mut conn).await?),
            }
        };
        photo::photo_owners(self.read(find).await?)
    }
}

async fn end_announcements(mut conn: &Connection, photos: &[MediaId]) -> QueryResult<()> {
    let settled =
        photo_announcements::table.filter(photo_announcements::photo_id.eq_any(ids(photos)));
    diesel::delete(settled).execute(&mut conn).await?;
    Ok(())
}
