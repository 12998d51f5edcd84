//! Access tokens.

use async_trait::async_trait;
use diesel::prelude::*;
use futures_util::FutureExt as _;
use patrol_domain::{
    EditError, Resource, StoreError, Timestamp, Versioned,
    access::{Digest, NewToken, Token, TokenOwner, Tokens},
    event::Origin,
    ids::TokenId,
    shared::text::fold,
};

use crate::{
    Connection, Dialect, Engine, Entity, Findable, Removable, Repository,
    change::record_changes,
    stored::{
        Abort,
        access::{self, OwnerRow, TokenRow},
        event::RecordChange,
        schema::tokens,
        sql::{Id, columns, id},
        statement::{Lock, locked, with_lock},
    },
};

#[async_trait]
impl<S: Engine> Tokens for Repository<S> {
    async fn create(&self, token: NewToken, by: Origin) -> Result<(), EditError> {
        self.0.write(None, (token, by), |conn, (token, by)| create(conn, token, by).boxed()).await
    }

    async fn owner(&self, digest: Digest) -> Result<Option<TokenOwner>, StoreError> {
        self.0.read(digest, |conn, digest| owner(conn, digest).boxed()).await
    }

    async fn touch(&self, uses: Vec<(TokenId, Timestamp)>) -> Result<(), StoreError> {
        self.0.write(None, uses, |conn, uses| touch(conn, uses).boxed()).await
    }
}

async fn create(conn: &impl Dialect, new: &NewToken, by: &Origin) -> Result<(), Abort<EditError>> {
    let token = &new.token;
    let owner = id(token.user_id);
    // Locks the user, so that a disabled user gets no token: a concurrent change of the status
    // waits for this transaction, or this query waits for it and finds no active user. A second
    // creation for the same user waits too, and then counts this token.
    if conn.first::<Id, _>(locked(access::active_user(owner))).await?.is_none() {
        return Err(EditError::Missing.into());
    }
    let held: i64 = conn.first(access::count_of(owner)).await?.unwrap_or(0);
    new.check_limit(usize::try_from(held).unwrap_or(usize::MAX))?;
    let digest = tokens::digest.eq(new.digest.0.as_slice());
    let columns = (TokenRow::of(token), digest, tokens::name_folded.eq(fold(&token.name)));
    conn.execute(diesel::insert_into(tokens::table).values(columns)).await?;
    record_changes(conn, &[RecordChange::Create(token)], by).await
}

async fn owner(
    conn: &impl Connection,
    digest: &Digest,
) -> Result<Option<TokenOwner>, Abort<StoreError>> {
    let found: Option<OwnerRow> = conn.first(access::owner(&digest.0)).await?;
    Ok(found.map(OwnerRow::owner).transpose()?)
}

async fn touch(
    conn: &impl Dialect,
    uses: &[(TokenId, Timestamp)],
) -> Result<(), Abort<StoreError>> {
    conn.touch_tokens(uses).await?;
    Ok(conn.raise_revision(Resource::Token, 1).await?)
}

impl Entity for Token {}

impl Findable for Token {
    async fn find<C: Dialect, E: Send>(
        conn: &C,
        token: TokenId,
        lock: Lock,
    ) -> Result<Option<Versioned<Self>>, Abort<E>> {
        let query = tokens::table.filter(tokens::id.eq(id(token))).select(columns::<TokenRow>());
        let found: Option<TokenRow> = conn.first(with_lock(query, lock)).await?;
        Ok(found.map(TokenRow::token).transpose()?.map(Versioned::unversioned))
    }
}

impl Removable for Token {
    async fn remove<C: Dialect>(conn: &C, old: &Self) -> QueryResult<Option<i64>> {
        conn.execute(diesel::delete(tokens::table.filter(tokens::id.eq(id(old.id))))).await?;
        Ok(None)
    }
}
