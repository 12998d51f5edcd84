//! Three nodes behind haproxy are restarted one after another.

use std::{
    slice, thread,
    time::{Duration, Instant},
};

use super::{database, settle, site};
use crate::{
    cleanup::Cleanup,
    load::Load,
    plan::{Plan, WHOLE_WITHIN},
    proxy::Proxy,
    report::Finding,
};

/// How long the proxy may take to use a new node.
const JOINING: Duration = Duration::from_millis(700);

/// No client sees a failure.
pub(crate) fn restart(cleanup: &Cleanup, plan: &Plan) -> Finding {
    let mut finding = Finding::new("rolling restart of three nodes behind haproxy");
    let server = database();
    let site = site(cleanup, "rolling", &server);
    let mut nodes = vec![site.node(), site.node(), site.node()];
    let addresses: Vec<_> = nodes.iter().map(|node| node.address.clone()).collect();
    let proxy = Proxy::start(cleanup, site.directory(), &addresses);
    let load = Load::start(slice::from_ref(&proxy.address), &site.token);
    for _ in 0..plan.rolls {
        let start = Instant::now();
        for _ in 0..nodes.len() {
            let node = nodes.remove(0);
            let address = node.address.clone();
            finding.memory(node.peak());
            node.stop();
            nodes.push(site.node_at(&address));
            thread::sleep(JOINING);
        }
        // The clients never noticed.
        let whole = load.service.wait_until_whole(Instant::now(), WHOLE_WITHIN);
        finding.round(whole, WHOLE_WITHIN);
        finding.note(format!("all three in {:.1} s", start.elapsed().as_secs_f64()));
    }
    settle(&mut finding, load, &site.client(&nodes[0]));
    for node in nodes {
        finding.memory(node.peak());
        node.stop();
    }
    finding
}
