//! The certificate and the key of the server, read again while it runs.

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use patrol_domain::{Metric, Monitored};
use rustls::{
    InconsistentKeys, ServerConfig,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};
use tokio_rustls::TlsAcceptor;
use x509_cert::{Certificate, der::Decode as _};

/// The maximum number of bytes that are read of a file; the rest is ignored. A chain has a few
/// thousand.
const MAX_FILE: u64 = 1 << 20;

/// The paths of the PEM files of a certificate chain and its key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TlsFiles {
    /// The certificate of the server, followed by those of its issuers.
    pub certificate: PathBuf,
    /// The private key of the certificate, without a password.
    pub key: PathBuf,
}

/// The TLS of a server: the pair in use, and the files that it is read from.
pub struct Tls {
    files: TlsFiles,
    provider: Arc<CryptoProvider>,
    pair: Arc<PairInUse>,
    acceptor: TlsAcceptor,
    last: Mutex<LastRead>,
}

/// The files as they were read last.
struct LastRead {
    files: Result<PemPair, String>,
    /// Why they cannot be used, until it is logged.
    unreported: Option<String>,
}

/// The content of both files.
#[derive(Clone, PartialEq, Eq)]
struct PemPair {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

/// The pair that new connections get.
#[derive(Debug)]
struct PairInUse(RwLock<Arc<CertifiedKey>>);

impl ResolvesServerCert for PairInUse {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl Tls {
    /// Reads the pair.
    ///
    /// # Errors
    /// A sentence that names the setting and says what to do, when the files cannot be read or are
    /// not a certificate and its key.
    pub fn open(files: TlsFiles) -> Result<Self, String> {
        let provider = Arc::new(ring::default_provider());
        let pem = files.read()?;
        let pair = pem.parse(&files, &provider)?;
        let pair = Arc::new(PairInUse(RwLock::new(Arc::new(pair))));
        let mut config = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| format!("TLS cannot be used: {error}; report this"))?
            .with_no_client_auth()
            .with_cert_resolver(pair.clone());
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let last = Mutex::new(LastRead { files: Ok(pem), unreported: None });
        Ok(Self { files, provider, pair, acceptor: Arc::new(config).into(), last })
    }

    /// The acceptor of new connections.
    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        self.acceptor.clone()
    }

    /// Reads the files. If they have changed and are valid, new connections use them; otherwise
    /// the previous pair stays in use.
    ///
    /// A fault is logged at the next call, and only if the files are still the same, because the
    /// two files are usually replaced one after the other.
    ///
    /// Blocks while it reads.
    pub fn refresh(&self) {
        let read = self.files.read();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.files == read {
            if let Some(reason) = last.unreported.take() {
                tracing::warn!(
                    reason,
                    "the new certificate or key cannot be used; the previous pair stays in use"
                );
            }
            return;
        }
        let parsed = read.clone().and_then(|pem| pem.parse(&self.files, &self.provider));
        *last = LastRead { files: read, unreported: parsed.as_ref().err().cloned() };
        if let Ok(pair) = parsed {
            *self.pair.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(pair);
            tracing::info!("new connections get the new certificate");
        }
    }
}

impl Monitored for Tls {
    fn metrics(&self) -> Vec<Metric> {
        let pair = Arc::clone(&self.pair.0.read().unwrap_or_else(PoisonError::into_inner));
        let gauge = |seconds| {
            Metric::gauge_of(
                "patrol_tls_certificate_expiry_timestamp_seconds",
                "When the first certificate of the chain in use expires, in Unix time.",
                None,
                seconds,
            )
        };
        pair.cert.iter().filter_map(expiry).min().map(gauge).into_iter().collect()
    }
}

/// When the certificate expires, in seconds of Unix time; `None` when it cannot be decoded.
fn expiry(certificate: &CertificateDer<'_>) -> Option<u64> {
    let certificate = Certificate::from_der(certificate).ok()?;
    Some(certificate.tbs_certificate.validity.not_after.to_unix_duration().as_secs())
}

impl TlsFiles {
    fn read(&self) -> Result<PemPair, String> {
        let read = |setting: &str, path: &Path| {
            bytes_of(path).map_err(|error| {
                let path = path.display();
                format!(
                    "{setting}: cannot read {path}: {error}; check the path and the permissions"
                )
            })
        };
        Ok(PemPair {
            certificate: read("tls_certificate", &self.certificate)?,
            key: read("tls_key", &self.key)?,
        })
    }
}

fn bytes_of(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_FILE).read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl PemPair {
    /// Checks the pair. Errors never quote the files.
    fn parse(&self, files: &TlsFiles, provider: &CryptoProvider) -> Result<CertifiedKey, String> {
        let (certificate, key) = (files.certificate.display(), files.key.display());
        let no_chain = || {
            format!(
                "tls_certificate: {certificate} has no certificate in PEM; it has to contain the \
                 certificate of the server, followed by those of its issuers"
            )
        };
        let chain =
            CertificateDer::pem_slice_iter(&self.certificate).collect::<Result<Vec<_>, _>>();
        let chain = chain.ok().filter(|chain| !chain.is_empty()).ok_or_else(no_chain)?;
        let key = PrivateKeyDer::from_pem_slice(&self.key).map_err(|_| {
            format!(
                "tls_key: {key} has no private key in PEM; a key with a password is not accepted"
            )
        })?;
        CertifiedKey::from_der(chain, key, provider).map_err(|error| match error {
            rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => format!(
                "tls_key: {} is not the key of the certificate {certificate}; set the two files \
                 that were issued together",
                files.key.display()
            ),
            error => format!(
                "tls_certificate and tls_key: {certificate} and {} cannot be used: {error}; get a \
                 new certificate",
                files.key.display()
            ),
        })
    }
}

#[cfg(test)]
mod tests;
