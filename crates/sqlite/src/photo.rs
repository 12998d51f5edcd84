//! The photos of users, and announced objects.

use async_trait::async_trait;
use diesel::prelude::*;
use patrol_domain::{
    At, EditError, StoreError, Timestamp, Versioned,
    event::Origin,
    ids::{MediaId, UserId},
    photo::UserPhotos,
    user::User,
};
use patrol_stored::{
    photo,
    schema::{photo_announcements, users},
    sql::{id, time},
};

use crate::{
    Store,
    change::{self, Change, Found},
    statement,
};

#[async_trait]
impl UserPhotos for Store {
    async fn announce(&self, photo: MediaId, at: Timestamp) -> Result<(), StoreError> {
        self.write(move |conn| Ok(photo::announce(photo, at).execute(conn).map(drop)?)).await
    }

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

    async fn mark_for_removal(
        &self,
        photos: Vec<MediaId>,
        at: Timestamp,
    ) -> Result<Vec<MediaId>, StoreError> {
        self.write(move |conn| {
            let mut condemned = Vec::new();
            for photo in &photos {
                let of_user =
                    users::table.filter(users::photo_id.eq(id(*photo))).select(users::row);
                if of_user.first::<i64>(conn).optional()?.is_some() {
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
        after: Option<UserId>,
        limit: u32,
    ) -> Result<Vec<(UserId, MediaId)>, StoreError> {
        let owners = photo::owners(limit.into());
        let find = move |conn: &mut SqliteConnection| match after {
            Some(after) => Ok(owners.filter(users::id.gt(id(after))).load(conn)?),
            None => Ok(owners.load(conn)?),
        };
        photo::photo_owners(self.read(find).await?)
    }
}

fn end_announcement(conn: &mut SqliteConnection, photo: MediaId) -> QueryResult<()> {
    diesel::delete(photo_announcements::table.find(id(photo))).execute(conn)?;
    Ok(())
}
