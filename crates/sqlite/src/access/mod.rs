//! Access tokens.

mod list;
mod row;

use async_trait::async_trait;
use diesel::prelude::*;
use patrol_domain::{
    EditError, Named, StoreError, Timestamp,
    access::{Digest, Holder, NewToken, Token, TokenList, Tokens},
    ids::TokenId,
    list::{Listing, Query},
    shared::text::fold,
    user::UserStatus,
};

use self::row::Read;
use crate::{
    Store,
    engine::Abort,
    revision::{self, Aggregate},
    schema::{tokens, users},
    update,
    value::{Row, StoredId, id},
};

#[async_trait]
impl Tokens for Store {
    async fn create(&self, token: NewToken) -> Result<(), EditError> {
        self.write(move |conn| create(conn, &token)).await
    }

    async fn holder(&self, digest: Digest) -> Result<Option<Holder>, StoreError> {
        self.read(move |conn| holder(conn, digest)).await
    }

    fn list(&self, query: Query<TokenList>) -> Listing<Token> {
        self.listing(query)
    }

    async fn get(&self, token: TokenId) -> Result<Option<Token>, StoreError> {
        self.read(move |conn| get(conn, token)).await
    }

    async fn revoke(&self, token: TokenId) -> Result<(), EditError> {
        self.write(move |conn| revoke(conn, token)).await
    }

    async fn touch(&self, uses: Vec<(TokenId, Timestamp)>) -> Result<(), StoreError> {
        self.write(move |conn| touch(conn, &uses)).await
    }
}

fn create(conn: &mut SqliteConnection, new: &NewToken) -> Result<(), Abort<EditError>> {
    let NewToken { token, digest, most: _ } = new;
    let Token { id: token_id, user_id, name, created_at, expires_at, last_used_at } = token;
    let user = users::table
        .filter(users::id.eq(id(*user_id)))
        .filter(users::status.eq(UserStatus::Active.code()))
        .select(users::row);
    if user.first::<i64>(conn).optional()?.is_none() {
        return Err(Abort::Refused(EditError::Missing));
    }
    let held: i64 =
        tokens::table.filter(tokens::user_id.eq(id(*user_id))).count().get_result(conn)?;
    new.admit(usize::try_from(held).unwrap_or(usize::MAX))
        .map_err(|refusal| Abort::Refused(refusal.into()))?;
    let name_folded = fold(name);
    diesel::insert_into(tokens::table)
        .values((
            tokens::id.eq(id(*token_id)),
            tokens::digest.eq(digest.0.as_slice()),
            tokens::user_id.eq(id(*user_id)),
            tokens::name.eq(name),
            tokens::name_folded.eq(&name_folded),
            tokens::created_at.eq(created_at.millis()),
            tokens::expires_at.eq(expires_at.map(Timestamp::millis)),
            tokens::last_used_at.eq(last_used_at.map(Timestamp::millis)),
        ))
        .execute(conn)?;
    revision::raise(conn, Aggregate::Token)?;
    Ok(())
}

/// The columns that the holder of a token is read from.
type HolderRow = (StoredId, StoredId, i16, i16, Option<i64>);

fn holder(
    conn: &mut SqliteConnection,
    digest: Digest,
) -> Result<Option<Holder>, Abort<StoreError>> {
    let found: Option<HolderRow> = tokens::table
        .inner_join(users::table.on(users::id.eq(tokens::user_id)))
        .filter(tokens::digest.eq(digest.0.as_slice()))
        .select((tokens::id, users::id, users::role, users::status, tokens::expires_at))
        .first(conn)
        .optional()?;
    let Some((token, user, role, status, expires_at)) = found else { return Ok(None) };
    let of_token = Row::new("tokens", token);
    let of_user = Row::new("users", user);
    Ok(Some(Holder {
        token: of_token.id("id", token)?,
        user: of_user.id("id", user)?,
        role: of_user.named("role", role)?,
        status: of_user.named("status", status)?,
        expires_at: expires_at.map(|time| of_token.time("expires_at", time)).transpose()?,
    }))
}

fn get(conn: &mut SqliteConnection, token: TokenId) -> Result<Option<Token>, Abort<StoreError>> {
    let query = tokens::table.filter(tokens::id.eq(id(token))).select(Read::as_select());
    Ok(query.first(conn).optional()?.map(row::read).transpose()?)
}

fn revoke(conn: &mut SqliteConnection, token: TokenId) -> Result<(), Abort<EditError>> {
    let removed = diesel::delete(tokens::table.filter(tokens::id.eq(id(token)))).execute(conn)?;
    if removed == 0 {
        return Err(Abort::Refused(EditError::Missing));
    }
    revision::raise(conn, Aggregate::Token)?;
    Ok(())
}

fn touch(
    conn: &mut SqliteConnection,
    uses: &[(TokenId, Timestamp)],
) -> Result<(), Abort<StoreError>> {
    for (token, time) in uses {
        let used = tokens::last_used_at.eq(time.millis());
        update::set(tokens::table, tokens::id.eq(id(*token)), used).execute(conn)?;
    }
    revision::raise(conn, Aggregate::Token)?;
    Ok(())
}
