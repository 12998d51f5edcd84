//! A token as it is read.

use diesel::{pg::Pg, prelude::*};
use patrol_domain::{StoreError, access::Token, ids::Uuid};

use crate::{
    schema::tokens,
    value::{Row, Time},
};

/// The columns of a token, in the order of the list's.
#[derive(Queryable, Selectable)]
#[diesel(table_name = tokens, check_for_backend(Pg))]
pub(crate) struct Read {
    id: Uuid,
    user_id: Uuid,
    name: String,
    created_at: Time,
    expires_at: Option<Time>,
    last_used_at: Option<Time>,
}

/// The token that a row holds.
pub(super) fn read(read: Read) -> Result<Token, StoreError> {
    let Read { id, user_id, name, created_at, expires_at, last_used_at } = read;
    let at = Row::new("tokens", id);
    Ok(Token {
        id: id.into(),
        user_id: user_id.into(),
        name,
        created_at: at.time("created_at", created_at)?,
        expires_at: expires_at.map(|time| at.time("expires_at", time)).transpose()?,
        last_used_at: last_used_at.map(|time| at.time("last_used_at", time)).transpose()?,
    })
}
