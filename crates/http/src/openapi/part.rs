//! The hand-written parts of the document: `parts/*.json`.
//!
//! A part has the form of OpenAPI, without what is the same for many operations and is added to
//! them: see [`Operation`].

use serde::Deserialize;

use super::ordered::{Ordered, Raw};

/// The parts, one for each tag, in the order of the document.
pub(super) const PARTS: [&str; 6] = [
    include_str!("parts/task_executions.json"),
    include_str!("parts/users.json"),
    include_str!("parts/locations.json"),
    include_str!("parts/points.json"),
    include_str!("parts/check_lists.json"),
    include_str!("parts/tokens.json"),
];

/// Everything that belongs to no tag.
pub(super) const COMMON: &str = include_str!("parts/common.json");

/// The head of the document, and shared components.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Common {
    pub(super) openapi: Raw,
    pub(super) info: Raw,
    pub(super) servers: Raw,
    pub(super) security: Raw,
    pub(super) security_schemes: Raw,
    pub(super) parameters: Ordered<Raw>,
    pub(super) headers: Ordered<Raw>,
    pub(super) schemas: Ordered<Raw>,
}

/// The operations of one tag, and schemas that only they use.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Part {
    pub(super) tag: Tag,
    /// By path below `/v1` and by method in lower case.
    pub(super) paths: Ordered<Ordered<Operation>>,
    pub(super) schemas: Ordered<Raw>,
}

/// A heading.
#[derive(Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) description: String,
}

/// An operation. The parameters of lists, the common headers, the bound of the body and all error
/// responses are added from the route.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Operation {
    pub(super) operation_id: String,
    pub(super) summary: String,
    pub(super) description: Option<String>,
    /// The id in the path.
    pub(super) id: Option<Id>,
    /// Parameters of this operation only.
    #[serde(default)]
    pub(super) parameters: Vec<Raw>,
    /// Descriptions of the parameters of a list.
    pub(super) list: Option<List>,
    pub(super) request_body: Option<RequestBody>,
    /// The successful responses, by status.
    pub(super) responses: Ordered<Response>,
    /// Examples of errors, by name.
    #[serde(default)]
    pub(super) faults: Ordered<Fault>,
}

/// The id in a path.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Id {
    pub(super) description: String,
    /// A record of the demo data. If the operation removes it, no other example uses it.
    pub(super) example: String,
}

/// Descriptions of the parameters of a list, which its declaration defines.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct List {
    pub(super) sort: Sort,
    pub(super) search: Option<Search>,
    /// The filters and flags.
    pub(super) parameters: Ordered<Parameter>,
}

/// The parameter `sort`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sort {
    /// The tie-breaker.
    pub(super) ties: String,
    pub(super) example: String,
}

/// The parameter `q`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Search {
    /// The searched fields.
    #[serde(rename = "in")]
    pub(super) place: String,
    pub(super) example: String,
}

/// A filter or a flag. The example is part of the description, because an interactive page would
/// send an OpenAPI example with every request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameter {
    pub(super) description: String,
    pub(super) example: Option<String>,
}

/// A body; the route determines its type.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RequestBody {
    pub(super) schema: Raw,
    pub(super) example: Option<Raw>,
    pub(super) encoding: Option<Raw>,
}

/// A successful response.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Response {
    pub(super) description: String,
    /// Headers besides those of every response.
    #[serde(default)]
    pub(super) headers: Vec<String>,
    /// The schema of a JSON body.
    pub(super) schema: Option<Raw>,
    pub(super) example: Option<Raw>,
    /// Bodies that are not JSON.
    pub(super) content: Option<Raw>,
}

/// An example of an error. Status and messages follow from the codes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fault {
    pub(super) code: String,
    #[serde(default)]
    pub(super) details: Vec<FaultDetail>,
}

/// An entry of `details`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FaultDetail {
    pub(super) code: String,
    pub(super) identifier: Option<String>,
    #[serde(default)]
    pub(super) args: Vec<String>,
}
