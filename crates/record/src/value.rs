//! The types of members: each with its JSON form and its schema.

use std::borrow::Cow;

use patrol_domain::{
    Named, Timestamp, access, ids::Uuid, point, report, schedule, task_execution, user,
};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        RefOr, Schema,
        extensions::Extensions,
        schema::{ObjectBuilder, SchemaType, Type},
    },
};

use crate::json::write;

/// The extension that contains the whole schema as JSON. Needed for bounds that are settings, because
/// bounds in utoipa are numbers.
pub const JSON_SCHEMA: &str = "x-schema";

/// A schema given as JSON. A setting is written as, for example, `"{limit_name}"`; the crate `http`
/// replaces it with the value of the setting.
pub fn json_schema(schema: Value) -> RefOr<Schema> {
    let extensions = Extensions::from_iter([(JSON_SCHEMA, schema)]);
    let any = ObjectBuilder::new().schema_type(SchemaType::AnyValue);
    any.extensions(Some(extensions)).into()
}

/// A hyphenated UUID: lower case in responses, any case in requests.
#[derive(Serialize, ToSchema, Clone, Copy, Debug)]
#[schema(
    as = Uuid,
    value_type = String,
    format = "uuid",
    examples("0190de30-0008-7000-8000-000000010216")
)]
pub struct Id(#[serde(serialize_with = "write::id")] Uuid);

impl Id {
    /// The JSON form of an id of any kind of record.
    pub fn of(id: impl Into<Uuid>) -> Self {
        Self(id.into())
    }
}

/// Ids of one kind of record.
#[derive(Serialize, Clone, Copy, Debug)]
pub struct Ids<'a, I: Copy + Into<Uuid>>(#[serde(serialize_with = "write::ids")] pub &'a [I]);

/// UTC with milliseconds in responses. Requests may use RFC 3339 with any offset; the time is
/// truncated to milliseconds.
#[derive(Serialize, ToSchema, Clone, Copy, Debug)]
#[schema(
    as = Timestamp,
    value_type = String,
    format = DateTime,
    examples("2099-01-31T08:00:00.000Z")
)]
pub struct Time(#[serde(serialize_with = "write::display")] pub Timestamp);

/// A date and a time without a time zone.
#[derive(Serialize, ToSchema, Clone, Copy, Debug)]
#[schema(
    value_type = String,
    pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}$",
    examples("2026-12-01T22:00:00")
)]
pub struct LocalDateTime(#[serde(serialize_with = "write::display")] pub schedule::LocalDateTime);

/// A date without a time zone.
#[derive(Serialize, ToSchema, Clone, Copy, Debug)]
#[schema(
    value_type = String,
    pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    examples("2026-12-24")
)]
pub struct LocalDate(#[serde(serialize_with = "write::display")] pub schedule::LocalDate);

/// Local time minus UTC. Seconds are shown only if they are not 0, as before 1972 in Liberia.
#[derive(Serialize, ToSchema, Clone, Copy, Debug)]
#[schema(
    value_type = String,
    pattern = "^[+-][0-9]{2}:[0-9]{2}(:[0-9]{2})?$",
    examples("+01:00")
)]
pub struct UtcOffset(#[serde(serialize_with = "write::display")] pub schedule::UtcOffset);

/// A language tag: a language with an optional region.
#[derive(Serialize, ToSchema, Clone, Copy)]
#[schema(
    value_type = String,
    pattern = "^[A-Za-z]{2,3}(-([A-Za-z]{2}|[0-9]{3}))?$",
    examples("en", "pt-BR")
)]
pub struct Language<'a>(pub &'a str);

/// Declares types for enumerations of the domain; their JSON is the name of the value. The doc comments
/// are the descriptions in the API document.
macro_rules! enumerations {
    ($($(#[doc = $about:literal])+ $name:ident: $value:ty;)+) => {$(
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug)]
        pub struct $name(pub $value);

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                write::name(&self.0, serializer)
            }
        }

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                ObjectBuilder::new()
                    .schema_type(Type::String)
                    .enum_values(Some(<$value>::NAMES.iter().copied()))
                    .description(Some(concat!($($about),+).trim()))
                    .into()
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                stringify!($name).into()
            }
        }
    )+};
}

enumerations! {
    /// The type of result that an action asks for.
    ActionType: task_execution::ActionType;
    /// The progress of an execution or a step.
    State: task_execution::State;
    /// The status, derived from the results.
    Status: task_execution::Status;
    /// The urgency of an execution or a scheduled task.
    Priority: task_execution::Priority;
    /// How a guard proves to be at the point.
    PointType: point::PointType;
    /// What an entry of a report reports.
    EntryType: report::EntryType;
    /// Whether an entry of a report took effect.
    OutcomeKind: report::OutcomeKind;
    /// The kind of change of a point.
    HistoryOperation: point::Operation;
    /// The role of a user, which determines the permissions.
    Role: access::Role;
    /// Only the tokens of ACTIVE users are valid.
    UserStatus: user::UserStatus;
}

/// The progress of an action. COMPLETED when it has a result.
#[derive(Serialize, ToSchema, Clone, Copy, Debug)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ActionState {
    /// Without a result.
    Pending,
    /// With a result.
    Completed,
}

impl ActionState {
    /// The state of an action, which is never IN_PROGRESS.
    pub const fn of(state: task_execution::State) -> Self {
        match state {
            task_execution::State::Completed => Self::Completed,
            task_execution::State::Pending | task_execution::State::InProgress => Self::Pending,
        }
    }
}

/// The tags of a record.
pub struct Tags;

impl PartialSchema for Tags {
    fn schema() -> RefOr<Schema> {
        json_schema(json!({
            "type": "array",
            "items": {
                "type": "string",
                "pattern": "^[^\\u0000]*$",
                "minLength": 1,
                "maxLength": "{limit_tag}",
            },
            "maxItems": "{limit_tags}",
            "description": "Duplicate tags are dropped.",
        }))
    }
}

impl ToSchema for Tags {}
