//! The statements for announced images, and the queries for images and their owners.

use diesel::{dsl, prelude::*, upsert::excluded};
use patrol_domain::{
    StoreError, Timestamp,
    ids::{MediaId, Uuid},
    photo::ImageOwner,
};

use crate::stored::{
    row::Row,
    schema::{graphic_plans, media, photo_announcements, users},
    sql::{Id, Time, id, time},
    statement::Statement,
};

/// Announces an image that an owner may get.
pub fn announce(photo: MediaId, at: Timestamp) -> impl Statement {
    announce_as(photo, at, false)
}

/// Announces an image that is about to be deleted, so that no owner can get it any more.
pub fn announce_for_removal(photo: MediaId, at: Timestamp) -> impl Statement {
    announce_as(photo, at, true)
}

/// Announces a photo. If it was announced before, it keeps its time.
fn announce_as(photo: MediaId, at: Timestamp, condemned: bool) -> impl Statement {
    diesel::insert_into(photo_announcements::table)
        .values((
            photo_announcements::photo_id.eq(id(photo)),
            photo_announcements::announced_at.eq(time(at)),
            photo_announcements::condemned.eq(condemned),
        ))
        .on_conflict(photo_announcements::photo_id)
        .do_update()
        .set(photo_announcements::condemned.eq(excluded(photo_announcements::condemned)))
}

/// The error when the new image of an owner is marked for removal or is not announced.
#[must_use]
pub fn not_announced() -> StoreError {
    StoreError::Unavailable(
        "storing the image took too long, so it was marked for removal".to_owned(),
    )
}

/// The announcement of `photo`, if the photo is not marked for removal.
#[dsl::auto_type(no_type_alias)]
pub fn open_announcement(photo: Id) -> _ {
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
pub fn photos(found: Vec<Id>) -> Result<Vec<MediaId>, StoreError> {
    let photo = |found| Row::new("photo_announcements", found).id("photo_id", found);
    found.into_iter().map(photo).collect()
}

/// The users with a photo, by id; read them with [`owners`].
#[dsl::auto_type(no_type_alias)]
pub fn users_with_photo(limit: i64) -> _ {
    users::table
        .filter(users::photo_id.is_not_null())
        .order(users::id)
        .limit(limit)
        .select((users::id, users::photo_id.assume_not_null()))
}

/// The graphic plans with a picture, by id; read them with [`owners`].
#[dsl::auto_type(no_type_alias)]
pub fn plans_with_picture(limit: i64) -> _ {
    graphic_plans::table
        .filter(graphic_plans::image_id.is_not_null())
        .order(graphic_plans::id)
        .limit(limit)
        .select((graphic_plans::id, graphic_plans::image_id.assume_not_null()))
}

/// The media, by id; read them with [`owners`].
#[dsl::auto_type(no_type_alias)]
pub fn media_with_file(limit: i64) -> _ {
    media::table.order(media::id).limit(limit).select((media::id, media::object_id))
}

/// Decodes rows of owners, each with its object. `column` has the id of the object.
///
/// # Errors
/// `Corrupt` when an id cannot be read.
pub fn owners<T: From<Uuid>>(
    found: Vec<(Id, Id)>,
    (table, column): (&'static str, &'static str),
    owner: fn(T) -> ImageOwner,
) -> Result<Vec<(ImageOwner, MediaId)>, StoreError> {
    let read = |(id, object)| {
        let row = Row::new(table, id);
        Ok((owner(row.id("id", id)?), row.id(column, object)?))
    };
    found.into_iter().map(read).collect()
}
