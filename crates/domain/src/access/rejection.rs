//! Why a credential is refused.

use thiserror::Error;

use crate::shared::ids::{TokenId, UserId};

/// Why a credential is refused, in words for the log. The client learns only that it is not
/// authorized. Never contains the credential or a part of it.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Rejection {
    /// Neither a token of our own nor a JWT with a known algorithm.
    #[error("it is malformed: neither a token of Patrol nor a JWT")]
    Malformed,
    /// A token with our prefix that the store does not contain.
    #[error("the token is unknown: it was never issued, or was revoked")]
    UnknownToken,
    /// A token with our prefix that has expired.
    #[error("the token {0} has expired")]
    ExpiredToken(TokenId),
    /// The user is not ACTIVE.
    #[error("the user {0} is not ACTIVE")]
    InactiveUser(UserId),
    /// A JWT that has expired.
    #[error("the JWT has expired")]
    Expired,
    /// A JWT that is not valid yet (`nbf`).
    #[error("the JWT is not valid yet (nbf)")]
    NotYetValid,
    /// A JWT of another issuer.
    #[error("the JWT has another issuer (iss) than PATROL_AUTH_JWT_ISSUER")]
    Issuer,
    /// A JWT for another audience.
    #[error("the JWT is for another audience (aud) than PATROL_AUTH_JWT_AUDIENCE")]
    Audience,
    /// A JWT whose signature does not match: it was changed, or signed with another key.
    #[error("the signature of the JWT is wrong")]
    Signature,
    /// A JWT signed with a key that the provider does not publish.
    #[error("the JWT is signed with a key that is not among PATROL_AUTH_JWT_JWKS")]
    UnknownKey,
    /// A JWT signed with an algorithm that is not accepted, for example a symmetric one.
    #[error("the JWT is signed with an algorithm that is not asymmetric")]
    Algorithm,
    /// A JWT with a critical extension (`crit`), which has to be understood and is not.
    #[error("the JWT needs an extension (crit) that is not supported")]
    Extension,
    /// A JWT without this required claim.
    #[error("the JWT has no {0}")]
    MissingClaim(&'static str),
    /// A JWT with a claim of the wrong type.
    #[error("a claim of the JWT has the wrong type")]
    Claims,
    /// The subject names no user.
    #[error("the subject (sub) of the JWT is no user's id, employeeNo or email")]
    UnknownSubject,
    /// The subject names several users.
    #[error(
        "the subject (sub) of the JWT is ambiguous: it is the employeeNo of one user and the email \
         of another ({}); give one of them another, or let the provider send the id", ids(.0)
    )]
    AmbiguousSubject(Vec<UserId>),
}

fn ids(users: &[UserId]) -> String {
    users.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
