//! schemathesis: requests that the API document allows are accepted, others are refused, and every
//! answer is as described. `exceptions.toml` has what a schema cannot say.

use std::{env, fs};

use patrol_tests::{Demo, Store};
use serde_json::Value;

use crate::environment::{folder, program, run};

/// Requests of each operation in a short run, besides those that schemathesis always sends.
const EXAMPLES: &str = "4";

#[test]
fn the_program_does_what_its_document_says_on_sqlite() {
    verify(Store::sqlite());
}

#[test]
fn the_program_does_what_its_document_says_on_postgresql() {
    verify(Store::postgres());
}

fn verify(store: Store) {
    let demo = Demo::on(store);
    let directory = demo.path("schemathesis");
    fs::create_dir(&directory).unwrap();
    let report = directory.join("figures.json");
    let settings = folder().join("schemathesis.toml");
    let mut command = demo.command(&program("st"), &directory);
    command
        .env("SCHEMATHESIS_HOOKS", folder().join("hooks.py"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("VERIFY_REPORT", &report)
        .arg("--config-file")
        .arg(settings)
        .args(["run", &demo.document()]);
    match env::var("PATROL_VERIFY_SECONDS") {
        // A new seed in every run; a failure names it.
        Ok(seconds) => command.args(["--max-time", &seconds, "--max-examples", "100000"]),
        // The same requests in every run: the order of sets of Python depends on this seed, too.
        Err(_) => command.envs([("VERIFY_LONGEST_WAIT", "1"), ("PYTHONHASHSEED", "1")]).args([
            "--seed",
            "1",
            "--max-examples",
            EXAMPLES,
        ]),
    };
    let output = run(&mut command);

    // Refusals alone would show nothing, however they are explained.
    let report: Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
    let succeeded = report["succeeded"].as_object().unwrap();
    assert_eq!(succeeded.len(), demo.operations(), "{succeeded:?}\n{output}");
    let never: Vec<_> = succeeded.iter().filter(|(_, times)| **times == 0).collect();
    assert!(never.is_empty(), "operations that never succeeded: {never:?}\n{output}");
}
