//! The use cases with mocked ports.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod access;
mod check_list_action;
mod import;
mod media;
mod permission;
mod photo;
mod record;
mod series;
mod sign_in;
mod task_execution;
mod user;

use std::sync::Arc;

use patrol_application::{Actor, Operator};
use patrol_domain::{Timestamp, shared::ports::MockClock};

/// The caller in tests of use cases for commands and jobs.
const OPERATOR: Operator = Operator;
/// The caller in tests of other use cases, unless they test permissions.
const ACTOR: Actor = Actor::Operator(OPERATOR);

/// A clock that always returns the same time.
fn clock() -> Arc<MockClock> {
    let mut clock = MockClock::new();
    clock.expect_now().returning(|| Timestamp::from_millis(0).unwrap());
    Arc::new(clock)
}
