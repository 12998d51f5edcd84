//! The row of an access token, and the list of tokens.

use diesel::{
    dsl::{self, SqlTypeOf},
    pg::Pg,
    prelude::*,
    sqlite::Sqlite,
};
use patrol_domain::{
    Named, Resource, StoreError,
    access::{Token, TokenFilter, TokenList, TokenOwner, TokenSort},
    user::UserStatus,
};

use crate::stored::{
    list::{Column, ListTable, SortKey, Text},
    row::Row,
    schema::{tokens, users},
    sql::{Id, Time, id, time},
};

/// The columns of a token, in the order of the list's columns, without the digest and the folded name.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = tokens, check_for_backend(Sqlite, Pg), treat_none_as_default_value = false)]
pub struct TokenRow {
    id: Id,
    user_id: Id,
    name: String,
    created_at: Time,
    expires_at: Option<Time>,
    last_used_at: Option<Time>,
}

impl TokenRow {
    /// The columns of `token`.
    #[must_use]
    pub fn of(token: &Token) -> Self {
        let Token { id: token_id, user_id, name, created_at, expires_at, last_used_at } = token;
        Self {
            id: id(*token_id),
            user_id: id(*user_id),
            name: name.clone(),
            created_at: time(*created_at),
            expires_at: expires_at.map(time),
            last_used_at: last_used_at.map(time),
        }
    }

    /// Decodes the token.
    ///
    /// # Errors
    /// `Corrupt` when a column cannot be read.
    pub fn token(self) -> Result<Token, StoreError> {
        let Self { id, user_id, name, created_at, expires_at, last_used_at } = self;
        let at = Row::new("tokens", id);
        Ok(Token {
            id: at.id("id", id)?,
            user_id: at.id("user_id", user_id)?,
            name,
            created_at: at.time("created_at", created_at)?,
            expires_at: expires_at.map(|time| at.time("expires_at", time)).transpose()?,
            last_used_at: last_used_at.map(|time| at.time("last_used_at", time)).transpose()?,
        })
    }
}

/// The user with this id, if it is active.
#[dsl::auto_type(no_type_alias)]
pub fn active_user(user: Id) -> _ {
    let active: i16 = UserStatus::Active.code();
    users::table.filter(users::id.eq(user)).filter(users::status.eq(active)).select(users::id)
}

/// The number of tokens of this user.
#[dsl::auto_type(no_type_alias)]
pub fn count_of(user: Id) -> _ {
    tokens::table.filter(tokens::user_id.eq(user)).count()
}

/// The owner of the token with this digest: an [`OwnerRow`].
#[dsl::auto_type(no_type_alias)]
pub fn owner<'a>(digest: &'a [u8]) -> _ {
    tokens::table.inner_join(users::table).filter(tokens::digest.eq(digest)).select((
        tokens::id,
        tokens::expires_at,
        users::id,
        users::role,
        users::status,
    ))
}

/// The columns of an owner, as read.
#[derive(Queryable)]
pub struct OwnerRow {
    token: Id,
    expires_at: Option<Time>,
    user: Id,
    role: i16,
    status: i16,
}

impl OwnerRow {
    /// Decodes the owner.
    ///
    /// # Errors
    /// `Corrupt` when a column cannot be read.
    pub fn owner(self) -> Result<TokenOwner, StoreError> {
        let Self { token, expires_at, user, role, status } = self;
        let (of_token, of_user) = (Row::new("tokens", token), Row::new("users", user));
        Ok(TokenOwner {
            token: of_token.id("id", token)?,
            user: of_user.id("id", user)?,
            role: of_user.named("role", role)?,
            status: of_user.named("status", status)?,
            expires_at: expires_at.map(|time| of_token.time("expires_at", time)).transpose()?,
        })
    }
}

impl ListTable for TokenList {
    const KEY: &'static str = "tokens.row";
    const SEARCH: &'static [&'static str] = &["name_folded"];
    const FROM: &'static str = "tokens";
    const COLUMNS: Text = Text::same("id, user_id, name, created_at, expires_at, last_used_at");
    const KIND: Resource = Resource::Token;

    type SqlType = SqlTypeOf<<TokenRow as Selectable<Pg>>::SelectExpression>;
    type Row = TokenRow;

    fn column(filter: TokenFilter) -> Column {
        match filter {
            TokenFilter::User => Column::Plain("user_id"),
        }
    }

    fn item(read: TokenRow) -> Result<Token, StoreError> {
        read.token()
    }

    fn sort(sort: TokenSort) -> SortKey {
        match sort {
            TokenSort::Id => SortKey::of("id"),
            TokenSort::UserId => SortKey::of("user_id"),
            TokenSort::Name => SortKey::of("name_folded"),
            TokenSort::CreatedAt => SortKey::of("created_at"),
            TokenSort::ExpiresAt => SortKey::nullable("expires_at"),
            TokenSort::LastUsedAt => SortKey::nullable("last_used_at"),
        }
    }
}
