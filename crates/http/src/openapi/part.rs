//! The part of a feature: its operations and schemas from the code, and its examples.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use utoipa::{OpenApi, openapi};

use crate::{
    error::{Code, Detail, Problem},
    record::{self, RecordDocument, RecordResource},
};

/// What a feature contributes to the document.
pub(crate) struct DocumentPart {
    /// The operations, the schemas that they refer to, and the one tag of all operations.
    pub(super) api: openapi::OpenApi,
    /// The operations of a kind of record, besides those of `api`.
    pub(super) records: RecordDocument,
    /// JSON by `operationId`; see [`Examples`].
    pub(super) examples: &'static str,
    /// Keywords that utoipa does not have, by the name of the schema.
    pub(super) rules: Vec<(&'static str, Value)>,
}

impl DocumentPart {
    /// The part of a feature. `examples` is its `examples.json`.
    pub(crate) fn of<Api: OpenApi>(examples: &'static str) -> Self {
        Self {
            api: Api::openapi(),
            records: RecordDocument::default(),
            examples,
            rules: Vec::new(),
        }
    }

    /// The part with the operations of the records `T`.
    pub(crate) fn with_records<T: RecordResource>(mut self) -> Self {
        self.records = record::document::<T>();
        self
    }

    /// The part with further keywords of a schema, for example `{"propertyNames": …}`.
    pub(crate) fn with_rule(mut self, schema: &'static str, keywords: Value) -> Self {
        self.rules.push((schema, keywords));
        self
    }
}

/// The examples of an operation.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct Examples {
    /// The id in the path: a record of the demo data, or the record that the example of POST creates. If
    /// the operation removes it, no other example uses it.
    pub(super) id: Option<Value>,
    /// The body of a request that succeeds on the demo data.
    pub(super) body: Option<Value>,
    /// The body of its response.
    pub(super) answer: Option<Value>,
    /// Errors, by name.
    #[serde(default)]
    pub(super) faults: BTreeMap<String, ExampleFault>,
}

/// An error. Status and messages follow from the codes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExampleFault {
    code: Code,
    details: Vec<FaultDetail>,
}

/// An entry of `details`: the code, the field, if any, and the expected values.
#[derive(Deserialize)]
struct FaultDetail(Code, #[serde(default)] Option<String>, #[serde(default)] Vec<String>);

impl From<ExampleFault> for Problem {
    fn from(fault: ExampleFault) -> Self {
        let details = fault.details.into_iter().map(|FaultDetail(code, identifier, args)| {
            Detail::at(code, identifier.map(Into::into)).with_args(args)
        });
        Self::with(fault.code, details.collect())
    }
}
