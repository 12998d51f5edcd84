//! The ports that all kinds of records share: read, create, change and delete one record by its id,
//! and list records.
//!
//! A feature's own port names the traits that its kind of record has, and adds only what is special
//! to the feature.

use async_trait::async_trait;

use super::{
    edit::{Edit, New, Target},
    error::{EditError, StoreError},
    identified::Identified,
    version::Versioned,
};
use crate::{
    event::Origin,
    list::{Listed, Listing, Query},
};

/// A store that finds records of this kind.
#[async_trait]
pub trait Get<T: Identified>: Send + Sync {
    /// The record with its version, or `None` when it does not exist.
    async fn get(&self, id: T::Id) -> Result<Option<Versioned<T>>, StoreError>;
}

/// A store that creates records of this kind. A creation is one transaction. It also appends an
/// event and, for points, a history record. For the state after an error, see [`EditError`].
#[async_trait]
pub trait Create<T: Identified>: Send + Sync {
    /// Looks up `new.references`, makes the record and stores it. If the kind of record has
    /// versions, the version is [`Version::of_new`] at the time of `by`.
    ///
    /// # Errors
    /// `Refused` with the refusal of `new.make`.
    async fn create(&self, new: New<T>, by: Origin) -> Result<T, EditError>;

    /// Creates all records that `new.make` returns, like [`Self::create`], or none. Of many records, only some
    /// are stored as the effect of a request with an `Idempotency-Key`.
    ///
    /// # Errors
    /// `Refused` with the refusal of `new.make`.
    async fn create_all(&self, new: New<Vec<T>>, by: Origin) -> Result<Vec<T>, EditError>;
}

/// A store that changes records of this kind. A change is one transaction, and changes of the same
/// record run one after another. A change also appends an event and, for points, a history record.
/// For the state after an error, see [`EditError`].
#[async_trait]
pub trait Update<T: Identified>: Send + Sync {
    /// Loads the record, looks up `edit.references`, calls `edit.change`, and stores the result
    /// with the next version. When the change returns `None`, the record and its version MUST NOT
    /// change.
    ///
    /// # Errors
    /// `Missing` when the record does not exist, `Stale` when it has another version than the
    /// expected one, `Refused` with the refusal of the change.
    async fn update(&self, edit: Edit<T>, by: Origin) -> Result<Versioned<T>, EditError>;
}

/// A store that deletes records of this kind. A deletion is one transaction. It also appends an
/// event and, for points, a history record. For the state after an error, see [`EditError`].
#[async_trait]
pub trait Delete<T: Identified>: Send + Sync {
    /// Deletes the record permanently. If [`Holder::of`](super::holder::Holder::of) lists kinds for it,
    /// a concurrent change MUST NOT be able to add a reference to the deleted record.
    ///
    /// # Errors
    /// `Missing` when the record does not exist, `Stale` when it has another version than the
    /// expected one, `InUse` when records of these kinds refer to it. The counts are read after the
    /// transaction, so they may be newer than the refusal.
    async fn delete(&self, at: Target<T>, by: Origin) -> Result<(), EditError>;
}

/// A store that runs the queries of this list.
pub trait List<L: Listed>: Send + Sync {
    /// The items that match the query, and their total, from one snapshot.
    fn list(&self, query: Query<L>) -> Listing<L::Item>;
}

/// Declares the mock of a port: the traits of its kind of record in the order of this module, then
/// the methods of its own, if it has any. The result is in brackets, because the mock needs its
/// tokens.
#[cfg(feature = "mock")]
macro_rules! mock_port {
    (
        $port:ident: $(Get<$get:ident>)? $(Create<$create:ident>)? $(Update<$update:ident>)?
            $(Delete<$delete:ident>)? $(List<$list:ident>)? $({
            $(async fn $method:ident($($args:tt)*) -> [$($answer:tt)*];)*
        })?
    ) => {
        pub use self::mock::*;

        #[allow(unreachable_pub, reason = "the parts of a mock are public in a private module")]
        mod mock {
            #[allow(unused_imports, reason = "a port may have no method of its own")]
            use super::*;

            mockall::mock! {
                pub $port {}
                $(
                    #[async_trait::async_trait]
                    impl crate::Get<$get> for $port {
                        async fn get(
                            &self,
                            id: <$get as crate::Identified>::Id,
                        ) -> Result<Option<crate::Versioned<$get>>, crate::StoreError>;
                    }
                )?
                $(
                    #[async_trait::async_trait]
                    impl crate::Create<$create> for $port {
                        async fn create(
                            &self,
                            new: crate::New<$create>,
                            by: crate::event::Origin,
                        ) -> Result<$create, crate::EditError>;

                        async fn create_all(
                            &self,
                            new: crate::New<Vec<$create>>,
                            by: crate::event::Origin,
                        ) -> Result<Vec<$create>, crate::EditError>;
                    }
                )?
                $(
                    #[async_trait::async_trait]
                    impl crate::Update<$update> for $port {
                        async fn update(
                            &self,
                            edit: crate::Edit<$update>,
                            by: crate::event::Origin,
                        ) -> Result<crate::Versioned<$update>, crate::EditError>;
                    }
                )?
                $(
                    #[async_trait::async_trait]
                    impl crate::Delete<$delete> for $port {
                        async fn delete(
                            &self,
                            at: crate::Target<$delete>,
                            by: crate::event::Origin,
                        ) -> Result<(), crate::EditError>;
                    }
                )?
                $(
                    impl crate::List<$list> for $port {
                        fn list(
                            &self,
                            query: crate::list::Query<$list>,
                        ) -> crate::list::Listing<<$list as crate::list::Listed>::Item>;
                    }
                )?
                $(
                    #[async_trait::async_trait]
                    impl $port for $port {
                        $(async fn $method(&self, $($args)*) -> $($answer)*;)*
                    }
                )?
            }
        }
    };
}

#[cfg(feature = "mock")]
pub(crate) use mock_port;
