//! The port of figures.

use async_trait::async_trait;

use super::{FiguresQuery, FiguresRow};
use crate::shared::error::StoreError;

/// Counts rounds.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait FigureStore: Send + Sync {
    /// The groups of the published rounds that the query selects, in order of their keys, the one
    /// without a key last; `None` when there are more than [`MAX_GROUPS`](super::MAX_GROUPS). A group
    /// without rounds is left out. Sees one snapshot, and MUST NOT delay other requests.
    async fn figures(&self, query: FiguresQuery) -> Result<Option<Vec<FiguresRow>>, StoreError>;
}
