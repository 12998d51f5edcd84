//! Conditions as SQL.

use patrol_domain::list::{Condition, Membership, Test};
use patrol_repository::stored::list::{Column, ColumnTest, Table, Text, Values};

use super::{Bind, Sql};

/// A condition.
pub(crate) fn plain(condition: &Condition<Column>) -> Sql {
    let mut sql = Sql::default();
    sql.condition(condition, &mut passes);
    sql
}

/// The WHERE clause of a query.
pub(super) fn filter(table: &Table, condition: &Condition<Column>, search: Option<&str>) -> Sql {
    let mut sql = plain(condition);
    if let Some(term) = search {
        sql.text(" AND ");
        sql.join(table.search, " OR ", "FALSE", &mut |sql, column| {
            contains(sql, column, term);
        });
    }
    sql
}

/// Whether PostgreSQL cannot estimate how many rows it has to read in the order of `key` until a page
/// is full. Its statistics describe the values of columns and the frequent members of sets, but no parts
/// of texts, and no relation between a time and the order of another column.
pub(super) fn is_hard_to_estimate(condition: &Condition<Column>, key: &str) -> bool {
    let mut tests = Vec::new();
    collect(condition, &mut tests);
    let is_time = |test: &Test| matches!(test, Test::Time(..) | Test::Clock(..));
    let is_key = |column: &Column| matches!(column, Column::Plain(column) if *column == key);
    let times = || tests.iter().filter(|(_, test)| is_time(test));
    let is_set = |column: &Column| matches!(column, Column::Set { .. });
    (times().next().is_some() && !times().any(|(column, _)| is_key(column)))
        || tests.iter().any(|(column, test)| is_set(column) || matches!(test, Test::Contains(_)))
}

/// The tests of the condition.
fn collect<'a>(condition: &'a Condition<Column>, tests: &mut Vec<(Column, &'a Test)>) {
    match condition {
        Condition::All(parts) | Condition::Any(parts) => {
            parts.iter().for_each(|part| collect(part, tests));
        }
        Condition::Is(column, test) => tests.push((*column, test)),
    }
}

fn passes(sql: &mut Sql, column: Column, test: ColumnTest<'_>) {
    match (column.of_test(&test), test) {
        (Column::Condition(truth), ColumnTest::Among(Membership::Any, Values::Flag(flag))) => {
            sql.texts(&[if flag { "" } else { "NOT " }, truth]);
        }
        (Column::Set { array, or, .. }, ColumnTest::Among(membership, values)) => {
            is_member(sql, (array, or), membership, &values.into());
        }
        // No filter compares the members of a set, or a condition, in another way.
        (Column::Set { .. } | Column::Condition(_), _) => sql.text("FALSE"),
        (
            Column::Plain(column)
            | Column::Computed(Text { postgres: column, .. })
            | Column::Exact { text: column, .. }
            | Column::LowCardinality { column, .. },
            test,
        ) => match test {
            ColumnTest::Contains(term) => contains(sql, column, term),
            ColumnTest::Among(Membership::Any, values) => equals(sql, column, &values.into()),
            ColumnTest::Among(Membership::None, values) => differs(sql, column, &values.into()),
            ColumnTest::Compares(than, at) => {
                sql.texts(&[column, than]);
                sql.bind(at.into());
            }
        },
    }
}

/// Whether the set in `array`, or the column `or`, has one of the values, or neither has.
fn is_member(
    sql: &mut Sql,
    (array, or): (&'static str, Option<&'static str>),
    membership: Membership,
    values: &Bind,
) {
    let (begin, operator, test): (_, _, fn(&mut Sql, &'static str, &Bind)) = match membership {
        Membership::Any => ("(", " OR ", equals),
        Membership::None => ("(NOT ", " AND ", differs),
    };
    sql.texts(&[begin, array, " && "]);
    sql.bind(values.clone());
    if let Some(or) = or {
        sql.text(operator);
        test(sql, or, values);
    }
    sql.text(")");
}

fn equals(sql: &mut Sql, column: &'static str, values: &Bind) {
    sql.text(column);
    sql.is_one_of(values);
}

fn differs(sql: &mut Sql, column: &'static str, values: &Bind) {
    sql.fails(column, |sql| equals(sql, column, values));
}

/// Appends the test that the text contains the term. PostgreSQL refuses U+0000 in parameters, and no text
/// contains it.
fn contains(sql: &mut Sql, column: &'static str, term: &str) {
    if term.contains('\0') {
        return sql.text("FALSE");
    }
    sql.texts(&[column, " LIKE "]);
    sql.bind(Bind::Text(pattern(term)));
}

/// The LIKE pattern for texts that contain `term`, because the trigram index supports only
/// patterns.
fn pattern(term: &str) -> String {
    let mut pattern = String::with_capacity(term.len() + 2);
    pattern.push('%');
    for letter in term.chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}

#[cfg(test)]
mod tests {
    use super::pattern;

    #[test]
    fn wildcards_in_a_term_are_escaped() {
        assert_eq!(pattern(r"50%_\x"), r"%50\%\_\\x%");
        assert_eq!(pattern("обход"), "%обход%");
    }
}
