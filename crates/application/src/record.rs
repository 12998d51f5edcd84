//! Records that are created from a draft, read, replaced, deleted and listed. Every role may read them,
//! and those who plan may change them.

use std::sync::Arc;

use patrol_domain::{
    DraftContext, Drafted, Edit, Fault, New, Records, Refusal, Target, Versioned,
    list::{Listing, Query},
};

use crate::{
    context::Context,
    dry_run::{self, DryRun},
    failure::Failure,
    permission::{Actor, Operation, permit},
};

/// The use cases of one kind of record.
pub struct RecordService<T: Drafted> {
    records: Arc<dyn Records<T>>,
    context: Context,
}

impl<T: Drafted> Clone for RecordService<T> {
    fn clone(&self) -> Self {
        Self { records: Arc::clone(&self.records), context: self.context.clone() }
    }
}

/// A record as a change would make it. Nothing is stored.
#[derive(Clone, PartialEq, Debug)]
pub struct UnstoredRecord<T> {
    /// The record after the change, in the present version.
    pub record: Versioned<T>,
    /// Whether the record would differ.
    pub is_changed: bool,
}

impl<T: Drafted> RecordService<T> {
    /// Use cases that work with these ports.
    #[must_use]
    pub fn new(records: Arc<dyn Records<T>>, context: Context) -> Self {
        Self { records, context }
    }

    /// The records that match the query.
    ///
    /// # Errors
    /// `Denied`.
    #[tracing::instrument(target = "patrol::trace", name = "record.list", skip_all)]
    pub fn list(&self, actor: Actor, query: Query<T::List>) -> Result<Listing<T>, Failure> {
        permit(actor, Operation::Read)?;
        Ok(self.records.list(query))
    }

    /// One record.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "record.get", skip_all)]
    pub async fn get(&self, actor: Actor, id: T::Id) -> Result<Versioned<T>, Failure> {
        permit(actor, Operation::Read)?;
        self.records.get(id).await?.ok_or(Failure::NotFound)
    }

    /// POST: creates a record.
    ///
    /// # Errors
    /// `Denied`, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "record.create", skip_all)]
    pub async fn create(&self, actor: Actor, draft: T::Draft) -> Result<T, Failure> {
        permit(actor, Operation::Plan)?;
        Ok(self.records.create(self.new_of(draft, Ok), self.context.origin(actor)).await?)
    }

    /// What is wrong with a draft: of a new record, or of a change of the one at `at`. Stores nothing.
    ///
    /// # Errors
    /// Those of [`Self::create`] and [`Self::replace`], but for faults.
    #[tracing::instrument(target = "patrol::trace", name = "record.faults", skip_all)]
    pub async fn faults(
        &self,
        actor: Actor,
        at: Option<Target<T>>,
        draft: T::Draft,
    ) -> Result<Vec<Fault>, Failure>
    where
        T: Clone,
    {
        let checked = match at {
            Some(at) => self.dry_run(actor, at, draft).await.map(drop),
            None => {
                permit(actor, Operation::Plan)?;
                let new = self.new_of(draft, |_| Err(Refusal::Invalid(Vec::new())));
                let by = dry_run::origin(actor, self.context.now());
                self.records.create(new, by).await.map(drop).map_err(Failure::from)
            }
        };
        match checked {
            Ok(()) => Ok(Vec::new()),
            Err(Failure::Refused(Refusal::Invalid(faults))) => Ok(faults),
            Err(failure) => Err(failure),
        }
    }

    /// A new record. `store` gets it when its draft is valid, and returns what is stored.
    fn new_of(
        &self,
        draft: T::Draft,
        store: impl Fn(T) -> Result<T, Refusal> + Send + Sync + 'static,
    ) -> New<T> {
        let (ids, rules) = (Arc::clone(&self.context.ids), self.context.rules);
        New {
            references: T::references(&draft, &rules.limits),
            make: Box::new(move |existing| {
                let context = DraftContext { existing, ids: ids.as_ref(), rules: &rules };
                T::create(&draft, context).and_then(&store)
            }),
        }
    }

    /// PUT: replaces the content of the record.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Stale`, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "record.replace", skip_all)]
    pub async fn replace(
        &self,
        actor: Actor,
        at: Target<T>,
        draft: T::Draft,
    ) -> Result<Versioned<T>, Failure> {
        permit(actor, Operation::Plan)?;
        let edit = self.edit(at, draft, |next| next);
        Ok(self.records.update(edit, self.context.origin(actor)).await?)
    }

    /// What [`Self::replace`] would do. Runs all its checks and stores nothing.
    ///
    /// # Errors
    /// Those of [`Self::replace`].
    #[tracing::instrument(target = "patrol::trace", name = "record.dry_run", skip_all)]
    pub async fn dry_run(
        &self,
        actor: Actor,
        at: Target<T>,
        draft: T::Draft,
    ) -> Result<UnstoredRecord<T>, Failure>
    where
        T: Clone,
    {
        permit(actor, Operation::Plan)?;
        let dry_run = DryRun::new();
        let keep = dry_run.keep();
        let edit = self.edit(at, draft, move |next| {
            keep(next);
            None
        });
        let by = dry_run::origin(actor, self.context.now());
        let Versioned { record, version } = self.records.update(edit, by).await?;
        let next = dry_run.result().flatten();
        let is_changed = next.is_some();
        let record = Versioned { record: next.unwrap_or(record), version };
        Ok(UnstoredRecord { record, is_changed })
    }

    /// A change of a record. `store` gets the record after the change, if it differs, and returns what
    /// is stored.
    fn edit(
        &self,
        at: Target<T>,
        draft: T::Draft,
        store: impl Fn(Option<T>) -> Option<T> + Send + Sync + 'static,
    ) -> Edit<T> {
        let (ids, rules) = (Arc::clone(&self.context.ids), self.context.rules);
        Edit {
            at,
            references: T::references(&draft, &rules.limits),
            change: Box::new(move |record: &T, existing| {
                let context = DraftContext { existing, ids: ids.as_ref(), rules: &rules };
                record.replace(&draft, context).map(&store)
            }),
        }
    }

    /// Deletes the record, unless other records that keep it refer to it.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Stale`, `InUse`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "record.delete", skip_all)]
    pub async fn delete(&self, actor: Actor, at: Target<T>) -> Result<(), Failure> {
        permit(actor, Operation::Plan)?;
        Ok(self.records.delete(at, self.context.origin(actor)).await?)
    }
}
