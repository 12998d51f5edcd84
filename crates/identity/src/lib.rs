//! Authentication: opaque tokens, JWTs of an external provider, and password hashes.

mod base62;
mod either;
mod hashing;
mod jwt;
mod opaque;
mod password;
mod remembered;
mod secret;
#[cfg(test)]
mod tests;

pub use either::EitherTokens;
pub use hashing::BoundedHashing;
pub use jwt::{JwtTokens, KeySource, KeysError, Provider, use_ring};
pub use opaque::OpaqueTokens;
pub use password::Argon2Hasher;
pub use secret::RandomSecrets;
