//! The photos of users, the owners of images, and announced objects.

use std::sync::Arc;

use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use patrol_domain::{
    At, EditError, References, StoreError, Timestamp, Versioned,
    event::Origin,
    ids::{MediaId, UserId},
    photo::{ImageOwner, ImageOwners, UserPhotos},
    user::User,
};
use patrol_stored::{
    photo,
    schema::{graphic_plans, photo_announcements, users},
    sql::{StoredId, id, ids, time},
};

use crate::{
    Store,
    change::{self, Change},
    engine::Connection,
};

#[async_trait]
impl ImageOwners for Store {
    async fn announce(&self, photo: MediaId, at: Timestamp) -> Result<(), StoreError> {
        self.transaction(async |conn| {
            Ok(photo::announce(photo, at).execute(&mut conn.as_ref()).await.map(drop)?)
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
            // Condemns the images first, which waits for a transaction that gives one of them to an
            // owner; after that none can. So the later queries see which of them have one.
            for photo in &ordered {
                photo::announce_for_removal(*photo, at).execute(&mut conn).await?;
            }
            let mut owned: Vec<StoredId> = users::table
                .filter(users::photo_id.eq_any(ids(&ordered)))
                .select(users::photo_id.assume_not_null())
                .load(&mut conn)
                .await?;
            let of_plans: Vec<StoredId> = graphic_plans::table
                .filter(graphic_plans::image_id.eq_any(ids(&ordered)))
                .select(graphic_plans::image_id.assume_not_null())
                .load(&mut conn)
                .await?;
            owned.extend(of_plans);
            let owned: Vec<MediaId> = owned.into_iter().filter_map(StoredId::get).collect();
            end_announcements(conn, &owned).await?;
            Ok(photos.iter().copied().filter(|photo| !owned.contains(photo)).collect())
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
        after: Option<ImageOwner>,
        limit: u32,
    ) -> Result<Vec<(ImageOwner, MediaId)>, StoreError> {
        let find = async |conn: Arc<Connection>| {
            let (users, mut conn) = (photo::users_with_photo(limit.into()), conn.as_ref());
            let found = match after {
                None => users.load(&mut conn).await?,
                Some(ImageOwner::User(after)) => {
                    users.filter(users::id.gt(id(after))).load(&mut conn).await?
                }
                Some(ImageOwner::GraphicPlan(_)) => Vec::new(),
            };
            if !found.is_empty() {
                return Ok(photo::photo_owners(found)?);
            }
            let plans = photo::plans_with_picture(limit.into());
            let found = match after {
                Some(ImageOwner::GraphicPlan(after)) => {
                    plans.filter(graphic_plans::id.gt(id(after))).load(&mut conn).await?
                }
                Some(ImageOwner::User(_)) | None => plans.load(&mut conn).await?,
            };
            Ok(photo::picture_owners(found)?)
        };
        self.read(find).await
    }

    async fn image_of(&self, owner: ImageOwner) -> Result<Option<MediaId>, StoreError> {
        let find = async |conn: Arc<Connection>| {
            let mut conn = conn.as_ref();
            let found: Option<Option<StoredId>> = match owner {
                ImageOwner::User(user) => {
                    let user = users::table.find(id(user)).select(users::photo_id);
                    user.first(&mut conn).await.optional()?
                }
                ImageOwner::GraphicPlan(plan) => {
                    let plan = graphic_plans::table.find(id(plan));
                    plan.select(graphic_plans::image_id).first(&mut conn).await.optional()?
                }
            };
            Ok(found.flatten().and_then(StoredId::get))
        };
        self.read(find).await
    }
}

#[async_trait]
impl UserPhotos for Store {
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
}

async fn end_announcements(mut conn: &Connection, photos: &[MediaId]) -> QueryResult<()> {
    let settled =
        photo_announcements::table.filter(photo_announcements::photo_id.eq_any(ids(photos)));
    diesel::delete(settled).execute(&mut conn).await?;
    Ok(())
}
