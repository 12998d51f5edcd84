//! The list of tokens.

use diesel::sql_types::{BigInt, Binary, Nullable, Text};
use patrol_domain::{
    StoreError,
    access::{Token, TokenFilter, TokenList, TokenSort},
};

use super::row::{self, Read};
use crate::{
    list::{Column, ListTable, SortKey},
    revision::Aggregate,
};

impl ListTable for TokenList {
    const FROM: &'static str = "tokens";
    const KEY: &'static str = "tokens.row";
    const COLUMNS: &'static str = "id, user_id, name, created_at, expires_at, last_used_at";
    const TIES: &'static [&'static str] = &["id"];
    const SEARCH: &'static [Column] = &[Column::Plain("name_folded")];
    const AGGREGATE: Aggregate = Aggregate::Token;

    type SqlType = (Binary, Binary, Text, BigInt, Nullable<BigInt>, Nullable<BigInt>);
    type Row = Read;

    fn item(row: Read) -> Result<Token, StoreError> {
        row::read(row)
    }

    fn column(filter: TokenFilter) -> Column {
        match filter {
            TokenFilter::User => Column::Plain("user_id"),
        }
    }

    fn sort(sort: TokenSort) -> SortKey {
        let (sql, nullable) = match sort {
            TokenSort::Id => ("id", false),
            TokenSort::UserId => ("user_id", false),
            TokenSort::Name => ("name_folded", false),
            TokenSort::CreatedAt => ("created_at", false),
            TokenSort::ExpiresAt => ("expires_at", true),
            TokenSort::LastUsedAt => ("last_used_at", true),
        };
        SortKey { sql, nullable, few: false }
    }
}
