//! Data sets.

use std::fmt;

use serde_json::Value;

/// Records in the order of their import.
#[derive(Clone, Debug, Default)]
pub struct DataSet(Vec<Value>);

impl DataSet {
    /// These records.
    #[must_use]
    pub fn new(records: impl IntoIterator<Item = Value>) -> Self {
        Self(records.into_iter().collect())
    }

    /// Appends records.
    #[must_use]
    pub fn and(mut self, records: impl IntoIterator<Item = Value>) -> Self {
        self.0.extend(records);
        self
    }

    /// The records.
    #[must_use]
    pub fn records(&self) -> &[Value] {
        &self.0
    }
}

impl fmt::Display for DataSet {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|record| writeln!(out, "{record}"))
    }
}

/// An object with the members of `changes` replaced or added.
#[must_use]
pub fn with(mut object: Value, changes: Value) -> Value {
    let Value::Object(changes) = changes else { panic!("not an object: {changes}") };
    for (name, value) in changes {
        object[name] = value;
    }
    object
}
