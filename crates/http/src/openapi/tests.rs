//! The description against the route table and against what is really answered.

use std::collections::BTreeSet;

use actix_web::{
    http::{Method, header::ContentType},
    test::TestRequest,
};
use serde_json::Value;

use super::DOCUMENT;
use crate::{
    access, check_list,
    error::{Code, Language},
    location, point, route,
    task_execution::tests::{
        fixture::{completed, pending},
        store::Store,
    },
    testing::{Ports, Site, Told, as_admin},
    user::tests::store as users,
};

fn document() -> Value {
    serde_json::from_str(DOCUMENT).unwrap()
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

/// What a reference stands for, if this is one.
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
    let table = route::Table::new(route::routes(), route::pages());
    let routes: BTreeSet<_> = table
        .routes()
        .map(|(pattern, route)| (route.method().to_string(), pattern.to_owned()))
        .collect();
    assert_eq!(described, routes);
    assert_eq!(document["servers"][0]["url"], "/v1");
    assert_eq!(document["openapi"], "3.1.0");
}

#[test]
fn every_reference_leads_somewhere_and_nothing_is_left_over() {
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
fn every_operation_tells_of_the_errors_that_any_may_have() {
    let document = document();
    for (method, path, operation) in operations(&document) {
        let responses = operation["responses"].as_object().unwrap();
        for status in ["401", "413", "429", "500", "503"] {
            assert!(responses.contains_key(status), "{method} {path} {status}");
        }
        let names_records = path.contains("{id}") || path == "/users/batch";
        assert_eq!(responses.contains_key("404"), names_records, "{method} {path}");
        // Where a malformed id is not found, nothing else can be wrong with the request.
        let takes_anything = path == "/users/{id}/photo" && method != "POST";
        assert_eq!(responses.contains_key("400"), !takes_anything, "{method} {path}");
    }
}

#[test]
fn every_example_of_an_error_is_one_that_can_be_answered() {
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

/// The example of an answer.
fn example<'a>(document: &'a Value, method: &str, path: &str, status: &str) -> &'a Value {
    let operations = operations(document);
    let found = operations.iter().find(|(known, at, _)| known == method && at == path);
    let (_, _, operation) = found.unwrap_or_else(|| panic!("{method} {path}"));
    &operation["responses"][status]["content"]["application/json"]["example"]
}

/// The example of a body.
fn body(document: &Value, method: &str, path: &str) -> String {
    let operations = operations(document);
    let found = operations.iter().find(|(known, at, _)| known == method && at == path);
    let (_, _, operation) = found.unwrap_or_else(|| panic!("{method} {path}"));
    operation["requestBody"]["content"]["application/json"]["example"].to_string()
}

/// Asks for `path` with the example body of `pattern`, if it has one.
async fn ask(site: &Site, method: &str, pattern: &str, path: &str) -> Told {
    let request = as_admin(TestRequest::default().uri(&format!("/v1{path}")));
    let request = request.method(Method::from_bytes(method.as_bytes()).unwrap());
    let request = if ["PUT", "PATCH", "POST"].contains(&method) {
        request.insert_header(ContentType::json()).set_payload(body(&document(), method, pattern))
    } else {
        request
    };
    site.ask(request).await
}

#[actix_web::test]
async fn the_examples_are_what_is_answered() {
    const COMPLETED: &str = "0190a000-0000-7000-8000-000000000e01";
    const PENDING: &str = "0190a000-0000-7000-8000-000000000e02";
    let document = document();
    let one = "/task-executions/{id}";
    let (split, copy) = ("/task-executions/{id}/series", "/task-executions/{id}/copy");
    let list = "/task-executions/info?limit=1&sort=startAt,desc&status=in:WARNING,ERROR";
    for (method, pattern, path) in [
        ("GET", "/task-executions/info", list.to_owned()),
        ("GET", one, format!("/task-executions/{COMPLETED}")),
        ("PUT", one, format!("/task-executions/{PENDING}")),
        ("PATCH", one, format!("/task-executions/{PENDING}")),
        ("PUT", split, format!("/task-executions/{PENDING}/series")),
        ("POST", copy, format!("/task-executions/{COMPLETED}/copy")),
    ] {
        let executions =
            if pattern.contains("info") { vec![completed()] } else { vec![completed(), pending()] };
        let told = ask(&Store::of(executions).site(), method, pattern, &path).await;
        assert_eq!(told.status, 200, "{method} {pattern} {:?}", told.details());
        assert_eq!(&told.json(), example(&document, method, pattern, "200"), "{method} {pattern}");
    }
    for (method, status) in [("GET", "200"), ("POST", "201")] {
        let told = ask(&access::tests::site(), method, "/tokens", "/tokens").await;
        assert_eq!(told.status.to_string(), status);
        assert_eq!(&told.json(), example(&document, method, "/tokens", status), "{method}");
    }
}

