//! Compares the description with the route table and with actual responses.

mod bodies;

use std::collections::{BTreeMap, BTreeSet};

use actix_web::test::TestRequest;
use patrol_domain::Limits;
use serde_json::{Value, json};

use super::describe;
use crate::{
    error::{Code, Language},
    features,
    settings::Settings,
    tests::{Ports, TestAnswer, TestServer},
};

/// The description with these settings.
fn with(settings: &Settings) -> Value {
    let table = features::table(None);
    serde_json::from_slice(&describe(&table, features::parts(), settings).unwrap()).unwrap()
}

fn document() -> Value {
    with(&Settings::default())
}

/// The described operations: method, path, operation.
fn operations(document: &Value) -> Vec<(String, String, &Value)> {
    let methods = ["get", "put", "post", "patch", "delete"];
    let paths = document["paths"].as_object().unwrap();
    let operations = paths.iter().flat_map(|(path, item)| {
        let members = item.as_object().unwrap().iter();
        members
            .filter(|(name, _)| methods.contains(&name.as_str()))
            .map(move |(name, operation)| (name.to_uppercase(), path.clone(), operation))
    });
    operations.collect()
}

/// The target of a reference; other values are returned as they are.
fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        Some(reference) => document
            .pointer(reference.strip_prefix('#').unwrap())
            .unwrap_or_else(|| panic!("{reference} leads nowhere")),
        None => value,
    }
}

/// Calls `see` with every value in the document.
fn walk(value: &Value, see: &mut impl FnMut(&Value)) {
    see(value);
    match value {
        Value::Array(elements) => elements.iter().for_each(|element| walk(element, see)),
        Value::Object(members) => members.values().for_each(|member| walk(member, see)),
        _ => {}
    }
}

#[test]
fn every_route_is_described_and_nothing_else() {
    let document = document();
    let described: BTreeSet<_> = operations(&document)
        .into_iter()
        .map(|(method, path, _)| (method, format!("/v1{path}")))
        .collect();
    let table = features::table(None);
    let routes: BTreeSet<_> = table
        .routes()
        .map(|(pattern, route)| (route.method.to_string(), pattern.to_owned()))
        .collect();
    assert_eq!(described, routes);
    assert_eq!(document["servers"][0]["url"], "/v1");
    assert_eq!(document["openapi"], "3.1.0");
}

#[test]
fn a_deletion_of_a_record_that_may_be_in_use_says_so() {
    let document = document();
    let says = |path: &str| {
        let conflict = &document["paths"][path]["delete"]["responses"]["409"];
        resolved(&document, conflict)["description"].as_str().unwrap().contains("resource.in.use")
    };
    for path in ["/locations/{id}", "/locations/graphic-plans/{id}", "/check-lists/{id}"] {
        assert!(says(path), "{path}");
    }
    assert!(!says("/users/{id}"));
}

#[test]
fn every_reference_has_a_target_and_every_component_is_used() {
    let document = document();
    let mut used = BTreeSet::new();
    walk(&document, &mut |value| {
        if let Some(reference) = value.get("$ref").and_then(Value::as_str) {
            resolved(&document, value);
            used.insert(reference.to_owned());
        }
    });
    for kind in ["headers", "parameters", "responses", "schemas"] {
        for name in document["components"][kind].as_object().unwrap().keys() {
            assert!(used.contains(&format!("#/components/{kind}/{name}")), "{kind} {name}");
        }
    }
}

#[test]
fn every_operation_lists_the_common_errors() {
    let document = document();
    for (method, path, operation) in operations(&document) {
        let responses = operation["responses"].as_object().unwrap();
        for status in ["401", "413", "429", "500", "503"] {
            assert!(responses.contains_key(status), "{method} {path} {status}");
        }
        let names_records = path.contains("{id}") || path == "/users/batch";
        assert_eq!(responses.contains_key("404"), names_records, "{method} {path}");
        // Where a malformed id is 404, or there is no id, nothing else can be wrong with the request.
        let takes_anything =
            method == "GET" && ["/users/{id}/photo", "/me"].contains(&path.as_str());
        assert_eq!(responses.contains_key("400"), !takes_anything, "{method} {path}");
        for status in ["409", "422"] {
            assert_eq!(responses.contains_key(status), method != "GET", "{method} {path}");
        }
    }
}

#[test]
fn operation_ids_start_with_the_method_and_are_unique() {
    let document = document();
    let mut names = BTreeSet::new();
    for (method, path, operation) in operations(&document) {
        let name = operation["operationId"].as_str().unwrap();
        assert!(name.starts_with(&method.to_lowercase()), "{method} {path} {name}");
        assert!(names.insert(name.to_owned()), "{name}");
    }
}

