//! A Python client, generated from the API document.

use std::{fs, path::Path};

use patrol_tests::{Demo, Store};

use crate::environment::{folder, program, run};

/// The photo that the client uploads.
const PICTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/data_set/src/demo/photo.png");

#[test]
fn a_generated_python_client_calls_every_operation() {
    let demo = Demo::on(Store::empty());
    let directory = demo.path("client");
    fs::create_dir(&directory).unwrap();
    run(demo
        .command(&program("openapi-python-client"), &directory)
        .args(["generate", "--url", &demo.document(), "--meta", "none", "--fail-on-warning"])
        .args(["--output-path", "patrol_client", "--config"])
        .arg(folder().join("client.yml")));

    let script = folder().join("client.py");
    let text = fs::read_to_string(&script).unwrap();
    for cast in ["cast(", "type: ignore", "Any"] {
        assert!(!text.contains(cast), "the client needs no {cast}");
    }
    run(demo
        .command(&program("mypy"), &directory)
        .env("MYPYPATH", ".")
        .args(["--strict", "--follow-imports=silent", "--no-incremental"])
        .arg(&script));
    let output = run(demo
        .command(&program("python"), &directory)
        .env("PYTHONPATH", ".")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg(&script)
        .arg(Path::new(PICTURE)));
    assert!(output.trim_end().ends_with("operations"), "{output}");
}
