//! New tokens and their digests.

use patrol_domain::{
    StoreError,
    access::{Digest, Secret, SecretGenerator},
};
use sha2::{Digest as _, Sha256};

use crate::base62;

/// The prefix of every token, by which scanners recognise a leaked one.
const PREFIX: &str = "ptl_";

/// Generates tokens from the random source of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomSecrets;

impl SecretGenerator for RandomSecrets {
    fn generate(&self) -> Result<(Secret, Digest), StoreError> {
        let mut bits = [0; 32];
        getrandom::fill(&mut bits)
            .map_err(|error| StoreError::Internal(format!("no randomness: {error}")))?;
        let token = format!("{PREFIX}{}", base62::encode(bits));
        let digest = digest(&token);
        Ok((Secret(token), digest))
    }
}

/// The digest under which the store keeps the token.
fn digest(token: &str) -> Digest {
    Digest(Sha256::digest(token.as_bytes()).into())
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
        let (secret, digest) = RandomSecrets.generate().unwrap();
        let (other, _) = RandomSecrets.generate().unwrap();
        assert_ne!(secret, other);
        assert_eq!(digest_of(&secret.0), Some(digest));
        assert_eq!(secret.0.len(), 47);
        assert!(!format!("{secret:?}").contains(&secret.0[4..]));
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