#[actix_web::test]
async fn the_examples_of_users_are_what_is_answered() {
    let document = document();
    let (one, many, photo) = ("/users/{id}", "/users/batch", "/users/{id}/photo");
    let at = |pattern: &str| pattern.replace("{id}", users::EVE);
    for (method, pattern) in [("PATCH", one), ("POST", many)] {
        let told = ask(&users::Store::new().site(), method, pattern, &at(pattern)).await;
        assert_eq!(told.status, 200, "{method} {pattern} {:?}", told.details());
        assert_eq!(&told.json(), example(&document, method, pattern, "200"), "{method} {pattern}");
    }
    let form = "--X\r\nContent-Disposition: form-data; name=\"photo\"\r\n\r\nPNG\r\n--X--\r\n";
    let request = as_admin(TestRequest::post().uri(&format!("/v1{}", at(photo))));
    let request = request.insert_header(("content-type", "multipart/form-data; boundary=X"));
    let told = users::Store::new().site().ask(request.set_payload(form)).await;
    assert_eq!(&told.json(), example(&document, "POST", photo, "200"));
}

#[actix_web::test]
async fn the_examples_of_locations_points_and_check_lists_are_what_is_answered() {
    const LOCATIONS: &str = "/locations?limit=2&sort=name&tags=nin:closed";
    const HISTORY: &str = "/locations/points/history?limit=1&sort=recordedAt,desc";
    const POINT: &str = "/locations/points/0190a000-0000-7000-8000-000000000c01";
    const ACTION: &str = "/check-lists/actions/0190a000-0000-7000-8000-000000000801";
    let document = document();
    let points = || point::tests::store::Store::default().site();
    for (site, method, pattern, path, status) in [
        (location::tests::site(), "GET", "/locations", LOCATIONS, "200"),
        (points(), "POST", "/locations/points", "/locations/points", "201"),
        (points(), "GET", "/locations/points/{id}", POINT, "200"),
        (points(), "PUT", "/locations/points/{id}", POINT, "200"),
        (points(), "GET", "/locations/points/history", HISTORY, "200"),
        (check_list::tests::site(), "PUT", "/check-lists/actions/{id}", ACTION, "200"),
    ] {
        let told = ask(&site, method, pattern, path).await;
        assert_eq!(told.status.to_string(), status, "{method} {pattern} {:?}", told.details());
        assert_eq!(&told.json(), example(&document, method, pattern, status), "{method} {pattern}");
    }
}

async fn page(path: &str) -> Told {
    Site::new(Ports::default()).ask(TestRequest::get().uri(path)).await
}

#[actix_web::test]
async fn the_description_is_served_without_a_token() {
    let told = page("/openapi.json").await;
    assert_eq!((told.status, told.header("content-type")), (200, Some("application/json")));
    assert_eq!(told.json(), document());
}

#[actix_web::test]
async fn the_docs_are_served_from_inside() {
    let told = page("/docs").await;
    assert_eq!((told.status, told.header("location")), (308, Some("/docs/")));
    for (path, kind) in [
        ("/docs/", "text/html"),
        ("/docs/index.html", "text/html"),
        ("/docs/swagger-ui.css", "text/css"),
        ("/docs/swagger-ui-bundle.js", "text/javascript"),
        ("/docs/swagger-initializer.js", "text/javascript"),
        ("/docs/favicon-32x32.png", "image/png"),
    ] {
        let told = page(path).await;
        assert_eq!((told.status, told.header("content-type")), (200, Some(kind)), "{path}");
        assert!(!told.body.is_empty(), "{path}");
    }
    let told = page("/docs/nothing.js").await;
    assert_eq!(told.code(), (404, "not.found".to_owned()));
}

#[actix_web::test]
async fn the_docs_ask_nobody_else_for_anything() {
    let initializer = String::from_utf8(page("/docs/swagger-initializer.js").await.body).unwrap();
    assert!(initializer.contains("\"/openapi.json\""), "{initializer}");
    assert!(initializer.contains("\"validatorUrl\": \"none\""), "{initializer}");
    assert!(!initializer.contains("http"), "{initializer}");
    let index = String::from_utf8(page("/docs/").await.body).unwrap();
    assert!(!index.contains("http://") && !index.contains("https://"), "{index}");
    let policy = page("/docs/").await;
    let policy = policy.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'self';"), "{policy}");
}
