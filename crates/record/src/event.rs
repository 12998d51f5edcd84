//! Events of the log of changes.

use patrol_domain::event::{Event, RequestId};
use serde::{Serialize, Serializer, ser::Error};
use serde_json::{Value, value::RawValue};
use utoipa::ToSchema;

use crate::value::{Id, Time};

/// A change of a record.
#[derive(Serialize, ToSchema, Debug)]
#[serde(rename_all = "camelCase")]
#[schema(as = Event)]
pub struct EventRecord<'a> {
    /// The position in the log. Grows with every event.
    #[schema(minimum = 1)]
    position: i64,
    id: Id,
    at: Time,
    /// The kind of record and the kind of change, for example `taskExecution.updated`. Later versions
    /// add types.
    #[serde(rename = "type")]
    kind: &'a str,
    /// The kind of record, for example `taskExecution`. Later versions add kinds.
    resource_type: &'a str,
    /// The id of the record; null for an import.
    resource_id: Option<Id>,
    /// The user who made the change; null if a command or a job of the service made the change.
    actor_id: Option<Id>,
    /// The token of the request; null for a command, a job, or a credential of an identity provider.
    token_id: Option<Id>,
    /// The `X-Request-Id` of the request; null if a command or a job of the service made the change.
    request_id: Option<&'a str>,
    /// The members that changed. For a created or deleted record: all members except empty ones. For
    /// an import: the number of records of each kind.
    #[serde(serialize_with = "raw_json")]
    #[schema(value_type = Vec<ChangeRecord>)]
    changes: &'a str,
}

impl<'a> EventRecord<'a> {
    /// The record of an event.
    #[must_use]
    pub fn new(event: &'a Event) -> Self {
        let Event { position, id, at, kind, resource, resource_id, actor, token, request, changes } =
            event;
        Self {
            position: *position,
            id: Id::of(*id),
            at: Time(*at),
            kind,
            resource_type: resource,
            resource_id: resource_id.map(Id::of),
            actor_id: actor.map(Id::of),
            token_id: token.map(Id::of),
            request_id: request.as_ref().map(RequestId::as_str),
            changes,
        }
    }
}

/// A changed member of a record.
#[derive(ToSchema)]
#[schema(as = EventChange)]
#[allow(dead_code, reason = "only its schema is used; the stored JSON is returned unchanged")]
pub struct ChangeRecord {
    /// The name of the member.
    member: String,
    /// The value before the change; null for a created record, `***` for a secret.
    before: Value,
    /// The value after the change; null for a deleted record, `***` for a secret.
    after: Value,
}

/// Writes a text that already is JSON, unchanged.
fn raw_json<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let value: &RawValue = serde_json::from_str(text)
        .map_err(|_| S::Error::custom("the stored changes are not JSON"))?;
    value.serialize(serializer)
}
