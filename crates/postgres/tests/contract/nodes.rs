//! Several nodes of one database, used in turn like behind a load balancer.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use async_trait::async_trait;
use patrol_domain::{
    At, Create, Delete, Edit, EditError, Get, Identified, Known, List, Measured, New, Readiness,
    Reference, StoreError, StoreSize, Timestamp, Update, Versioned,
    access::{Digest, NewToken, TokenOwner, Tokens},
    check_list::{CheckListAction, CheckLists, NewAction},
    data_set::{DataSets, Export, ImportError, Imported, Source},
    event::{EventPage, EventQuery, Events, Origin},
    idempotency::{IdempotencyKeys, KeyState, KeyedRequest},
    ids::{MediaId, ScheduledTaskId, SessionId, TaskExecutionId, TokenId, UserId},
    job::{JobRun, Jobs, LeaseChange},
    list::{Listed, Listing, Query},
    photo::{ImageOwner, ImageOwners, UserPhotos},
    schedule::LocalDateTime,
    scheduled_task::{DueTask, MadeRound, Round, RoundBatch, Rounds},
    series::{Series, Split},
    sign_in::{
        AcceptedInvitation, Attempt, AttemptOutcome, Invitation, Invitations, NewInvitation,
        NewSession, PasswordChange, Passwords, Session, Sessions, SignInFailures,
    },
    task_execution::{Copies, TaskExecution, TaskExecutions},
    user::{BatchEdit, Removal, User, Users},
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

#[async_trait]
impl<T: Identified> Get<T> for Nodes
where
    Store: Get<T>,
{
    async fn get(&self, id: T::Id) -> Result<Option<Versioned<T>>, StoreError> {
        Get::get(self.next(), id).await
    }
}

#[async_trait]
impl<T: Identified> Create<T> for Nodes
where
    Store: Create<T>,
{
    async fn create(&self, new: New<T>, by: Origin) -> Result<T, EditError> {
        Create::create(self.next(), new, by).await
    }
}

#[async_trait]
impl<T: Identified> Update<T> for Nodes
where
    Store: Update<T>,
{
    async fn update(&self, edit: Edit<T>, by: Origin) -> Result<Versioned<T>, EditError> {
        Update::update(self.next(), edit, by).await
    }
}

#[async_trait]
impl<T: Identified> Delete<T> for Nodes
where
    Store: Delete<T>,
{
    async fn delete(&self, at: At<T>, by: Origin) -> Result<(), EditError> {
        Delete::delete(self.next(), at, by).await
    }
}

impl<L: Listed> List<L> for Nodes
where
    Store: List<L>,
{
    fn list(&self, query: Query<L>) -> Listing<L::Item> {
        self.next().list(query)
    }
}

in_turn!(TaskExecutions {
    async fn copy(copy: Copies, by: Origin) -> Result<Known<TaskExecution>, EditError>;
});

in_turn!(IdempotencyKeys {
    async fn begin(request: KeyedRequest, hold: Duration, now: Timestamp) -> Result<KeyState, StoreError>;
    async fn hold(request: KeyedRequest, hold: Duration) -> Result<(), StoreError>;
    async fn keep(request: KeyedRequest, answer: Vec<u8>, now: Timestamp) -> Result<(), StoreError>;
    async fn delete_expired(now: Timestamp) -> Result<usize, StoreError>;
});

in_turn!(CheckLists {
    async fn add_action(new: NewAction, by: Origin) -> Result<CheckListAction, EditError>;
});

in_turn!(Rounds {
    async fn due(until: Timestamp) -> Result<Vec<DueTask>, StoreError>;
    async fn following(
        task: ScheduledTaskId,
        from: LocalDateTime,
        now: Timestamp
    ) -> Result<Vec<Round>, StoreError>;
    async fn made(task: ScheduledTaskId, from: LocalDateTime) -> Result<Vec<MadeRound>, StoreError>;
    async fn occurrence(execution: TaskExecutionId) -> Result<Option<LocalDateTime>, StoreError>;
    async fn store(batch: RoundBatch, by: Origin) -> Result<bool, EditError>;
});

in_turn!(Series {
    async fn split(split: Split, by: Origin) -> Result<bool, EditError>;
});

in_turn!(Users {
    async fn find(employee_no_or_email: &str) -> Result<Vec<User>, StoreError>;
    async fn update_batch(edit: BatchEdit, by: Origin) -> Result<Known<Vec<User>>, EditError>;
    async fn remove(removal: Removal, by: Origin) -> Result<(), EditError>;
});

in_turn!(UserPhotos {
    async fn set(
        user: UserId,
        photo: Option<MediaId>,
        by: Origin
    ) -> Result<(User, Option<MediaId>), EditError>;
});

in_turn!(ImageOwners {
    async fn announce(photo: MediaId, at: Timestamp) -> Result<(), StoreError>;
    async fn mark_for_removal(photos: Vec<MediaId>, at: Timestamp) -> Result<Vec<MediaId>, StoreError>;
    async fn end_announcements(photos: Vec<MediaId>) -> Result<(), StoreError>;
    async fn announced(until: Timestamp, limit: u32) -> Result<Vec<MediaId>, StoreError>;
    async fn owners(
        after: Option<ImageOwner>,
        limit: u32
    ) -> Result<Vec<(ImageOwner, MediaId)>, StoreError>;
    async fn image_of(owner: ImageOwner) -> Result<Option<MediaId>, StoreError>;
});

in_turn!(Tokens {
    async fn create(token: NewToken, by: Origin) -> Result<(), EditError>;
    async fn owner(digest: Digest) -> Result<Option<TokenOwner>, StoreError>;
    async fn touch(uses: Vec<(TokenId, Timestamp)>) -> Result<(), StoreError>;
});

in_turn!(DataSets {
    async fn is_empty() -> Result<bool, StoreError>;
    async fn import(source: Source, by: Origin) -> Result<Imported, ImportError>;
    async fn rehearse_import(source: Source, by: Origin) -> Result<Imported, ImportError>;
    fn export() -> Export;
});

in_turn!(Events {
    async fn page(query: EventQuery) -> Result<EventPage, StoreError>;
    async fn is_stored(record: Reference) -> Result<bool, StoreError>;
    async fn newest() -> Result<i64, StoreError>;
    async fn delete_before(until: Timestamp) -> Result<usize, StoreError>;
});

in_turn!(Jobs {
    async fn change_lease(run: JobRun, change: LeaseChange) -> Result<bool, StoreError>;
});

in_turn!(Passwords {
    async fn hash(user: UserId) -> Result<Option<String>, StoreError>;
    async fn change(change: PasswordChange, by: Origin) -> Result<AttemptOutcome, EditError>;
    async fn set(user: UserId, hash: String, by: Origin) -> Result<(), EditError>;
    async fn remove(user: UserId, by: Origin) -> Result<(), EditError>;
    async fn last_sign_ins(users: Vec<UserId>) -> Result<Vec<Option<Timestamp>>, StoreError>;
});

in_turn!(Sessions {
    async fn open(
        session: NewSession,
        verified: String,
        attempt: Attempt
    ) -> Result<AttemptOutcome, StoreError>;
    async fn find(digest: Digest) -> Result<Option<Session>, StoreError>;
    async fn of_user(user: UserId) -> Result<Vec<Session>, StoreError>;
    async fn touch(session: SessionId, at: Timestamp) -> Result<(), StoreError>;
    async fn end(user: UserId, session: SessionId) -> Result<bool, StoreError>;
    async fn end_all(user: UserId, keep: Option<SessionId>) -> Result<usize, StoreError>;
    async fn delete_expired(begin: Timestamp, seen: Timestamp) -> Result<usize, StoreError>;
});

in_turn!(Invitations {
    async fn create(new: NewInvitation) -> Result<(), EditError>;
    async fn find(digest: Digest) -> Result<Option<Invitation>, StoreError>;
    async fn accept(accepted: AcceptedInvitation, by: Origin) -> Result<(), EditError>;
    async fn delete_ended(until: Timestamp) -> Result<usize, StoreError>;
});

in_turn!(SignInFailures {
    async fn retry_after(attempt: Attempt) -> Result<Option<Duration>, StoreError>;
    async fn add(attempt: Attempt) -> Result<Option<Duration>, StoreError>;
    async fn delete_expired(now: Timestamp) -> Result<usize, StoreError>;
});

in_turn!(Readiness {
    async fn ping() -> Result<(), StoreError>;
});

in_turn!(Measured {
    async fn measure() -> Result<StoreSize, StoreError>;
});
