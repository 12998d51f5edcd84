//! Certificates for tests of TLS, and clients that trust them.

use std::{fs, path::Path, sync::Arc};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::{
    ClientConfig, RootCertStore, SupportedProtocolVersion,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject as _},
};

use crate::store::Store;

/// A self-signed certificate for `127.0.0.1`, `localhost` and `patrol.example.org`, and its key.
#[derive(Debug)]
pub struct Certificate {
    /// The certificate as PEM.
    pub pem: String,
    /// The key as PEM.
    pub key: String,
}

impl Certificate {
    /// A new certificate.
    ///
    /// # Panics
    /// When it cannot be made.
    #[must_use]
    pub fn issue() -> Self {
        let names = ["127.0.0.1", "localhost", "patrol.example.org"].map(str::to_owned);
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(names).expect("a certificate");
        Self { pem: cert.pem(), key: signing_key.serialize_pem() }
    }

    /// Writes the files of [`Self::settings`], each with a rename, as tools for renewal do.
    ///
    /// # Panics
    /// When the files cannot be written.
    pub fn write(&self, store: &Store) {
        for (name, content) in [("cert.pem", &self.pem), ("key.pem", &self.key)] {
            replace(&store.path(name), content);
        }
    }

    /// The settings of a server that uses the files in the directory of this store.
    #[must_use]
    pub fn settings(store: &Store) -> [(&'static str, String); 2] {
        let path = |name| store.path(name).display().to_string();
        [("PATROL_TLS_CERTIFICATE", path("cert.pem")), ("PATROL_TLS_KEY", path("key.pem"))]
    }

    /// The configuration of a client that trusts only this certificate. It offers `protocols`
    /// (ALPN) and these versions of TLS.
    ///
    /// # Panics
    /// When the certificate is malformed.
    #[must_use]
    pub fn client(
        &self,
        protocols: &[&str],
        versions: &[&'static SupportedProtocolVersion],
    ) -> Arc<ClientConfig> {
        let mut roots = RootCertStore::empty();
        let der = CertificateDer::from_pem_slice(self.pem.as_bytes()).expect("a certificate");
        roots.add(der).expect("a trusted certificate");
        let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(versions)
            .expect("supported versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        Arc::new(config)
    }
}

/// Replaces a file by a rename.
///
/// # Panics
/// When the file cannot be written.
pub fn replace(path: &Path, content: &str) {
    let new = path.with_extension("new");
    fs::write(&new, content).expect("a file");
    fs::rename(&new, path).expect("the file is replaced");
}
