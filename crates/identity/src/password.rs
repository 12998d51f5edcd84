//! Password hashes.

use argon2::{Argon2, PasswordHasher as _, password_hash::phc::PasswordHash};
use patrol_domain::access::PasswordHasher;

/// Argon2id with the default parameters of the `argon2` crate and a random salt.
#[derive(Debug, Clone, Copy, Default)]
pub struct Argon2Hasher;

impl PasswordHasher for Argon2Hasher {
    fn hash(&self, password: &str) -> Result<String, String> {
        let hash: PasswordHash = Argon2::default()
            .hash_password(password.as_bytes())
            .map_err(|error| error.to_string())?;
        Ok(hash.to_string())
    }
}

#[cfg(test)]
mod tests {
    use argon2::PasswordVerifier;

    use super::*;

    #[test]
    fn a_hash_tells_the_password_from_another_and_has_a_salt() {
        let hash = Argon2Hasher.hash("correct horse").unwrap();
        assert!(hash.starts_with("$argon2id$"));
        assert_ne!(Argon2Hasher.hash("correct horse").unwrap(), hash);
        let parsed = PasswordHash::new(&hash).unwrap();
        assert!(Argon2::default().verify_password(b"correct horse", &parsed).is_ok());
        assert!(Argon2::default().verify_password(b"wrong horse", &parsed).is_err());
    }
}
