//! Completes the schemas that the code declares.

use std::collections::HashSet;

use patrol_record::value::JSON_SCHEMA;
use serde_json::{Value, json};

use super::object::Object;
use crate::schema::{EXTRA_KEYWORDS, INLINE};

/// The place of schemas in the document.
const SCHEMAS: &str = "#/components/schemas/";

/// Completes the schemas and the operations that refer to them:
///
/// - Schemas that are given as JSON are written as given. If their name starts with [`INLINE`],
///   they replace the references to them.
/// - The members of [`EXTRA_KEYWORDS`] are written beside the others.
/// - `additionalProperties` is `true` instead of `{}`, because more tools support it.
/// - Descriptions are one line. The description of a reference that may be null is beside `oneOf`.
/// - In a record that only responses contain, every member that may be null is required.
pub(super) fn complete(schemas: Object, paths: &mut Value) -> Object {
    let given = |(name, schema): (String, Value)| {
        let given = schema.get(JSON_SCHEMA).cloned();
        (name, given.unwrap_or(schema))
    };
    let (inline_schema, mut named): (Object, Object) =
        schemas.into_iter().map(given).partition(|(name, _)| name.starts_with(INLINE));
    named.values_mut().for_each(|schema| rewrite(schema, &inline_schema));
    rewrite(paths, &inline_schema);

    let mut in_requests = HashSet::new();
    let operations = members(paths).flat_map(members);
    let bodies = operations.filter_map(|operation| operation.get("requestBody"));
    bodies.for_each(|body| collect(body, &named, &mut in_requests));
    let only_in_responses =
        named.iter_mut().filter(|(name, _)| !in_requests.contains(name.as_str()));
    only_in_responses.for_each(|(_, schema)| require_nullable(schema));
    named
}

fn members(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_object().into_iter().flat_map(Object::values)
}

/// The name of the schema that `value` refers to.
fn referred(value: &Value) -> Option<&str> {
    value.get("$ref")?.as_str()?.strip_prefix(SCHEMAS)
}

/// Replaces references to schemas of `inline_schema` by these schemas, and simplifies descriptions,
/// `additionalProperties` and `oneOf`.
fn rewrite(value: &mut Value, inline_schema: &Object) {
    match value {
        Value::Array(elements) => {
            elements.iter_mut().for_each(|element| rewrite(element, inline_schema))
        }
        Value::Object(members) => {
            members.values_mut().for_each(|member| rewrite(member, inline_schema));
            if let Some(Value::Object(further)) = members.shift_remove(EXTRA_KEYWORDS) {
                members.extend(further);
            }
            if let Some(Value::String(description)) = members.get_mut("description") {
                *description = description.replace('\n', " ");
            }
            if let Some(any) = members.get_mut("additionalProperties")
                && *any == json!({})
            {
                *any = true.into();
            }
            let description = members.get("description").cloned();
            if let Some(schema) = referred(value).and_then(|name| inline_schema.get(name)) {
                *value = schema.clone();
                describe(value, description);
            }
            simplify(value);
        }
        _ => {}
    }
}

fn describe(schema: &mut Value, description: Option<Value>) {
    if let (Value::Object(schema), Some(description)) = (schema, description) {
        schema.insert("description".to_owned(), description);
    }
}

/// Moves the description of a schema that may be null beside `oneOf`. Where the schema has a type,
/// writes `"type": [‥, "null"]` instead of `oneOf`.
fn simplify(value: &mut Value) {
    let Some(Value::Array(choices)) = value.get_mut("oneOf") else { return };
    let [Value::Object(schema), null] = choices.as_mut_slice() else { return };
    if *null != json!({"type": "null"}) {
        return;
    }
    if let Some(kind) = schema.get_mut("type") {
        *kind = json!([kind, "null"]);
        *value = schema.clone().into();
    } else {
        let description = schema.shift_remove("description");
        describe(value, description);
    }
}

/// Collects the names of all schemas that `value` refers to, at any depth.
fn collect<'s>(value: &'s Value, schemas: &'s Object, names: &mut HashSet<String>) {
    if let Some(name) = referred(value)
        && names.insert(name.to_owned())
        && let Some(schema) = schemas.get(name)
    {
        collect(schema, schemas, names);
    }
    let elements = value.as_array().into_iter().flatten();
    elements.chain(members(value)).for_each(|part| collect(part, schemas, names));
}

/// Requires every property that may be null.
fn require_nullable(schema: &mut Value) {
    if let Some(Value::Array(parts)) = schema.get_mut("allOf") {
        parts.iter_mut().for_each(require_nullable);
    }
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |(name, property): &(&String, &Value)| {
        let known = required.is_some_and(|names| names.contains(&json!(name)));
        known || is_nullable(property)
    };
    let required: Vec<_> =
        properties.iter().filter(is_required).map(|(name, _)| name.clone()).collect();
    if let (Value::Object(schema), false) = (schema, required.is_empty()) {
        schema.insert("required".to_owned(), required.into());
    }
}

fn is_nullable(schema: &Value) -> bool {
    let names_null =
        |kinds: &Value| kinds.as_array().is_some_and(|kinds| kinds.contains(&json!("null")));
    let is_null = |choices: &Value| {
        choices.as_array().is_some_and(|choices| choices.contains(&json!({"type": "null"})))
    };
    schema.get("type").is_some_and(names_null) || schema.get("oneOf").is_some_and(is_null)
}
