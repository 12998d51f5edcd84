//! Authentication: opaque tokens, JWTs of an external provider, and password hashes.

mod base62;
#[cfg(test)]
mod contract;
mod either;
mod jwt;
mod mint;
mod opaque;
mod password;
mod remembered;

pub use either::EitherTokens;
pub use jwt::{JwtTokens, KeySource, KeysError, Provider};
pub use mint::RandomMint;
pub use opaque::OpaqueTokens;
pub use password::Argon2Passwords;
