//! How PostgreSQL finds rows.

use std::time::Duration;

use patrol_test_servers::postgres::{execute, query};
use patrol_tests::{
    Running, Store,
    company::{self, GUARD},
    planned,
};
use serde_json::json;

use super::path;

/// Connections send what they have counted to the server once a second.
const SOON: Duration = Duration::from_secs(20);

#[test]
fn reports_are_found_by_their_keys_from_the_first_one_on() {
    let store = Store::postgres().and(&company::company().and([planned(1)]));
    // As operators do after an import: PostgreSQL now knows that the table is empty.
    execute(&store.url(), "VACUUM ANALYZE");
    let running = Running::on(store);
    let (guard, reports) = (running.api(GUARD), format!("{}/reports", path(1)));
    // More than a connection asks before it keeps its plans, on each of them.
    for n in 0..60_u32 {
        let kind = if n == 0 { "START" } else { "NOTE" };
        let entry = json!({
            "id": format!("0190a000-000c-7000-8000-{n:012x}"), "type": kind,
            "at": "2026-01-31T08:00:00Z", "textValue": (n > 0).then_some("seen"),
        });
        let _ = guard.post(&reports, &json!([entry])).json(200);
    }
    let counted = |column: &str| {
        let sql = format!("SELECT {column} FROM pg_stat_user_tables WHERE relname = 'reports'");
        query(&running.store.url(), &sql)[0].parse::<u64>().unwrap()
    };
    patrol_tests::within(SOON, "the scans are counted", || counted("idx_scan") >= 60);
    // The list of the round and the start of the server may read the table: when it is empty.
    assert_eq!(counted("seq_tup_read"), 0);
}
