//! Compares the schemas of bodies with the functions that read the bodies.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{document, operations, resolved};
use crate::tests::{NEW_ID, Ports, TestServer, request};

/// A body with every described member at every depth, and one that is not described in each object,
/// whose path is added to `surplus`.
fn with_all_members(
    document: &Value,
    schema: &Value,
    path: &str,
    surplus: &mut BTreeSet<String>,
) -> Value {
    let schema = resolved(document, schema.get("oneOf").map_or(schema, |choices| &choices[0]));
    if let Some(items) = schema.get("items") {
        return json!([with_all_members(document, items, &format!("{path}[0]"), surplus)]);
    }
    let parts = schema["allOf"].as_array().cloned().unwrap_or_else(|| vec![schema.clone()]);
    let mut members = Map::new();
    for part in &parts {
        for (name, member) in
            resolved(document, part)["properties"].as_object().into_iter().flatten()
        {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            members.insert(name.clone(), with_all_members(document, member, &path, surplus));
        }
    }
    // Further members of a place on a plan are kept, not ignored.
    if members.is_empty() || schema.get("additionalProperties").is_some() {
        return if members.is_empty() { Value::Null } else { members.into() };
    }
    surplus.insert(if path.is_empty() { "surplus".to_owned() } else { format!("{path}.surplus") });
    members.insert("surplus".to_owned(), true.into());
    members.into()
}

#[actix_web::test]
async fn bodies_are_read_with_exactly_the_described_members() {
    let document = document();
    let mut bodies = 0;
    for (method, path, operation) in operations(&document) {
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        if schema.is_null() {
            continue;
        }
        let mut surplus = BTreeSet::new();
        let body = with_all_members(&document, schema, "", &mut surplus);
        let path = path.replace("{id}", NEW_ID);
        let request = request(&format!("{method} {path}"), body.to_string());
        let answer = TestServer::new(Ports::default()).send(request).await;
        let ignored = answer.header("patrol-ignored").unwrap_or_default();
        let ignored: BTreeSet<_> = ignored.split([',', ' ']).map(str::to_owned).collect();
        assert_eq!(ignored, surplus, "{method} {path} {body}");
        bodies += 1;
    }
    assert!(bodies > 8, "{bodies}");
}
