//! The row of a medium, and the media that executions name.

use diesel::{dsl, pg::Pg, prelude::*, sqlite::Sqlite};
use patrol_domain::{
    Named as _, StoreError, Version, Versioned,
    ids::{MediaId, TaskExecutionId},
    media::Medium,
};

use crate::stored::{
    row::Row,
    schema::{media, media_uses},
    sql::{Id, Time, id, time},
    statement::Statement,
};

/// The columns of a medium.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = media, check_for_backend(Sqlite, Pg), treat_none_as_default_value = false)]
pub struct MediumRow {
    id: Id,
    object_id: Id,
    kind: i16,
    size: i64,
    sha256: Vec<u8>,
    created_at: Time,
    user_id: Option<Id>,
}

impl MediumRow {
    /// The columns of `medium`.
    #[must_use]
    pub fn of(medium: &Medium) -> Self {
        let Medium { id: medium_id, object, kind, size, sha256, created_at, user_id } = medium;
        Self {
            id: id(*medium_id),
            object_id: id(*object),
            kind: kind.code(),
            size: i64::try_from(*size).unwrap_or(i64::MAX),
            sha256: sha256.to_vec(),
            created_at: time(*created_at),
            user_id: user_id.map(id),
        }
    }

    /// Decodes the medium. Its version is the time of its creation, because a removed medium may have had
    /// the same id.
    ///
    /// # Errors
    /// `Corrupt` when a column cannot be read.
    pub fn medium(self) -> Result<Versioned<Medium>, StoreError> {
        let Self { id, object_id, kind, size, sha256, created_at, user_id } = self;
        let row = Row::new("media", id);
        let created_at = row.time("created_at", created_at)?;
        let record = Medium {
            id: row.id("id", id)?,
            object: row.id("object_id", object_id)?,
            kind: row.named("kind", kind)?,
            size: u64::try_from(size).map_err(|error| row.corrupt("size", error))?,
            sha256: sha256.try_into().map_err(|_| row.corrupt("sha256", "another length"))?,
            created_at,
            user_id: user_id.map(|id| row.id("user_id", id)).transpose()?,
        };
        Ok(Versioned { record, version: Version::of_new(created_at) })
    }
}

/// Records that an execution names a medium.
pub fn insert_use(medium: MediaId, execution: TaskExecutionId) -> impl Statement {
    diesel::insert_into(media_uses::table)
        .values((media_uses::media_id.eq(id(medium)), media_uses::execution_id.eq(id(execution))))
        .on_conflict_do_nothing()
}

/// The media created before `until` that no execution names, by id.
#[dsl::auto_type(no_type_alias)]
pub fn unused(until: Time, limit: i64) -> _ {
    let uses =
        media_uses::table.filter(media_uses::media_id.eq(media::id)).select(media_uses::media_id);
    media::table
        .filter(media::created_at.lt(until))
        .filter(dsl::not(dsl::exists(uses)))
        .order(media::id)
        .limit(limit)
        .select(media::id)
}
