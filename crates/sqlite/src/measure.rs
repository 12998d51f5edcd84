//! The size of the store.

use async_trait::async_trait;
use diesel::prelude::*;
use patrol_domain::{Measured, StoreError, StoreSize};
use patrol_repository::stored::event::{oldest_one, stored};

use crate::{Store, revision::newest_event};

#[async_trait]
impl Measured for Store {
    async fn measure(&self) -> Result<StoreSize, StoreError> {
        let bytes = self.file_bytes();
        let events = self
            .read(|conn| Ok(stored(oldest_one().first(conn).optional()?, newest_event(conn)?)))
            .await?;
        Ok(StoreSize { bytes, events, standbys: None })
    }
}
