//! Which servers each `sslmode` trusts.

use std::{fs, path::PathBuf, sync::Arc, time::Duration};

use patrol_domain::StoreError;
use patrol_test_servers::postgres::{Durability, Server};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use super::{asked, eventually, number};
use crate::engine::{Connection, OpenError, Settings, SettingsError, Store};

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority() -> Authority {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A file with the certificate of an authority, removed when dropped.
struct Roots(PathBuf);

impl Roots {
    fn of(authority: &Authority, name: &str) -> Self {
        let file = std::env::temp_dir().join(format!("patrol-{}-{name}.pem", std::process::id()));
        fs::write(&file, authority.pem()).unwrap();
        Self(file)
    }
}

impl Drop for Roots {
    fn drop(&mut self) {
        drop(fs::remove_file(&self.0));
    }
}

/// Whether sessions with this URL are encrypted.
async fn is_encrypted(url: &str) -> Result<bool, OpenError> {
    let store = Store::open(&Settings::new(url, 1).unwrap()).await?;
    let own = "ssl::int::bigint FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    let ask = async |conn: Arc<Connection>| number::<StoreError>(&conn, own).await;
    let (pooled, shared) =
        (store.transaction(None, ask).await.unwrap(), store.read(ask).await.unwrap());
    assert_eq!(pooled, shared);
    Ok(pooled == 1)
}

#[tokio::test]
async fn a_server_is_trusted_as_far_as_the_url_says() {
    let (own, other) = (authority(), authority());
    let key = KeyPair::generate().unwrap();
    let for_address = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    let certificate = for_address.signed_by(&key, &own).unwrap();
    let server = Server::start(Durability::Fast);
    let plain = server.url("postgres");
    assert_eq!(is_encrypted(&plain).await, Ok(false), "it prefers TLS, and there is none");
    server.speak_tls(&certificate.pem(), &key.serialize_pem());
    let speaks = async || asked(&plain, "SHOW ssl") == ["on"];
    eventually(Duration::from_secs(10), "TLS is on", speaks).await;

    let (own, other) = (Roots::of(&own, "own"), Roots::of(&other, "other"));
    let by_name = plain.replace("127.0.0.1", "localhost");
    let with = |url: &str, mode: &str, roots: Option<&Roots>| match roots {
        Some(Roots(file)) => format!("{url}?sslmode={mode}&sslrootcert={}", file.display()),
        None => format!("{url}?sslmode={mode}"),
    };
    for (url, encrypted) in [
        (plain.clone(), true),
        (with(&plain, "disable", None), false),
        (with(&plain, "prefer", None), true),
        (with(&plain, "require", None), true),
        (with(&plain, "verify-ca", Some(&own)), true),
        (with(&by_name, "verify-ca", Some(&own)), true),
        (with(&plain, "verify-full", Some(&own)), true),
    ] {
        assert_eq!(is_encrypted(&url).await, Ok(encrypted), "{url}");
    }
    for url in [
        with(&plain, "require", Some(&other)),
        with(&plain, "verify-ca", Some(&other)),
        with(&plain, "verify-full", Some(&other)),
        with(&by_name, "verify-full", Some(&own)),
        with(&plain, "verify-full", None),
    ] {
        let opened = is_encrypted(&url).await;
        assert!(matches!(opened, Err(OpenError::Refused(_))), "{url}: {opened:?}");
    }
}

#[test]
fn certificates_to_trust_have_to_be_there() {
    let url = "postgres://a/b?sslmode=verify-full&sslrootcert=/no/such/file";
    assert!(matches!(Settings::new(url, 1), Err(SettingsError::Certificates(_))));
}
