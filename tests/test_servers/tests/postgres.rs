//! Nothing is left behind.

use std::{
    env,
    io::{self, Write},
    process::{self, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use patrol_test_servers::postgres::{Database, Durability, Server, Stop, query};

/// Set for the process that the test kills.
const VICTIM: &str = "PATROL_TEST_VICTIM";

/// Whether a server answers at this URL.
fn answers(url: &str) -> bool {
    let url = url.to_owned();
    thread::spawn(move || query(&url, "SELECT 1")).join().is_ok()
}

fn goes(url: &str) {
    let start = Instant::now();
    while answers(url) {
        assert!(start.elapsed() < Duration::from_secs(60), "the server is still there");
        thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn a_database_goes_with_its_value() {
    let database = Database::empty();
    let (name, url) = (query(&database.url(), "SELECT current_database()"), database.url());
    let other = Database::empty();
    let known = format!("SELECT 1 FROM pg_database WHERE datname = '{}'", name[0]);
    assert_eq!(query(&other.url(), &known), ["1"]);
    drop(database);
    assert!(query(&other.url(), &known).is_empty());
    assert!(!answers(&url));
}

#[test]
fn a_server_comes_back_where_it_was_and_goes_with_its_value() {
    let server = Server::start(Durability::Kept);
    let url = server.url("postgres");
    for stop in [Stop::Fast, Stop::Immediate] {
        assert!(answers(&url));
        server.stop(stop);
        assert!(!answers(&url));
        server.resume_service();
    }
    assert!(answers(&url));
    drop(server);
    goes(&url);
}

#[test]
fn a_server_goes_when_its_test_is_killed() {
    if env::var_os(VICTIM).is_some() {
        let server = Server::start(Durability::Fast);
        writeln!(io::stdout(), "url={}", server.url("postgres")).unwrap();
        process::abort();
    }
    let victim = Command::new(env::current_exe().unwrap())
        .args(["--exact", "a_server_goes_when_its_test_is_killed", "--nocapture"])
        .env(VICTIM, "yes")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8(victim.stdout).unwrap();
    let url = said.lines().find_map(|line| line.split_once("url=")).unwrap().1;
    goes(url);
}
