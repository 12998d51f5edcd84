//! Who may do what: roles, access tokens and how a request is authenticated.

mod port;
mod rejection;
mod token;

pub use port::{Authentication, Mint, Passwords, TokenFilter, TokenList, TokenSort, Tokens};
#[cfg(feature = "mock")]
pub use port::{MockAuthentication, MockMint, MockPasswords, MockTokens};
pub use rejection::Rejection;
pub use token::{Digest, Holder, NewToken, Secret, Token};

use crate::shared::{
    ids::{TokenId, UserId},
    named::named,
};

named! {
    /// The permissions of a user, as `docs/api/authentication.md` lists them.
    Role {
        /// Reads everything; changes only its own contact data, photo and tokens.
        Employee = "EMPLOYEE", 0;
        /// Plans rounds; may not change administrators or the tokens of other users.
        Manager = "MANAGER", 1;
        /// May execute every operation.
        Admin = "ADMIN", 2;
    }
}

/// The authenticated user of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caller {
    /// The user that the credential belongs to.
    pub user: UserId,
    /// The role at the time of the request, not when the token was issued.
    pub role: Role,
    /// The token; `None` for a credential of an identity provider.
    pub token: Option<TokenId>,
}
