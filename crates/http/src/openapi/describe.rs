//! Builds the document from the parts of the features, the route table and the settings.

use std::{collections::HashMap, io, mem};

use actix_web::http::Method;
use bytes::Bytes;
use patrol_application::Operation;
use serde_json::{Value, json};
use utoipa::openapi::{RefOr, Schema};

use super::{
    bounds,
    failure::{self, SharedResponses},
    object::{Object, as_object, headers, reference},
    part::{DocumentPart, Examples},
    schemas,
};
use crate::{
    api_path::BASE,
    error,
    record::RecordDocument,
    route::{BodyKind, RouteEntry, RouteTable},
    schema::add_schema,
    settings::Settings,
};

/// The head of the document, and the parameters, headers and errors of many operations.
const COMMON: &str = include_str!("common.json");

/// Describes the routes in `table` as OpenAPI 3.1 with the bounds in `settings`. The same input
/// gives the same bytes.
///
/// # Errors
/// When the examples or the common part are malformed, which a test rules out.
pub(crate) fn describe(
    table: &RouteTable,
    parts: Vec<DocumentPart>,
    settings: &Settings,
) -> io::Result<Bytes> {
    let mut document: Object = serde_json::from_str(COMMON)?;
    let mut components = take(&mut document, "components");
    let shared = SharedComponents {
        parameters: shared_parameters(&components),
        responses: failure::read_shared(take(&mut components, "responses"))?,
    };
    let (mut tags, mut paths, mut all) = (Vec::new(), Object::new(), Object::new());
    for DocumentPart { api, records, examples, rules } in parts {
        let mut api = as_object(serde_json::to_value(api)?);
        let RecordDocument { paths: mut operations, schemas } = records;
        add_schemas(&mut all, schemas)?;
        for (path, item) in take(&mut api, "paths") {
            let known = operations.entry(path).or_insert_with(|| json!({}));
            if let Value::Object(known) = known {
                known.extend(as_object(item));
            }
        }
        let mut examples: HashMap<String, Examples> = serde_json::from_str(examples)?;
        let tag = api.get("tags").and_then(|tags| tags.get(0)).cloned().unwrap_or_default();
        for (path, item) in operations {
            let described = paths.entry(path.clone()).or_insert_with(|| json!({}));
            for (method, operation) in as_object(item) {
                let Some(route) = route(table, &method, &path) else { continue };
                let mut operation = as_object(operation);
                let id = operation.get("operationId").and_then(Value::as_str).unwrap_or_default();
                let examples = examples.remove(id).unwrap_or_default();
                operation.insert("tags".to_owned(), json!([tag.get("name")]));
                let context = OperationContext { path: &path, route, shared: &shared, settings };
                context.complete(&mut operation, examples)?;
                if let Value::Object(described) = described {
                    described.insert(method, operation.into());
                }
            }
        }
        // Features may share a tag; only one of them describes it.
        if tag.get("description").is_some() {
            tags.push(tag);
        }
        all.extend(take(&mut take(&mut api, "components"), "schemas"));
        for (name, keywords) in rules {
            if let Some(Value::Object(schema)) = all.get_mut(name) {
                schema.extend(as_object(keywords));
            }
        }
    }
    let mut errors = Vec::new();
    add_schema::<error::Body<'_>>(&mut errors);
    add_schemas(&mut all, errors)?;
    components.insert("responses".to_owned(), failure::described(&shared.responses)?.into());
    document.insert("tags".to_owned(), tags.into());
    let mut paths = paths.into();
    components.insert("schemas".to_owned(), schemas::complete(all, &mut paths).into());
    document.insert("paths".to_owned(), paths);
    document.insert("components".to_owned(), components.into());
    Ok(bounds::fill(&serde_json::to_string(&document)?, settings).into())
}

fn add_schemas(all: &mut Object, schemas: Vec<(String, RefOr<Schema>)>) -> io::Result<()> {
    for (name, schema) in schemas {
        all.insert(name, serde_json::to_value(schema)?);
    }
    Ok(())
}

/// Removes the member `name` and returns its object.
fn take(object: &mut Object, name: &str) -> Object {
    as_object(object.get_mut(name).map(mem::take).unwrap_or_default())
}

/// The references to the shared parameters, by the name of the parameter.
fn shared_parameters(components: &Object) -> HashMap<String, Value> {
    let parameters = components.get("parameters").and_then(Value::as_object).into_iter().flatten();
    let named = parameters.filter_map(|(component, parameter)| {
        let name = parameter.get("name")?.as_str()?;
        Some((name.to_owned(), reference("parameters", component)))
    });
    named.collect()
}

