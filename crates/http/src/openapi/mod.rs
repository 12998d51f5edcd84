//! The description of the API: `GET /openapi.json` for programs, `GET /docs/` for people.
//!
//! The texts of operations and records are written by hand in `parts/*.json`. Common parts (errors,
//! headers, parameters of lists, bounds) are added at start from the route table, the declarations
//! of lists and the settings. Tests compare the description with actual responses.

mod bounds;
mod describe;
mod docs;
mod failure;
mod list;
mod ordered;
mod part;

use actix_web::{
    HttpResponse,
    http::header::{CONTENT_TYPE, HeaderValue},
    web::Data,
};

pub(crate) use describe::describe;

use crate::{
    route::{Answer, Pages},
    shared::Shared,
};

/// The path of the description.
const DOCUMENT_PATH: &str = "/openapi.json";

/// Registers the pages that describe the API.
pub(crate) fn configure(app: &mut Pages<'_>) {
    app.page(DOCUMENT_PATH, document);
    app.tree(docs::PATH, docs::docs);
}

async fn document(shared: Data<Shared>) -> Answer {
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, HeaderValue::from_static("application/json")))
        .body(shared.description.clone()))
}

#[cfg(test)]
mod tests;
