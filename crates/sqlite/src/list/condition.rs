//! Conditions as SQL.

use patrol_domain::list::{Condition, Membership};
use patrol_repository::stored::list::{Bind, Column, ColumnTest, Sql, Table, Text};

use super::trigrams::SelectiveTerms;

/// What SQL has to know of a table, and how SQLite should find the rows of a filter.
#[derive(Clone, Copy)]
pub(super) struct FilterOptions<'a> {
    /// The key of a row.
    pub(super) key: &'static str,
    /// The columns that the quick search compares.
    pub(super) searched: &'static [&'static str],
    /// Terms to look up by trigrams.
    pub(super) selective: &'a SelectiveTerms,
    /// Whether to avoid indexes on columns with few values.
    pub(super) ignores_low_cardinality: bool,
    /// Whether a row is looked up in the link tables. Otherwise SQLite may start at a link table
    /// and find the rows by its pairs.
    pub(super) tests_links: bool,
}

/// No term is looked up by trigrams.
static NO_TERMS: SelectiveTerms = SelectiveTerms::none();

impl<'a> FilterOptions<'a> {
    /// For finding rows: SQLite's planner decides; terms are looked up by trigrams.
    pub(super) const fn find(table: &Table, selective: &'a SelectiveTerms) -> Self {
        Self::of(table.key, table.search, selective)
    }

    /// The rows are found as SQLite's planner decides.
    const fn of(
        key: &'static str,
        searched: &'static [&'static str],
        selective: &'a SelectiveTerms,
    ) -> Self {
        Self { key, searched, selective, ignores_low_cardinality: false, tests_links: false }
    }

    /// For testing rows that were found in another way.
    pub(super) const fn test(table: &Table) -> Self {
        Self { ignores_low_cardinality: true, tests_links: true, ..Self::find(table, &NO_TERMS) }
    }
}

/// A condition on a table without trigrams, whose rows have this key.
pub(crate) fn plain(key: &'static str, condition: &Condition<Column>) -> Sql {
    filter(condition, None, FilterOptions::of(key, &[], &NO_TERMS))
}

/// The WHERE clause of a query.
pub(super) fn filter(
    condition: &Condition<Column>,
    search: Option<&str>,
    options: FilterOptions<'_>,
) -> Sql {
    let mut sql = Sql::default();
    sql.condition(condition, &mut |sql, column, test| passes(sql, column, test, options));
    if let Some(term) = search {
        sql.text(" AND ");
        append_lookup(&mut sql, term, options);
        sql.join(options.searched, " OR ", "FALSE", &mut |sql, column| {
            contains(term)(sql, column);
        });
    }
    sql
}

/// Appends the trigram lookup of the term and AND; nothing when the term is not looked up.
fn append_lookup(sql: &mut Sql, term: &str, options: FilterOptions<'_>) {
    let Some(candidates) = options.selective.candidates(term) else { return };
    sql.texts(&[options.key, " IN ("]);
    sql.append(&candidates);
    sql.text(") AND ");
}

/// Appends a test of a column.
fn passes(sql: &mut Sql, column: Column, test: ColumnTest<'_>, options: FilterOptions<'_>) {
    let column = column.of_test(&test);
    match test {
        ColumnTest::Contains(term) => {
            sql.text("(");
            append_lookup(sql, term, options);
            holds(sql, column, options, &contains(term));
            sql.text(")");
        }
        ColumnTest::Among(membership, values) => {
            let values = Bind::from(values).each();
            let check = |sql: &mut Sql, expression| {
                sql.text(expression);
                is_one_of(sql, &values);
            };
            match membership {
                Membership::Any => holds(sql, column, options, &check),
                Membership::None => fails(sql, column, options, &check),
            }
        }
        ColumnTest::Compares(operator, at) => {
            holds(sql, column, options, &|sql, expression| {
                sql.texts(&[expression, operator]);
                sql.bind(at.into());
            });
        }
    }
}

/// A test of an SQL expression that is false for null.
type Check<'a> = &'a dyn Fn(&mut Sql, &'static str);

/// Appends a test that is true when the check holds for the column, or for at least one value of
/// the set.
fn holds(sql: &mut Sql, column: Column, options: FilterOptions<'_>, check: Check<'_>) {
    match column {
        Column::Plain(column)
        | Column::Computed(Text { sqlite: column, .. })
        | Column::Condition(column)
        | Column::Exact { text: column, .. } => check(sql, column),
        Column::LowCardinality { column, then: _ } => {
            // A unary plus keeps SQLite from using an index on the column.
            if options.ignores_low_cardinality {
                sql.text("+");
            }
            check(sql, column);
        }
        Column::Set { table, or: None, .. } => is_linked(sql, false, table, options, check),
        Column::Set { table, or: Some(column), .. } => {
            sql.text("(");
            is_linked(sql, false, table, options, check);
            sql.text(" OR ");
            check(sql, column);
            sql.text(")");
        }
    }
}

/// Appends a test that is true when the check holds neither for the column nor for any value of the
/// set.
fn fails(sql: &mut Sql, column: Column, options: FilterOptions<'_>, check: Check<'_>) {
    match column {
        Column::Plain(column)
        | Column::Computed(Text { sqlite: column, .. })
        | Column::Condition(column)
        | Column::Exact { text: column, .. }
        | Column::LowCardinality { column, then: _ } => sql.fails(column, |sql| check(sql, column)),
        Column::Set { table, or, .. } => {
            is_linked(sql, true, table, options, check);
            if let Some(column) = or {
                sql.text(" AND ");
                fails(sql, Column::Plain(column), options, check);
            }
        }
    }
}

/// Appends a test whether the link table has a pair of the row whose value passes the check; with
/// `not`, whether it has none.
fn is_linked(
    sql: &mut Sql,
    not: bool,
    table: &'static str,
    options: FilterOptions<'_>,
    check: Check<'_>,
) {
    if options.tests_links {
        sql.text(if not { "NOT EXISTS (SELECT 1 FROM " } else { "EXISTS (SELECT 1 FROM " });
        sql.text(table);
        // A link table calls the key `row`.
        sql.texts(&[" WHERE row = ", options.key, " AND "]);
    } else {
        sql.text(options.key);
        sql.text(if not { " NOT IN (SELECT row FROM " } else { " IN (SELECT row FROM " });
        sql.texts(&[table, " WHERE "]);
    }
    check(sql, "value");
    sql.text(")");
}

/// Appends the test that the expression before has one of the values. A single value is compared with
/// `=`: the usual case, which an index serves better.
pub(super) fn is_one_of(sql: &mut Sql, values: &[Bind]) {
    if let [value] = values {
        sql.text(" = ");
        sql.bind(value.clone());
        return;
    }
    let mut before = " IN (";
    for value in values {
        sql.text(before);
        sql.bind(value.clone());
        before = ", ";
    }
    sql.text(if values.is_empty() { " IN ()" } else { ")" });
}

/// The test that a text contains the term. `instr` has no wildcards. No text contains U+0000.
fn contains(term: &str) -> impl Fn(&mut Sql, &'static str) {
    move |sql, expression| {
        if term.contains('\0') {
            sql.text("FALSE");
            return;
        }
        sql.texts(&["instr(", expression, ", "]);
        sql.bind(Bind::Text(term.to_owned()));
        sql.text(") > 0");
    }
}
