//! The size of the store.

use async_trait::async_trait;
use diesel::OptionalExtension as _;
use diesel_async::RunQueryDsl as _;
use patrol_domain::{Measured, StoreError, StoreSize};
use patrol_repository::stored::event::{oldest_one, stored};

use crate::{
    Store,
    event::{newest, numbers},
};

/// The size of the database in bytes, with its indexes.
const BYTES: &str = "SELECT pg_database_size(current_database())";

/// The standbys that are connected to this server.
const STANDBYS: &str = "SELECT count(*) FROM pg_stat_replication";

#[async_trait]
impl Measured for Store {
    async fn measure(&self) -> Result<StoreSize, StoreError> {
        self.read(async |conn| {
            let newest = newest(&conn).await?;
            let bytes = numbers(&conn, BYTES).await?.pop().unwrap_or_default();
            let standbys = numbers(&conn, STANDBYS).await?.pop().unwrap_or_default();
            let oldest = oldest_one().first(&mut &*conn).await.optional()?;
            Ok(StoreSize {
                bytes: bytes.unsigned_abs(),
                events: stored(oldest, newest),
                standbys: Some(standbys.unsigned_abs()),
            })
        })
        .await
    }
}
