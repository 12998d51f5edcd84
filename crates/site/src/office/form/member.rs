//! The members of records as JSON, by their paths.

use serde_json::{Map, Value};

/// The member at a path of names; null when there is none.
pub(crate) fn member<'a>(object: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(object, |object, name| &object[name])
}

/// Sets the member at a path of names, and makes the objects on the way.
pub(crate) fn set(object: &mut Value, path: &str, value: Value) {
    if !object.is_object() {
        *object = Value::Object(Map::new());
    }
    let Some(members) = object.as_object_mut() else { return };
    match path.split_once('.') {
        None => drop(members.insert(path.to_owned(), value)),
        Some((name, rest)) => set(members.entry(name).or_insert(Value::Null), rest, value),
    }
}

/// The members of `after` that are not as in `before`.
pub(crate) fn changed(before: &Value, after: &Value) -> Map<String, Value> {
    let members = after.as_object().into_iter().flatten();
    let changed = members.filter(|(name, value)| before.get(*name) != Some(*value));
    changed.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The value at a path such as `steps[0].actions`.
pub(crate) fn place<'a>(value: &'a mut Value, path: &str) -> Option<&'a mut Value> {
    path.split(['.', '[', ']']).filter(|name| !name.is_empty()).try_fold(value, |value, name| {
        match value {
            Value::Array(rows) => rows.get_mut(name.parse::<usize>().ok()?),
            Value::Object(members) => members.get_mut(name),
            _ => None,
        }
    })
}

/// The list and the position of a path that ends with an element, for example `tags[2]`.
pub(crate) fn element(path: &str) -> Option<(&str, usize)> {
    let (list, at) = path.strip_suffix(']')?.rsplit_once('[')?;
    Some((list, at.parse().ok()?))
}

/// The elements of a list; none when it is no list.
pub(crate) fn elements(list: &Value) -> &[Value] {
    list.as_array().map_or(&[], Vec::as_slice)
}

/// The elements of the list that is a member, so that they can be changed; `None` when it is no list.
pub(crate) fn elements_mut<'a>(object: &'a mut Value, name: &str) -> Option<&'a mut Vec<Value>> {
    object.get_mut(name).and_then(Value::as_array_mut)
}

/// The texts of a member: its own, or those of its list.
pub(crate) fn strings(value: &Value) -> impl Iterator<Item = &str> {
    let list = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    list.iter().filter_map(Value::as_str)
}

/// Gives rows the order in which they stand, unless they have it already: what `order` says in the
/// record may have gaps.
pub(crate) fn keep_order(rows: &mut [Value]) {
    let orders: Option<Vec<_>> = rows.iter().map(|row| row["order"].as_i64()).collect();
    if !orders.is_some_and(|orders| orders.is_sorted()) {
        rows.iter_mut().for_each(|row| set(row, "order", Value::Null));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_get_a_new_order_only_when_they_have_moved() {
        let orders = |orders: Value| {
            let mut rows: Vec<_> =
                orders.as_array().unwrap().iter().map(|order| json!({ "order": order })).collect();
            keep_order(&mut rows);
            rows.iter().map(|row| row["order"].clone()).collect::<Value>()
        };
        for same in [json!([]), json!([5, 9]), json!([3, 3, 4])] {
            assert_eq!(orders(same.clone()), same);
        }
        assert_eq!(orders(json!([9, 5])), json!([null, null]));
        assert_eq!(orders(json!([5, null])), json!([null, null]));
    }
}
