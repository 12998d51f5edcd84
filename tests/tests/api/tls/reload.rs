//! A certificate is replaced while the server runs.

use std::{thread, time::Duration};

use patrol_tests::{Certificate, Wire, replace};
use rustls::ALL_VERSIONS;

use super::Secure;

const LIVE: &str = "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n";
const WARNING: &str = "the new certificate or key cannot be used";

/// Whether a new connection gets this certificate.
fn shows(secure: &Secure, certificate: &Certificate) -> bool {
    let config = certificate.client(&[], ALL_VERSIONS);
    Wire::try_secure(secure.server.address(), &config).is_ok()
}

fn is_served(wire: &mut Wire) {
    wire.send(LIVE);
    assert_eq!(wire.read_status(), 200);
    assert_eq!(wire.read(64).unwrap(), b"{\"status\":\"live\"}");
}

#[test]
fn new_connections_get_the_new_certificate_and_old_ones_stay() {
    let secure = Secure::set(&[]);
    let mut old = secure.wire();
    is_served(&mut old);
    let metrics = secure.api().outside("/metrics").text().to_owned();
    assert!(metrics.contains("\npatrol_tls_certificate_expiry_timestamp_seconds "), "{metrics}");
    let next = Certificate::issue();
    next.write(&secure.store);
    let _ = secure.server.log_once(|log| log.contains("new connections get the new certificate"));
    assert!(shows(&secure, &next) && !shows(&secure, &secure.certificate));
    is_served(&mut old);

    // A bad pair: the key of another certificate.
    let other = Certificate::issue();
    replace(&secure.store.path("key.pem"), &other.key);
    let log = secure.server.log_once(|log| log.contains(WARNING));
    let line = log.lines().find(|line| line.contains(WARNING)).unwrap();
    assert!(line.contains("WARN") && line.contains("is not the key of the certificate"), "{line}");
    assert!(!log.contains("BEGIN"), "{log}");
    assert!(shows(&secure, &next), "the previous pair stays in use");
    is_served(&mut old);

    // It is logged once: several reads later there is still one line.
    thread::sleep(Duration::from_secs(7));
    assert_eq!(secure.server.log().matches(WARNING).count(), 1);

    // Another change that is bad is logged again, and a good pair ends it.
    replace(&secure.store.path("key.pem"), "no key");
    let _ = secure.server.log_once(|log| log.matches(WARNING).count() == 2);
    other.write(&secure.store);
    let new = |log: &str| log.matches("new connections get the new certificate").count() == 2;
    let _ = secure.server.log_once(new);
    assert!(shows(&secure, &other));
    is_served(&mut old);
}
