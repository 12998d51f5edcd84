//! Access tokens.

use async_trait::async_trait;
use diesel::prelude::*;
use patrol_domain::{
    EditError, StoreError, Timestamp,
    access::{Digest, NewToken, Token, TokenOwner, Tokens},
    event::Origin,
    ids::TokenId,
};
use patrol_stored::{
    access::{self, OwnerRead, Read, Written},
    schema::tokens,
    sql::{StoredId, id, time},
};

use crate::{
    Store,
    change::{self, Change, Entity, Findable, Found, Removable},
    engine::Abort,
    revision::{self, Aggregate},
};

#[async_trait]
impl Tokens for Store {
    async fn create(&self, token: NewToken, by: Origin) -> Result<(), EditError> {
        self.write(move |conn| {
            let owner = id(token.token.user_id);
            if access::active_user(owner).first::<StoredId>(conn).optional()?.is_none() {
                return Err(EditError::Missing.into());
            }
            let held: i64 = access::count_of(owner).get_result(conn)?;
            token.check_limit(usize::try_from(held).unwrap_or(usize::MAX))?;
            diesel::insert_into(tokens::table).values(Written::of(&token)).execute(conn)?;
            change::record_changes(conn, &[Change::Create(&token.token)], &by)
        })
        .await
    }

    async fn owner(&self, digest: Digest) -> Result<Option<TokenOwner>, StoreError> {
        let find = move |conn: &mut SqliteConnection| {
            Ok(access::owner(&digest.0).first(conn).optional()?)
        };
        self.read(find).await?.map(OwnerRead::owner).transpose()
    }

    async fn touch(&self, uses: Vec<(TokenId, Timestamp)>) -> Result<(), StoreError> {
        self.write(move |conn| {
            for (token, at) in &uses {
                let at = time(*at);
                let is_later = tokens::last_used_at.is_null().or(tokens::last_used_at.lt(at));
                diesel::update(tokens::table.find(id(*token)).filter(is_later))
                    .set(tokens::last_used_at.eq(at))
                    .execute(conn)?;
            }
            Ok(revision::raise(conn, Aggregate::Token)?)
        })
        .await
    }
}

impl Entity for Token {
    const AGGREGATE: Aggregate = Aggregate::Token;
}

impl Findable for Token {
    fn find<E>(
        conn: &mut SqliteConnection,
        token: TokenId,
    ) -> Result<Option<Found<Self>>, Abort<E>> {
        let found: Option<(i64, Read)> = tokens::table
            .filter(tokens::id.eq(id(token)))
            .select((tokens::row, Read::as_select()))
            .first(conn)
            .optional()?;
        let Some((row, read)) = found else { return Ok(None) };
        Ok(Some(Found::unversioned(row, read.token()?)))
    }
}

impl Removable for Token {
    fn remove<E>(conn: &mut SqliteConnection, old: &Found<Self>) -> Result<(), Abort<E>> {
        diesel::delete(tokens::table.filter(tokens::row.eq(old.row))).execute(conn)?;
        Ok(())
    }
}
