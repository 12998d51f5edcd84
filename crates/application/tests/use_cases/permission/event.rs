//! The use cases of events.

use std::sync::Arc;

use patrol_application::{Actor, EventService, Failure};
use patrol_domain::{
    event::{EventQuery, MockEvents},
    ids::PointId,
    list::Condition,
};

use crate::{ACTOR, clock};

use super::{ports::down, uuid};

pub(super) const PERMISSIONS: &[(&str, [bool; 3])] = &[
    ("page", [true, true, false]),
    ("of_record", [true, true, true]),
    ("page_of", [true, true, true]),
    ("newest", [true, true, true]),
];

pub(super) async fn call(actor: Actor, what: &str) -> Result<(), Failure> {
    let mut events = MockEvents::new();
    events.expect_page().returning(|_| Err(down()));
    events.expect_newest().returning(|| Err(down()));
    events.expect_is_stored().returning(|_| Err(down()));
    let service = EventService::new(Arc::new(events), clock());
    let query = EventQuery { after: 0, limit: 1, condition: Condition::All(Vec::new()) };
    match what {
        "page" => service.page(actor, query).await.map(drop),
        "of_record" => service.of_record(actor, PointId(uuid(1))).await.map(drop),
        "page_of" => {
            let of = service.of_record(ACTOR, PointId(uuid(2))).await?;
            service.page_of(actor, &of, query).await.map(drop)
        }
        "newest" => service.newest(actor).await.map(drop),
        other => panic!("{other}"),
    }
}
