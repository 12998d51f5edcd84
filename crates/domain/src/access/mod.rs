//! Access: roles, access tokens, and the authentication of requests.

mod port;
mod rejection;
mod token;

pub use port::{
    Authentication, PasswordHasher, SecretGenerator, TokenFilter, TokenList, TokenSort, Tokens,
};
#[cfg(feature = "mock")]
pub use port::{MockAuthentication, MockPasswordHasher, MockSecretGenerator, MockTokens};
pub use rejection::Rejection;
pub use token::{Digest, NewToken, Secret, Token, TokenOwner};

use crate::shared::{
    ids::{TokenId, UserId},
    named::named,
};

named! {
    /// The role of a user. `docs/api/authentication.md` lists the permissions of each role.
    Role {
        /// Reads all records; changes only its own contact data, photo and tokens.
        Employee = "EMPLOYEE", 0;
        /// Changes all records except administrators and the tokens of other users.
        Manager = "MANAGER", 1;
        /// Executes every operation.
        Admin = "ADMIN", 2;
    }
}

/// The authenticated user of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caller {
    /// The id of the user.
    pub user: UserId,
    /// The current role of the user, not the role at the time of issue.
    pub role: Role,
    /// The token of the request; `None` for a credential of an identity provider and for a
    /// session of the site.
    pub token: Option<TokenId>,
}
