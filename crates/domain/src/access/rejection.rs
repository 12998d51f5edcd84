//! The reasons to reject a credential.

use thiserror::Error;

use crate::shared::ids::{TokenId, UserId};

/// The reason to reject a credential. Only the log shows the text; the client always gets the same
/// error. Never contains the credential or a part of it.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Rejection {
    /// Neither a token of Patrol nor a JWT.
    #[error("the credential is malformed: neither a token of Patrol nor a JWT")]
    Malformed,
    /// A token with the prefix `ptl_` that the store does not contain.
    #[error("the token is unknown: it was never issued, or was revoked")]
    UnknownToken,
    /// A token of Patrol that has expired.
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
    /// A JWT with a wrong signature: the JWT was changed, or signed with another key.
    #[error("the signature of the JWT is wrong")]
    Signature,
    /// A JWT signed with a key that the provider does not publish.
    #[error("the JWT is signed with a key that is not among PATROL_AUTH_JWT_JWKS")]
    UnknownKey,
    /// A JWT signed with an algorithm that is not asymmetric, for example HMAC.
    #[error("the JWT is signed with an algorithm that is not asymmetric")]
    Algorithm,
    /// A JWT with a critical extension (`crit`) that Patrol does not support.
    #[error("the JWT needs an extension (crit) that is not supported")]
    Extension,
    /// A JWT without this required claim.
    #[error("the JWT has no {0}")]
    MissingClaim(&'static str),
    /// A JWT with a claim of the wrong type.
    #[error("a claim of the JWT has the wrong type")]
    Claims,
    /// The subject is not the id, employee number or email address of a user.
    #[error("the subject (sub) of the JWT is not the id, employeeNo or email of any user")]
    UnknownSubject,
    /// The subject is the employee number of one user and the email address of another.
    #[error(
        "the subject (sub) of the JWT is ambiguous: it is the employeeNo of one user and the email \
         of another ({}); change one of them, or let the provider send the id", ids(.0)
    )]
    AmbiguousSubject(Vec<UserId>),
    /// A session of the site that has expired or was ended, or an unknown one.
    #[error("the session of the site has ended, or never was")]
    EndedSession,
}

fn ids(users: &[UserId]) -> String {
    users.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
