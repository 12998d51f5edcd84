//! Who a request speaks for: opaque tokens, and the hashes of passwords (decisions 3).

mod base62;
mod mint;
mod opaque;
mod password;

pub use mint::RandomMint;
pub use opaque::OpaqueTokens;
pub use password::Argon2Passwords;
