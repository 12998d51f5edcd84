//! A Rust client, generated from the API document, calls every operation. `make verify` runs this test;
//! `make test` does not, because the generator and the client are more than 100 crates.
#![allow(clippy::expect_used, clippy::panic, reason = "a test reports by panicking")]

use std::{env, fs, path::Path};

use patrol_tests::{Demo, Store};

/// The photo that the client uploads.
const PICTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/data_set/src/demo/photo.png");

#[test]
fn a_generated_rust_client_calls_every_operation() {
    let client = Path::new(env!("CARGO_MANIFEST_DIR")).join("clients");
    let text = fs::read_to_string(client.join("src/main.rs")).expect("the source of the client");
    let mut code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    assert!(!code.any(|line| line.contains(" as ")), "the client needs no cast");

    let demo = Demo::on(Store::empty());
    let test = env::current_exe().expect("this test has a path");
    let target = test.ancestors().nth(3).expect("target/PROFILE/deps/TEST").join("clients");
    fs::create_dir_all(&target).expect("a folder");
    // A file that stays the same, so that an unchanged client is not built again.
    let document = target.join("openapi.json");
    let described = demo.document_text();
    if fs::read_to_string(&document).ok().as_ref() != Some(&described) {
        fs::write(&document, described).expect("a file");
    }
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut run = demo.command(Path::new(&cargo), &client);
    run.env("OPENAPI_DOCUMENT", &document)
        .env("VERIFY_PICTURE", PICTURE)
        .args(["run", "--locked", "--target-dir"])
        .arg(&target);
    let output = run.output().expect("cargo runs");
    let failure = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the Rust client fails:\n{failure}");
}
