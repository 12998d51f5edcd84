//! The response to the creation of a token.

use std::fmt;

use patrol_application::IssuedToken;
use patrol_domain::access::Token;
use patrol_record::TokenRecord;
use serde::Serialize;
use utoipa::ToSchema;

/// A new token with its secret.
#[derive(Serialize, ToSchema)]
#[schema(as = TokenIssued)]
pub(crate) struct IssuedRecord<'a> {
    #[serde(flatten)]
    record: TokenRecord<'a>,
    /// The token itself, shown once; null in the answer to a repeated request.
    #[schema(pattern = "^ptl_[0-9A-Za-z]+$")]
    token: Option<&'a str>,
}

impl<'a> IssuedRecord<'a> {
    /// The record of an issued token.
    pub(crate) fn new(issued: &'a IssuedToken) -> Self {
        let IssuedToken { token, secret } = issued;
        Self { record: TokenRecord::new(token), token: Some(&secret.0) }
    }

    /// The record of an issued token without its secret.
    pub(crate) fn without_secret(token: &'a Token) -> Self {
        Self { record: TokenRecord::new(token), token: None }
    }
}

/// Prints the record without the secret, which must not be logged.
impl fmt::Debug for IssuedRecord<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.record.fmt(out)
    }
}
