//! Conditions as SQL.

use patrol_domain::list::{Condition, Membership};
use patrol_stored::list::{Column, ColumnTest, FilterTable};

use super::{
    statement::{Bind, Sql},
    trigrams::Selective,
};

/// How the records of a filter should be found.
#[derive(Clone, Copy)]
pub(super) struct Guide<'a> {
    /// Terms to look up by trigrams.
    pub(super) selective: &'a Selective,
    /// Whether to avoid indexes on columns with few values.
    pub(super) ignores_few: bool,
    /// Whether link tables are looked up row by row. Otherwise SQLite may find the rows by them.
    pub(super) tests_links: bool,
}

/// No term is looked up by trigrams.
static NO_TERMS: Selective = Selective::none();

impl<'a> Guide<'a> {
    /// Finds rows as SQLite's planner decides, and terms by trigrams.
    pub(super) const fn find(selective: &'a Selective) -> Self {
        Self { selective, ignores_few: false, tests_links: false }
    }

    /// Tests rows that are found in another way.
    pub(super) const fn test() -> Self {
        Self { selective: &NO_TERMS, ignores_few: true, tests_links: true }
    }
}

/// A condition on a table without trigrams.
pub(crate) fn plain<L: FilterTable>(condition: &Condition<L::Filter>) -> Sql {
    filter::<L>(condition, None, Guide::find(&NO_TERMS))
}

/// The WHERE clause of a query.
pub(super) fn filter<L: FilterTable>(
    condition: &Condition<L::Filter>,
    search: Option<&str>,
    guide: Guide<'_>,
) -> Sql {
    let mut sql = Sql::default();
    sql.condition(condition, &mut |sql, filter, test| {
        passes::<L>(sql, L::column(filter), test, guide);
    });
    if let Some(term) = search {
        sql.text(" AND ");
        candidates::<L>(&mut sql, term, guide);
        sql.join(L::SEARCH, " OR ", "FALSE", &mut |sql, column| {
            holds::<L>(sql, *column, guide, &contains(term));
        });
    }
    sql
}

/// Appends the trigram lookup of the term and AND; nothing when the term is not looked up.
fn candidates<L: FilterTable>(sql: &mut Sql, term: &str, guide: Guide<'_>) {
    let (Some(trigrams), Some(pattern)) = (L::TRIGRAMS, guide.selective.pattern(term)) else {
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

fn passes<L: FilterTable>(sql: &mut Sql, column: Column, test: ColumnTest<'_>, guide: Guide<'_>) {
    match test {
        ColumnTest::Contains(term) => {
            sql.text("(");
            candidates::<L>(sql, term, guide);
            holds::<L>(sql, column, guide, &contains(term));
            sql.text(")");
        }
        ColumnTest::Among(membership, values) => {
            let values = Bind::all(values);
            let check = |sql: &mut Sql, expression| {
                sql.text(expression);
                is_one_of(sql, &values);
            };
            match membership {
                Membership::Any => holds::<L>(sql, column, guide, &check),
                Membership::None => fails::<L>(sql, column, guide, &check),
            }
        }
        ColumnTest::Compares(operator, time) => {
            holds::<L>(sql, column, guide, &|sql, expression| {
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
fn holds<L: FilterTable>(sql: &mut Sql, column: Column, guide: Guide<'_>, check: Check<'_>) {
    match column {
        Column::Plain(column) | Column::Condition(column) => check(sql, column),
        Column::Few { column, then: _ } => {
            // A unary plus keeps SQLite from using an index on the column.
            if guide.ignores_few {
                sql.text("+");
            }
            check(sql, column);
        }
        Column::Set { table, or: None, .. } => is_linked::<L>(sql, false, table, guide, check),
        Column::Set { table, or: Some(column), .. } => {
            sql.text("(");
            is_linked::<L>(sql, false, table, guide, check);
            sql.text(" OR ");
            check(sql, column);
            sql.text(")");
        }
    }
}

/// True when the check holds neither for the column nor for any value of the set.
fn fails<L: FilterTable>(sql: &mut Sql, column: Column, guide: Guide<'_>, check: Check<'_>) {
    match column {
        Column::Plain(column) | Column::Condition(column) | Column::Few { column, then: _ } => {
            sql.text("(");
            sql.text(column);
            sql.text(" IS NULL OR NOT ");
            check(sql, column);
            sql.text(")");
        }
        Column::Set { table, or, .. } => {
            is_linked::<L>(sql, true, table, guide, check);
            if let Some(column) = or {
                sql.text(" AND ");
                fails::<L>(sql, Column::Plain(column), guide, check);
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
    guide: Guide<'_>,
    check: Check<'_>,
) {
    if guide.tests_links {
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

/// A single value is compared with `=`: the usual case, which an index serves better.
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

/// `instr` has no wildcards. No text contains U+0000.
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
