//! Access tokens.

mod list;
mod row;

use async_trait::async_trait;
use diesel::{prelude::*, sql_types};
use diesel_async::RunQueryDsl;
use patrol_domain::{
    EditError, Named, StoreError, Timestamp,
    access::{Digest, Holder, NewToken, Token, TokenList, Tokens},
    ids::{TokenId, Uuid},
    list::{Listing, Query},
    shared::text::fold,
    user::UserStatus,
};

use self::row::Read;
use crate::{
    Store,
    engine::{Abort, Connection},
    schema::{tokens, users},
    value::{Row, Time, time},
};

#[async_trait]
impl Tokens for Store {
    async fn create(&self, token: NewToken) -> Result<(), EditError> {
        self.transaction(async |conn| create(&conn, &token).await).await
    }

    async fn holder(&self, digest: Digest) -> Result<Option<Holder>, StoreError> {
        self.read(async |conn| holder(&conn, digest).await).await
    }

    fn list(&self, query: Query<TokenList>) -> Listing<Token> {
        self.listing(query)
    }

    async fn get(&self, token: TokenId) -> Result<Option<Token>, StoreError> {
        self.read(async |conn| get(&conn, token).await).await
    }

    async fn revoke(&self, token: TokenId) -> Result<(), EditError> {
        self.transaction(async |conn| revoke(&conn, token).await).await
    }

    async fn touch(&self, uses: Vec<(TokenId, Timestamp)>) -> Result<(), StoreError> {
        self.transaction(async |conn| touch(&conn, &uses).await).await
    }
}

async fn create(mut conn: &Connection, new: &NewToken) -> Result<(), Abort<EditError>> {
    let NewToken { token, digest, most: _ } = new;
    let Token { id, user_id, name, created_at, expires_at, last_used_at } = token;
    // A change that disables the user waits, so that no token is made afterwards; so does the next
    // token of the user, so that it counts this one.
    let user: Option<Uuid> = users::table
        .filter(users::id.eq(user_id.0))
        .filter(users::status.eq(UserStatus::Active.code()))
        .select(users::id)
        .for_no_key_update()
        .first(&mut conn)
        .await
        .optional()?;
    if user.is_none() {
        return Err(Abort::Refused(EditError::Missing));
    }
    let of_user = tokens::table.filter(tokens::user_id.eq(user_id.0));
    let held: i64 = of_user.count().get_result(&mut conn).await?;
    new.admit(usize::try_from(held).unwrap_or(usize::MAX))
        .map_err(|refusal| Abort::Refused(refusal.into()))?;
    diesel::insert_into(tokens::table)
        .values((
            tokens::id.eq(id.0),
            tokens::digest.eq(digest.0.as_slice()),
            tokens::user_id.eq(user_id.0),
            tokens::name.eq(name),
            tokens::name_folded.eq(fold(name)),
            tokens::created_at.eq(time(*created_at)),
            tokens::expires_at.eq(expires_at.map(time)),
            tokens::last_used_at.eq(last_used_at.map(time)),
        ))
        .execute(&mut conn)
        .await?;
    Ok(())
}

/// The columns that the holder of a token is read from.
type HolderRow = (Uuid, Uuid, i16, i16, Option<Time>);

async fn holder(
    mut conn: &Connection,
    digest: Digest,
) -> Result<Option<Holder>, Abort<StoreError>> {
    let found: Option<HolderRow> = tokens::table
        .inner_join(users::table)
        .filter(tokens::digest.eq(digest.0.as_slice()))
        .select((tokens::id, users::id, users::role, users::status, tokens::expires_at))
        .first(&mut conn)
        .await
        .optional()?;
    let Some((token, user, role, status, expires_at)) = found else { return Ok(None) };
    let (of_token, of_user) = (Row::new("tokens", token), Row::new("users", user));
    Ok(Some(Holder {
        token: token.into(),
        user: user.into(),
        role: of_user.named("role", role)?,
        status: of_user.named("status", status)?,
        expires_at: expires_at.map(|time| of_token.time("expires_at", time)).transpose()?,
    }))
}

async fn get(mut conn: &Connection, id: TokenId) -> Result<Option<Token>, Abort<StoreError>> {
    let query = tokens::table.find(id.0).select(Read::as_select());
    Ok(query.first(&mut conn).await.optional()?.map(row::read).transpose()?)
}

async fn revoke(mut conn: &Connection, id: TokenId) -> Result<(), Abort<EditError>> {
    let removed = diesel::delete(tokens::table.find(id.0)).execute(&mut conn).await?;
    if removed == 0 {
        return Err(Abort::Refused(EditError::Missing));
    }
    Ok(())
}

/// One statement for all tokens, locked in the order of their ids as every node does, so that no two
/// nodes wait for each other. A node whose clock is behind takes nothing back.
const TOUCH: &str = "UPDATE tokens SET last_used_at = used.at \
    FROM ( \
        SELECT tokens.id, latest.at FROM tokens \
        JOIN ( \
            SELECT id, max(at) AS at FROM unnest($1, $2) AS uses (id, at) GROUP BY id \
        ) AS latest ON latest.id = tokens.id \
        ORDER BY tokens.id FOR NO KEY UPDATE OF tokens \
    ) AS used \
    WHERE tokens.id = used.id AND (tokens.last_used_at IS NULL OR tokens.last_used_at < used.at)";

async fn touch(
    mut conn: &Connection,
    uses: &[(TokenId, Timestamp)],
) -> Result<(), Abort<StoreError>> {
    let (ids, times): (Vec<_>, Vec<_>) = uses.iter().map(|(id, at)| (id.0, time(*at))).unzip();
    diesel::sql_query(TOUCH)
        .bind::<sql_types::Array<sql_types::Uuid>, _>(ids)
        .bind::<sql_types::Array<sql_types::Timestamptz>, _>(times)
        .execute(&mut conn)
        .await?;
    Ok(())
}
