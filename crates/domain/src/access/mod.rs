//! Who may do what: roles, and the tokens by which a request says whom it speaks for.

mod port;
mod rejection;
mod token;

pub use port::{Authentication, Mint, Passwords, TokenFilter, TokenList, TokenSort, Tokens};
#[cfg(feature = "mock")]
pub use port::{MockAuthentication, MockMint, MockPasswords, MockTokens};
pub use rejection::Rejection;
pub use token::{Digest, Holder, NewToken, Secret, Token};

use crate::shared::{ids::UserId, named::named};

named! {
    /// What a user is to the company (decisions 3).
    Role {
        /// Carries out rounds: reads, and changes its own contact data.
        Employee = "EMPLOYEE", 0;
        /// Plans rounds.
        Manager = "MANAGER", 1;
        /// May do everything.
        Admin = "ADMIN", 2;
    }
}

/// Whom a request speaks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caller {
    /// The user.
    pub user: UserId,
    /// Its role.
    pub role: Role,
}
