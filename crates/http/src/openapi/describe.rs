//! Builds the document from the hand-written parts, the routes, the declarations of lists, and the
//! configured bounds.

use std::io;

use actix_web::http::Method;
use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{
    bounds, failure,
    list::{Shape, reference},
    ordered::{Ordered, Raw},
    part::{self, COMMON, Common, Id, PARTS, Part},
};
use crate::{
    route::{Body, Route, Table},
    services::Settings,
};

/// Headers of every response.
const EVERY_ANSWER: [&str; 4] =
    ["X-Request-Id", "X-Content-Type-Options", "Cache-Control", "Patrol-Ignored"];

/// Describes the routes in `table` as OpenAPI 3.1 with the bounds in `settings`. The same input
/// gives the same bytes.
///
/// # Errors
/// When a part is malformed, which a test rules out.
pub(crate) fn describe(table: &Table, settings: &Settings) -> io::Result<Bytes> {
    let common: Common = serde_json::from_str(&bounds::fill(COMMON, settings))?;
    let parts = PARTS.iter().map(|part| serde_json::from_str(&bounds::fill(part, settings)));
    let parts = parts.collect::<Result<Vec<Part>, _>>()?;

    let (mut paths, mut schemas) = (Ordered::default(), common.schemas);
    let mut tags = Vec::new();
    for part in parts {
        for (path, operations) in part.paths.0 {
            let mut item = Ordered::default();
            for (method, operation) in operations.0 {
                if let Some(route) = route(table, &method, &path) {
                    let operation =
                        describe_operation(&path, route, &part.tag, operation, settings);
                    item.put(method, &operation?)?;
                }
            }
            paths.put(path, &item)?;
        }
        tags.push(part.tag);
        schemas.0.extend(part.schemas.0);
    }
    schemas.put("ErrorCode", &failure::codes())?;

    let mut components = Ordered::default();
    components.put("securitySchemes", &common.security_schemes)?;
    components.put("headers", &common.headers)?;
    components.put("parameters", &common.parameters)?;
    components.put("responses", &failure::shared()?)?;
    components.put("schemas", &schemas)?;

    let mut document = Ordered::default();
    document.put("openapi", &common.openapi)?;
    document.put("info", &common.info)?;
    document.put("servers", &common.servers)?;
    document.put("security", &common.security)?;
    document.put("tags", &tags)?;
    document.put("paths", &paths)?;
    document.put("components", &components)?;
    Ok(serde_json::to_vec(&document)?.into())
}

/// The route of a method, in lower case, and a path below `/v1`.
fn route<'t>(table: &'t Table, method: &str, path: &str) -> Option<&'t Route> {
    let method = Method::from_bytes(method.to_uppercase().as_bytes()).ok()?;
    let mut routes = table.routes();
    let found = routes.find(|(pattern, route)| {
        pattern.strip_prefix("/v1") == Some(path) && *route.method() == method
    });
    found.map(|(_, route)| route)
}

fn describe_operation(
    path: &str,
    route: &Route,
    tag: &part::Tag,
    source: part::Operation,
    settings: &Settings,
) -> io::Result<Ordered<Raw>> {
    let failures = failure::of(path, route, &source)?;
    let mut operation = Ordered::default();
    operation.put("operationId", &source.operation_id)?;
    operation.put("tags", &[&tag.name])?;
    operation.put("summary", &source.summary)?;
    operation.put_some("description", source.description.as_ref())?;
    operation.put("parameters", &parameters(path, &source)?)?;
    if let Some(body) = source.request_body {
        operation.put("requestBody", &request_body(body, route.style().body, settings)?)?;
    }
    let mut responses = Ordered::default();
    for (status, response) in source.responses.0 {
        responses.put(status, &success(response)?)?;
    }
    for (status, failure) in failures {
        responses.put(status, &failure)?;
    }
    operation.put("responses", &responses)?;
    Ok(operation)
}

fn parameters(path: &str, source: &part::Operation) -> io::Result<Vec<Raw>> {
    let raw = |value: &Value| serde_json::value::to_raw_value(value);
    let mut parameters = Vec::new();
    if let Some(Id { description, example }) = &source.id {
        parameters.push(raw(&json!({
            "name": "id",
            "in": "path",
            "required": true,
            "description": description,
            "schema": reference("schemas", "Uuid"),
            "example": example,
        }))?);
    }
    parameters.extend(source.parameters.iter().cloned());
    if let (Some(shape), Some(text)) = (Shape::at(path), &source.list) {
        for parameter in shape.parameters(text) {
            parameters.push(raw(&parameter)?);
        }
    }
    parameters.push(raw(&reference("parameters", "AcceptLanguage"))?);
    Ok(parameters)
}

fn request_body(
    source: part::RequestBody,
    body: Body,
    settings: &Settings,
) -> io::Result<Ordered<Raw>> {
    let (media, most) = match body {
        Body::Form => ("multipart/form-data", settings.photo_limit),
        other => ("application/json", other.limit(settings)),
    };
    let mut content = Ordered::default();
    content.put("schema", &source.schema)?;
    content.put_some("example", source.example.as_ref())?;
    content.put_some("encoding", source.encoding.as_ref())?;
    let mut described = Ordered::default();
    described.put("description", &format!("At most {}.", bounds::size(most)))?;
    described.put("required", &true)?;
    described.put("content", &one(media, &content)?)?;
    described.put("x-maxBytes", &most)?;
    Ok(described)
}

fn success(source: part::Response) -> io::Result<Ordered<Raw>> {
    let mut response = Ordered::default();
    response.put("description", &source.description)?;
    response.put("headers", &headers(source.headers.iter()))?;
    if let Some(schema) = source.schema {
        let mut content = Ordered::default();
        content.put("schema", &schema)?;
        content.put_some("example", source.example.as_ref())?;
        response.put("content", &one("application/json", &content)?)?;
    }
    response.put_some("content", source.content.as_ref())?;
    Ok(response)
}

/// An object with one member.
fn one(name: &str, value: &impl Serialize) -> io::Result<Ordered<Raw>> {
    let mut object = Ordered::default();
    object.put(name, value)?;
    Ok(object)
}

/// The headers of a response: those of every response, and these.
pub(super) fn headers<N: AsRef<str>>(further: impl Iterator<Item = N>) -> Map<String, Value> {
    let header = |name: &str| (name.to_owned(), reference("headers", name));
    let every = EVERY_ANSWER.iter().map(|name| header(name));
    every.chain(further.map(|name| header(name.as_ref()))).collect()
}
