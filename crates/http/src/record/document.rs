//! The operations of a [`RecordResource`] in the API document.

use patrol_record::value::Id;
use serde_json::{Map, Value, json};
use utoipa::{
    IntoParams, ToSchema,
    openapi::{Ref, RefOr, Schema, path::ParameterIn},
};

use super::{RecordResource, item_path};
use crate::{list::ListDeclaration as _, openapi::DocumentOf, schema::add_schema};

/// What the API document says of a kind of record.
pub(crate) struct RecordTexts {
    /// The end of the ids of operations, for example `Location`.
    pub(crate) name: &'static str,
    /// For example `location`. It takes the article `a` and the plural `s`.
    pub(crate) noun: &'static str,
    /// The list, and what its answer has.
    pub(crate) list: [&'static str; 2],
    /// POST.
    pub(crate) create: &'static str,
    /// GET of one record, if there is something to say, and what its answer has.
    pub(crate) read: (Option<&'static str>, &'static str),
    /// PUT, and what its answer has; `None` if a kind describes its PUT itself.
    pub(crate) replace: Option<[&'static str; 2]>,
    /// DELETE.
    pub(crate) delete: &'static str,
}

/// The operations of a kind of record, and the schemas to which they refer.
#[derive(Default)]
pub(crate) struct RecordDocument {
    /// Operations by path and method, without what [`describe`](crate::openapi::describe) adds to each.
    pub(crate) paths: Map<String, Value>,
    /// Schemas by name.
    pub(crate) schemas: Vec<(String, RefOr<Schema>)>,
}

/// Describes the operations of `T`.
pub(crate) fn document<T: RecordResource>() -> RecordDocument {
    let RecordTexts { name, noun, list, create, read, replace, delete } = T::TEXTS;
    let id = json!({
        "name": "id",
        "in": "path",
        "description": format!("The {noun}."),
        "required": true,
        "schema": schema::<Id>(),
    });
    let header = |name: &str| json!({"name": name, "in": "header", "required": true});
    let record = |description: &str, header: &str| {
        json!({
            "description": description,
            "content": content::<T::Form<'static>>(),
            "headers": {header: {}},
        })
    };
    let mut get = json!({
        "summary": format!("Read a {noun}"),
        "operationId": format!("get{name}"),
        "parameters": [id, header("If-None-Match")],
        "responses": {"200": record(read.1, "ETag")},
    });
    if let (Some(note), Value::Object(get)) = (read.0, &mut get) {
        get.insert("description".to_owned(), note.into());
    }
    let put = replace.map(|[note, answer]| {
        json!({
            "summary": format!("Replace a {noun}"),
            "description": note,
            "operationId": format!("put{name}"),
            "parameters": [id, header("If-Match")],
            "requestBody": {"content": content::<T::Put>()},
            "responses": {"200": record(answer, "ETag")},
        })
    });
    let delete = json!({
        "summary": format!("Delete a {noun}"),
        "description": delete,
        "operationId": format!("delete{name}"),
        "parameters": [id, header("If-Match")],
        "responses": {"204": {"description": format!("The {noun} is deleted.")}},
    });
    let of_one = [("get", Some(get)), ("put", put), ("delete", Some(delete))];
    let of_one: Map<_, _> =
        of_one.into_iter().filter_map(|(method, one)| Some((method.to_owned(), one?))).collect();
    let mut list_content = content::<DocumentOf<T::Listing>>();
    if let (true, Value::Object(content)) = (T::Listing::HAS_CSV, &mut list_content) {
        content.insert("text/csv".to_owned(), json!({"schema": {"type": "string"}}));
    }
    let of_all = json!({
        "get": {
            "summary": format!("List {noun}s"),
            "description": list[0],
            "operationId": format!("get{name}s"),
            "parameters": DocumentOf::<T::Listing>::into_params(|| Some(ParameterIn::Query)),
            "responses": {
                "200": {"description": list[1], "content": list_content},
            },
        },
        "post": {
            "summary": format!("Create a {noun}"),
            "description": create,
            "operationId": format!("post{name}"),
            "requestBody": {"content": content::<T::Post>()},
            "responses": {"201": record(&format!("The {noun} was created."), "Location")},
        },
    });
    let paths =
        [(T::PATH.to_owned(), of_all), (item_path::<T>(), of_one.into())].into_iter().collect();
    let mut schemas = Vec::new();
    add_schema::<DocumentOf<T::Listing>>(&mut schemas);
    add_schema::<T::Form<'static>>(&mut schemas);
    add_schema::<T::Post>(&mut schemas);
    add_schema::<T::Put>(&mut schemas);
    RecordDocument { paths, schemas }
}

fn schema<T: ToSchema>() -> Ref {
    Ref::from_schema_name(T::name())
}

fn content<T: ToSchema>() -> Value {
    json!({"application/json": {"schema": schema::<T>()}})
}
