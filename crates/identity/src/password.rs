//! Password hashes.

use argon2::{
    Argon2, PasswordHasher as _, PasswordVerifier as _,
    password_hash::{self, phc::PasswordHash},
};
use patrol_domain::access::PasswordHasher;

/// Argon2id with 19 MiB of memory, two passes and one lane, the default parameters of the `argon2`
/// crate, and a random salt.
#[derive(Debug, Clone, Copy, Default)]
pub struct Argon2Hasher;

/// The memory for one hash, in bytes.
pub(crate) const MEMORY: usize = 1024 * 19 * 1024;

/// A hash with the parameters of [`Argon2Hasher`] that no known password has. Verifying a password
/// against it takes as long as against that of a user.
pub(crate) const NO_PASSWORD: &str = "$argon2id$v=19$m=19456,t=2,p=1$cGF0cm9sX25vX3NlY3JldA$\
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

impl PasswordHasher for Argon2Hasher {
    fn hash(&self, password: &str) -> Result<String, String> {
        let hash: PasswordHash = Argon2::default()
            .hash_password(password.as_bytes())
            .map_err(|error| error.to_string())?;
        Ok(hash.to_string())
    }

    fn verify(&self, password: &str, hash: &str) -> Result<bool, String> {
        let hash = PasswordHash::new(hash).map_err(|error| error.to_string())?;
        match Argon2::default().verify_password(password.as_bytes(), &hash) {
            Ok(()) => Ok(true),
            Err(password_hash::Error::PasswordInvalid) => Ok(false),
            Err(error) => Err(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_tells_the_password_from_another_and_has_a_salt() {
        let hash = Argon2Hasher.hash("correct horse").unwrap();
        assert_ne!(Argon2Hasher.hash("correct horse").unwrap(), hash);
        assert_eq!(Argon2Hasher.verify("correct horse", &hash), Ok(true));
        assert_eq!(Argon2Hasher.verify("wrong horse", &hash), Ok(false));
        let error = Argon2Hasher.verify("correct horse", "correct horse").unwrap_err();
        assert!(!error.contains("horse"), "{error}");
    }

    #[test]
    fn the_hash_of_no_password_costs_as_much_as_any_other() {
        let parameters = |hash: &str| hash.rsplitn(3, '$').last().unwrap().to_owned();
        let hash = Argon2Hasher.hash("correct horse").unwrap();
        assert_eq!(parameters(&hash), "$argon2id$v=19$m=19456,t=2,p=1");
        assert_eq!(parameters(NO_PASSWORD), parameters(&hash));
        assert_eq!(NO_PASSWORD.len(), hash.len());
        assert_eq!(Argon2Hasher.verify("correct horse", NO_PASSWORD), Ok(false));
        assert_eq!(MEMORY, 19_456 << 10);
    }
}
