//! Access tokens.

use patrol_domain::{
    Timestamp,
    access::Token,
    ids::{TokenId, UserId},
};
use patrol_json::write;
use serde::Serialize;

/// A token without its secret.
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct TokenRecord<'a> {
    #[serde(serialize_with = "write::id")]
    id: TokenId,
    #[serde(serialize_with = "write::id")]
    user_id: UserId,
    name: &'a str,
    #[serde(serialize_with = "write::timestamp")]
    created_at: Timestamp,
    #[serde(serialize_with = "write::timestamp_or_null")]
    expires_at: Option<Timestamp>,
    #[serde(serialize_with = "write::timestamp_or_null")]
    last_used_at: Option<Timestamp>,
}

impl<'a> TokenRecord<'a> {
    /// The record of a token.
    #[must_use]
    pub fn new(token: &'a Token) -> Self {
        let Token { id, user_id, name, created_at, expires_at, last_used_at } = token;
        Self {
            id: *id,
            user_id: *user_id,
            name,
            created_at: *created_at,
            expires_at: *expires_at,
            last_used_at: *last_used_at,
        }
    }
}
