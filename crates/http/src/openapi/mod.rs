//! The description of the API: `GET /openapi.json` for programs, `GET /docs/` for people.
//!
//! What is special about an operation or a record is written by hand in `parts/*.json`. What is the
//! same for many (errors, headers, parameters of lists, bounds) is added when the server starts,
//! from the route table, the declarations of the lists and the settings. Tests compare the result
//! with what is really answered.

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
};

pub(crate) use describe::describe;

use crate::route::{Answer, Page, PageContext};

/// Where the description is.
const DOCUMENT_PATH: &str = "/openapi.json";

/// The pages that describe the API.
pub(crate) fn pages() -> Vec<Page> {
    vec![Page::new(DOCUMENT_PATH, document), docs::page()]
}

async fn document(context: PageContext) -> Answer {
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, HeaderValue::from_static("application/json")))
        .body(context.shared.description.clone()))
}

#[cfg(test)]
mod tests;
