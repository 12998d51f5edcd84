//! The parameters of lists, from their declarations.

use patrol_domain::{
    access::TokenList, location::LocationList, point::HistoryList, task_execution::ExecutionList,
};
use serde_json::{Value, json};

use super::part::{List, Parameter};
use crate::list::{Declared, Kind, Setter};

/// A UUID in any case.
const UUID: &str = "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}";

/// A time in the form of RFC 3339.
const TIME: &str = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])\
                    T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]+)?\
                    (Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])";

/// The parameters of a list.
pub(super) struct Shape {
    filters: Vec<(&'static str, Kind)>,
    /// With the schema of their values.
    options: Vec<(&'static str, Value)>,
    sorts: Vec<&'static str>,
    searched: bool,
}

impl Shape {
    fn of<L: Declared>() -> Self {
        let options = L::OPTIONS.iter().map(|option| {
            let schema = match option.set {
                Setter::Flag(_) => json!({"type": "boolean"}),
                Setter::Id(_) => reference("schemas", "Uuid"),
            };
            (option.name, schema)
        });
        Self {
            filters: L::FILTERS.iter().map(|filter| (filter.name, filter.kind)).collect(),
            options: options.collect(),
            sorts: L::SORTS.iter().map(|(name, _)| *name).collect(),
            searched: L::SEARCHED,
        }
    }

    /// The list at a path below `/v1`.
    pub(super) fn at(path: &str) -> Option<Self> {
        match path {
            "/task-executions/info" => Some(Self::of::<ExecutionList>()),
            "/locations" => Some(Self::of::<LocationList>()),
            "/locations/points/history" => Some(Self::of::<HistoryList>()),
            "/tokens" => Some(Self::of::<TokenList>()),
            _ => None,
        }
    }

    /// The names of the filters and flags.
    #[cfg(test)]
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        let filters = self.filters.iter().map(|(name, _)| *name);
        filters.chain(self.options.iter().map(|(name, _)| *name))
    }

    /// The parameters, with the descriptions in `text`.
    pub(super) fn parameters(&self, text: &List) -> Vec<Value> {
        let mut parameters =
            vec![reference("parameters", "Limit"), reference("parameters", "Offset")];
        parameters.push(self.sort(text));
        if let (true, Some(search)) = (self.searched, &text.search) {
            parameters.push(json!({
                "name": "q",
                "in": "query",
                "description": format!(
                    "Quick search: {} contains it. Case is ignored. Example: `{}`.",
                    search.place, search.example
                ),
                "schema": {"type": "string"},
            }));
        }
        let about = |name: &str| {
            text.parameters.0.iter().find(|(known, _)| known == name).map(|(_, text)| text)
        };
        for (name, kind) in &self.filters {
            parameters.push(filter(name, *kind, about(name)));
        }
        for (name, schema) in &self.options {
            parameters.push(json!({
                "name": name,
                "in": "query",
                "description": described(about(name), ""),
                "schema": schema,
            }));
        }
        parameters
    }

    fn sort(&self, text: &List) -> Value {
        let pattern = format!("^({})(,(asc|desc))?$", self.sorts.join("|"));
        repeated(
            "sort",
            &format!(
                "A property and a direction (asc when left out). May be repeated: the first is the \
                 most important. Nulls come last; ties are broken by {}. By id when absent. At most 8. \
                 Example: `{}`.",
                text.sort.ties, text.sort.example
            ),
            &pattern,
        )
    }
}

/// A reference to a component.
pub(super) fn reference(kind: &str, name: &str) -> Value {
    json!({"$ref": format!("#/components/{kind}/{name}")})
}

/// A parameter that may be repeated.
fn repeated(name: &str, description: &str, pattern: &str) -> Value {
    json!({
        "name": name,
        "in": "query",
        "description": description,
        "schema": {"type": "array", "items": {"type": "string", "pattern": pattern}},
        "style": "form",
        "explode": true,
    })
}

fn filter(name: &str, kind: Kind, text: Option<&Parameter>) -> Value {
    let without = match kind {
        Kind::Text => "contains. Case is ignored",
        Kind::Enumeration(..) | Kind::Id | Kind::Tag => "equal, or in when there is a comma",
        Kind::Boolean | Kind::Time => "equal",
    };
    let rules = format!(
        " Operators: {}. Without one: {without}. May be repeated; all hold together. A \
         query has at most 64 filters, and 1,000 values after in: and nin: together.",
        kind.operators().join(", ")
    );
    repeated(name, &described(text, &rules), &pattern(kind))
}

fn described(text: Option<&Parameter>, rules: &str) -> String {
    let Some(Parameter { description, example }) = text else { return rules.trim().to_owned() };
    let example = example.as_ref().map(|example| format!(" Example: `{example}`."));
    format!("{description}{rules}{}", example.unwrap_or_default())
}

/// The pattern of a filter's values.
fn pattern(kind: Kind) -> String {
    // One value after a single-value operator, several after a list operator.
    let listed = |value: &str| format!("^((eq:|ne:)?{value}|(in:|nin:)?{value}(,{value})*)$");
    match kind {
        Kind::Text | Kind::Tag => {
            format!("^({}:)?[^\\u0000]+$", kind.operators().join(":|"))
        }
        Kind::Id => listed(UUID),
        Kind::Enumeration(names, _) => listed(&format!("({})", names.join("|"))),
        Kind::Boolean => "^(eq:|ne:)?(true|false)$".to_owned(),
        Kind::Time => format!("^(eq:|ne:|gt:|gte:|lt:|lte:)?{TIME}$"),
    }
}
