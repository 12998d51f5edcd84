//! Several nodes of one database, used in turn like behind a load balancer.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use async_trait::async_trait;
use patrol_domain::{
    Edit, EditError, Readiness, References, StoreError, Timestamp, Version, Versioned,
    access::{Digest, Holder, NewToken, Token, TokenList, Tokens},
    check_list::{CheckListAction, CheckListActions},
    data_set::{DataSets, Export, ImportError, Imported, Source},
    event::{EventPage, EventQuery, Events, Origin},
    ids::{CheckListActionId, MediaId, PointId, TaskExecutionId, TokenId, UserId},
    job::{JobRun, Jobs},
    list::{Listing, Query},
    location::{LocationItem, LocationQuery, Locations},
    photo::UserPhotos,
    point::{HistoryQuery, HistoryRecord, NewPoint, Point, Points},
    series::{Series, Split},
    task_execution::{ExecutionQuery, ExecutionSummary, MakeCopy, TaskExecution, TaskExecutions},
    user::{BatchChange, User, Users},
};
use patrol_postgres::Store;

/// The nodes.
pub(crate) struct Nodes {
    stores: Vec<Store>,
    calls: AtomicUsize,
}

impl Nodes {
    pub(crate) fn new(stores: Vec<Store>) -> Self {
        Self { stores, calls: AtomicUsize::new(0) }
    }

    fn next(&self) -> &Store {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        self.stores.get(call % self.stores.len()).unwrap()
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

in_turn!(TaskExecutions {
    async fn get(id: TaskExecutionId) -> Result<Option<Versioned<TaskExecution>>, StoreError>;
    async fn update(
        id: TaskExecutionId,
        expected: Option<Version>,
        edit: Edit<TaskExecution>,
        by: Origin
    ) -> Result<Versioned<TaskExecution>, EditError>;
    async fn delete(id: TaskExecutionId, expected: Option<Version>, by: Origin) -> Result<(), EditError>;
    async fn copy(
        path: TaskExecutionId,
        ids: Vec<TaskExecutionId>,
        returned: TaskExecutionId,
        make_copy: MakeCopy,
        by: Origin
    ) -> Result<Result<TaskExecution, Vec<usize>>, EditError>;
    fn list(query: ExecutionQuery) -> Listing<ExecutionSummary>;
});

in_turn!(Series {
    async fn split(
        from: TaskExecutionId,
        expected: Option<Version>,
        names: References,
        split: Split,
        by: Origin
    ) -> Result<(), EditError>;
});

in_turn!(Users {
    async fn get(id: UserId) -> Result<Option<User>, StoreError>;
    async fn find(employee_no_or_email: &str) -> Result<Vec<User>, StoreError>;
    async fn update(id: UserId, edit: Edit<User>, by: Origin) -> Result<User, EditError>;
    async fn update_batch(
        ids: Vec<UserId>,
        names: References,
        change: BatchChange,
        by: Origin
    ) -> Result<Result<Vec<User>, Vec<usize>>, EditError>;
});

in_turn!(UserPhotos {
    async fn announce(photo: MediaId, at: Timestamp) -> Result<(), StoreError>;
    async fn set(
        user: UserId,
        photo: Option<MediaId>,
        by: Origin
    ) -> Result<(User, Option<MediaId>), EditError>;
    async fn mark_for_removal(photos: Vec<MediaId>, at: Timestamp) -> Result<Vec<MediaId>, StoreError>;
    async fn end_announcements(photos: Vec<MediaId>) -> Result<(), StoreError>;
    async fn announced(until: Timestamp, limit: u32) -> Result<Vec<MediaId>, StoreError>;
    async fn owners(
        after: Option<UserId>,
        limit: u32
    ) -> Result<Vec<(UserId, MediaId)>, StoreError>;
});

in_turn!(Locations {
    fn list(query: LocationQuery) -> Listing<LocationItem>;
});

in_turn!(Points {
    async fn get(id: PointId) -> Result<Option<Point>, StoreError>;
    async fn create(point: NewPoint, by: Origin) -> Result<Point, EditError>;
    async fn update(id: PointId, edit: Edit<Point>, by: Origin) -> Result<Point, EditError>;
    async fn delete(id: PointId, by: Origin) -> Result<(), EditError>;
    fn history(query: HistoryQuery) -> Listing<HistoryRecord>;
});

in_turn!(CheckListActions {
    async fn update(
        id: CheckListActionId,
        edit: Edit<CheckListAction>,
        by: Origin
    ) -> Result<CheckListAction, EditError>;
    async fn delete(id: CheckListActionId, by: Origin) -> Result<(), EditError>;
});

in_turn!(Tokens {
    async fn create(token: NewToken, by: Origin) -> Result<(), EditError>;
    async fn holder(digest: Digest) -> Result<Option<Holder>, StoreError>;
    async fn get(id: TokenId) -> Result<Option<Token>, StoreError>;
    async fn revoke(id: TokenId, by: Origin) -> Result<(), EditError>;
    async fn touch(uses: Vec<(TokenId, Timestamp)>) -> Result<(), StoreError>;
    fn list(query: Query<TokenList>) -> Listing<Token>;
});

in_turn!(DataSets {
    async fn is_empty() -> Result<bool, StoreError>;
    async fn import(source: Source, by: Origin) -> Result<Imported, ImportError>;
    async fn rehearse_import(source: Source, by: Origin) -> Result<Imported, ImportError>;
    fn export() -> Export;
});

in_turn!(Events {
    async fn page(query: EventQuery) -> Result<EventPage, StoreError>;
    async fn newest() -> Result<i64, StoreError>;
    async fn delete_before(until: Timestamp) -> Result<usize, StoreError>;
});

in_turn!(Jobs {
    async fn acquire(run: JobRun, lease: Duration) -> Result<bool, StoreError>;
    async fn renew(run: JobRun, lease: Duration) -> Result<bool, StoreError>;
    async fn release(run: JobRun, pause: Duration) -> Result<(), StoreError>;
});

in_turn!(Readiness {
    async fn ping() -> Result<(), StoreError>;
});
