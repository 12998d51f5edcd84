//! PostgreSQL is unavailable for longer than a client waits, in three ways.

use std::{
    slice, thread,
    time::{Duration, Instant},
};

use patrol_test_servers::postgres::{Server, Stop, execute};

use super::{DATABASE, database, settle, site};
use crate::{
    cleanup::Cleanup,
    load::Load,
    plan::{ANSWER_WITHIN, Plan, READY_WITHIN, WHOLE_WITHIN},
    report::Finding,
    watch::Watch,
};

/// How long it is unavailable: longer than any response may take.
const AWAY: Duration = Duration::from_secs(8);

/// It is stopped in an orderly way: sessions get an error, connections are refused.
pub(crate) fn gone(cleanup: &Cleanup, plan: &Plan) -> Finding {
    let stop = |server: &Server| server.stop(Stop::Fast);
    silence(cleanup, plan, "PostgreSQL is stopped for 8 s", stop, Server::resume_service)
}

/// It accepts connections but never answers: all its processes are suspended (SIGSTOP).
pub(crate) fn hang(cleanup: &Cleanup, plan: &Plan) -> Finding {
    silence(cleanup, plan, "PostgreSQL hangs for 8 s", Server::freeze, Server::thaw)
}

/// It runs, but refuses all sessions.
pub(crate) fn refuse(cleanup: &Cleanup, plan: &Plan) -> Finding {
    let close = |server: &Server| {
        allow(server, false);
        let end = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{DATABASE}'"
        );
        execute(&server.url("postgres"), &end);
    };
    let open = |server: &Server| allow(server, true);
    silence(cleanup, plan, "PostgreSQL refuses sessions for 8 s", close, open)
}

fn allow(server: &Server, is_allowed: bool) {
    let alter = format!("ALTER DATABASE {DATABASE} WITH ALLOW_CONNECTIONS {is_allowed}");
    execute(&server.url("postgres"), &alter);
}

fn silence(
    cleanup: &Cleanup,
    plan: &Plan,
    name: &'static str,
    begin: impl Fn(&Server),
    end: impl Fn(&Server),
) -> Finding {
    let mut finding = Finding::new(name);
    let server = database();
    let site = site(cleanup, "silence", &server);
    let node = site.node();
    let watch = Watch::start(site.client(&node));
    let load = Load::start(slice::from_ref(&node.address), &site.token);
    for _ in 0..plan.silences {
        thread::sleep(Duration::from_millis(500));
        load.service.disturb(|_| true);
        let began = Instant::now();
        begin(&server);
        thread::sleep(AWAY);
        end(&server);
        let back = Instant::now();
        finding.round(load.service.wait_until_whole(back, WHOLE_WITHIN), WHOLE_WITHIN);
        if watch.ready_after(back, WHOLE_WITHIN).is_none() {
            finding.wrong("/health/ready does not say that the database is back");
        }
        if watch.failed_after(began).is_none_or(|after| after > READY_WITHIN) {
            finding.wrong("/health/ready does not say that the database is gone");
        }
    }
    settle(&mut finding, load, &site.client(&node));
    finding.answers_within(ANSWER_WITHIN);
    for what in watch.dead() {
        finding.wrong(what);
    }
    finding.memory(node.peak());
    drop(watch);
    node.stop();
    finding
}
