//! Several nodes of one database, used in turn like behind a load balancer.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use patrol_domain::{
    List, Measured, Readiness, StoreError, StoreSize, Timestamp,
    data_set::{DataSets, Export, ImportError, Imported, Source},
    event::Origin,
    idempotency::{IdempotencyKeys, KeyState, KeyedRequest},
    ids::Uuid,
    list::{Listed, Listing, Query},
};
use patrol_postgres::Store;
use patrol_repository::{Engine, Job, JobArguments, JobOutput};

/// The nodes.
#[derive(Clone)]
pub(crate) struct Nodes {
    stores: Vec<Store>,
    calls: Arc<AtomicUsize>,
}

impl Nodes {
    pub(crate) fn new(stores: Vec<Store>) -> Self {
        Self { stores, calls: Arc::default() }
    }

    fn next(&self) -> &Store {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        self.stores.get(call % self.stores.len()).unwrap()
    }
}

/// The jobs of shared ports go to the nodes in turn. Each is an argument of another job, because the
/// compiler does not see that both have the same type.
impl Engine for Nodes {
    type Connection<'c> = <Store as Engine>::Connection<'c>;

    async fn read<A: JobArguments, T: JobOutput>(
        &self,
        arguments: A,
        job: Job<Self, A, T, StoreError>,
    ) -> Result<T, StoreError> {
        Engine::read(self.next(), (arguments, job), |conn, (arguments, job)| job(conn, arguments))
            .await
    }

    async fn page<A: JobArguments, T: JobOutput>(
        &self,
        arguments: A,
        job: Job<Self, A, T, StoreError>,
    ) -> Result<T, StoreError> {
        Engine::page(self.next(), (arguments, job), |conn, (arguments, job)| job(conn, arguments))
            .await
    }

    async fn long_read<A: JobArguments, T: JobOutput>(
        &self,
        arguments: A,
        job: Job<Self, A, T, StoreError>,
    ) -> Result<T, StoreError> {
        Engine::long_read(self.next(), (arguments, job), |conn, (arguments, job)| {
            job(conn, arguments)
        })
        .await
    }

    async fn write<A: JobArguments, T: JobOutput, E: JobOutput + From<StoreError>>(
        &self,
        record: Option<Uuid>,
        arguments: A,
        job: Job<Self, A, T, E>,
    ) -> Result<T, E> {
        Engine::write(self.next(), record, (arguments, job), |conn, (arguments, job)| {
            job(conn, arguments)
        })
        .await
    }
}

/// A port whose calls go to the nodes in turn.
macro_rules! in_turn {
    (
        $port:ident {
            $(async fn $waited:ident($($of_waited:ident: $waited_type:ty),*) -> $answer:ty;)*
            $(fn $streamed:ident($($of_streamed:ident: $streamed_type:ty),*) -> $stream:ty;)*
        }
    ) => {
        #[async_trait]
        impl $port for Nodes {
            $(async fn $waited(&self, $($of_waited: $waited_type),*) -> $answer {
                $port::$waited(self.next(), $($of_waited),*).await
            })*
            $(fn $streamed(&self, $($of_streamed: $streamed_type),*) -> $stream {
                $port::$streamed(self.next(), $($of_streamed),*)
            })*
        }
    };
}

impl<L: Listed> List<L> for Nodes
where
    Store: List<L>,
{
    fn list(&self, query: Query<L>) -> Listing<L::Item> {
        self.next().list(query)
    }
}

in_turn!(IdempotencyKeys {
    async fn begin(request: KeyedRequest, hold: Duration, now: Timestamp) -> Result<KeyState, StoreError>;
    async fn hold(request: KeyedRequest, hold: Duration) -> Result<(), StoreError>;
    async fn keep(request: KeyedRequest, answer: Vec<u8>, now: Timestamp) -> Result<(), StoreError>;
    async fn delete_expired(now: Timestamp) -> Result<usize, StoreError>;
});

in_turn!(DataSets {
    async fn is_empty() -> Result<bool, StoreError>;
    async fn import(source: Source, by: Origin) -> Result<Imported, ImportError>;
    async fn dry_run_import(source: Source, by: Origin) -> Result<Imported, ImportError>;
    fn export() -> Export;
});

in_turn!(Readiness {
    async fn ping() -> Result<(), StoreError>;
});

in_turn!(Measured {
    async fn measure() -> Result<StoreSize, StoreError>;
});
