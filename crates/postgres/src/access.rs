//! Access tokens.

use std::sync::Arc;

use async_trait::async_trait;
use diesel::{prelude::*, sql_types::Array};
use diesel_async::RunQueryDsl;
use patrol_domain::{
    EditError, References, StoreError, Timestamp, Versioned,
    access::{Digest, NewToken, Token, TokenOwner, Tokens},
    event::Origin,
    ids::TokenId,
};
use patrol_stored::{
    access::{self, OwnerRead, Read, Written},
    schema::tokens,
    sql::{StoredId, id, time, types},
};

use crate::{
    Store,
    change::{self, Change, Entity, Findable, Removable},
    engine::{Abort, Connection},
};

#[async_trait]
impl Tokens for Store {
    async fn create(&self, token: NewToken, by: Origin) -> Result<(), EditError> {
        self.transaction(async |conn| {
            let mut conn = conn.as_ref();
            let owner = id(token.token.user_id);
            // Locks the user: a concurrent change that disables the user waits, so that no token is
            // created after it. The next token of the user waits too, so that it counts this one.
            let user = access::active_user(owner).for_no_key_update();
            let user: Option<StoredId> = user.first(&mut conn).await.optional()?;
            if user.is_none() {
                return Err(EditError::Missing.into());
            }
            let held: i64 = access::count_of(owner).get_result(&mut conn).await?;
            token.check_limit(usize::try_from(held).unwrap_or(usize::MAX))?;
            let stored = diesel::insert_into(tokens::table).values(Written::of(&token));
            stored.execute(&mut conn).await?;
            change::record_changes(conn, &[Change::Create(&token.token)], &by).await
        })
        .await
    }

    async fn owner(&self, digest: Digest) -> Result<Option<TokenOwner>, StoreError> {
        let find = async |conn: Arc<Connection>| {
            Ok(access::owner(&digest.0).first(&mut conn.as_ref()).await.optional()?)
        };
        self.read(find).await?.map(OwnerRead::owner).transpose()
    }

    async fn touch(&self, uses: Vec<(TokenId, Timestamp)>) -> Result<(), StoreError> {
        let (ids, times): (Vec<_>, Vec<_>) =
            uses.iter().map(|(token, at)| (id(*token), time(*at))).unzip();
        self.transaction(async |conn| {
            diesel::sql_query(TOUCH)
                .bind::<Array<types::Id>, _>(&ids)
                .bind::<Array<types::Instant>, _>(&times)
                .execute(&mut conn.as_ref())
                .await?;
            Ok(())
        })
        .await
    }
}

impl Entity for Token {}

impl Findable for Token {
    async fn find<E: Send>(
        mut conn: &Connection,
        token: TokenId,
    ) -> Result<Option<Versioned<Self>>, Abort<E>> {
        let query = tokens::table.find(id(token)).select(Read::as_select());
        let found = query.first(&mut conn).await.optional()?.map(Read::token).transpose()?;
        Ok(found.map(Versioned::unversioned))
    }

    async fn lock(
        mut conn: &Connection,
        token: TokenId,
        _: &References,
    ) -> Result<Option<Versioned<Self>>, Abort<EditError>> {
        let query = tokens::table.find(id(token)).select(Read::as_select()).for_update();
        let found = query.first(&mut conn).await.optional()?.map(Read::token).transpose()?;
        Ok(found.map(Versioned::unversioned))
    }
}

impl Removable for Token {
    async fn remove(
        mut conn: &Connection,
        token: TokenId,
    ) -> Result<Option<i64>, Abort<EditError>> {
        diesel::delete(tokens::table.find(id(token))).execute(&mut conn).await?;
        Ok(None)
    }
}

/// One statement for all tokens, locked in the order of their ids on every node, so that two nodes
/// cannot deadlock. A node whose clock is behind does not move a time back.
const TOUCH: &str = "UPDATE tokens SET last_used_at = used.at \
    FROM ( \
        SELECT tokens.id, latest.at FROM tokens \
        JOIN ( \
            SELECT id, max(at) AS at FROM unnest($1, $2) AS uses (id, at) GROUP BY id \
        ) AS latest ON latest.id = tokens.id \
        ORDER BY tokens.id FOR NO KEY UPDATE OF tokens \
    ) AS used \
    WHERE tokens.id = used.id AND (tokens.last_used_at IS NULL OR tokens.last_used_at < used.at)";
