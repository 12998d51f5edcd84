//! Certificates that cannot be used at start.

use std::fs;

use patrol_tests::{Certificate, Outcome, Store};

fn serve(store: &Store, settings: &[(&str, String)]) -> Outcome {
    let arguments: Vec<_> = settings.iter().flat_map(|(flag, value)| [*flag, value]).collect();
    store.run(&[&["serve"][..], &arguments].concat())
}

/// The error of a server that ends at once, which is one line.
fn refused(store: &Store, settings: &[(&str, String)]) -> String {
    let outcome = serve(store, settings).exited(2);
    let error = outcome.stderr.trim_end();
    assert!(error.starts_with("patrol: tls_") && !error.contains('\n'), "{error}");
    assert!(!store.path("patrol.db").exists(), "nothing was created");
    error.to_owned()
}

#[test]
fn a_bad_pair_ends_the_program_with_advice() {
    let store = Store::empty();
    let path = |name: &str| store.path(name).display().to_string();
    let (one, other) = (Certificate::issue(), Certificate::issue());
    one.write(&store);
    for (name, content) in [("other.pem", &*other.key), ("text.pem", "not PEM"), ("empty.pem", "")]
    {
        fs::write(store.path(name), content).unwrap();
    }
    let pair = |certificate: &str, key: &str| {
        [("--tls-certificate", path(certificate)), ("--tls-key", path(key))]
    };
    for (certificate, key, expected) in [
        ("missing.pem", "key.pem", "check the path and the permissions"),
        ("cert.pem", "missing.pem", "check the path and the permissions"),
        ("cert.pem", "", "check the path and the permissions"),
        ("text.pem", "key.pem", "has no certificate in PEM"),
        ("empty.pem", "key.pem", "has no certificate in PEM"),
        ("cert.pem", "text.pem", "has no private key in PEM"),
        ("cert.pem", "other.pem", "set the two files that were issued together"),
    ] {
        let error = refused(&store, &pair(certificate, key));
        assert!(error.contains(expected), "{certificate} {key}: {error}");
        assert!(!error.contains("BEGIN"), "{error}");
    }
    for alone in pair("cert.pem", "key.pem") {
        let error = refused(&store, &[alone]);
        assert!(error.contains("HTTPS needs both"), "{error}");
    }
}

#[test]
fn other_commands_do_not_need_the_certificate() {
    let store = Store::empty();
    let mut command = store.command(&["migrate"]);
    command.env("PATROL_TLS_CERTIFICATE", "missing.pem").env("PATROL_TLS_KEY", "missing.pem");
    assert!(command.output().unwrap().status.success());
}
