//! The parts of the document that are written by hand: `parts/*.json`.
//!
//! A part has the names and forms of OpenAPI, save for what is the same for many operations and is
//! therefore added to them: see [`Operation`].

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

/// What belongs to no tag.
pub(super) const COMMON: &str = include_str!("parts/common.json");

/// The head of the document, and the components that several tags share.
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

/// The operations of one tag, and the schemas that only they use.
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

/// An operation. The parameters of lists, the common headers, the bound of the body and all answers
/// that tell of an error are added to it from the route.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Operation {
    pub(super) operation_id: String,
    pub(super) summary: String,
    pub(super) description: Option<String>,
    /// The id in the path.
    pub(super) id: Option<Id>,
    /// Parameters that only this operation has.
    #[serde(default)]
    pub(super) parameters: Vec<Raw>,
    /// What the parameters of a list mean.
    pub(super) list: Option<List>,
    pub(super) request_body: Option<RequestBody>,
    /// The answers to requests that succeed, by status.
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
    /// A record of the demo data. Where a request removes it, no other example names it.
    pub(super) example: String,
}

/// What the parameters of a list mean; which there are, its declaration says.
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
    /// By what ties are broken.
    pub(super) ties: String,
    pub(super) example: String,
}

/// The parameter `q`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Search {
    /// Where the text is looked for.
    #[serde(rename = "in")]
    pub(super) place: String,
    pub(super) example: String,
}

/// A filter or a flag. The example is shown within the description: as an example of OpenAPI an
/// interactive page would send it with every request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameter {
    pub(super) description: String,
    pub(super) example: Option<String>,
}

/// A body; of which type, the route says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RequestBody {
    pub(super) schema: Raw,
    pub(super) example: Option<Raw>,
    pub(super) encoding: Option<Raw>,
}

/// An answer to a request that succeeds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Response {
    pub(super) description: String,
    /// Names of headers besides those that every answer has.
    #[serde(default)]
    pub(super) headers: Vec<String>,
    /// The schema of a JSON body.
    pub(super) schema: Option<Raw>,
    pub(super) example: Option<Raw>,
    /// Bodies that are not JSON.
    pub(super) content: Option<Raw>,
}

/// An example of an error. Its status and its messages follow from the codes.
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
