//! Opening a store and migrating its schema.

use std::time::{Duration, Instant};

use patrol_test_servers::postgres::Database;

use super::{MIGRATIONS, asked, store};
use crate::engine::{OpenError, Settings, Store};

#[tokio::test(flavor = "multi_thread")]
async fn four_nodes_at_once_bring_an_empty_database_up_to_date() {
    let database = Database::empty();
    let nodes: Vec<_> = (0..4)
        .map(|_| {
            let settings = Settings::new(&database.url(), 2).unwrap();
            tokio::spawn(async move { Store::open(&settings).await.map(drop) })
        })
        .collect();
    for node in nodes {
        node.await.unwrap().unwrap();
    }
    let run = asked(&database.url(), "SELECT version FROM __diesel_schema_migrations");
    assert_eq!(run.len(), std::fs::read_dir(MIGRATIONS).unwrap().count());
}

#[tokio::test]
async fn a_newer_schema_is_left_as_it_is() {
    let database = super::database();
    let newer = "INSERT INTO __diesel_schema_migrations (version) VALUES ('99991231000000')";
    patrol_test_servers::postgres::execute(&database.url(), newer);
    drop(store(&database.url(), 2).await);
}

#[tokio::test]
async fn who_cannot_get_in_is_told_why_without_secrets() {
    let database = super::database();
    let (before, at) =
        database.url().split_once('@').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let secret = before.rsplit_once(':').unwrap().1.to_owned();
    let place = at.split_once('/').unwrap().0.to_owned();
    for (url, is_refused) in [
        (format!("postgres://patrol:wrong{secret}@{at}"), true),
        (format!("{before}@{place}/no_such_database"), true),
        (format!("{before}@127.0.0.1:1/patrol"), false),
        (format!("{before}@{at}?sslmode=require"), false),
        (format!("{before}@{at}?target_session_attrs=read-only"), false),
    ] {
        let start = Instant::now();
        let opened = Store::open(&Settings::new(&url, 2).unwrap()).await.map(drop);
        let error = opened.unwrap_err();
        let said = error.to_string();
        assert_eq!(matches!(error, OpenError::Refused(_)), is_refused, "{said}");
        assert!(is_refused || matches!(error, OpenError::Unreachable(_)), "{said}");
        assert!(!said.contains(&secret) && !said.contains("127.0.0.1"), "{said}");
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}
