//! The sort order of enumerations, which is independent of the stored codes.

use patrol_domain::Named;

/// The expression that sorts `column` in the order of the enumeration; the column itself while its
/// codes are in that order.
#[must_use]
pub fn by_order<T: Named>(column: &str) -> String {
    expression(column, T::ALL)
}

/// The expression that sorts `column` by the names of the values, in lower case.
#[must_use]
pub fn by_name<T: Named>(column: &str) -> String {
    let mut values = T::ALL.to_vec();
    values.sort_by_key(|value| value.name().to_lowercase());
    expression(column, &values)
}

fn expression<T: Named>(column: &str, values: &[T]) -> String {
    if values.is_sorted_by_key(|value| value.code()) {
        return column.to_owned();
    }
    let mut sql = format!("CASE {column}");
    for (place, value) in values.iter().enumerate() {
        sql.push_str(&format!(" WHEN {} THEN {place}", value.code()));
    }
    sql.push_str(" END");
    sql
}

#[cfg(test)]
mod tests {
    use patrol_domain::{point::PointType, task_execution::State};

    use super::*;

    #[test]
    fn enumerations_sort_by_position_and_not_by_code() {
        assert_eq!(
            by_name::<PointType>("kind"),
            "CASE kind WHEN 4 THEN 0 WHEN 3 THEN 1 WHEN 1 THEN 2 WHEN 2 THEN 3 WHEN 0 THEN 4 END",
        );
    }

    #[test]
    fn codes_that_grow_in_the_order_of_the_values_keep_the_index() {
        assert_eq!(by_order::<State>("state"), "state");
    }
}
