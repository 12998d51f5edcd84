//! Import and export of all records of a store.

use std::sync::Arc;

use patrol_domain::{
    Clock, StoreError,
    data_set::{DataSets, Export, ImportError, Imported, Source},
};

use crate::permission::{Actor, Operator};

/// The use cases of the data set.
#[derive(Clone)]
pub struct DataSetService {
    data_sets: Arc<dyn DataSets>,
    clock: Arc<dyn Clock>,
}

impl DataSetService {
    /// Use cases that work with these ports.
    #[must_use]
    pub fn new(data_sets: Arc<dyn DataSets>, clock: Arc<dyn Clock>) -> Self {
        Self { data_sets, clock }
    }

    /// Whether the store contains no records.
    ///
    /// # Errors
    /// When the store fails.
    #[tracing::instrument(target = "patrol::trace", name = "data_set.is_empty", skip_all)]
    pub async fn is_empty(&self, _: Operator) -> Result<bool, StoreError> {
        self.data_sets.is_empty().await
    }

    /// Stores all records of the source or none.
    ///
    /// # Errors
    /// The first lines that cannot be read or stored.
    #[tracing::instrument(target = "patrol::trace", name = "data_set.import", skip_all)]
    pub async fn import(
        &self,
        operator: Operator,
        source: Source,
    ) -> Result<Imported, ImportError> {
        self.data_sets.import(source, Actor::from(operator).origin_at(self.clock.now())).await
    }

    /// Checks whether an import of the source would succeed. Stores nothing.
    ///
    /// # Errors
    /// Those of [`Self::import`].
    #[tracing::instrument(target = "patrol::trace", name = "data_set.dry_run_import", skip_all)]
    pub async fn dry_run_import(
        &self,
        operator: Operator,
        source: Source,
    ) -> Result<Imported, ImportError> {
        let by = Actor::from(operator).origin_at(self.clock.now());
        self.data_sets.dry_run_import(source, by).await
    }

    /// All records of the store. A record comes after the records that it refers to.
    #[must_use]
    #[tracing::instrument(target = "patrol::trace", name = "data_set.export", skip_all)]
    pub fn export(&self, _: Operator) -> Export {
        self.data_sets.export()
    }
}
