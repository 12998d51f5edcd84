//! The row of an announced photo, and the queries for photos.

use diesel::{dsl, prelude::*};
use patrol_domain::{
    StoreError, Timestamp,
    ids::{MediaId, UserId},
};

use crate::{
    row::Row,
    schema::{photo_announcements, users},
    sql::{Id, StoredId, Time, id, time},
};

/// The columns of an announcement.
#[derive(Insertable)]
#[diesel(table_name = photo_announcements)]
pub struct Announcement {
    photo_id: Id,
    announced_at: Time,
    condemned: bool,
}

impl Announcement {
    /// The announcement of a photo that a user may get.
    #[must_use]
    pub fn open(photo: MediaId, at: Timestamp) -> Self {
        Self { photo_id: id(photo), announced_at: time(at), condemned: false }
    }

    /// The announcement of a photo that no user can get any more; it is about to be deleted.
    #[must_use]
    pub fn condemned(photo: MediaId, at: Timestamp) -> Self {
        Self { condemned: true, ..Self::open(photo, at) }
    }
}

/// The failure to give a user a photo that is condemned or was never announced.
#[must_use]
pub fn given_up() -> StoreError {
    StoreError::Unavailable("the photo was given up, since storing it took too long".to_owned())
}

/// The announcement of `photo`, while a user may still get it.
#[dsl::auto_type(no_type_alias)]
pub fn open(photo: Id) -> _ {
    photo_announcements::table.find(photo).filter(photo_announcements::condemned.eq(false))
}

/// The photos that were announced before `until`, oldest first; read them with [`photos`].
#[dsl::auto_type(no_type_alias)]
pub fn announced(until: Time, limit: i64) -> _ {
    photo_announcements::table
        .filter(photo_announcements::announced_at.lt(until))
        .order((photo_announcements::announced_at, photo_announcements::photo_id))
        .limit(limit)
        .select(photo_announcements::photo_id)
}

/// Decodes the result of [`announced`].
///
/// # Errors
/// `Corrupt` when an id cannot be read.
pub fn photos(found: Vec<StoredId>) -> Result<Vec<MediaId>, StoreError> {
    let photo = |found| Row::new("photo_announcements", found).id("photo_id", found);
    found.into_iter().map(photo).collect()
}

/// The users with a photo, by id; read them with [`photo_owners`].
#[dsl::auto_type(no_type_alias)]
pub fn owners(limit: i64) -> _ {
    users::table
        .filter(users::photo_id.is_not_null())
        .order(users::id)
        .limit(limit)
        .select((users::id, users::photo_id.assume_not_null()))
}

/// Decodes the result of [`owners`]: users, each with its photo.
///
/// # Errors
/// `Corrupt` when an id cannot be read.
pub fn photo_owners(
    found: Vec<(StoredId, StoredId)>,
) -> Result<Vec<(UserId, MediaId)>, StoreError> {
    let owner = |(user, photo)| {
        let at = Row::new("users", user);
        Ok((at.id("id", user)?, at.id("photo_id", photo)?))
    };
    found.into_iter().map(owner).collect()
}
