//! Good, bad and changed pairs.

use std::fs;

use rcgen::{
    CertificateParams, CertifiedKey as Issued, KeyPair, date_time_ymd, generate_simple_self_signed,
};

use super::*;

/// A folder with a pair of files.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn files(&self) -> TlsFiles {
        TlsFiles { certificate: self.0.path().join("cert.pem"), key: self.0.path().join("key.pem") }
    }

    fn write(&self, certificate: &str, key: &str) {
        fs::write(self.files().certificate, certificate).unwrap();
        fs::write(self.files().key, key).unwrap();
    }

    fn refused(&self) -> String {
        match Tls::open(self.files()) {
            Ok(_) => panic!("a bad pair passed"),
            Err(error) => error,
        }
    }
}

/// A new certificate and its key, as PEM.
fn issued() -> (String, String) {
    let Issued { cert, signing_key } = generate_simple_self_signed(["localhost".into()]).unwrap();
    (cert.pem(), signing_key.serialize_pem())
}

fn in_use(tls: &Tls) -> Vec<u8> {
    tls.pair.0.read().unwrap().cert[0].to_vec()
}

fn der(pem: &str) -> Vec<u8> {
    CertificateDer::from_pem_slice(pem.as_bytes()).unwrap().to_vec()
}

#[test]
fn a_bad_pair_is_refused_with_the_setting_and_advice() {
    let folder = Folder::new();
    let ((certificate, key), (_, other)) = (issued(), issued());
    let error = folder.refused();
    assert!(error.starts_with("tls_certificate: cannot read "), "{error}");
    let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for (certificate, key, expected) in [
        (&*certificate, &*other, "is not the key of the certificate"),
        (&certificate, "", "has no private key in PEM"),
        (&certificate, &certificate, "has no private key in PEM"),
        ("", &key, "has no certificate in PEM"),
        (&key, &key, "has no certificate in PEM"),
        (broken, &key, "cannot be used"),
    ] {
        folder.write(certificate, key);
        let error = folder.refused();
        assert!(
            error.contains(expected) && error.contains("cert.pem") || error.contains("key.pem")
        );
        assert!(!error.contains('\n') && !error.contains("BEGIN"), "{error}");
    }
    folder.write(&certificate, &key);
    fs::remove_file(folder.files().key).unwrap();
    assert!(folder.refused().starts_with("tls_key: cannot read "));
    fs::create_dir(folder.files().key).unwrap();
    assert!(folder.refused().starts_with("tls_key: cannot read "));
}

#[test]
fn a_changed_pair_is_used_and_a_bad_one_is_not() {
    let folder = Folder::new();
    let ((certificate, key), (next, next_key)) = (issued(), issued());
    folder.write(&certificate, &key);
    let tls = Tls::open(folder.files()).unwrap();
    let unreported = || tls.last.lock().unwrap().unreported.clone();
    tls.refresh();
    assert_eq!(in_use(&tls), der(&certificate));
    // The certificate is replaced before its key.
    folder.write(&next, &key);
    tls.refresh();
    assert_eq!(in_use(&tls), der(&certificate));
    assert!(unreported().unwrap().contains("is not the key"), "it is logged at the next call");
    folder.write(&next, &next_key);
    tls.refresh();
    assert_eq!((in_use(&tls), unreported()), (der(&next), None), "nothing was wrong");
    fs::remove_file(folder.files().certificate).unwrap();
    tls.refresh();
    assert!(unreported().unwrap().contains("cannot read"));
    tls.refresh();
    assert_eq!((in_use(&tls), unreported()), (der(&next), None), "it was logged");
    folder.write(&certificate, &key);
    tls.refresh();
    assert_eq!(in_use(&tls), der(&certificate));
}

#[test]
fn the_expiry_of_the_first_certificate_to_expire_is_a_metric() {
    let folder = Folder::new();
    let expiring = |year| {
        let mut params = CertificateParams::new(["localhost".into()]).unwrap();
        params.not_after = date_time_ymd(year, 1, 2);
        let key = KeyPair::generate().unwrap();
        (params.self_signed(&key).unwrap().pem(), key.serialize_pem())
    };
    let ((certificate, key), (issuer, _)) = (expiring(2031), expiring(2030));
    folder.write(&format!("{certificate}{issuer}"), &key);
    let tls = Tls::open(folder.files()).unwrap();
    let [metric] = &tls.metrics()[..] else { panic!("there is one") };
    assert_eq!(metric.name, "patrol_tls_certificate_expiry_timestamp_seconds");
    assert_eq!(metric.value, 1_893_542_400.0, "2 January 2030");
}
