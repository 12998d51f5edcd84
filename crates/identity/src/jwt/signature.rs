//! Verifies signatures with ring. `jsonwebtoken` itself offers aws-lc, whose C code takes longest
//! to build of all dependencies, and RustCrypto, whose RSA is not constant-time.

use jsonwebtoken::{
    Algorithm::{self, ES256, ES384, EdDSA, PS256, PS384, PS512, RS256, RS384, RS512},
    DecodingKey, DecodingKeyKind, EncodingKey,
    crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils},
    errors::{ErrorKind, Result},
    signature::{Error, Verifier},
};
use ring::signature::{
    self, ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RsaParameters,
    RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};

static RING: CryptoProvider = CryptoProvider {
    signer_factory: refuse_to_sign,
    verifier_factory: verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Makes ring the cryptography of JWTs and of TLS in this process. Has to be called before the
/// first JWT and the first HTTP client.
pub fn use_ring() {
    // Both are refused when they are already installed.
    let _ = RING.install_default();
    drop(rustls::crypto::ring::default_provider().install_default());
}

/// A key that verifies signatures of one algorithm.
struct Key {
    algorithm: Algorithm,
    key: DecodingKey,
}

fn refuse_to_sign(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
    Err(ErrorKind::InvalidAlgorithm.into())
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    if key.family() == algorithm.family() {
        Ok(Box::new(Key { algorithm: *algorithm, key: key.clone() }))
    } else {
        Err(ErrorKind::InvalidKeyFormat.into())
    }
}

impl Verifier<Vec<u8>> for Key {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), Error> {
        let verified = match (self.key.kind(), rsa(self.algorithm), curve(self.algorithm)) {
            (DecodingKeyKind::RsaModulusExponent { n, e }, Some(parameters), _) => {
                RsaPublicKeyComponents { n, e }.verify(parameters, message, signature)
            }
            (DecodingKeyKind::SecretOrDer(key), None, Some(curve)) => {
                UnparsedPublicKey::new(curve, key).verify(message, signature)
            }
            _ => Err(ring::error::Unspecified),
        };
        verified.map_err(|_| Error::new())
    }
}

impl JwtVerifier for Key {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

fn rsa(algorithm: Algorithm) -> Option<&'static RsaParameters> {
    Some(match algorithm {
        RS256 => &signature::RSA_PKCS1_2048_8192_SHA256,
        RS384 => &signature::RSA_PKCS1_2048_8192_SHA384,
        RS512 => &signature::RSA_PKCS1_2048_8192_SHA512,
        PS256 => &signature::RSA_PSS_2048_8192_SHA256,
        PS384 => &signature::RSA_PSS_2048_8192_SHA384,
        PS512 => &signature::RSA_PSS_2048_8192_SHA512,
        _ => return None,
    })
}

fn curve(algorithm: Algorithm) -> Option<&'static dyn VerificationAlgorithm> {
    Some(match algorithm {
        ES256 => &ECDSA_P256_SHA256_FIXED,
        ES384 => &ECDSA_P384_SHA384_FIXED,
        EdDSA => &ED25519,
        _ => return None,
    })
}