#[test]
fn the_bounds_are_those_of_the_settings() {
    let limits = Limits {
        name: 11,
        description: 12,
        address: 13,
        text: 14,
        tags: 15,
        tag: 16,
        steps: 17,
        actions: 18,
        assignees: 19,
        locations: 20,
        ..Limits::default()
    };
    let settings = Settings {
        limits,
        body_limit: 3 << 10,
        batch_limit: 5 << 20,
        photo_limit: 1_234_567,
        photo_pixels: 89,
        ..Settings::default()
    };
    let document = with(&settings);
    let schemas = &document["components"]["schemas"];
    let execution = &schemas["TaskExecutionPut"]["properties"];
    for (bound, expected) in [
        (&execution["name"]["maxLength"], limits.name),
        (&execution["description"]["maxLength"], limits.description),
        (&execution["assigneeIds"]["maxItems"], limits.assignees),
        (&execution["steps"]["maxItems"], limits.steps),
        (&schemas["StepPut"]["properties"]["actions"]["maxItems"], limits.actions),
        (&schemas["Tags"]["maxItems"], limits.tags),
        (&schemas["Tags"]["items"]["maxLength"], limits.tag),
        (&schemas["UserPatch"]["properties"]["phone"]["maxLength"], limits.text),
        (&schemas["UserPatch"]["properties"]["locationIds"]["maxItems"], limits.locations),
    ] {
        assert_eq!(*bound, expected);
    }
    let photo = &schemas["PhotoUpload"]["properties"]["photo"]["description"];
    assert!(photo.as_str().unwrap().contains("1234567 bytes and 89 pixels"), "{photo}");
    for (method, path, bytes, words) in [
        ("post", "/tokens", 3 << 10, "At most 3 KiB."),
        ("post", "/users/batch", 5 << 20, "At most 5 MiB."),
        ("post", "/users/{id}/photo", 1_234_567, "At most 1234567 bytes."),
    ] {
        let body = &document["paths"][path][method]["requestBody"];
        assert_eq!((&body["x-maxBytes"], &body["description"]), (&bytes.into(), &words.into()));
    }
    walk(&document, &mut |value| {
        assert!(!value.as_str().unwrap_or_default().contains("{limit_"), "{value}");
    });
}

#[test]
fn every_parameter_of_a_list_is_explained() {
    let document = document();
    let mut explained = 0;
    for (method, path, operation) in operations(&document) {
        for parameter in operation["parameters"].as_array().unwrap() {
            let parameter = resolved(&document, parameter);
            let about = parameter["description"].as_str().unwrap_or_default();
            assert!(about.len() > 5 && !about.starts_with(' '), "{method} {path} {parameter}");
            assert!(!about.contains("``"), "{method} {path} {parameter}");
            explained += usize::from(parameter["in"] == "query");
        }
    }
    assert!(explained > 40, "{explained}");
}

#[test]
fn every_example_belongs_to_an_operation() {
    for part in features::parts() {
        let examples: BTreeMap<String, Value> = serde_json::from_str(part.examples).unwrap();
        let of_records = json!({"paths": part.records.paths});
        let documents = [serde_json::to_value(&part.api).unwrap(), of_records];
        let operations: Vec<_> = documents.iter().flat_map(operations).collect();
        for id in examples.keys() {
            let named = |operation: &Value| operation["operationId"] == id.as_str();
            assert!(operations.iter().any(|(_, _, operation)| named(operation)), "{id}");
        }
    }
}

#[test]
fn no_schema_has_a_default_that_generated_clients_would_send() {
    walk(&document(), &mut |value| {
        let is_schema = value.get("type").is_some() || value.get("$ref").is_some();
        assert!(!is_schema || value.get("default").is_none(), "{value}");
    });
}

#[test]
fn every_object_schema_has_a_name() {
    let document = document();
    // Objects within the components of `allOf` belong to the component itself.
    fn nested(schema: &Value, place: &str) {
        for (name, member) in schema["properties"].as_object().into_iter().flatten() {
            anonymous(member, &format!("{place}.{name}"));
        }
        if let Some(items) = schema.get("items") {
            anonymous(items, place);
        }
        for part in schema["allOf"].as_array().into_iter().flatten() {
            nested(part, place);
        }
    }
    fn anonymous(schema: &Value, place: &str) {
        assert!(schema.get("properties").is_none(), "{place}");
        assert!(schema.get("allOf").is_none(), "{place}");
        nested(schema, place);
    }
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        nested(schema, name);
    }
    walk(&document["paths"], &mut |value| {
        if let Some(schema) = value.get("schema") {
            anonymous(schema, "an operation");
        }
    });
}

