//! The JSON form of tokens.

use std::fmt;

use patrol_application::Issued;
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
pub(crate) struct TokenRecord<'a> {
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
    pub(crate) fn new(token: &'a Token) -> Self {
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

/// A new token with its secret.
#[derive(Serialize)]
pub(crate) struct IssuedRecord<'a> {
    #[serde(flatten)]
    record: TokenRecord<'a>,
    token: &'a str,
}

impl<'a> IssuedRecord<'a> {
    /// The record of an issued token.
    pub(crate) fn new(issued: &'a Issued) -> Self {
        let Issued { token, secret } = issued;
        Self { record: TokenRecord::new(token), token: &secret.0 }
    }
}

/// Without the secret, which must not be logged.
impl fmt::Debug for IssuedRecord<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.record.fmt(out)
    }
}
