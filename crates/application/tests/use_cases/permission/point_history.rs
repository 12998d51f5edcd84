//! The use case of the history of points.

use std::sync::Arc;

use patrol_application::{Actor, Failure, PointHistoryService};
use patrol_domain::point::MockPointHistory;

use super::ports::everything;

pub(super) const PERMISSIONS: &[(&str, [bool; 3])] = &[("list", [true, true, true])];

pub(super) async fn call(actor: Actor, _: &str) -> Result<(), Failure> {
    let mut history = MockPointHistory::new();
    history.expect_list().returning(|_| Box::pin(futures_util::stream::empty()));
    PointHistoryService::new(Arc::new(history)).list(actor, everything()).map(drop)
}
