//! How nodes start: on an empty database, all at once, before the database, and in vain.

use std::{
    thread,
    time::{Duration, Instant},
};

use patrol_test_servers::postgres::{Database, Durability, Server as Cluster, Stop, query};
use patrol_tests::{
    Running, Server, Store,
    company::{self, ADMIN},
    planned,
};

use crate::{LIST, path};
use patrol_tests::within;

#[test]
fn nodes_that_start_at_once_on_an_empty_database_all_serve() {
    let database = Database::empty();
    let store = Store::elsewhere(&database.url());
    let nodes: Vec<Server> = thread::scope(|scope| {
        let starting: Vec<_> = (0..5).map(|_| scope.spawn(|| Server::start(&store))).collect();
        starting.into_iter().map(|node| node.join().expect("it serves")).collect()
    });
    let run = "SELECT version FROM __diesel_schema_migrations ORDER BY version";
    let alone = query(&Store::postgres().url(), run);
    assert!(!alone.is_empty());
    assert_eq!(query(&database.url(), run), alone, "each migration once, and all of them");
    let store = store.and(&company::company().and([planned(1)]));
    let token = store.token(ADMIN);
    for node in &nodes {
        let _ = node.api().with_token(&token).get(&path(1)).ok();
    }
}

#[test]
fn a_server_waits_for_its_database() {
    let cluster = Cluster::start(Durability::Fast);
    let store = Store::elsewhere(&cluster.url("postgres")).and(&company::company());
    let token = store.token(ADMIN);
    cluster.stop(Stop::Fast);
    let server = thread::scope(|scope| {
        let starting = scope.spawn(|| Server::start(&store));
        thread::sleep(Duration::from_secs(3));
        assert!(!starting.is_finished(), "it listens without a database, or has given up");
        cluster.resume_service();
        starting.join().expect("it serves")
    });
    let _ = server.log_once(|log| log.contains("trying for 30 s"));
    let _ = server.api().with_token(&token).get(LIST).ok();
}

#[test]
fn a_server_without_a_database_gives_up_after_thirty_seconds() {
    let store = Store::elsewhere(&Store::postgres().url_of_none());
    let started = Instant::now();
    let outcome = store.run(&["serve", "--listen", "127.0.0.1:0"]).exited(1);
    assert!(started.elapsed() > Duration::from_secs(25), "{:?}", started.elapsed());
    assert!(outcome.stderr.matches("trying for 30 s").count() > 5, "{}", outcome.stderr);
    let last = outcome.stderr.lines().last().unwrap();
    assert!(last.contains("cannot reach the database"), "{last}");
    assert_eq!(outcome.stdout, "");
}

#[test]
fn a_command_without_a_database_ends_at_once() {
    let store = Store::elsewhere(&Store::postgres().url_of_none());
    for arguments in [
        &["migrate"][..],
        &["export", "-"],
        &["import", "-"],
        &["token", "list"],
        &["token", "create", "--user", ADMIN, "--name", "x"],
        &["check"],
    ] {
        let started = Instant::now();
        let outcome = store.run(arguments).exited(1);
        assert!(started.elapsed() < Duration::from_secs(20), "{arguments:?}");
        assert_eq!(outcome.stdout, "", "{arguments:?}");
        assert_eq!(outcome.stderr.lines().count(), 1, "{arguments:?}: {}", outcome.stderr);
    }
}

#[test]
fn whoever_is_not_let_in_ends_at_once_and_tells_no_secret() {
    let cluster = Cluster::start(Durability::Fast);
    let url = cluster.url("postgres");
    let password = url.split([':', '@']).nth(2).expect("a password").to_owned();
    let wrong = "sesame-open";
    for (url, secret) in [
        (url.replace(&password, wrong), wrong),
        (url.replace("patrol:", "nobody:"), &*password),
        (cluster.url("none"), &*password),
    ] {
        let store = Store::elsewhere(&url);
        for command in ["migrate", "serve"] {
            let started = Instant::now();
            let outcome = store.run(&[command, "--listen", "127.0.0.1:0"]);
            let outcome = outcome.exited(1);
            assert!(started.elapsed() < Duration::from_secs(20), "{:?}", outcome.stderr);
            assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
            assert!(outcome.stderr.contains("refuses the connection"), "{}", outcome.stderr);
            assert!(outcome.stderr.contains("--database-url"), "what to do: {}", outcome.stderr);
            for told in [secret, "127.0.0.1"] {
                assert!(!outcome.stderr.contains(told), "{}", outcome.stderr);
            }
        }
    }
}

#[test]
fn a_url_that_cannot_be_read_is_a_wrong_setting_and_not_repeated() {
    for url in [
        "postgres://anna:sesame@db.example:port/patrol",
        "postgres://anna:sesame@db.example/patrol?sslmode=never",
        "postgres://anna:sesame@db.example/patrol?color=sesame",
        "mysql://anna:sesame@db.example/patrol",
    ] {
        let outcome = Store::elsewhere(url).run(&["migrate"]).exited(2);
        let names_it = outcome.stderr.to_lowercase().contains("database_url");
        assert!(names_it, "{}", outcome.stderr);
        for told in ["sesame", "anna"] {
            assert!(!outcome.stderr.contains(told), "{}", outcome.stderr);
        }
    }
}

#[test]
fn a_host_that_is_down_is_passed_over() {
    let database = Store::postgres();
    let url = database.url();
    let at = url.find('@').map_or_else(|| url.find("://").unwrap() + 3, |at| at + 1);
    let (before, host) = url.split_at(at);
    let (host, after) = host.split_once('/').expect("a database");
    let store = Store::elsewhere(&format!("{before}127.0.0.1:1,{host}/{after}"));
    let running = Running::on(store.and(&company::company().and([planned(1)])));
    assert_eq!(running.read(1)["name"], "Round 1");
    within(Duration::from_secs(30), "ready", || {
        running.server.api().outside("/health/ready").status == 200
    });
}
