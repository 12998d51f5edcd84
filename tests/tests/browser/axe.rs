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
    run(browser, "{ resultTypes: ['violations'] }")
}

/// The findings about colours alone.
pub(crate) fn contrast(browser: &Browser) -> Vec<String> {
    run(browser, "{ runOnly: ['color-contrast'], preload: false }")
}

/// Texts whose contrast is below 7:1, or 4.5:1 for large ones.
pub(crate) fn high_contrast(browser: &Browser) -> Vec<String> {
    run(browser, "{ runOnly: ['color-contrast-enhanced'], preload: false }")
}

fn run(browser: &Browser, options: &str) -> Vec<String> {
    static SCRIPT: OnceLock<String> = OnceLock::new();
    let script = SCRIPT.get_or_init(script);
    // The rules of the page forbid scripts from elsewhere; those of the driver are not concerned.
    if browser.run("return typeof axe") == "undefined" {
        browser.run(script);
    }
    // The promise is awaited.
    let found = browser.run(&format!(
        "return axe.run({options}).then(result => result.violations.map(({{ id, help, nodes }}) => \
            ({{ id, help, nodes: nodes.map(({{ html, failureSummary }}) => [html, failureSummary]) }})))"
    ));
    found
        .as_array()
        .expect("findings")
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
