//! Generates the client with progenitor from the API document in `OPENAPI_DOCUMENT`.
//!
//! progenitor reads OpenAPI 3.0 and knows neither forms nor several media types. So the document, which
//! is OpenAPI 3.1, is written in the words of 3.0 first; nothing that a client sends or reads changes
//! its name or its type. Operations with a form are left out, and a filter with the name of the parameter
//! in the path; of the media types of an image there is one, for bytes.

use std::{env, fs, path::Path};

use openapiv3::OpenAPI;
use progenitor_impl::{GenerationSettings, Generator, InterfaceStyle};
use serde_json::{Map, Value, json};

const FORM: &str = "multipart/form-data";

fn main() {
    let source = env::var("OPENAPI_DOCUMENT").expect("OPENAPI_DOCUMENT names the API document");
    println!("cargo:rerun-if-env-changed=OPENAPI_DOCUMENT");
    println!("cargo:rerun-if-changed={source}");
    let text = fs::read_to_string(&source).expect("the document can be read");
    let mut document: Value = serde_json::from_str(&text).expect("the document is JSON");
    document["openapi"] = "3.0.3".into();
    document["info"] =
        json!({"title": document["info"]["title"], "version": document["info"]["version"]});
    rewrite(&mut document);
    let document: OpenAPI = serde_json::from_value(document).expect("OpenAPI 3.0");
    let mut settings = GenerationSettings::new();
    settings.with_interface(InterfaceStyle::Builder);
    let code = Generator::new(&settings).generate_tokens(&document);
    let code = code.expect("a client").to_string();
    let out = env::var("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join("client.rs"), code).expect("the client can be written");
}

/// Writes this part of the document in the words of OpenAPI 3.0.
fn rewrite(value: &mut Value) {
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(rewrite),
        Value::Object(members) => {
            members.retain(|_, value| value["requestBody"]["content"][FORM].is_null());
            members.values_mut().for_each(rewrite);
            same_names(members);
            nullable(members);
            content(members);
            // Keywords that 3.0 does not have: rules between members, which the server checks.
            for keyword in ["if", "then", "propertyNames", "examples"] {
                members.remove(keyword);
            }
            if let Some(only) = members.remove("const") {
                members.insert("enum".to_owned(), json!([only]));
            }
        }
        _ => {}
    }
}

/// progenitor knows one parameter with a name: a filter with the name of the parameter in the path is
/// left out.
fn same_names(operation: &mut Map<String, Value>) {
    let Some(Value::Array(parameters)) = operation.get_mut("parameters") else { return };
    let is_in = |parameter: &Value, place: &str| parameter["in"] == place;
    let in_path = parameters.iter().filter(|parameter| is_in(parameter, "path"));
    let names: Vec<_> = in_path.map(|parameter| parameter["name"].clone()).collect();
    parameters.retain(|parameter| !is_in(parameter, "query") || !names.contains(&parameter["name"]));
}

/// `null` among the types is `nullable`.
fn nullable(schema: &mut Map<String, Value>) {
    let null = json!("null");
    if let Some(Value::Array(types)) = schema.get_mut("type")
        && types.contains(&null)
    {
        types.retain(|kind| *kind != null);
        let one = types.pop().expect("a type besides null");
        schema.insert("type".to_owned(), one);
        schema.insert("nullable".to_owned(), true.into());
    }
    if let Some(Value::Array(choices)) = schema.get_mut("oneOf") {
        let all = choices.len();
        choices.retain(|choice| choice["type"] != null);
        if choices.len() < all {
            let choices = schema.remove("oneOf").expect("it was there");
            schema.insert("allOf".to_owned(), choices);
            schema.insert("nullable".to_owned(), true.into());
        }
    }
}

/// Images are bytes.
fn content(holder: &mut Map<String, Value>) {
    let Some(Value::Object(content)) = holder.get_mut("content") else { return };
    if content.keys().any(|kind| kind.starts_with("image/")) {
        content.clear();
        let bytes = json!({"schema": {"type": "string", "format": "binary"}});
        content.insert("application/octet-stream".to_owned(), bytes);
    }
}
