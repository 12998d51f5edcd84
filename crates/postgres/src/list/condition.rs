//! Conditions as SQL.

use patrol_domain::list::{Comparison, Condition, Membership, Test};
use patrol_stored::{
    list::{Column, FilterTable},
    sql::time,
};

use super::statement::{Bind, Sql};

/// The WHERE clause of a query.
pub(crate) fn filter<L: FilterTable>(
    condition: &Condition<L::Filter>,
    search: Option<&str>,
) -> Sql {
    let mut sql = Sql::default();
    push::<L>(&mut sql, condition);
    if let Some(term) = search {
        sql.text(" AND ");
        let contains = |sql: &mut Sql, column: &Column| {
            with_plain(sql, *column, |sql, column| contains(sql, column, term));
        };
        joined(&mut sql, L::SEARCH, " OR ", "FALSE", contains);
    }
    sql
}

/// Whether PostgreSQL cannot estimate the number of matches: its statistics have the values of
/// columns, but not the texts that they contain, and only the frequent members of sets.
pub(super) fn is_vague<L: FilterTable>(condition: &Condition<L::Filter>) -> bool {
    match condition {
        Condition::All(parts) | Condition::Any(parts) => parts.iter().any(is_vague::<L>),
        Condition::Is(filter, test) => {
            matches!(test, Test::Contains(_)) || matches!(L::column(*filter), Column::Set { .. })
        }
    }
}

fn push<L: FilterTable>(sql: &mut Sql, condition: &Condition<L::Filter>) {
    match condition {
        Condition::All(all) => joined(sql, all, " AND ", "TRUE", push::<L>),
        Condition::Any(any) => joined(sql, any, " OR ", "FALSE", push::<L>),
        Condition::Is(filter, test) => passes(sql, L::column(*filter), test),
    }
}

fn joined<T>(
    sql: &mut Sql,
    items: &[T],
    operator: &'static str,
    empty: &'static str,
    push: impl Fn(&mut Sql, &T),
) {
    let mut before = "(";
    for item in items {
        sql.text(before);
        push(sql, item);
        before = operator;
    }
    sql.text(if items.is_empty() { empty } else { ")" });
}

fn passes(sql: &mut Sql, column: Column, test: &Test) {
    match test {
        Test::Contains(term) => with_plain(sql, column, |sql, column| contains(sql, column, term)),
        Test::Text(membership, texts) | Test::Tags(membership, texts) => {
            is_among(sql, column, *membership, &Bind::texts(texts));
        }
        Test::Ids(membership, ids) => {
            is_among(sql, column, *membership, &Bind::Uuids(ids.clone()));
        }
        Test::Codes(membership, codes) => {
            is_among(sql, column, *membership, &Bind::Codes(codes.clone()));
        }
        Test::Flag(flag) => match column {
            Column::Condition(truth) => {
                sql.text(if *flag { "" } else { "NOT " });
                sql.text(truth);
            }
            column => is_among(sql, column, Membership::Any, &Bind::Flag(*flag)),
        },
        Test::Time(comparison, at) => {
            let value = Bind::Time(time(*at));
            let operator = match comparison {
                Comparison::Equal => return is_among(sql, column, Membership::Any, &value),
                Comparison::NotEqual => return is_among(sql, column, Membership::None, &value),
                Comparison::Greater => " > ",
                Comparison::GreaterOrEqual => " >= ",
                Comparison::Less => " < ",
                Comparison::LessOrEqual => " <= ",
            };
            with_plain(sql, column, |sql, column| {
                sql.text(column);
                sql.text(operator);
                sql.bind(value);
            });
        }
    }
}

/// Adds a test for plain columns only; sets are compared as a whole.
fn with_plain(sql: &mut Sql, column: Column, push: impl FnOnce(&mut Sql, &'static str)) {
    match column {
        Column::Plain(column) | Column::Few { column, .. } => push(sql, column),
        Column::Set { .. } | Column::Condition(_) => sql.text("FALSE"),
    }
}

fn is_among(sql: &mut Sql, column: Column, membership: Membership, values: &Bind) {
    match (column, membership) {
        (Column::Plain(column) | Column::Few { column, .. }, Membership::Any) => {
            equals(sql, column, values);
        }
        (Column::Plain(column) | Column::Few { column, .. }, Membership::None) => {
            differs(sql, column, values);
        }
        (Column::Condition(_), _) => sql.text("FALSE"),
        (Column::Set { array, or, .. }, Membership::Any) => {
            sql.text("(");
            meets(sql, array, values);
            if let Some(or) = or {
                sql.text(" OR ");
                equals(sql, or, values);
            }
            sql.text(")");
        }
        (Column::Set { array, or, .. }, Membership::None) => {
            sql.text("(NOT ");
            meets(sql, array, values);
            if let Some(or) = or {
                sql.text(" AND ");
                differs(sql, or, values);
            }
            sql.text(")");
        }
    }
}

/// A single value is compared with `=`: the usual case, which an index serves better.
fn equals(sql: &mut Sql, column: &'static str, values: &Bind) {
    sql.text(column);
    match values.single() {
        Some(value) => {
            sql.text(" = ");
            sql.bind(value);
        }
        None => {
            sql.text(" = ANY(");
            sql.bind(values.clone());
            sql.text(")");
        }
    }
}

fn differs(sql: &mut Sql, column: &'static str, values: &Bind) {
    sql.text("(");
    sql.text(column);
    sql.text(" IS NULL OR NOT ");
    equals(sql, column, values);
    sql.text(")");
}

/// True when the array has at least one of the values.
fn meets(sql: &mut Sql, column: &'static str, values: &Bind) {
    sql.text(column);
    sql.text(" && ");
    sql.bind(values.clone());
}

/// PostgreSQL refuses U+0000 in parameters, and no text contains it.
fn contains(sql: &mut Sql, column: &'static str, term: &str) {
    if term.contains('\0') {
        return sql.text("FALSE");
    }
    sql.text(column);
    sql.text(" LIKE ");
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
    fn a_pattern_takes_a_term_by_the_letter() {
        assert_eq!(pattern(r"50%_\x"), r"%50\%\_\\x%");
        assert_eq!(pattern("обход"), "%обход%");
    }
}
