//! axe-core, which finds what people with disabilities cannot use. From npm, kept below `target`.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    sync::OnceLock,
};

use super::Browser;

/// The version of the npm package.
const VERSION: &str = "4.14.1";

/// The findings of axe-core on the open page, with all its rules.
pub(crate) fn findings(browser: &Browser) -> Vec<String> {
    static SCRIPT: OnceLock<String> = OnceLock::new();
    let script = SCRIPT.get_or_init(script);
    // The rules of the page forbid scripts from elsewhere; those of the driver are not concerned.
    browser.run(script);
    browser.run(
        "window.axeDone = null; axe.run().then(result => { window.axeDone = result.violations; })",
    );
    let found = browser.wait("a result of axe-core", || {
        let done = browser.run("return window.axeDone");
        done.as_array().cloned()
    });
    found
        .iter()
        .map(|finding| format!("{}: {} {}", finding["id"], finding["help"], finding["nodes"]))
        .collect()
}

fn script() -> String {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools");
    let folder = tools.join(format!("axe-core-{VERSION}"));
    let file = folder.join("node_modules/axe-core/axe.min.js");
    if !file.is_file() {
        fs::create_dir_all(&folder).expect("a folder in target/tools");
        let package = format!("axe-core@{VERSION}");
        let output = Command::new("npm")
            .args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", "."])
            .arg(&package)
            .current_dir(&folder)
            .stdin(Stdio::null())
            .output();
        let output = output.unwrap_or_else(|error| {
            panic!("The tests of the site need npm, which installs {package} (Debian: apt-get install npm): {error}")
        });
        assert!(
            output.status.success(),
            "npm cannot install {package}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    fs::read_to_string(file).expect("the package has axe.min.js")
}
