//! The use cases of rounds.

use std::{collections::HashMap, sync::Arc, time::Duration};

use patrol_application::{Actor, Failure, RoundService, UnstoredRecord};
use patrol_domain::{
    Clock as _, Versioned,
    check_list::CheckList,
    scheduled_task::{MockRounds, PlanDryRun, ScheduledTask},
    shared::drafted::MockRecords,
};

use crate::clock;

use super::{
    ports::{down, ids},
    uuid,
};

pub(super) const PERMISSIONS: &[(&str, [bool; 3])] =
    &[("plan_dry_run", [true, true, false]), ("dry_run", [true, true, false])];

pub(super) async fn call(actor: Actor, what: &str) -> Result<(), Failure> {
    let mut port = MockRounds::new();
    port.expect_made().returning(|_, _| Err(down()));
    port.expect_following().returning(|_, _, _| Err(down()));
    let clock = clock();
    let now = clock.now();
    let service = RoundService::new(
        Arc::new(MockRecords::<ScheduledTask>::new()),
        Arc::new(MockRecords::<CheckList>::new()),
        Arc::new(port),
        clock,
        ids(),
        Duration::ZERO,
    );
    let task = ScheduledTask::new(uuid(1).into(), "Round");
    let task = Versioned::unversioned(task);
    match what {
        "plan_dry_run" => {
            let plan = UnstoredRecord { record: task, is_changed: true };
            service.plan_dry_run(actor, plan).await.map(drop)
        }
        "dry_run" => {
            let made = Vec::new();
            let plan_dry_run = PlanDryRun { task, is_changed: true, made, now, horizon: now };
            service.dry_run(actor, &plan_dry_run, &HashMap::new()).await.map(drop)
        }
        other => panic!("{other}"),
    }
}
