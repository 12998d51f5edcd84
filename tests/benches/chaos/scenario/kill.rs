//! `kill -9` of a node under load.

use std::{
    slice, thread,
    time::{Duration, Instant},
};

use diesel::{
    Connection as _, QueryableByName, RunQueryDsl as _, SqliteConnection, sql_query,
    sql_types::Text,
};

use super::{database, settle, site};
use crate::{
    cleanup::Cleanup,
    load::Load,
    plan::{self, Plan, WHOLE_WITHIN},
    report::Finding,
    site::{Node, Site},
};

/// How long a node runs at least before it is killed.
const LEAST: Duration = Duration::from_millis(100);
const MOST: Duration = Duration::from_millis(600);

/// The only node of a SQLite store.
pub(crate) fn sqlite(cleanup: &Cleanup, plan: &Plan) -> Finding {
    let mut finding = Finding::new("kill -9 of the node, SQLite");
    let site = Site::sqlite(cleanup, "kill-sqlite");
    let mut node = site.node();
    let load = Load::start(slice::from_ref(&node.address), &site.token);
    for _ in 0..plan.kills {
        thread::sleep(plan::between(LEAST, MOST));
        load.service.disturb(|_| true);
        finding.memory(node.peak());
        let killed = Instant::now();
        node = killed_and_started(&site, node);
        let whole = load.service.wait_until_whole(killed, WHOLE_WITHIN);
        finding.round(whole, WHOLE_WITHIN);
    }
    settle(&mut finding, load, &site.client(&node));
    finding.memory(node.peak());
    node.stop();
    if let Err(damage) = check(&site) {
        finding.wrong(format!("the database is damaged: {damage}"));
    }
    finding
}

/// One of two nodes on PostgreSQL, alternating. Clients of the other node see no failure.
pub(crate) fn postgres(cleanup: &Cleanup, plan: &Plan) -> Finding {
    let mut finding = Finding::new("kill -9 of one node of two, PostgreSQL");
    let server = database();
    let site = site(cleanup, "kill-postgres", &server);
    let mut nodes = vec![site.node(), site.node()];
    let addresses: Vec<_> = nodes.iter().map(|node| node.address.clone()).collect();
    let load = Load::start(&addresses, &site.token);
    for round in 0..plan.kills {
        thread::sleep(plan::between(LEAST, MOST));
        load.service.disturb(|client| client % 2 == round % 2);
        let node = nodes.remove(0);
        finding.memory(node.peak());
        let killed = Instant::now();
        nodes.push(killed_and_started(&site, node));
        let whole = load.service.wait_until_whole(killed, WHOLE_WITHIN);
        finding.round(whole, WHOLE_WITHIN);
    }
    settle(&mut finding, load, &site.client(&nodes[0]));
    for node in nodes {
        finding.memory(node.peak());
        node.stop();
    }
    finding
}

fn killed_and_started<'a>(site: &Site<'a>, node: Node<'a>) -> Node<'a> {
    let address = node.address.clone();
    node.kill();
    site.node_at(&address)
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Text)]
    integrity_check: String,
}

/// Runs SQLite's integrity check.
fn check(site: &Site<'_>) -> Result<(), String> {
    let path = site.database().display().to_string();
    let mut connection = SqliteConnection::establish(&path).map_err(|error| error.to_string())?;
    let query = sql_query("PRAGMA integrity_check");
    let found: Vec<Found> = query.load(&mut connection).map_err(|error| error.to_string())?;
    let found: Vec<_> = found.into_iter().map(|found| found.integrity_check).collect();
    if found == ["ok"] { Ok(()) } else { Err(found.join("; ")) }
}
