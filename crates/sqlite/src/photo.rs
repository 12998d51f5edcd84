//! The photos of users, the owners of images, and announced objects.

use async_trait::async_trait;
use diesel::prelude::*;
use patrol_domain::{
    At, EditError, StoreError, Timestamp, Versioned,
    event::Origin,
    ids::{MediaId, UserId},
    photo::{ImageOwner, ImageOwners, UserPhotos},
    user::User,
};
use patrol_stored::{
    photo,
    schema::{graphic_plans, photo_announcements, users},
    sql::{StoredId, id, time},
};

use crate::{
    Store,
    change::{self, Change, Found},
    statement,
};

#[async_trait]
impl ImageOwners for Store {
    async fn announce(&self, photo: MediaId, at: Timestamp) -> Result<(), StoreError> {
        self.write(move |conn| Ok(photo::announce(photo, at).execute(conn).map(drop)?)).await
    }

    async fn mark_for_removal(
        &self,
        photos: Vec<MediaId>,
        at: Timestamp,
    ) -> Result<Vec<MediaId>, StoreError> {
        self.write(move |conn| {
            let mut condemned = Vec::new();
            for photo in &photos {
                if has_owner(conn, *photo)? {
                    end_announcement(conn, *photo)?;
                } else {
                    photo::announce_for_removal(*photo, at).execute(conn)?;
                    condemned.push(*photo);
                }
            }
            Ok(condemned)
        })
        .await
    }

    async fn end_announcements(&self, photos: Vec<MediaId>) -> Result<(), StoreError> {
        self.write(move |conn| {
            Ok(photos.iter().try_for_each(|photo| end_announcement(conn, *photo))?)
        })
        .await
    }

    async fn announced(&self, until: Timestamp, limit: u32) -> Result<Vec<MediaId>, StoreError> {
        let query = photo::announced(time(until), limit.into());
        photo::photos(self.read(move |conn| Ok(query.load(conn)?)).await?)
    }

    async fn owners(
        &self,
        after: Option<ImageOwner>,
        limit: u32,
    ) -> Result<Vec<(ImageOwner, MediaId)>, StoreError> {
        let find = move |conn: &mut SqliteConnection| {
            let users = photo::users_with_photo(limit.into());
            let found = match after {
                None => users.load(conn)?,
                Some(ImageOwner::User(after)) => {
                    users.filter(users::id.gt(id(after))).load(conn)?
                }
                Some(ImageOwner::GraphicPlan(_)) => Vec::new(),
            };
            if !found.is_empty() {
                return Ok(photo::photo_owners(found)?);
            }
            let plans = photo::plans_with_picture(limit.into());
            let found = match after {
                Some(ImageOwner::GraphicPlan(after)) => {
                    plans.filter(graphic_plans::id.gt(id(after))).load(conn)?
                }
                Some(ImageOwner::User(_)) | None => plans.load(conn)?,
            };
            Ok(photo::picture_owners(found)?)
        };
        self.read(find).await
    }

    async fn image_of(&self, owner: ImageOwner) -> Result<Option<MediaId>, StoreError> {
        let find = move |conn: &mut SqliteConnection| {
            let found: Option<Option<StoredId>> = match owner {
                ImageOwner::User(user) => {
                    let user = users::table.filter(users::id.eq(id(user)));
                    user.select(users::photo_id).first(conn).optional()?
                }
                ImageOwner::GraphicPlan(plan) => {
                    let plan = graphic_plans::table.filter(graphic_plans::id.eq(id(plan)));
                    plan.select(graphic_plans::image_id).first(conn).optional()?
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
        self.write(move |conn| {
            let Found { row, versioned } = change::load::<User>(conn, &At::any_version(user))?;
            let Versioned { record: found, version } = versioned;
            if let Some(photo) = photo
                && diesel::delete(photo::open_announcement(id(photo))).execute(conn)? == 0
            {
                return Err(photo::not_announced().into());
            }
            let old = found.photo_id;
            if old == photo {
                return Ok((found, None));
            }
            if let Some(old) = old {
                photo::announce_for_removal(old, by.at).execute(conn)?;
            }
            let columns = (users::photo_id.eq(photo.map(id)), users::version.eq(version.next().0));
            statement::update(users::table, users::row.eq(row), columns).execute(conn)?;
            let changed = User { photo_id: photo, ..found.clone() };
            change::record_changes(conn, &[Change::Update(&found, &changed)], &by)?;
            Ok((changed, old))
        })
        .await
    }
}

fn has_owner(conn: &mut SqliteConnection, image: MediaId) -> QueryResult<bool> {
    let users = users::table.filter(users::photo_id.eq(id(image))).select(users::row);
    if users.first::<i64>(conn).optional()?.is_some() {
        return Ok(true);
    }
    let plans = graphic_plans::table.filter(graphic_plans::image_id.eq(id(image)));
    Ok(plans.select(graphic_plans::row).first::<i64>(conn).optional()?.is_some())
}

fn end_announcement(conn: &mut SqliteConnection, photo: MediaId) -> QueryResult<()> {
    diesel::delete(photo_announcements::table.find(id(photo))).execute(conn)?;
    Ok(())
}
