//! The description of the API: `GET /openapi.json` for programs, `GET /docs/` for people.
//!
//! Operations and schemas come from the handlers (`#[utoipa::path]`), the records
//! (`#[derive(ToSchema)]`), the bodies (`body!`) and the declarations of lists. Errors, headers and
//! bounds, which many operations share, are added at start from the route table and the settings.
//! Examples are data: `examples.json` of each feature. Tests compare the description with actual
//! responses.

mod bounds;
mod describe;
mod docs;
mod document;
mod failure;
mod list;
mod object;
mod part;
mod schemas;

pub(crate) use describe::describe;
pub(crate) use list::DocumentOf;
pub(crate) use part::DocumentPart;

use crate::route::PublicResources;

/// Registers the resources that describe the API.
pub(crate) fn configure(app: &mut PublicResources<'_>) {
    app.resource(document::PATH, document::document);
    app.tree(docs::PATH, docs::docs);
}

#[cfg(test)]
mod tests;
