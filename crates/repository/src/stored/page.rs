//! Pages of all rows of a table, for exports and repairs: in the order of the keys of rows on SQLite, and
//! of ids on PostgreSQL, so that each database reads along its table or its index.

use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{AstPass, QueryFragment, QueryId},
    sql_types::BigInt,
    sqlite::Sqlite,
};

use crate::stored::sql::{Id, types};

/// The number of rows of a page: enough for a low overhead, few enough for little memory.
pub const ROWS: i64 = 128;

/// Where a page begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// At the first row.
    Start,
    /// After the row with this key, on SQLite, and this id, on PostgreSQL.
    After(i64, Id),
}

/// The text is known only at run time.
impl QueryId for Place {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl QueryFragment<Sqlite> for Place {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        match self {
            Self::Start => {
                out.push_sql(" IS NOT NULL");
                Ok(())
            }
            Self::After(row, _) => {
                out.push_sql(" > ");
                out.push_bind_param::<BigInt, i64>(row)
            }
        }
    }
}

impl QueryFragment<Pg> for Place {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        match self {
            Self::Start => {
                out.push_sql(" IS NOT NULL");
                Ok(())
            }
            Self::After(_, id) => {
                out.push_sql(" > ");
                out.push_bind_param::<types::Id, Id>(id)
            }
        }
    }
}

/// The query for a page of `$table` after the [`Place`] `$after`: the key of the row, or 0 on PostgreSQL,
/// the id, and `$columns`.
macro_rules! page {
    ($table:ident, $columns:expr, $after:expr) => {{
        use diesel::prelude::*;
        use crate::stored::{
            computed_text,
            page::ROWS,
            schema::$table,
            sql::types::{BigInt, Bool, Nullable},
            statement::{computed, computed_with},
        };

        // Only for ORDER BY: a number on SQLite, a UUID on PostgreSQL.
        computed_text!(
            Key: Nullable<BigInt>,
            sqlite: concat!(stringify!($table), ".row"),
            postgres: concat!(stringify!($table), ".id")
        );
        computed_text!(
            IsAfter: Bool,
            sqlite: concat!(stringify!($table), ".row{}"),
            postgres: concat!(stringify!($table), ".id{}")
        );
        computed_text!(
            Row: BigInt,
            sqlite: concat!(stringify!($table), ".row"),
            postgres: "0::bigint"
        );
        $table::table
            .filter(computed_with::<IsAfter, _>($after))
            .order(computed::<Key>())
            .limit(ROWS)
            .select((computed::<Row>(), $table::id, $columns))
    }};
}

pub(crate) use page;
