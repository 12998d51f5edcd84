//! The values of records: how each is written as JSON, and its schema.

use std::borrow::Cow;

use patrol_domain::{Named, Timestamp, access, ids::Uuid, point, task_execution, user};
use patrol_json::write;
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

/// The extension with the JSON of a schema whose bounds are settings; utoipa's bounds are numbers.
pub const GIVEN: &str = "x-schema";

/// A schema as JSON. A setting stands as `"{limit_name}"`; the description of the API replaces it.
pub fn given(schema: Value) -> RefOr<Schema> {
    let extensions = Extensions::from_iter([(GIVEN, schema)]);
    let any = ObjectBuilder::new().schema_type(SchemaType::AnyValue);
    any.extensions(Some(extensions)).into()
}

/// Hyphenated; lower case in answers, any case in requests.
#[derive(Serialize, ToSchema, Clone, Copy, Debug)]
#[schema(
    as = Uuid,
    value_type = String,
    format = "uuid",
    examples("0190de30-0008-7000-8000-000000000004")
)]
pub struct Id(#[serde(serialize_with = "write::id")] Uuid);

impl Id {
    /// An id of any kind of record.
    pub fn of(id: impl Into<Uuid>) -> Self {
        Self(id.into())
    }
}

/// UTC with three decimals in answers. Requests take RFC 3339 with any offset; what is finer than a
/// millisecond is cut off.
#[derive(Serialize, ToSchema, Clone, Copy, Debug)]
#[schema(
    as = Timestamp,
    value_type = String,
    format = DateTime,
    examples("2099-01-31T08:00:00.000Z")
)]
pub struct Time(#[serde(serialize_with = "write::timestamp")] pub Timestamp);

/// A language with an optional region.
#[derive(Serialize, ToSchema, Clone, Copy)]
#[schema(
    value_type = String,
    pattern = "^[A-Za-z]{2,3}(-([A-Za-z]{2}|[0-9]{3}))?$",
    examples("en", "pt-BR")
)]
pub struct Language<'a>(pub &'a str);

/// Declares types that are written by name. The doc comments are the descriptions in the document.
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
    /// What an action asks for.
    ActionType: task_execution::ActionType;
    /// How far an execution or a step is.
    State: task_execution::State;
    /// What came of it: derived from the results.
    Status: task_execution::Status;
    /// The urgency of an execution.
    Priority: task_execution::Priority;
    /// How presence at the point is shown.
    PointType: point::PointType;
    /// The change of a point.
    HistoryOperation: point::Operation;
    /// The permissions of a user.
    Role: access::Role;
    /// Who is not ACTIVE has no valid token.
    UserStatus: user::UserStatus;
}

/// COMPLETED once it is reported.
#[derive(Serialize, ToSchema, Clone, Copy, Debug)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ActionState {
    /// Not reported.
    Pending,
    /// Reported.
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

/// Labels of a record.
pub struct Tags;

impl PartialSchema for Tags {
    fn schema() -> RefOr<Schema> {
        given(json!({
            "type": "array",
            "items": {"type": "string", "minLength": 1, "maxLength": "{limit_tag}"},
            "maxItems": "{limit_tags}",
            "description": "A tag named again is dropped.",
        }))
    }
}

impl ToSchema for Tags {}
