//! Fail-over from a primary to the synchronous standby, while two nodes have the addresses of both.

use std::{
    thread,
    time::{Duration, Instant},
};

use patrol_test_servers::postgres::{Server, Stop, execute, query};

use super::{DATABASE, database, settle};
use crate::{
    cleanup::Cleanup,
    load::Load,
    plan::{ANSWER_WITHIN, Plan, WHOLE_WITHIN},
    report::Finding,
    site::{Node, Site},
};

/// The name of the standby.
const STANDBY: &str = "second";

/// The primary dies; later it comes back read-only.
pub(crate) fn of_a_dead_primary(cleanup: &Cleanup, _: &Plan) -> Finding {
    let mut finding = Finding::new("fail-over: the primary dies");
    let pair = Pair::start();
    let site = Site::new(cleanup, "fail-over", pair.url());
    let nodes = [site.node(), site.node()];
    let load = load(&site, &nodes);
    load.service.disturb(|_| true);
    pair.primary.stop(Stop::Immediate);
    pair.standby.promote();
    let promoted = Instant::now();
    finding.round(load.service.wait_until_whole(promoted, WHOLE_WITHIN), WHOLE_WITHIN);
    // The old primary is first in the URL. No node may use it as the new one, also not with a new
    // connection.
    pair.primary.forbid_writes();
    pair.primary.resume_service();
    let before = facts(&pair.primary);
    thread::sleep(Duration::from_secs(1));
    load.service.disturb(|_| true);
    let ended = Instant::now();
    end_sessions(&pair.standby);
    finding.round(load.service.wait_until_whole(ended, WHOLE_WITHIN), WHOLE_WITHIN);
    thread::sleep(Duration::from_secs(1));
    settle(&mut finding, load, &site.client(&site.node()));
    if facts(&pair.primary) != before {
        finding.wrong("somebody wrote to the old primary");
    }
    finish(finding, nodes)
}

/// The sessions of the primary stay open but become read-only, as in an orderly demotion.
pub(crate) fn of_a_primary_turned_read_only(cleanup: &Cleanup, _: &Plan) -> Finding {
    let mut finding = Finding::new("fail-over: the primary turns read-only");
    let pair = Pair::start();
    let site = Site::new(cleanup, "switch-over", pair.url());
    let nodes = [site.node(), site.node()];
    let load = load(&site, &nodes);
    load.service.disturb(|_| true);
    let primary = pair.primary.url("postgres");
    execute(&primary, "ALTER SYSTEM SET default_transaction_read_only = on");
    execute(&primary, "SELECT pg_reload_conf()");
    thread::sleep(Duration::from_millis(500));
    pair.standby.promote();
    let promoted = Instant::now();
    finding.round(load.service.wait_until_whole(promoted, WHOLE_WITHIN), WHOLE_WITHIN);
    thread::sleep(Duration::from_secs(2));
    settle(&mut finding, load, &site.client(&site.node()));
    finish(finding, nodes)
}

/// A primary and its standby, which every commit waits for.
struct Pair {
    primary: Server,
    standby: Server,
}

impl Pair {
    fn start() -> Self {
        let primary = database();
        let standby = primary.standby(STANDBY);
        primary.wait_for(STANDBY);
        let state = format!(
            "SELECT sync_state FROM pg_stat_replication WHERE application_name = '{STANDBY}'"
        );
        let start = Instant::now();
        while query(&primary.url("postgres"), &state) != ["sync"] {
            assert!(start.elapsed() < Duration::from_secs(20), "the standby does not follow");
            thread::sleep(Duration::from_millis(50));
        }
        Self { primary, standby }
    }

    /// Both hosts, the primary first.
    fn url(&self) -> String {
        let host = |server: &Server| format!("127.0.0.1:{}", server.port());
        let (primary, standby) = (host(&self.primary), host(&self.standby));
        let both = format!("{primary},{standby}");
        let url = self.primary.url(DATABASE).replace(&primary, &both);
        format!("{url}?target_session_attrs=read-write")
    }
}

fn load(site: &Site<'_>, nodes: &[Node<'_>; 2]) -> Load {
    let addresses = nodes.each_ref().map(|node| node.address.clone());
    let load = Load::start(&addresses, &site.token);
    thread::sleep(Duration::from_secs(1));
    load
}

/// Values that change with every write of a client.
fn facts(server: &Server) -> Vec<String> {
    let sql = "SELECT sum(version)::text || ' ' || count(*)::text FROM task_executions";
    query(&server.url(DATABASE), sql)
}

fn end_sessions(server: &Server) {
    let end = format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{DATABASE}'"
    );
    execute(&server.url("postgres"), &end);
}

fn finish(mut finding: Finding, nodes: [Node<'_>; 2]) -> Finding {
    finding.answers_within(ANSWER_WITHIN);
    for node in nodes {
        finding.memory(node.peak());
        node.stop();
    }
    finding
}
