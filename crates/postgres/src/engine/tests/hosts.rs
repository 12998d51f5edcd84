//! Several servers.

use std::time::Duration;

use patrol_domain::Readiness;
use patrol_test_servers::postgres::{Durability, Server, Stop};

use super::{add, asked, eventually, store, with_numbers};

#[tokio::test(flavor = "multi_thread")]
async fn the_server_that_takes_writes_is_found_and_after_a_fail_over_the_other_one() {
    let primary = Server::start(Durability::Kept);
    let standby = primary.standby("second");
    primary.wait_for("second");
    let (place, other) = (primary.url("postgres"), standby.port());
    let url = place.replace("@127.0.0.1", &format!("@127.0.0.1:1,127.0.0.1:{other},127.0.0.1"));
    let store = store(&format!("{url}?target_session_attrs=read-write"), 2).await;
    with_numbers(&place);
    let mut stored = Vec::new();
    for id in 1..=20 {
        add(&store, id).await.unwrap();
        stored.push(id.to_string());
    }
    primary.stop(Stop::Immediate);
    assert!(add(&store, 21).await.is_err());
    standby.promote();
    let within = Duration::from_secs(30);
    eventually(within, "writes go to the other one", async || add(&store, 22).await.is_ok()).await;
    stored.push("22".to_owned());
    assert_eq!(store.ping().await, Ok(()));
    let kept = asked(&standby.url("postgres"), "SELECT id FROM numbers WHERE id <> 21 ORDER BY id");
    assert_eq!(kept, stored);
}

#[tokio::test]
async fn a_commit_that_no_standby_confirms_is_not_said_to_be_one() {
    let primary = Server::start(Durability::Fast);
    let url = primary.url("postgres");
    let store = store(&url, 2).await;
    with_numbers(&url);
    primary.wait_for("nobody");
    let settled = async || asked(&url, "SHOW synchronous_standby_names") == ["nobody"];
    eventually(Duration::from_secs(30), "the server waits", settled).await;
    let done = add(&store, 1).await;
    assert!(super::is_unavailable(&done), "{done:?}");
}
