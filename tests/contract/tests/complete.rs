//! The suite is complete: every method of a port has a case, and every case is run.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test reports by panicking")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Ports with a single adapter, which has its own tests, or ports to the machine.
const WITHOUT_A_SUITE: [&str; 9] = [
    "Clock",
    "Ids",
    "Monitored",
    "Images",
    "SecretGenerator",
    "PasswordHasher",
    "PasswordHashing",
    "SignInSecrets",
    "SignInLog",
];

/// The ports of all kinds of records.
const GENERIC: [&str; 4] = ["Get", "Create", "Update", "Delete"];

/// The port of all lists. Each list has cases at the port that includes it.
const LISTS: &str = "List";

/// The port of a kind of record that is made from a draft. It includes [`GENERIC`] and the list of the
/// kind.
const DRAFTED: &str = "Records";

/// How the cases call a port that is not a field of `Ports`.
const OTHER_SUITES: [(&str, &str); 3] =
    [("Photos", "photos()"), ("MediaFiles", "files()"), ("Authentication", "authentication()")];

/// The source files below `folder`.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// The text of a file without comments.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

fn own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The word at the start of `text`.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// A port of the domain.
#[derive(Debug)]
struct Port {
    name: String,
    /// The generic ports that it includes, each with the kind of record.
    of_records: Vec<(String, String)>,
    /// The methods of its own.
    methods: Vec<String>,
    /// The declaration, without spaces.
    body: String,
}

/// The ports of the domain.
fn ports() -> Vec<Port> {
    let mut ports = Vec::new();
    for path in sources(&own().join("../../../crates/domain/src")) {
        let code = code(&path);
        for kind in code.split("impl Drafted for ").skip(1).map(word) {
            ports.push(Port {
                name: format!("{DRAFTED}<{kind}>"),
                of_records: GENERIC.map(|port| (port.to_owned(), kind.to_owned())).into(),
                methods: vec!["list".to_owned()],
                body: String::new(),
            });
        }
        for declared in code.split("\npub trait ").skip(1) {
            let (head, body) = declared.split_once('{').expect("a trait has a body");
            let supertraits = head.split_once(':').map_or("", |(_, supertraits)| supertraits);
            let included: Vec<_> = supertraits
                .split('+')
                .filter_map(|one| one.trim().strip_suffix('>')?.split_once('<'))
                .filter(|(port, _)| GENERIC.contains(port) || *port == LISTS)
                .collect();
            let is_port = head.trim_end().ends_with("Send + Sync") || !included.is_empty();
            if !is_port || [LISTS, DRAFTED].contains(&word(head)) {
                continue;
            }
            let (lists, of_records): (Vec<_>, Vec<_>) =
                included.into_iter().partition(|(port, _)| *port == LISTS);
            let of_records = of_records.into_iter();
            let body = body.split("\n}").next().unwrap();
            let methods = body.lines().filter_map(|line| {
                let line = line.strip_prefix("    ")?;
                let name = line.strip_prefix("async fn ").or_else(|| line.strip_prefix("fn "))?;
                Some(word(name).to_owned())
            });
            ports.push(Port {
                name: word(head).to_owned(),
                of_records: of_records.map(|(port, kind)| (port.into(), kind.into())).collect(),
                methods: methods.chain(lists.iter().map(|_| "list".to_owned())).collect(),
                body: body.split_whitespace().collect(),
            });
        }
    }
    ports
}

/// How the cases call a method of the port: `.users.`, for example.
fn access(port: &Port) -> Option<String> {
    let name = &port.name;
    if GENERIC.contains(&&**name) {
        return Some("port.".to_owned());
    }
    if let Some((_, call)) = OTHER_SUITES.iter().find(|(known, _)| known == name) {
        return Some(format!(".{call}."));
    }
    let declared = code(&own().join("lib.rs"));
    let kind = format!(": Arc<dyn {name}>,");
    let field = declared.lines().find_map(|line| line.trim().strip_suffix(&kind));
    field.map(|field| format!(".{}.", field.trim_start_matches("pub ")))
}

#[test]
fn every_method_of_a_port_has_a_case() {
    let cases: String = sources(&own()).iter().map(|path| code(path)).collect();
    let cases: String = cases.split_whitespace().collect();
    let ports = ports();
    assert!(ports.len() > 15, "{ports:?}");
    for port in ports {
        let Some(access) = access(&port) else {
            assert!(WITHOUT_A_SUITE.contains(&&*port.name), "{} is in no suite", port.name);
            continue;
        };
        assert!(!port.methods.is_empty() || !port.of_records.is_empty(), "{port:?} has no method");
        for method in &port.methods {
            // A method that provided methods of the port call has their cases.
            let is_called = cases.contains(&format!("{access}{method}("))
                || port.body.contains(&format!("self.{method}("));
            assert!(is_called, "no case calls {}::{method}", port.name);
        }
    }
}

#[test]
fn every_kind_of_record_runs_the_cases_of_its_ports() {
    let ports = ports();
    let of_records = ports.iter().flat_map(|port| port.of_records.iter().cloned());
    let declared: BTreeSet<_> = of_records.collect();
    assert!(declared.len() > 10, "{declared:?}");
    let mut run = BTreeSet::new();
    for line in code(&own().join("cases.rs")).lines() {
        if let Some((port, kinds)) = line.trim().split_once(" [")
            && let Some(kinds) = kinds.strip_suffix("] {")
        {
            run.extend(kinds.split(", ").map(|kind| (port.to_owned(), kind.to_owned())));
        }
    }
    assert_eq!(run, declared);
}

/// The cases that the macros list, as `feature::case`.
fn listed() -> BTreeSet<String> {
    let (mut listed, mut feature) = (BTreeSet::new(), String::new());
    for line in code(&own().join("cases.rs")).lines().map(str::trim) {
        if let Some(opened) = line.strip_suffix(" {") {
            let is_of_records = opened.ends_with(']');
            feature = if is_of_records { "records" } else { opened }.to_owned();
        } else if let Some(case) = line.strip_suffix(',') {
            listed.insert(format!("{feature}::{case}"));
        }
    }
    listed
}

#[test]
fn every_case_is_run() {
    let (listed, root) = (listed(), own());
    let mut cases = 0;
    for path in sources(&root) {
        let below = path.strip_prefix(&root).unwrap().with_extension("");
        let feature = below.iter().next().unwrap().to_str().unwrap();
        for declared in code(&path).split("\npub async fn ").skip(1) {
            let case = format!("{feature}::{}", word(declared));
            assert!(listed.contains(&case), "{case} is not in cases.rs");
            cases += 1;
        }
    }
    assert!(cases > 100, "{cases}");
}
