//! Access tokens.

use patrol_domain::access::Token;
use serde::Serialize;
use utoipa::ToSchema;

use crate::value::{Id, Time};

/// An access token without its secret.
#[derive(Serialize, ToSchema, Debug)]
#[serde(rename_all = "camelCase")]
#[schema(as = Token)]
pub struct TokenRecord<'a> {
    id: Id,
    /// The owner. Requests with the token have the role of the owner.
    user_id: Id,
    name: &'a str,
    created_at: Time,
    /// The token is valid before this time; null for a token that does not expire.
    expires_at: Option<Time>,
    /// The last use, to the minute; null before the first use.
    last_used_at: Option<Time>,
}

impl<'a> TokenRecord<'a> {
    /// The record of a token.
    #[must_use]
    pub fn new(token: &'a Token) -> Self {
        let Token { id, user_id, name, created_at, expires_at, last_used_at } = token;
        Self {
            id: Id::of(*id),
            user_id: Id::of(*user_id),
            name,
            created_at: Time(*created_at),
            expires_at: expires_at.map(Time),
            last_used_at: last_used_at.map(Time),
        }
    }
}
