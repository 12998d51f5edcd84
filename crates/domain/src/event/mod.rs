//! The log of changes: every change of a record is stored together with an event.

mod origin;
mod port;

use crate::{
    list::{Condition, Listed, Membership, Test},
    shared::{
        ids::{TokenId, UserId, Uuid},
        text::fold,
        timestamp::Timestamp,
    },
};

pub use origin::{Origin, RequestId};
#[cfg(feature = "mock")]
pub use port::MockEvents;
pub use port::{EventPage, EventQuery, Events};

pub use crate::shared::resource::Resource;

/// The kind of a change.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ChangeKind {
    /// A record was created.
    Created,
    /// Members of a record changed.
    Updated,
    /// A record was deleted.
    Deleted,
    /// An import filled the store.
    Imported,
    /// An entry of a report took effect on a round.
    Reported,
}

impl ChangeKind {
    /// The second part of the type of an event, for example `updated`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Deleted => "deleted",
            Self::Imported => "imported",
            Self::Reported => "reported",
        }
    }
}

/// A stored event. The type and the kind of record are texts, because a later version of Patrol may
/// have written them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// The position in the log: grows with every event, from 1.
    pub position: i64,
    /// Unique among events.
    pub id: Uuid,
    /// The time of the change.
    pub at: Timestamp,
    /// The type, for example `taskExecution.updated`.
    pub kind: String,
    /// The kind of record, for example `taskExecution`; see [`Resource::name`].
    pub resource: String,
    /// The id of the record; `None` for an import.
    pub resource_id: Option<Uuid>,
    /// The user of the request; `None` when a command or a job of the service made the change.
    pub actor: Option<UserId>,
    /// The token of the request; `None` for a command, a job, a session of the site, or a
    /// credential of an identity provider.
    pub token: Option<TokenId>,
    /// The id of the request; `None` when a command or a job of the service made the change, or a
    /// user accepted an invitation.
    pub request: Option<RequestId>,
    /// A JSON array of `{member, before, after}`.
    pub changes: String,
}

/// The log of changes, as a list.
#[derive(Debug, Clone, Copy)]
pub struct EventList;

/// Properties by which events can be filtered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventFilter {
    /// The type: [`crate::list::Test::Text`].
    Type,
    /// The kind of record: [`crate::list::Test::Text`].
    Resource,
    /// The record: [`crate::list::Test::Ids`].
    ResourceId,
    /// The user who made the change: [`crate::list::Test::Ids`].
    Actor,
    /// The time: [`crate::list::Test::Time`].
    At,
}

impl Listed for EventList {
    type Filter = EventFilter;
    /// Events always come in the order of their positions.
    type Sort = std::convert::Infallible;
    type Item = Event;

    fn bytes(item: &Event) -> usize {
        size_of_val(item) + item.kind.len() + item.resource.len() + item.changes.len()
    }
}

/// The condition that selects the events of one record.
#[must_use]
pub fn of_record(kind: Resource, id: Uuid) -> Condition<EventFilter> {
    let kind = Test::Text(Membership::Any, vec![fold(kind.name())]);
    Condition::All(vec![
        Condition::Is(EventFilter::ResourceId, Test::Ids(Membership::Any, vec![id])),
        Condition::Is(EventFilter::Resource, kind),
    ])
}
