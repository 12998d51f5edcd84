//! Compares the API description with actual responses.

use patrol_tests::{Answer, Api, Description, Form, Server, Store, check_times};
use serde_json::{Value, json};

use crate::demo;

/// The file that a user would choose for the file part of a form.
const PICTURE: &[u8] = include_bytes!("../../../crates/data_set/src/demo/photo.png");

/// Headers of HTTP itself, which are not described.
const OF_HTTP: [&str; 6] =
    ["connection", "content-length", "content-type", "date", "transfer-encoding", "vary"];

/// Executes the examples of an operation, as the interactive page does.
fn execute(api: &Api, description: Description<'_>, method: &str, path: &str) -> Answer {
    let operation = &description.0["paths"][path][method.to_lowercase()];
    let (mut url, mut query, mut api) = (path.to_owned(), Vec::new(), api.clone());
    for parameter in operation["parameters"].as_array().expect("parameters") {
        let parameter = description.resolve(parameter);
        let Some(example) = parameter.get("example") else { continue };
        let value = example.as_str().map_or_else(|| example.to_string(), str::to_owned);
        let name = parameter["name"].as_str().expect("a name");
        match parameter["in"].as_str() {
            // The demo has no token that may be revoked.
            Some("path") if path == "/tokens/{id}" => {
                let made = api.post("/tokens", &json!({ "name": "to be revoked" })).json(201);
                url = url.replace("{id}", made["id"].as_str().expect("an id"));
            }
            Some("path") => url = url.replace(&format!("{{{name}}}"), &value),
            Some("query") => query.push(format!("{name}={value}")),
            Some("header") => api = api.with(name, &value),
            other => panic!("a parameter in {other:?}"),
        }
    }
    let url = format!("{url}?{}", query.join("&"));
    let content = &operation["requestBody"]["content"];
    if content.get("multipart/form-data").is_some() {
        // Of a photo, a graphic plan and a medium; other parts are ignored.
        let form = Form::default().field("name", "Roof").file("image", PICTURE);
        let form = form.file("file", PICTURE);
        api.form(&url, &form.file("photo", PICTURE))
    } else if let Some(content) = content.get("application/json") {
        let example = &content["example"];
        let differences = description.differences(&content["schema"], example);
        assert!(differences.is_empty(), "{method} {path}: {differences:?}");
        api.text(method, &url, example.to_string())
    } else {
        api.send(method, &url, None)
    }
}

/// Compares a response with its description.
fn compare(description: Description<'_>, response: &Value, answer: &Answer) -> Vec<String> {
    let response = description.resolve(response);
    let mut differences = Vec::new();
    let headers = response["headers"].as_object().expect("headers");
    for name in answer.headers.keys() {
        let named = headers.keys().any(|header| header.eq_ignore_ascii_case(name.as_str()));
        if !named && !OF_HTTP.contains(&name.as_str()) {
            differences.push(format!("the header {name} is not described"));
        }
    }
    match (answer.header("Content-Type"), response.get("content")) {
        (None, None) => assert!(answer.body.is_empty()),
        (Some(kind), Some(content)) => {
            let Some(content) = content.get(kind) else {
                differences.push(format!("{kind} is not described"));
                return differences;
            };
            if kind == "application/json" {
                let body = serde_json::from_slice(&answer.body).expect("JSON");
                check_times(&body);
                differences.extend(description.differences(&content["schema"], &body));
                let example = &content["example"];
                differences.extend(description.differences(&content["schema"], example));
            }
        }
        (kind, _) => differences.push(format!("a body of {kind:?}")),
    }
    differences
}

#[test]
fn every_example_can_be_executed_on_the_demo() {
    let store = Store::empty();
    let server = demo::start(&store);
    let token = demo::token(&demo::output(&server)).expect("a token");
    let api = server.api().with_token(&token);
    let document = server.api().outside("/openapi.json").ok();
    let description = Description(&document);
    let mut executed = 0;
    for (path, method, operation) in description.operations() {
        let answer = execute(&api, description, &method, path);
        let responses = operation["responses"].as_object().expect("responses");
        let status = answer.status.to_string();
        assert!(status.starts_with('2'), "{method} {path}: {:?}", answer.body);
        let differences = compare(description, &responses[&status], &answer);
        assert!(differences.is_empty(), "{method} {path}: {differences:#?}");
        executed += 1;
    }
    assert!(executed >= 23, "{executed}");
}

