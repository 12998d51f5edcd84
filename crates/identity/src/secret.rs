//! New tokens and their digests.

use patrol_domain::{
    StoreError,
    access::{Digest, Secret, SecretGenerator},
    sign_in::SignInSecrets,
};
use sha2::{Digest as _, Sha256};

use crate::base62;

/// The prefix of every token, by which scanners recognise a leaked one.
const PREFIX: &str = "ptl_";

/// Generates the secrets of tokens, sessions and invitations from the random source of the operating
/// system.
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomSecrets;

impl SecretGenerator for RandomSecrets {
    fn generate(&self) -> Result<(Secret, Digest), StoreError> {
        let token = format!("{PREFIX}{}", base62::encode(random()?));
        let digest = digest(&token);
        Ok((Secret(token), digest))
    }
}

impl SignInSecrets for RandomSecrets {
    fn generate(&self) -> Result<(Secret, Digest), StoreError> {
        let secret = base62::encode(random()?);
        let digest = digest(&secret);
        Ok((Secret(secret), digest))
    }

    fn digest(&self, text: &str) -> Digest {
        digest(text)
    }
}

/// 256 random bits.
fn random() -> Result<[u8; 32], StoreError> {
    let mut bits = [0; 32];
    getrandom::fill(&mut bits)
        .map_err(|error| StoreError::Internal(format!("no randomness: {error}")))?;
    Ok(bits)
}

/// The digest under which the store keeps a secret.
fn digest(secret: &str) -> Digest {
    Digest(Sha256::digest(secret.as_bytes()).into())
}

/// The digest of a credential; `None` when it does not have the form of a token, so that the store
/// is not asked.
pub(crate) fn digest_of(credential: &str) -> Option<Digest> {
    let digits = credential.strip_prefix(PREFIX)?;
    let well_formed =
        digits.len() == base62::LENGTH && digits.bytes().all(|digit| digit.is_ascii_alphanumeric());
    well_formed.then(|| digest(credential))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_token_is_found_by_its_own_digest() {
        let (secret, digest) = SecretGenerator::generate(&RandomSecrets).unwrap();
        let (other, _) = SecretGenerator::generate(&RandomSecrets).unwrap();
        assert_ne!(secret, other);
        assert_eq!(digest_of(&secret.0), Some(digest));
        assert_eq!(secret.0.len(), 47);
        assert!(!format!("{secret:?}").contains(&secret.0[4..]));
    }

    #[test]
    fn a_secret_of_a_session_has_43_letters_and_digits_and_its_own_digest() {
        let (Secret(one), digest) = SignInSecrets::generate(&RandomSecrets).unwrap();
        let (Secret(other), _) = SignInSecrets::generate(&RandomSecrets).unwrap();
        assert_ne!(one, other);
        assert!(one.len() == 43 && one.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{one}");
        assert_eq!(SignInSecrets::digest(&RandomSecrets, &one), digest);
        // SHA-256, as `printf patrol | sha256sum` prints it.
        let Digest(bytes) = SignInSecrets::digest(&RandomSecrets, "patrol");
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "e87f314e6f2183a5804fc8491c946716b365e23c9a964baf584da96fb90ce13b");
    }

    #[test]
    fn what_has_another_form_is_no_token() {
        let good = format!("ptl_{}", "a".repeat(43));
        assert!(digest_of(&good).is_some());
        for bad in
            ["", "ptl_", &good[1..], &good[..46], &format!("{good}a"), &good.replace("aa", "-_")]
        {
            assert!(digest_of(bad).is_none(), "{bad}");
        }
    }
}
