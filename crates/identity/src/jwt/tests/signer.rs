//! Signs tokens as an identity provider does.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use ring::{
    rand::SystemRandom,
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _,
        RSA_PKCS1_SHA256, RsaKeyPair, RsaPublicKeyComponents,
    },
};
use serde_json::{Value, json};

/// A private key of 2,048 bits (PKCS #8). ring makes none.
const RSA: &[u8] = include_bytes!("rsa.pk8");

/// A key pair of the provider.
pub(crate) struct Signer {
    /// The id that tokens name.
    pub(super) kid: Option<&'static str>,
    pair: Pair,
}

enum Pair {
    Ecdsa(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
    Rsa(RsaKeyPair),
}

fn encoded(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

impl Signer {
    pub(crate) fn ecdsa(kid: &'static str) -> Self {
        let (kind, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(kind, pkcs8.as_ref(), &random).unwrap();
        Self { kid: Some(kid), pair: Pair::Ecdsa(pair) }
    }

    pub(super) fn ed25519(kid: &'static str) -> Self {
        let pkcs8 = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self {
            kid: Some(kid),
            pair: Pair::Ed25519(Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).unwrap()),
        }
    }

    pub(super) fn rsa(kid: &'static str) -> Self {
        Self { kid: Some(kid), pair: Pair::Rsa(RsaKeyPair::from_pkcs8(RSA).unwrap()) }
    }

    pub(super) fn algorithm(&self) -> &'static str {
        match self.pair {
            Pair::Ecdsa(_) => "ES256",
            Pair::Ed25519(_) => "EdDSA",
            Pair::Rsa(_) => "RS256",
        }
    }

    /// The public key, as the provider publishes it.
    pub(crate) fn public(&self) -> Value {
        let mut public = match &self.pair {
            Pair::Ecdsa(pair) => {
                // A byte, then both coordinates.
                let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
                json!({ "kty": "EC", "crv": "P-256", "x": encoded(x), "y": encoded(y) })
            }
            Pair::Ed25519(pair) => {
                json!({ "kty": "OKP", "crv": "Ed25519", "x": encoded(pair.public_key()) })
            }
            Pair::Rsa(pair) => {
                let RsaPublicKeyComponents { n, e } =
                    RsaPublicKeyComponents::<Vec<u8>>::from(pair.public());
                json!({ "kty": "RSA", "n": encoded(n), "e": encoded(e) })
            }
        };
        public["kid"] = self.kid.into();
        public["alg"] = self.algorithm().into();
        public
    }

    pub(crate) fn sign(&self, claims: &Value) -> String {
        let header = match self.kid {
            Some(kid) => json!({ "typ": "JWT", "alg": self.algorithm(), "kid": kid }),
            None => json!({ "typ": "JWT", "alg": self.algorithm() }),
        };
        let message = format!("{}.{}", encoded(header.to_string()), encoded(claims.to_string()));
        let (bytes, random) = (message.as_bytes(), SystemRandom::new());
        let signature = match &self.pair {
            Pair::Ecdsa(pair) => encoded(pair.sign(&random, bytes).unwrap()),
            Pair::Ed25519(pair) => encoded(pair.sign(bytes)),
            Pair::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, bytes, &mut signature).unwrap();
                encoded(signature)
            }
        };
        format!("{message}.{signature}")
    }
}
