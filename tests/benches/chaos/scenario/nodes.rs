//! A change on one node takes effect on the other.

use std::{
    thread,
    time::{Duration, Instant},
};

use patrol_tests::{
    company::{FORMER, GUARD, MANAGER},
    execution_id,
};
use serde_json::{Value, json};

use super::{database, site};
use crate::{
    cleanup::Cleanup,
    client::Client,
    plan::{Plan, WHOLE_WITHIN},
    report::Finding,
};

/// How long a change is checked after it took effect.
const AFTERWARDS: Duration = Duration::from_secs(1);

/// Revokes tokens and changes roles and statuses on the first node; both nodes get requests all the
/// time.
pub(crate) fn agree(cleanup: &Cleanup, plan: &Plan) -> Finding {
    let mut finding = Finding::new("two nodes agree on tokens and roles");
    let server = database();
    let site = site(cleanup, "nodes", &server);
    let nodes = [site.node(), site.node()];
    let admin = site.client(&nodes[0]);
    let addresses = nodes.each_ref().map(|node| node.address.clone());
    for _ in 0..plan.revocations {
        revoke(&admin, &addresses, &mut finding);
        let manager = site.token_of(MANAGER);
        let role = |role: &str| json!({ "role": role });
        let patch = |client: &Client| {
            let path = format!("/task-executions/{}", execution_id(1));
            client.send("PATCH", &path, Some(&json!({ "tags": ["seen"] }))).answer.unwrap_or(0)
        };
        let path = format!("/users/{MANAGER}");
        for (role, status) in [(role("EMPLOYEE"), 403), (role("MANAGER"), 200)] {
            let change = || change(&admin, &path, &role);
            holds(&addresses, &manager, patch, change, status, &mut finding);
        }
        let former = format!("/users/{FORMER}");
        let _ = change(&admin, &former, &json!({ "status": "ACTIVE" }));
        let token = site.token_of(FORMER);
        let read = |client: &Client| client.get("/locations").answer.unwrap_or(0);
        let leave = || change(&admin, &former, &json!({ "status": "INACTIVE" }));
        holds(&addresses, &token, read, leave, 401, &mut finding);
    }
    for node in nodes {
        finding.memory(node.peak());
        node.stop();
    }
    finding
}

fn revoke(admin: &Client, addresses: &[String; 2], finding: &mut Finding) {
    let body = json!({ "name": "to be revoked", "userId": GUARD });
    let created = admin.send("POST", "/tokens", Some(&body));
    let text = |member: &str| created.body[member].as_str().expect("a token").to_owned();
    let (id, token) = (text("id"), text("token"));
    let read = |client: &Client| client.get("/locations").answer.unwrap_or(0);
    let revoke = || admin.send("DELETE", &format!("/tokens/{id}"), None).is_success();
    holds(addresses, &token, read, revoke, 401, finding);
}

fn change(admin: &Client, path: &str, body: &Value) -> bool {
    admin.send("PATCH", path, Some(body)).is_success()
}

/// Sends requests with a token to both nodes, makes a change, and waits until both answer with
/// `status` and continue to do so.
fn holds(
    addresses: &[String; 2],
    token: &str,
    ask: impl Fn(&Client) -> u16,
    change: impl FnOnce() -> bool,
    status: u16,
    finding: &mut Finding,
) {
    let clients = addresses.each_ref().map(|address| Client::new(address, token));
    // Now both nodes have the token and its role in their caches.
    let before = clients.each_ref().map(&ask);
    if before.contains(&status) {
        return finding.wrong(format!("{before:?} before the change that leads to {status}"));
    }
    if !change() {
        return finding.wrong(format!("the change that leads to {status} is refused"));
    }
    let changed = Instant::now();
    let (mut since, mut last) = (None, changed);
    while changed.elapsed() < WHOLE_WITHIN * 3 {
        let answers = clients.each_ref().map(&ask);
        last = Instant::now();
        if answers == [status; 2] {
            let since = *since.get_or_insert(last);
            if last - since > AFTERWARDS {
                break;
            }
        } else {
            since = None;
        }
        thread::sleep(Duration::from_millis(20));
    }
    let after = since.filter(|since| last - *since > AFTERWARDS);
    finding.round(after.map(|since| since - changed), WHOLE_WITHIN);
}
