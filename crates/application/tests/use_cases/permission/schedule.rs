//! The use cases of schedules that are not stored.

use patrol_application::{Actor, Failure, ScheduleService};

use crate::clock;

pub(super) const PERMISSIONS: &[(&str, [bool; 3])] = &[("preview", [true, true, true])];

pub(super) async fn call(actor: Actor, what: &str) -> Result<(), Failure> {
    match what {
        "preview" => ScheduleService::new(clock()).preview(actor, &Default::default()).map(drop),
        other => panic!("{other}"),
    }
}