#[test]
fn null_is_described_in_the_form_that_generators_support() {
    let document = document();
    walk(&document, &mut |value| {
        let values = value["enum"].as_array();
        assert!(values.is_none_or(|values| !values.contains(&Value::Null)), "{value}");
    });
    let status = &document["components"]["schemas"]["TaskExecution"]["properties"]["status"];
    assert_eq!(status["oneOf"][0]["$ref"], "#/components/schemas/Status");
    assert_eq!(status["oneOf"][1]["type"], "null");
}

#[test]
fn the_token_of_a_repeated_answer_is_null() {
    let document = document();
    let issued = document["components"]["schemas"]["TokenIssued"].to_string();
    assert!(issued.contains(r#""type":["string","null"]"#), "{issued}");
}

#[test]
fn the_codes_of_errors_are_an_enumeration() {
    let document = document();
    let schemas = &document["components"]["schemas"];
    let codes: Vec<_> = Code::ALL.iter().map(|code| Value::from(code.name())).collect();
    assert_eq!(schemas["ErrorCode"]["enum"], Value::from(codes));
    for schema in ["Error", "ErrorDetail"] {
        let code = &schemas[schema]["properties"]["code"]["$ref"];
        assert_eq!(code, "#/components/schemas/ErrorCode");
    }
}

#[test]
fn there_is_one_way_to_authenticate() {
    let document = document();
    assert_eq!(document["security"].as_array().unwrap().len(), 1);
    assert_eq!(document["components"]["securitySchemes"].as_object().unwrap().len(), 1);
}

#[test]
fn the_description_is_deterministic() {
    let table = features::table(None);
    let describe = || describe(&table, features::parts(), &Settings::default()).unwrap();
    assert_eq!(describe(), describe());
}

#[test]
fn every_error_example_has_known_codes_and_their_status() {
    let document = document();
    let known = |entry: &Value| {
        let code = entry["code"].as_str().unwrap();
        let code = Code::ALL.iter().find(|known| known.name() == code);
        let code = code.unwrap_or_else(|| panic!("{entry}"));
        assert_eq!(entry["message"], code.message(Language::English));
        *code
    };
    let mut examples = 0;
    let mut check = |status: &str, response: &Value| {
        let content = &response["content"]["application/json"];
        let several = content["examples"].as_object().into_iter().flat_map(|all| all.values());
        for example in content.get("example").into_iter().chain(several.map(|one| &one["value"])) {
            examples += 1;
            assert_eq!(known(example).status().as_str(), status, "{example}");
            for entry in example["details"].as_array().into_iter().flatten() {
                known(entry);
            }
        }
    };
    for (_, _, operation) in operations(&document) {
        for (status, response) in operation["responses"].as_object().unwrap() {
            if status.starts_with(['4', '5']) {
                check(status, resolved(&document, response));
            }
        }
    }
    assert!(examples > 50, "{examples}");
}

async fn page(path: &str) -> TestAnswer {
    TestServer::new(Ports::default()).send(TestRequest::get().uri(path)).await
}

#[actix_web::test]
async fn the_description_is_served_without_a_token() {
    let answer = page("/openapi.json").await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    assert_eq!(answer.json(), document());
}

#[actix_web::test]
async fn the_docs_and_their_files_are_in_the_binary() {
    let answer = page("/docs").await;
    assert_eq!((answer.status, answer.header("location")), (308, Some("/docs/")));
    for (path, kind) in [
        ("/docs/", "text/html"),
        ("/docs/index.html", "text/html"),
        ("/docs/swagger-ui.css", "text/css"),
        ("/docs/swagger-ui-bundle.js", "text/javascript"),
        ("/docs/swagger-initializer.js", "text/javascript"),
        ("/docs/favicon-32x32.png", "image/png"),
    ] {
        let answer = page(path).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, Some(kind)), "{path}");
        assert!(!answer.body.is_empty(), "{path}");
    }
    let answer = page("/docs/nothing.js").await;
    assert_eq!(answer.code(), (404, "not.found".to_owned()));
}

#[actix_web::test]
async fn the_docs_load_nothing_from_other_hosts() {
    let initializer = String::from_utf8(page("/docs/swagger-initializer.js").await.body).unwrap();
    assert!(initializer.contains("\"/openapi.json\""), "{initializer}");
    assert!(initializer.contains("\"validatorUrl\": \"none\""), "{initializer}");
    assert!(initializer.contains("\"persistAuthorization\": true"), "{initializer}");
    assert!(!initializer.contains("http"), "{initializer}");
    let index = String::from_utf8(page("/docs/").await.body).unwrap();
    assert!(index.contains("<title>Patrol API</title>"), "{index}");
    assert!(!index.contains("http://") && !index.contains("https://"), "{index}");
    let policy = page("/docs/").await;
    let policy = policy.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'self';"), "{policy}");
}
