//! What use cases need to change records, besides their ports.

use std::sync::Arc;

use patrol_domain::{Clock, Ids, Rules, Timestamp, event::Origin, ids::Uuid};

use crate::permission::Actor;

/// The clock, the source of new ids, and the rules of fields.
#[derive(Clone)]
pub struct Context {
    clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) rules: Rules,
}

impl Context {
    /// A context of these parts.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>, ids: Arc<dyn Ids>, rules: Rules) -> Self {
        Self { clock, ids, rules }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn new_id(&self) -> Uuid {
        self.ids.next()
    }

    /// The origin of a change by this caller now.
    pub(crate) fn origin(&self, actor: Actor) -> Origin {
        actor.origin_at(self.now())
    }
}