#[test]
fn errors_are_what_the_description_says() {
    let store = Store::empty();
    let server = demo::start(&store);
    let token = demo::token(&demo::output(&server)).expect("a token");
    let admin = server.api().with_token(&token);
    let document = server.api().outside("/openapi.json").ok();
    let description = Description(&document);
    for (path, method, operation) in description.operations() {
        let unknown = path.replace("{id}", "0190de30-0000-7000-8000-000000000000");
        let malformed = path.replace("{id}", "x");
        for answer in [
            server.api().send(&method, &unknown, None),
            admin.send(&method, &unknown, Some(b"{}")),
            admin.text(&method, &unknown, "{"),
            admin.text(&method, &unknown, "{}"),
            admin.send(&method, &malformed, None),
            admin.send(&method, &format!("{unknown}?limit=x&userId=x&name=gt:x"), None),
        ] {
            let status = answer.status.to_string();
            let response = operation["responses"].get(&status);
            let response = response.unwrap_or_else(|| panic!("{method} {path} {status}"));
            if answer.status < 400 {
                continue;
            }
            let response = description.resolve(response);
            let schema = &response["content"]["application/json"]["schema"];
            let body = answer.json(answer.status);
            let differences = description.differences(schema, &body);
            assert!(differences.is_empty(), "{method} {path} {body}: {differences:#?}");
            let headers = response["headers"].as_object().expect("headers");
            for name in answer.headers.keys() {
                let named = headers.keys().any(|header| header.eq_ignore_ascii_case(name.as_str()));
                assert!(named || OF_HTTP.contains(&name.as_str()), "{method} {path} {name}");
            }
        }
    }
}

#[test]
fn the_description_names_the_bounds_that_the_server_is_set_to() {
    let store = Store::empty();
    let mut command = store.command(&["serve"]);
    command.envs([
        ("PATROL_LIMIT_NAME", "17"),
        ("PATROL_LIMIT_STEPS", "3"),
        ("PATROL_LIMIT_TAGS", "4"),
        ("PATROL_LIMIT_BODY", "3KiB"),
        ("PATROL_LIMIT_PHOTO", "5MiB"),
        ("PATROL_LIMIT_PIXELS", "123456"),
    ]);
    let server = Server::run(command);
    let document = server.api().outside("/openapi.json").ok();
    let schemas = &document["components"]["schemas"];
    let execution = &schemas["TaskExecutionPut"]["properties"];
    assert_eq!(execution["name"]["maxLength"], 17);
    assert_eq!(execution["steps"]["maxItems"], 3);
    assert_eq!(schemas["Tags"]["maxItems"], 4);
    let body = |path: &str, method: &str| document["paths"][path][method]["requestBody"].clone();
    assert_eq!(body("/tokens", "post")["description"], "At most 3 KiB.");
    assert_eq!(body("/tokens", "post")["x-maxBytes"], 3072);
    let photo = schemas["PhotoUpload"]["properties"]["photo"]["description"].to_string();
    assert!(photo.contains("5 MiB") && photo.contains("123456"), "{photo}");
}

#[test]
fn the_interactive_page_keeps_the_token_and_has_a_title_of_its_own() {
    let store = Store::empty();
    let server = Server::start(&store);
    for path in ["/docs", "/docs/"] {
        let page = server.api().outside(path);
        assert_eq!(page.status, 200);
        assert!(page.text().contains("<title>Patrol API</title>"), "{}", page.text());
        let policy = page.header("Content-Security-Policy").expect("a policy");
        assert!(policy.contains("default-src 'self'"), "{policy}");
        assert!(!policy.contains("http"), "{policy}");
    }
    let script = server.api().outside("/docs/swagger-initializer.js");
    assert!(script.text().contains("\"persistAuthorization\": true"), "{}", script.text());
}
