//! The statements for announced images, and the queries for images and their owners.

use diesel::{dsl, prelude::*, upsert::excluded};
use patrol_domain::{
    StoreError, Timestamp,
    ids::{MediaId, Uuid},
    photo::ImageOwner,
};

use crate::stored::{
    list::{Bind, BuiltStatement, Sql},
    row::Row,
    schema::photo_announcements,
    sql::{Id, Time, id, time, types},
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

/// The owners of one kind: their table, its column with the id of the object, and the owner with an id.
type Owners = (&'static str, &'static str, fn(Uuid) -> ImageOwner);

/// All kinds of owners, in their order.
pub const OWNERS: [Owners; 3] = [
    ("users", "photo_id", |id| ImageOwner::User(id.into())),
    ("graphic_plans", "image_id", |id| ImageOwner::GraphicPlan(id.into())),
    ("media", "object_id", |id| ImageOwner::Medium(id.into())),
];

/// The place of the kind of an owner in [`OWNERS`], and the owner's id.
#[must_use]
pub const fn place(owner: ImageOwner) -> (usize, Uuid) {
    match owner {
        ImageOwner::User(user) => (0, user.0),
        ImageOwner::GraphicPlan(plan) => (1, plan.0),
        ImageOwner::Medium(medium) => (2, medium.0),
    }
}

/// The ids of the owners of a kind that have an object, and of their objects, by id.
#[must_use]
pub fn with_object(
    (table, column, _): Owners,
    after: Option<Uuid>,
    limit: u32,
) -> BuiltStatement<(types::Id, types::Id)> {
    let mut sql = Sql::of(&["SELECT id, ", column, " FROM ", table, " WHERE ", column]);
    sql.text(" IS NOT NULL");
    if let Some(after) = after {
        sql.fill(" AND id > ?", [Bind::id(after)]);
    }
    sql.fill(" ORDER BY id LIMIT ?", [Bind::Integer(limit.into())]);
    sql.into()
}

/// The id of the object of an owner, or null.
#[must_use]
pub fn object_of(
    (table, column, _): Owners,
    owner: Uuid,
) -> BuiltStatement<types::Nullable<types::Id>> {
    let mut sql = Sql::of(&["SELECT ", column, " FROM ", table, " WHERE id = "]);
    sql.bind(Bind::id(owner));
    sql.into()
}

/// Decodes a row of [`with_object`].
///
/// # Errors
/// `Corrupt` when an id cannot be read.
pub fn owner(
    (table, column, owner): Owners,
    (id, object): (Id, Id),
) -> Result<(ImageOwner, MediaId), StoreError> {
    let row = Row::new(table, id);
    Ok((owner(row.id("id", id)?), row.id(column, object)?))
}