/// The route of a method, in lower case, and a path below `/v1`.
fn route<'t>(table: &'t RouteTable, method: &str, path: &str) -> Option<&'t RouteEntry> {
    let method = Method::from_bytes(method.to_uppercase().as_bytes()).ok()?;
    let mut routes = table.routes();
    let found = routes.find(|(pattern, route)| {
        pattern.strip_prefix(BASE) == Some(path) && route.method == method
    });
    found.map(|(_, route)| route)
}

/// What several operations share.
struct SharedComponents {
    /// References by the name of the parameter.
    parameters: HashMap<String, Value>,
    responses: SharedResponses,
}

/// An operation: its path below `/v1` and its route.
struct OperationContext<'a> {
    path: &'a str,
    route: &'a RouteEntry,
    shared: &'a SharedComponents,
    settings: &'a Settings,
}

impl OperationContext<'_> {
    /// Adds the common parameters and headers, the size of the body, the examples, the errors, and 304
    /// where the client may have the answer already.
    fn complete(&self, operation: &mut Object, examples: Examples) -> io::Result<()> {
        let Examples { id, body, answer, faults } = examples;
        let parameters = operation.entry("parameters").or_insert_with(|| json!([]));
        let is_conditional = has_parameter(parameters, "If-Match");
        let may_be_unchanged = has_parameter(parameters, "If-None-Match");
        self.parameters(parameters, id);
        if let Some(Value::Object(request)) = operation.get_mut("requestBody") {
            self.request_body(request, body);
        }
        let Some(Value::Object(responses)) = operation.get_mut("responses") else { return Ok(()) };
        let Self { path, route, shared, .. } = self;
        if may_be_unchanged {
            let unchanged = json!({"description": "The client has this version already."});
            responses.entry("304").or_insert(unchanged);
        }
        for (status, response) in responses.iter_mut() {
            let header = match status.as_str() {
                "200" | "304" if is_conditional || may_be_unchanged => Some("ETag"),
                // A token has no resource of its own to read.
                "201" if route.endpoint.operation != Operation::ManageTokens => Some("Location"),
                _ => None,
            };
            complete_success(response, header, answer.clone());
        }
        responses.extend(failure::of(path, route, is_conditional, faults, &shared.responses)?);
        Ok(())
    }

    /// Replaces shared parameters by references, unless the operation describes them itself, and adds
    /// the example of the id.
    fn parameters(&self, parameters: &mut Value, id: Option<Value>) {
        let Value::Array(parameters) = parameters else { return };
        for parameter in parameters.iter_mut() {
            let Value::Object(described) = parameter else { continue };
            let name = described.get("name").and_then(Value::as_str).unwrap_or_default();
            let is_described = described.contains_key("schema");
            if let Some(reference) = self.shared.parameters.get(name).filter(|_| !is_described) {
                *parameter = reference.clone();
            } else if let ("id", Some(id)) = (name, &id) {
                described.insert("example".to_owned(), id.clone());
            }
        }
        parameters.push(reference("parameters", "AcceptLanguage"));
        if self.route.is_change() {
            parameters.push(reference("parameters", "IdempotencyKey"));
        }
    }

    fn request_body(&self, request: &mut Object, example: Option<Value>) {
        let most = match self.route.body {
            BodyKind::Form => self.settings.photo_limit,
            BodyKind::Media => self.settings.media_limit,
            other => other.limit(self.settings),
        };
        request.insert("description".to_owned(), format!("At most {}.", bounds::size(most)).into());
        request.insert("required".to_owned(), true.into());
        request.insert("x-maxBytes".to_owned(), most.into());
        add_example(request.get_mut("content"), example);
    }
}

fn has_parameter(parameters: &Value, name: &str) -> bool {
    let mut parameters = parameters.as_array().into_iter().flatten();
    parameters.any(|parameter| parameter.get("name").is_some_and(|given| given == name))
}

/// Adds the common headers and the example. A response that names no header itself has the `default`.
fn complete_success(response: &mut Value, default: Option<&str>, example: Option<Value>) {
    let Value::Object(response) = response else { return };
    if let (Some(name), false) = (default, response.contains_key("headers")) {
        // After the description, as utoipa writes them.
        response.shift_insert(1, "headers".to_owned(), json!({name: {}}));
    }
    let own = response.get("headers").and_then(Value::as_object);
    let headers = headers(own.into_iter().flat_map(Object::keys));
    response.insert("headers".to_owned(), headers.into());
    add_example(response.get_mut("content"), example);
}

/// Adds an example to the JSON content.
fn add_example(content: Option<&mut Value>, example: Option<Value>) {
    let content = content.and_then(|content| content.get_mut("application/json"));
    if let (Some(Value::Object(content)), Some(example)) = (content, example) {
        content.insert("example".to_owned(), example);
    }
}
