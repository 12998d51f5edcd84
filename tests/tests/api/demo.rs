//! `serve --demo`.

use std::{collections::BTreeSet, fs, path::Path, thread, time::Duration};

use patrol_tests::{Api, Server, Store, company};
use serde_json::Value;

pub(crate) fn start(store: &Store) -> Server {
    Server::run(store.command(&["serve", "--demo"]))
}

/// The output of the demo, once it is complete.
pub(crate) fn output(server: &Server) -> String {
    for _ in 0..500 {
        let output = server.output();
        if output.ends_with('\n') {
            // The address and the token are printed together; the pause covers the time between the
            // two lines.
            thread::sleep(Duration::from_millis(100));
            return server.output();
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("nothing was printed; the log:\n{}", server.log());
}

pub(crate) fn token(output: &str) -> Option<String> {
    let start = output.find("ptl_")?;
    Some(output[start..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
}

fn items(api: &Api, query: &str) -> Vec<Value> {
    let list = api.get(&format!("/task-executions/info?{query}")).ok();
    list["data"].as_array().expect("data").clone()
}

#[test]
fn a_company_is_there_to_be_looked_at() {
    let store = Store::empty();
    let server = start(&store);
    let printed = output(&server);
    assert!(printed.contains(&format!("http://{}/v1", server.address())), "{printed}");
    let token = token(&printed).unwrap_or_else(|| panic!("no token in {printed}"));
    assert!(!server.log().contains(&token[4..]), "the token is not logged");
    let api = server.api().with_token(&token);

    let all = items(&api, "");
    assert_eq!(all.len(), 300);
    let values = |member: &str| -> BTreeSet<String> {
        all.iter().map(|item| item[member].to_string()).collect()
    };
    assert_eq!(values("state").len(), 3, "executions in every state");
    assert_eq!(values("status").len(), 4, "errors and warnings among the results, and null");
    assert!(values("priority").len() > 1 && values("published").len() == 2);
    let text = Value::from(all.clone()).to_string();
    let is_cyrillic = |c: char| ('а'..='я').contains(&c);
    let is_latin = |c: char| c.is_ascii_lowercase();
    assert!(text.chars().any(is_cyrillic) && text.chars().any(is_latin), "several languages");

    // Times are relative to now: some rounds are over, others are planned.
    let count = |state: &str| items(&api, &format!("state={state}")).len();
    assert!(count("COMPLETED") > 0 && count("IN_PROGRESS") > 0 && count("PENDING") > 0);
    let record = api.get(&format!("/task-executions/{}", all[0]["id"].as_str().unwrap())).ok();
    assert!(record["steps"].as_array().is_some_and(|steps| !steps.is_empty()));
    let series = all.iter().find(|item| item["state"] == "PENDING" && item["seriesId"].is_string());
    assert!(series.is_some(), "a series that can be edited");

    let exported = store.run(&["export", "-"]).exited(0).stdout;
    for (kind, least) in [("location", 12), ("point", 40), ("user", 25), ("taskExecution", 300)] {
        let found = exported.matches(&format!("\"kind\":\"{kind}\"")).count();
        assert_eq!(found, least, "{kind}");
    }
}

/// The ids of the demo company that a page contains.
fn named(page: &Path) -> BTreeSet<String> {
    const FIRST: &str = "0190de30-";
    let text = fs::read_to_string(page).expect("the page can be read");
    text.match_indices(FIRST).map(|(at, _)| text[at..at + 36].to_owned()).collect()
}

#[test]
fn what_the_pages_name_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let book = fs::read_dir(root.join("docs/api")).expect("the book is there");
    let pages = book.map(|page| page.unwrap().path()).chain([root.join("README.md")]);
    let named: BTreeSet<String> = pages.flat_map(|page| named(&page)).collect();
    assert!(named.len() > 5, "{named:?}");
    let store = Store::empty();
    let server = start(&store);
    let _ = output(&server);
    let exported = store.run(&["export", "-"]).exited(0).stdout;
    for id in named {
        assert!(exported.contains(&format!("\"id\":\"{id}\"")), "{id} is not in the demo");
    }
}

#[test]
fn a_second_start_keeps_the_data_and_issues_a_fresh_token() {
    let store = Store::empty();
    let mut server = start(&store);
    let first = token(&output(&server)).expect("a token");
    let api = server.api().with_token(&first);
    let id = items(&api, "state=PENDING&limit=1")[0]["id"].as_str().unwrap().to_owned();
    api.delete(&format!("/task-executions/{id}")).is_bare(204);
    server.terminate();
    assert_eq!(server.wait().code(), Some(0));
    drop(server);

    let server = start(&store);
    let second = token(&output(&server)).expect("a token");
    assert_ne!(first, second);
    let api = server.api().with_token(&second);
    assert_eq!(items(&api, "").len(), 299, "nothing was imported again");
    let _ = server.api().with_token(&first).get("/tokens").ok();
}

#[test]
fn a_store_of_others_gets_no_demo_data_and_no_token() {
    let store = Store::with(&company::company());
    let before = store.run(&["export", "-"]).exited(0).stdout;
    let server = start(&store);
    let printed = output(&server);
    assert_eq!(token(&printed), None, "{printed}");
    assert!(printed.contains(server.address()), "{printed}");
    drop(server);
    assert_eq!(store.run(&["export", "-"]).exited(0).stdout, before);
    assert_eq!(store.run(&["token", "list"]).exited(0).stdout, "");
}

#[test]
fn without_demo_nothing_is_imported() {
    let store = Store::empty();
    let server = Server::start(&store);
    assert_eq!(server.output(), "");
    drop(server);
    assert_eq!(store.run(&["export", "-"]).exited(0).stdout, "");
}
