//! TLS with rustls and ring. `sslmode` determines which servers are trusted.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{self, CryptoProvider},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
};
use tokio_postgres_rustls::MakeRustlsConnect;

/// Upgrades a plain connection to TLS.
pub(super) type Tls = MakeRustlsConnect;

/// Which servers are trusted. The file contains trusted authorities; without a file, those of the
/// machine are trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trust {
    /// Any server: the encryption protects only against passive listeners.
    Anybody,
    /// A server with a certificate of these authorities for any name (`verify-ca`).
    Authority(Option<PathBuf>),
    /// A server with such a certificate for its host name (`verify-full`).
    Host(Option<PathBuf>),
}

pub(super) fn connector(trust: &Trust) -> Result<Tls, String> {
    let provider = Arc::new(crypto::ring::default_provider());
    let verifier: Arc<dyn ServerCertVerifier> = match trust {
        Trust::Anybody => Arc::new(AnyName { authorities: None, provider: Arc::clone(&provider) }),
        Trust::Authority(file) => {
            let authorities = Some(authorities(file.as_deref(), &provider)?);
            Arc::new(AnyName { authorities, provider: Arc::clone(&provider) })
        }
        Trust::Host(file) => authorities(file.as_deref(), &provider)?,
    };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

/// A verifier with the authorities of `file`, or of the machine.
fn authorities(
    file: Option<&Path>,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<WebPkiServerVerifier>, String> {
    let mut roots = RootCertStore::empty();
    match file {
        Some(file) => {
            let of_file = |error| format!("{}: {error}", file.display());
            let certificates =
                CertificateDer::pem_file_iter(file).map_err(|error| of_file(error.to_string()))?;
            for certificate in certificates {
                let certificate = certificate.map_err(|error| of_file(error.to_string()))?;
                roots.add(certificate).map_err(|error| of_file(error.to_string()))?;
            }
        }
        None => {
            // Machines usually have a few certificates that cannot be parsed.
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
        .build()
        .map_err(|error| error.to_string())
}

/// Accepts a certificate for any name. Without authorities, it accepts every certificate. The server must
/// have its key.
#[derive(Debug)]
struct AnyName {
    authorities: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(authorities) = &self.authorities else {
            return Ok(ServerCertVerified::assertion());
        };
        // The name is checked last, after everything else was accepted.
        match authorities.verify_server_cert(certificate, intermediates, name, ocsp, now) {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        crypto::verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        crypto::verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
