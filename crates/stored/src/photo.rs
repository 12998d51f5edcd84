//! The row of an announced photo.

use diesel::prelude::*;
use patrol_domain::{StoreError, Timestamp, ids::MediaId};

use crate::{
    schema::photo_announcements,
    sql::{Id, Time, id, time},
};

/// Whether a user can still get an announced photo.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UploadState {
    /// A user may get it.
    Open,
    /// No user can get it any more; it is about to be deleted.
    Condemned,
}

/// The columns of an announcement.
#[derive(Insertable)]
#[diesel(table_name = photo_announcements)]
pub struct Announcement {
    photo_id: Id,
    announced_at: Time,
    condemned: bool,
}

impl Announcement {
    /// The announcement of `photo` at this time.
    #[must_use]
    pub fn of(photo: MediaId, at: Timestamp, state: UploadState) -> Self {
        Self {
            photo_id: id(photo),
            announced_at: time(at),
            condemned: state == UploadState::Condemned,
        }
    }
}

/// The failure to give a user a photo that is condemned or was never announced.
#[must_use]
pub fn given_up() -> StoreError {
    StoreError::Unavailable("the photo was given up, since storing it took too long".to_owned())
}
