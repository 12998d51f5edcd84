//! What the README, `docs/development.md` and `make help` say of the test commands.

use std::{fs, path::Path};

/// The rest of the line of `file` that begins with `start`, without blanks, and without the end of a table.
fn said(file: &str, start: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    let content = fs::read_to_string(path).expect("a file of the project");
    let rest = content.lines().find_map(|line| line.strip_prefix(start));
    let rest = rest.unwrap_or_else(|| panic!("no line of {file} begins with {start}"));
    let rest = rest.trim_start_matches([' ', '#']);
    rest.trim_end_matches([' ', '|']).to_owned()
}

#[test]
fn the_same_is_said_of_the_test_commands_everywhere() {
    for target in ["test", "test-long", "test-all"] {
        let line = said("Makefile", &format!("{target}:"));
        let (_, help) = line.split_once("## ").unwrap_or(("", &line));
        assert_eq!(said("README.md", &format!("make {target} ")), help);
        assert_eq!(said("docs/development.md", &format!("| `make {target}` |")), help);
    }
}
