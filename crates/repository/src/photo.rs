//! The photos of users, the owners of images, and announced objects.

use async_trait::async_trait;
use diesel::prelude::*;
use futures_util::FutureExt as _;
use patrol_domain::{
    EditError, References, StoreError, Target, Timestamp, Versioned,
    event::Origin,
    ids::{MediaId, UserId},
    photo::{ImageOwner, ImageOwners, UserPhotos},
    user::User,
};

use crate::{
    Connection, Dialect, Engine, Repository,
    change::{lock_at, record_changes},
    stored::{
        Abort,
        event::RecordChange,
        photo,
        schema::{graphic_plans, media, photo_announcements, users},
        sql::{Id, id, ids, time},
    },
};

#[async_trait]
impl<S: Engine> ImageOwners for Repository<S> {
    async fn announce(&self, photo: MediaId, at: Timestamp) -> Result<(), StoreError> {
        self.execute((photo, at), |(photo, at)| photo::announce(*photo, *at)).await.map(drop)
    }

    async fn mark_for_removal(
        &self,
        photos: Vec<MediaId>,
        at: Timestamp,
    ) -> Result<Vec<MediaId>, StoreError> {
        let arguments = (photos, at);
        self.0
            .write(None, arguments, |conn, (photos, at)| {
                mark_for_removal(conn, photos, *at).boxed()
            })
            .await
    }

    async fn end_announcements(&self, photos: Vec<MediaId>) -> Result<(), StoreError> {
        self.0.write(None, photos, |conn, photos| end_announcements(conn, photos).boxed()).await
    }

    async fn announced(&self, until: Timestamp, limit: u32) -> Result<Vec<MediaId>, StoreError> {
        self.0
            .page((until, limit), |conn, (until, limit)| announced(conn, *until, *limit).boxed())
            .await
    }

    async fn owners(
        &self,
        after: Option<ImageOwner>,
        limit: u32,
    ) -> Result<Vec<(ImageOwner, MediaId)>, StoreError> {
        self.0
            .read((after, limit), |conn, (after, limit)| owners(conn, *after, *limit).boxed())
            .await
    }

    async fn image_of(&self, owner: ImageOwner) -> Result<Option<MediaId>, StoreError> {
        self.0.read(owner, |conn, owner| image_of(conn, *owner).boxed()).await
    }
}

#[async_trait]
impl<S: Engine> UserPhotos for Repository<S> {
    async fn set(
        &self,
        user: UserId,
        photo: Option<MediaId>,
        by: Origin,
    ) -> Result<(User, Option<MediaId>), EditError> {
        let arguments = (user, photo, by);
        self.0
            .write(Some(user.0), arguments, |conn, (user, photo, by)| {
                set(conn, *user, *photo, by).boxed()
            })
            .await
    }
}

/// Ends the announcement of an object that gets its owner in this transaction.
///
/// # Errors
/// `Unavailable` when it is not announced, or is marked for removal.
pub(crate) async fn attach<E: Send>(
    conn: &impl Connection,
    object: MediaId,
) -> Result<(), Abort<E>> {
    match conn.execute(diesel::delete(photo::open_announcement(id(object)))).await? {
        0 => Err(photo::not_announced().into()),
        _ => Ok(()),
    }
}

async fn mark_for_removal(
    conn: &impl Connection,
    photos: &[MediaId],
    at: Timestamp,
) -> Result<Vec<MediaId>, Abort<StoreError>> {
    // Sorted, so that two nodes that mark the same images cannot deadlock.
    let mut ordered = photos.to_vec();
    ordered.sort_unstable();
    // Marks the images first. This waits for running transactions that give one of them to an
    // owner, and makes later ones fail. So the queries below see every owner.
    let mark = |photo: &MediaId| photo::announce_for_removal(*photo, at);
    conn.execute_all(ordered.iter().map(mark).collect()).await?;
    let of_users = users::table
        .filter(users::photo_id.eq_any(ids(&ordered)))
        .select(users::photo_id.assume_not_null());
    let of_plans = graphic_plans::table
        .filter(graphic_plans::image_id.eq_any(ids(&ordered)))
        .select(graphic_plans::image_id.assume_not_null());
    let mut owned: Vec<Id> = conn.load(of_users).await?;
    owned.extend(conn.load::<Id, _>(of_plans).await?);
    let of_media =
        media::table.filter(media::object_id.eq_any(ids(&ordered))).select(media::object_id);
    owned.extend(conn.load::<Id, _>(of_media).await?);
    let owned: Vec<MediaId> = owned.into_iter().filter_map(Id::get).collect();
    end_announcements(conn, &owned).await?;
    Ok(photos.iter().copied().filter(|photo| !owned.contains(photo)).collect())
}

async fn end_announcements<E>(conn: &impl Connection, photos: &[MediaId]) -> Result<(), Abort<E>> {
    let settled =
        photo_announcements::table.filter(photo_announcements::photo_id.eq_any(ids(photos)));
    conn.execute(diesel::delete(settled)).await?;
    Ok(())
}

async fn announced(
    conn: &impl Connection,
    until: Timestamp,
    limit: u32,
) -> Result<Vec<MediaId>, Abort<StoreError>> {
    Ok(photo::photos(conn.load(photo::announced(time(until), limit.into())).await?)?)
}

async fn owners(
    conn: &impl Connection,
    after: Option<ImageOwner>,
    limit: u32,
) -> Result<Vec<(ImageOwner, MediaId)>, Abort<StoreError>> {
    let after = after.map(photo::place);
    let first = after.map_or(0, |(kind, _)| kind);
    for (kind, of) in photo::OWNERS.into_iter().enumerate().skip(first) {
        let after = after.filter(|(last, _)| *last == kind).map(|(_, id)| id);
        let found: Vec<(Id, Id)> = conn.load(photo::with_object(of, after, limit)).await?;
        if !found.is_empty() {
            let owners = found.into_iter().map(|row| photo::owner(of, row));
            return Ok(owners.collect::<Result<_, _>>()?);
        }
    }
    Ok(Vec::new())
}

async fn image_of(
    conn: &impl Connection,
    owner: ImageOwner,
) -> Result<Option<MediaId>, Abort<StoreError>> {
    let (kind, id) = photo::place(owner);
    let Some(of) = photo::OWNERS.get(kind) else { return Ok(None) };
    let found: Option<Option<Id>> = conn.first(photo::object_of(*of, id)).await?;
    Ok(found.flatten().and_then(Id::get))
}

async fn set(
    conn: &impl Dialect,
    user: UserId,
    photo: Option<MediaId>,
    by: &Origin,
) -> Result<(User, Option<MediaId>), Abort<EditError>> {
    let at = Target::<User>::any_version(user);
    let Versioned { record: found, version } = lock_at(conn, &at, &References::default()).await?;
    if let Some(photo) = photo {
        attach(conn, photo).await?;
    }
    let old = found.photo_id;
    if old == photo {
        return Ok((found, None));
    }
    if let Some(old) = old {
        conn.execute(photo::announce_for_removal(old, by.at)).await?;
    }
    let columns = (users::photo_id.eq(photo.map(id)), users::version.eq(version.next().0));
    conn.execute(diesel::update(users::table.find(id(user))).set(columns)).await?;
    let changed = User { photo_id: photo, ..found.clone() };
    record_changes(conn, &[RecordChange::Update(&found, &changed)], by).await?;
    Ok((changed, old))
}
