//! Conditions as SQL.

use patrol_domain::list::{Condition, Membership};
use patrol_stored::list::{Column, ColumnTest, FilterTable};

use super::{
    statement::{Bind, Sql},
    trigrams::Selective,
};

/// How SQLite should find the records of a filter.
#[derive(Clone, Copy)]
pub(super) struct FilterOptions<'a> {
    /// Terms to look up by trigrams.
    pub(super) selective: &'a Selective,
    /// Whether to avoid indexes on columns with few values.
    pub(super) ignores_few_values: bool,
    /// Whether a row is looked up in the link tables. Otherwise SQLite may start at a link table
    /// and find the rows by its pairs.
    pub(super) tests_links: bool,
}

/// No term is looked up by trigrams.
static NO_TERMS: Selective = Selective::none();

impl<'a> FilterOptions<'a> {
    /// For finding rows: SQLite's planner decides; terms are looked up by trigrams.
    pub(super) const fn find(selective: &'a Selective) -> Self {
        Self { selective, ignores_few_values: false, tests_links: false }
    }

    /// For testing rows that were found in another way.
    pub(super) const fn test() -> Self {
        Self { selective: &NO_TERMS, ignores_few_values: true, tests_links: true }
    }
}

/// A condition on a table without trigrams.
pub(crate) fn plain<L: FilterTable>(condition: &Condition<L::Filter>) -> Sql {
    filter::<L>(condition, None, FilterOptions::find(&NO_TERMS))
}

/// The WHERE clause of a query.
pub(super) fn filter<L: FilterTable>(
    condition: &Condition<L::Filter>,
    search: Option<&str>,
    options: FilterOptions<'_>,
) -> Sql {
    let mut sql = Sql::default();
    sql.condition(condition, &mut |sql, filter, test| {
        passes::<L>(sql, L::column(filter), test, options);
    });
    if let Some(term) = search {
        sql.text(" AND ");
        candidates::<L>(&mut sql, term, options);
        sql.join(L::SEARCH, " OR ", "FALSE", &mut |sql, column| {
            holds::<L>(sql, *column, options, &contains(term));
        });
    }
    sql
}

/// Appends the trigram lookup of the term and AND; nothing when the term is not looked up.
fn candidates<L: FilterTable>(sql: &mut Sql, term: &str, options: FilterOptions<'_>) {
    let (Some(trigrams), Some(pattern)) = (L::TRIGRAMS, options.selective.pattern(term)) else {
        return;
    };
    sql.text(L::KEY);
    sql.text(" IN (");
    sql.text(trigrams.matching);
    sql.bind(Bind::Text(pattern.to_owned()));
    sql.text(" UNION ALL ");
    sql.text(trigrams.missing);
    sql.text(") AND ");
}

fn passes<L: FilterTable>(
    sql: &mut Sql,
    column: Column,
    test: ColumnTest<'_>,
    options: FilterOptions<'_>,
) {
    match test {
        ColumnTest::Contains(term) => {
            sql.text("(");
            candidates::<L>(sql, term, options);
            holds::<L>(sql, column, options, &contains(term));
            sql.text(")");
        }
        ColumnTest::Among(membership, values) => {
            let values = Bind::all(values);
            let check = |sql: &mut Sql, expression| {
                sql.text(expression);
                is_one_of(sql, &values);
            };
            match membership {
                Membership::Any => holds::<L>(sql, column, options, &check),
                Membership::None => fails::<L>(sql, column, options, &check),
            }
        }
        ColumnTest::Compares(operator, time) => {
            holds::<L>(sql, column, options, &|sql, expression| {
                sql.text(expression);
                sql.text(operator);
                sql.bind(Bind::Integer(time.millis()));
            });
        }
    }
}

/// A test of an SQL expression that is false for null.
type Check<'a> = &'a dyn Fn(&mut Sql, &'static str);

/// True when the check holds for the column, or for at least one value of the set.
fn holds<L: FilterTable>(
    sql: &mut Sql,
    column: Column,
    options: FilterOptions<'_>,
    check: Check<'_>,
) {
    match column {
        Column::Plain(column) | Column::Condition(column) => check(sql, column),
        Column::Few { column, then: _ } => {
            // A unary plus keeps SQLite from using an index on the column.
            if options.ignores_few_values {
                sql.text("+");
            }
            check(sql, column);
        }
        Column::Set { table, or: None, .. } => is_linked::<L>(sql, false, table, options, check),
        Column::Set { table, or: Some(column), .. } => {
            sql.text("(");
            is_linked::<L>(sql, false, table, options, check);
            sql.text(" OR ");
            check(sql, column);
            sql.text(")");
        }
    }
}

/// True when the check holds neither for the column nor for any value of the set.
fn fails<L: FilterTable>(
    sql: &mut Sql,
    column: Column,
    options: FilterOptions<'_>,
    check: Check<'_>,
) {
    match column {
        Column::Plain(column) | Column::Condition(column) | Column::Few { column, then: _ } => {
            sql.text("(");
            sql.text(column);
            sql.text(" IS NULL OR NOT ");
            check(sql, column);
            sql.text(")");
        }
        Column::Set { table, or, .. } => {
            is_linked::<L>(sql, true, table, options, check);
            if let Some(column) = or {
                sql.text(" AND ");
                fails::<L>(sql, Column::Plain(column), options, check);
            }
        }
    }
}

/// Whether the link table has, or with `not` has not, a pair of the row with a value for which the
/// check holds.
fn is_linked<L: FilterTable>(
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
        sql.text(" WHERE row = ");
        sql.text(L::KEY);
        sql.text(" AND ");
    } else {
        sql.text(L::KEY);
        sql.text(if not { " NOT IN (SELECT row FROM " } else { " IN (SELECT row FROM " });
        sql.text(table);
        sql.text(" WHERE ");
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
        sql.text("instr(");
        sql.text(expression);
        sql.text(", ");
        sql.bind(Bind::Text(term.to_owned()));
        sql.text(") > 0");
    }
}
