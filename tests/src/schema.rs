//! Compares JSON values with the schemas of the API description.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::answer::check_timestamp;

/// The description of the API.
#[derive(Clone, Copy, Debug)]
pub struct Description<'d>(pub &'d Value);

impl<'d> Description<'d> {
    /// The described operations: path below `/v1`, method in upper case, operation.
    pub fn operations(self) -> impl Iterator<Item = (&'d str, String, &'d Value)> {
        let paths = self.0["paths"].as_object().expect("paths");
        paths.iter().flat_map(|(path, item)| {
            let operations = item.as_object().expect("operations").iter();
            operations.map(|(method, operation)| (path.as_str(), method.to_uppercase(), operation))
        })
    }

    /// The component of a reference; other values are returned as they are.
    ///
    /// # Panics
    /// When the component does not exist.
    #[must_use]
    pub fn resolve(self, value: &'d Value) -> &'d Value {
        match value["$ref"].as_str() {
            Some(reference) => {
                let found = self.0.pointer(reference.trim_start_matches('#'));
                self.resolve(found.unwrap_or_else(|| panic!("{reference} names nothing")))
            }
            None => value,
        }
    }

    /// The differences between `value` and `schema`. Members that the schema does not have are
    /// differences.
    #[must_use]
    pub fn differences(self, schema: &'d Value, value: &Value) -> Vec<String> {
        let mut differences = Vec::new();
        self.check(schema, value, "$", &mut differences);
        differences
    }

    fn check(self, schema: &'d Value, value: &Value, place: &str, found: &mut Vec<String>) {
        self.check_open(schema, value, place, found);
        let (mut names, mut closed) = (BTreeSet::new(), true);
        self.members(schema, &mut names, &mut closed);
        if let (true, Some(members)) = (closed && !names.is_empty(), value.as_object()) {
            for name in members.keys().filter(|name| !names.contains(name.as_str())) {
                found.push(format!("{place}.{name} is not described"));
            }
        }
    }

    /// The members of a schema, and whether others are forbidden.
    fn members(self, schema: &'d Value, names: &mut BTreeSet<&'d str>, closed: &mut bool) {
        let schema = self.resolve(schema);
        *closed &= schema["additionalProperties"] != true;
        names.extend(
            schema["properties"].as_object().into_iter().flatten().map(|(name, _)| &**name),
        );
        for part in schema["allOf"].as_array().into_iter().flatten() {
            self.members(part, names, closed);
        }
    }

    /// Compares only the members of the schema.
    fn check_open(self, schema: &'d Value, value: &Value, place: &str, found: &mut Vec<String>) {
        let schema = self.resolve(schema);
        let types: Vec<_> = match &schema["type"] {
            Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
            one => one.as_str().into_iter().collect(),
        };
        if !types.is_empty() && !types.iter().any(|kind| is_of(kind, value)) {
            found.push(format!("{place} is not of {types:?}: {value}"));
            return;
        }
        if schema["enum"].as_array().is_some_and(|values| !values.contains(value)) {
            found.push(format!("{place} is not in the enumeration: {value}"));
        }
        for part in schema["allOf"].as_array().into_iter().flatten() {
            self.check_open(part, value, place, found);
        }
        if let Some(choices) = schema["oneOf"].as_array() {
            let tried = choices.iter().map(|choice| self.differences(choice, value));
            let fitting = tried.filter(Vec::is_empty).count();
            if fitting != 1 {
                found.push(format!("{place} fits {fitting} of oneOf: {value}"));
            }
        }
        match value {
            Value::String(text) => check_text(schema, text, place, found),
            Value::Array(elements) => {
                let most = schema["maxItems"].as_u64().unwrap_or(u64::MAX);
                if elements.len() as u64 > most {
                    found.push(format!("{place} has more than {most} elements"));
                }
                for (at, element) in elements.iter().enumerate() {
                    self.check(&schema["items"], element, &format!("{place}[{at}]"), found);
                }
            }
            Value::Object(members) => {
                for name in schema["required"].as_array().into_iter().flatten() {
                    if !members.contains_key(name.as_str().expect("a name")) {
                        found.push(format!("{place}.{name} is missing"));
                    }
                }
                for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
                    if let Some(member) = members.get(name) {
                        self.check(schema, member, &format!("{place}.{name}"), found);
                    }
                }
            }
            _ => {}
        }
    }
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other} is no type"),
    }
}

fn check_text(schema: &Value, text: &str, place: &str, found: &mut Vec<String>) {
    let length = text.chars().count() as u64;
    let least = schema["minLength"].as_u64().unwrap_or(0);
    let most = schema["maxLength"].as_u64().unwrap_or(u64::MAX);
    if length < least || length > most {
        found.push(format!("{place} has {length} characters"));
    }
    let groups: Vec<_> = text.split('-').map(str::len).collect();
    if schema["format"] == "uuid" && groups != [8, 4, 4, 4, 12] {
        found.push(format!("{place} is not a UUID: {text}"));
    }
}

/// Checks the form of every time in a response: members whose names end in `At`.
pub fn check_times(answer: &Value) {
    match answer {
        Value::Array(elements) => elements.iter().for_each(check_times),
        Value::Object(members) => {
            for (name, member) in members {
                if name.ends_with("At") && !member.is_null() {
                    check_timestamp(member);
                }
                check_times(member);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_kind_of_difference_is_found() {
        let document = json!({"components": {"schemas": {
            "Name": {"type": "string", "minLength": 1, "maxLength": 3},
            "Named": {"type": "object", "required": ["name"], "properties": {
                "name": {"$ref": "#/components/schemas/Name"},
                "kind": {"oneOf": [{"enum": ["A", "B"]}, {"type": "null"}]},
                "ids": {"type": "array", "items": {"type": "string", "format": "uuid"}},
            }},
        }}});
        let named = json!({"$ref": "#/components/schemas/Named"});
        for (value, differences) in [
            (json!({"name": "abc", "kind": null}), 0),
            (json!({"name": "abc", "kind": "B", "ids": []}), 0),
            (json!({"name": ""}), 1),
            (json!({"name": "abcd"}), 1),
            (json!({"name": 1}), 1),
            (json!({"kind": "C"}), 2),
            (json!({"name": "a", "more": 1}), 1),
            (json!({"name": "a", "ids": ["1", "2"]}), 2),
            (json!([]), 1),
        ] {
            let found = Description(&document).differences(&named, &value);
            assert_eq!(found.len(), differences, "{value} {found:?}");
        }
    }
}
