//! Kinds of records whose whole content a client sends: POST makes a record from a draft, PUT replaces its
//! content by one.

use super::{
    existing::{Existing, RecordId, References},
    fault::Refusal,
    identified::Identified,
    ports::Ids,
    records::{Create, Delete, Get, List, Update},
    rules::{Limits, Rules},
};
use crate::list::Listed;

/// What a draft is checked with.
#[derive(Clone, Copy)]
pub struct DraftContext<'a> {
    /// The lookup of the references of the draft.
    pub existing: &'a Existing,
    /// Makes the ids that the draft does not have.
    pub ids: &'a dyn Ids,
    /// The rules of the members.
    pub rules: &'a Rules,
}

/// A kind of record that is made from a draft, and whose content a draft replaces.
pub trait Drafted: Identified<Id: RecordId> + Sized {
    /// The content: the JSON types are checked, the field rules are not.
    type Draft: Send + Sync + 'static;
    /// The list of the records.
    type List: Listed<Item = Self>;

    /// What the store has to look up for the draft.
    fn references(draft: &Self::Draft, limits: &Limits) -> References;

    /// The new record of a POST. A draft without an id gets a new one.
    ///
    /// # Errors
    /// `Invalid` with the faults of the members, in their order.
    fn create(draft: &Self::Draft, context: DraftContext<'_>) -> Result<Self, Refusal>;

    /// The record after a PUT, or `None` when nothing changes.
    ///
    /// # Errors
    /// `Invalid` with the faults of the members, in their order.
    fn replace(
        &self,
        draft: &Self::Draft,
        context: DraftContext<'_>,
    ) -> Result<Option<Self>, Refusal>;
}

/// A store of records that are made from drafts. What a kind asks of a store besides stands at its
/// [`Drafted`].
pub trait Records<T: Drafted>: Get<T> + Create<T> + Update<T> + Delete<T> + List<T::List> {}

impl<S, T: Drafted> Records<T> for S where
    S: Get<T> + Create<T> + Update<T> + Delete<T> + List<T::List>
{
}

/// Written by hand: `mock_port!` declares mocks of one kind of record.
#[cfg(feature = "mock")]
mod mock {
    use async_trait::async_trait;

    use super::*;
    use crate::{
        event::Origin,
        list::{Listing, Query},
        shared::{
            edit::{Edit, New, Target},
            error::{EditError, StoreError},
            version::Versioned,
        },
    };

    mockall::mock! {
        pub Records<T: Drafted> {}

        #[async_trait]
        impl<T: Drafted> Get<T> for Records<T> {
            async fn get(&self, id: T::Id) -> Result<Option<Versioned<T>>, StoreError>;
        }

        #[async_trait]
        impl<T: Drafted> Create<T> for Records<T> {
            async fn create(&self, new: New<T>, by: Origin) -> Result<T, EditError>;

            async fn create_all(
                &self,
                new: New<Vec<T>>,
                by: Origin,
            ) -> Result<Vec<T>, EditError>;
        }

        #[async_trait]
        impl<T: Drafted> Update<T> for Records<T> {
            async fn update(&self, edit: Edit<T>, by: Origin) -> Result<Versioned<T>, EditError>;
        }

        #[async_trait]
        impl<T: Drafted> Delete<T> for Records<T> {
            async fn delete(&self, at: Target<T>, by: Origin) -> Result<(), EditError>;
        }

        impl<T: Drafted> List<T::List> for Records<T> {
            fn list(&self, query: Query<T::List>) -> Listing<T>;
        }
    }
}

#[cfg(feature = "mock")]
pub use mock::MockRecords;
