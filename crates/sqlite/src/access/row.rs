//! A token as it is read.

use diesel::{prelude::*, sqlite::Sqlite};
use patrol_domain::{StoreError, access::Token};

use crate::{
    schema::tokens,
    value::{Row, StoredId},
};

/// The columns of a token, in the order of the list's.
#[derive(Queryable, Selectable)]
#[diesel(table_name = tokens, check_for_backend(Sqlite))]
pub(crate) struct Read {
    id: StoredId,
    user_id: StoredId,
    name: String,
    created_at: i64,
    expires_at: Option<i64>,
    last_used_at: Option<i64>,
}

/// The token that a row holds.
pub(super) fn read(read: Read) -> Result<Token, StoreError> {
    let Read { id, user_id, name, created_at, expires_at, last_used_at } = read;
    let at = Row::new("tokens", id);
    Ok(Token {
        id: at.id("id", id)?,
        user_id: at.id("user_id", user_id)?,
        name,
        created_at: at.time("created_at", created_at)?,
        expires_at: expires_at.map(|time| at.time("expires_at", time)).transpose()?,
        last_used_at: last_used_at.map(|time| at.time("last_used_at", time)).transpose()?,
    })
}
