//! Schemas of request bodies, declared next to the functions that read them.

use patrol_record::value::Id;
use serde_json::{Value, json};
use utoipa::{
    ToSchema,
    openapi::{Ref, RefOr, Schema},
};

/// Declares the schema of a body, member by member. A member is required unless its type is an
/// `Option`; in a `patch` no member is required.
macro_rules! body {
    ($(#[$about:meta])* $name:ident { $($(#[$note:meta])* $member:ident: $value:ty,)+ }) => {
        #[derive(utoipa::ToSchema)]
        #[schema(rename_all = "camelCase")]
        $(#[$about])*
        #[expect(dead_code, reason = "only the schema is used")]
        pub(crate) struct $name {
            $($(#[$note])* $member: $value,)+
        }
    };
    (patch $(#[$about:meta])* $name:ident { $($(#[$note:meta])* $member:ident: $value:ty,)+ }) => {
        crate::schema::body! {
            $(#[$about])*
            $name { $($(#[$note])* #[schema(required = false)] $member: $value,)+ }
        }
    };
}

/// Declares types whose schema is given as JSON, because the attributes of utoipa take neither settings
/// nor constants. With `of` the schema is an array of this type.
macro_rules! json_schema {
    ($($(#[$about:meta])* $name:ident = $schema:tt $(of $item:ty)?;)+) => {
        crate::schema::json_schema! { @ ""; $($(#[$about])* $name = $schema $(of $item)?;)+ }
    };
    (@ $prefix:expr; $($(#[$about:meta])* $name:ident = $schema:tt $(of $item:ty)?;)+) => {$(
        $(#[$about])*
        pub(crate) struct $name;

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                let schema = serde_json::json!($schema);
                $(let schema = crate::schema::array_of::<$item>(schema);)?
                patrol_record::value::json_schema(schema)
            }
        }

        impl utoipa::ToSchema for $name {
            fn name() -> std::borrow::Cow<'static, str> {
                [$prefix, stringify!($name)].concat().into()
            }

            $(fn schemas(
                all: &mut Vec<(String, utoipa::openapi::RefOr<utoipa::openapi::Schema>)>,
            ) {
                crate::schema::add_schema::<$item>(all);
            })?
        }
    )+};
}

/// Like [`json_schema`], but the schema is written inline wherever a type refers to it.
macro_rules! inline_schema {
    ($($declared:tt)+) => {
        crate::schema::json_schema! { @ crate::schema::INLINE; $($declared)+ }
    };
}

pub(crate) use {body, inline_schema, json_schema};

/// The prefix of the names of schemas that are written inline.
pub(crate) const INLINE: &str = "inline: ";

/// The extension whose members are written beside those of a parameter or a schema: keywords that
/// utoipa does not have.
pub(crate) const EXTRA_KEYWORDS: &str = "x-also";

/// The pattern of texts: any characters but U+0000.
pub(crate) const NO_NUL: &str = "^[^\\u0000]*$";

/// Adds a schema and those that it refers to.
pub(crate) fn add_schema<T: ToSchema>(schemas: &mut Vec<(String, RefOr<Schema>)>) {
    schemas.push((T::name().into(), T::schema()));
    T::schemas(schemas);
}

/// The schema of an array of `T`, with the members of `further`, for example `maxItems`.
pub(crate) fn array_of<T: ToSchema>(further: Value) -> Value {
    let mut schema = json!({"type": "array", "items": Ref::from_schema_name(T::name())});
    if let (Value::Object(schema), Value::Object(further)) = (&mut schema, further) {
        schema.extend(further);
    }
    schema
}

/// Latitude and longitude are given together: keywords of the schema of a body with both.
pub(crate) fn position_rule() -> Value {
    let number = json!({"type": "number"});
    let given = |name: &str| json!({"required": [name], "properties": {name: number}});
    json!({
        "if": {"anyOf": [given("latitude"), given("longitude")]},
        "then": {"allOf": [given("latitude"), given("longitude")]},
    })
}

inline_schema! {
    /// A name that must not be empty.
    Name = {"type": "string", "pattern": NO_NUL, "minLength": 1, "maxLength": "{limit_name}"};
    /// A name that may be empty.
    OptionalName = {"type": "string", "pattern": NO_NUL, "maxLength": "{limit_name}"};
    /// A long text.
    LongText = {"type": "string", "pattern": NO_NUL, "maxLength": "{limit_description}"};
    /// An address, which may be empty.
    Address = {"type": "string", "pattern": NO_NUL, "maxLength": "{limit_address}"};
    /// A short text that must not be empty.
    Text = {"type": "string", "pattern": NO_NUL, "minLength": 1, "maxLength": "{limit_text}"};
    /// A short text that may be empty.
    OptionalText = {"type": "string", "pattern": NO_NUL, "maxLength": "{limit_text}"};
    /// An e-mail address.
    Email = {"type": "string", "format": "email", "minLength": 1, "maxLength": "{limit_text}"};
    /// The users who may carry out an execution.
    Assignees = {"maxItems": "{limit_assignees}"} of Id;
}
