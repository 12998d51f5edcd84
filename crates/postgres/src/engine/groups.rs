//! Small changes of different records that share a transaction: one BEGIN, one COMMIT and one wait for the
//! disk for all that have come while the ones before were stored.

use std::{
    collections::VecDeque,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures_util::{FutureExt as _, future::join_all};
use patrol_domain::StoreError;
use tokio::{
    sync::oneshot,
    time::{Instant, timeout_at},
};
use tracing::{Instrument as _, Span};
use uuid::Uuid;

use super::{
    Abort,
    error::{cause, lost, store_error},
    limit,
    pool::Pool,
    transaction::{self, Change, Changing},
    waiting::Waits,
};

/// The most changes of a group. The last statement of a group waits for all others, and has the time limit of one.
const MOST: usize = 32;

/// How many groups run at once. A second one only begins while enough changes wait to fill it: smaller groups cost
/// more, and one at a time leaves a core idle while it waits for the disk.
const AT_ONCE: usize = 2;

/// The changes that wait for the next group.
pub(super) struct Groups {
    queue: Mutex<Queue>,
    waits: Waits,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Waiting>,
    /// The calls of [`Groups::run`].
    running: usize,
}

/// A change that waits for its group.
struct Waiting {
    record: Uuid,
    /// When its caller asked for it.
    asked: Instant,
    span: Span,
    member: Box<dyn Member>,
}

/// A change of a group.
trait Member: Send {
    /// Whether the caller has gone.
    fn is_abandoned(&self) -> bool;
    fn change(&mut self) -> &mut dyn Change;
    fn answer(self: Box<Self>, end: &End);
}

/// How a group ended.
enum End {
    Committed,
    /// Nothing was stored: each change runs alone.
    RolledBack,
    /// It may have been stored or not.
    Unknown(StoreError),
}

/// What the caller gets: `None` when its change has to run alone.
type Answer<T, E> = Result<Option<T>, E>;

struct Asked<F, Fut, T, E> {
    change: Changing<F, Fut, T, E>,
    reply: oneshot::Sender<Answer<T, E>>,
}

impl<F, Fut, T, E> Member for Asked<F, Fut, T, E>
where
    Changing<F, Fut, T, E>: Change,
    T: Send,
    E: From<StoreError> + Send,
    F: Send,
{
    fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    fn change(&mut self) -> &mut dyn Change {
        &mut self.change
    }

    fn answer(self: Box<Self>, end: &End) {
        let answer = match end {
            End::Committed => self.change.after(Ok(())).map(Some),
            End::RolledBack => Ok(None),
            End::Unknown(error) => Err(error.clone().into()),
        };
        // Fails only when the caller has gone, which needs no answer.
        drop(self.reply.send(answer));
    }
}

impl Queue {
    fn forget_abandoned(&mut self) {
        self.waiting.retain(|waiting| !waiting.member.is_abandoned());
    }

    /// Whether another call of [`Groups::run`] has something to do beside `running` ones.
    fn needs_more_than(&self, running: usize) -> bool {
        match running {
            0 => !self.waiting.is_empty(),
            _ => running < AT_ONCE && self.waiting.len() >= MOST,
        }
    }
}

impl Groups {
    /// At most `most` changes wait.
    pub(super) fn new(most: usize) -> Self {
        Self { queue: Mutex::default(), waits: Waits::new(most) }
    }

    pub(super) const fn waits(&self) -> &Waits {
        &self.waits
    }

    /// Adds a change of `record`; while its caller waits, no other changes the record. Returns whether
    /// [`Self::run`] has to be called, once.
    ///
    /// # Errors
    /// `Unavailable` when too many wait, also those whose callers have gone.
    pub(super) fn add<F, Fut, T, E>(
        &self,
        record: Uuid,
        asked: Instant,
        job: F,
    ) -> Result<(oneshot::Receiver<Answer<T, E>>, bool), StoreError>
    where
        Changing<F, Fut, T, E>: Change + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let (span, member) =
            (Span::current(), Box::new(Asked { change: Changing::new(job), reply }));
        let mut queue = self.lock();
        if queue.waiting.len() >= self.waits.most() {
            queue.forget_abandoned();
        }
        if queue.waiting.len() >= self.waits.most() {
            return Err(StoreError::Unavailable(
                "too many reports wait for the database".to_owned(),
            ));
        }
        queue.waiting.push_back(Waiting { record, asked, span, member });
        let has_to_run = queue.needs_more_than(queue.running);
        queue.running += usize::from(has_to_run);
        Ok((answer, has_to_run))
    }

    /// Waits for the answer to the change of `record`.
    ///
    /// # Errors
    /// Those of the job; `Unavailable` when no group has taken it within [`limit::LEASE`] after `asked`.
    pub(super) async fn answered<T, E: From<StoreError>>(
        &self,
        record: Uuid,
        asked: Instant,
        mut answer: oneshot::Receiver<Answer<T, E>>,
    ) -> Answer<T, E> {
        let answered = match timeout_at(asked + limit::LEASE, &mut answer).await {
            Ok(answered) => answered,
            Err(_) if self.withdraw(record) => {
                let late = "no transaction for the change began in time".to_owned();
                return Err(StoreError::Unavailable(late).into());
            }
            Err(_) => answer.await,
        };
        answered.unwrap_or_else(|_| Err(lost().into()))
    }

    /// Runs the changes that wait, group after group.
    pub(super) async fn run(&self, pool: &Pool) {
        while let Some(mut group) = self.take() {
            let Some(asked) = group.iter().map(|waiting| waiting.asked).min() else { continue };
            // The order in which they lock their records, as other changes of several records do.
            group.sort_by_key(|waiting| waiting.record);
            let end = AssertUnwindSafe(together(pool, asked, &mut group)).catch_unwind().await;
            let end = end.unwrap_or_else(|_| End::Unknown(lost()));
            group.into_iter().for_each(|waiting| waiting.member.answer(&end));
        }
    }

    /// The next group; `None` ends the call of [`Self::run`].
    fn take(&self) -> Option<Vec<Waiting>> {
        let mut queue = self.lock();
        queue.forget_abandoned();
        let others = queue.running - 1;
        if !queue.needs_more_than(others) {
            queue.running = others;
            return None;
        }
        let count = queue.waiting.len().min(MOST);
        let group: Vec<_> = queue.waiting.drain(..count).collect();
        drop(queue);
        group.iter().for_each(|waiting| self.waits.end(true, waiting.asked.elapsed()));
        Some(group)
    }

    /// Removes the change of `record` if no group has taken it.
    fn withdraw(&self, record: Uuid) -> bool {
        let mut queue = self.lock();
        let before = queue.waiting.len();
        queue.waiting.retain(|waiting| waiting.record != record);
        let is_late = queue.waiting.len() < before;
        drop(queue);
        if is_late {
            self.waits.end(false, limit::LEASE);
        }
        is_late
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs the changes over one connection: their statements are sent without waiting for those of the others.
/// `asked` is the start of the longest wait.
async fn together(pool: &Pool, asked: Instant, group: &mut [Waiting]) -> End {
    let begun = transaction::begin::<()>(pool, transaction::GROUP, asked).await;
    let Ok(lease) = begun else { return End::RolledBack };
    let Ok(connection) = lease.connection() else { return End::RolledBack };
    connection.begins_group();
    let runs = group.iter_mut().map(|Waiting { span, member, .. }| {
        let run = member.change().run(Arc::clone(&connection)).instrument(span.clone());
        // A change that panics runs alone, as one that fails.
        AssertUnwindSafe(run).catch_unwind()
    });
    let is_done = |end: &_| matches!(end, Ok(Ok(()) | Err(Abort::Refused(()))));
    let are_done = join_all(runs).await.iter().all(is_done);
    if !are_done || connection.store_group::<()>().await.is_err() {
        connection.roll_back().await;
        return End::RolledBack;
    }
    match transaction::end::<(), ()>(&connection, Ok(())).await {
        Ok(()) => End::Committed,
        Err(Abort::Database(error)) if cause(&error).ends_connection() => {
            End::Unknown(store_error(&error))
        }
        Err(_) => End::RolledBack,
    }
}
