//! When the next rounds of scheduled tasks start.

use std::{
    collections::HashMap,
    hash::{BuildHasher as _, Hash as _, Hasher as _, RandomState},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::StreamExt as _;
use patrol_domain::{
    StoreError, Timestamp,
    ids::{ScheduledTaskId, UserId},
    list::{Listing, Part},
    schedule::{Pause, Schedule},
    scheduled_task::ScheduledTask,
};

use crate::request_limit::{RequestLimit, block};

/// The maximum number of cached starts: a few megabytes.
const MAX_CACHED: usize = 50_000;

/// A task of the list.
pub(crate) struct TaskWithNextStart {
    pub(crate) task: ScheduledTask,
    pub(crate) next_start_at: Option<Timestamp>,
}

/// Finds when the next rounds of tasks start, and caches each start until that time.
///
/// A hostile schedule takes up to 0.3 s to expand. So a schedule with a rule is expanded on a
/// thread for blocking work, and each user has at most one such expansion at a time.
pub(crate) struct NextStarts {
    cache: Mutex<HashMap<CacheKey, CachedStart>>,
    hasher: RandomState,
    running: Arc<RequestLimit>,
}

/// A task and the hash of its schedule.
type CacheKey = (ScheduledTaskId, u64);

/// The first start after `since`. Valid until `next`.
#[derive(Clone, Copy)]
struct CachedStart {
    since: Timestamp,
    next: Option<Timestamp>,
}

impl NextStarts {
    /// An empty cache.
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            cache: Mutex::default(),
            hasher: RandomState::new(),
            running: RequestLimit::new(1, Duration::MAX),
        })
    }

    /// The start of the next occurrence of a task after `now`, for a request of this user.
    ///
    /// # Errors
    /// When the blocking thread panics or is cancelled.
    pub(crate) async fn find(
        self: &Arc<Self>,
        task: &ScheduledTask,
        (user, now): (UserId, Timestamp),
    ) -> Result<Option<Timestamp>, StoreError> {
        let Some(schedule) = task.active_schedule() else { return Ok(None) };
        if schedule.rule.is_none() {
            return Ok(schedule.next_after(now));
        }
        let key = (task.id, self.hash(schedule));
        if let Some(found) = self.known(key, now) {
            return Ok(found);
        }
        let permit = self.running.acquire(user).await;
        // Another request of the user may have found the start meanwhile.
        if let Some(found) = self.known(key, now) {
            return Ok(found);
        }
        let (starts, schedule) = (Arc::clone(self), schedule.clone());
        let work = move || {
            let next = schedule.next_after(now);
            starts.insert(key, CachedStart { since: now, next });
            next
        };
        block(permit, work).await
    }

    /// The items of a list with their next starts.
    pub(crate) fn listing(
        self: &Arc<Self>,
        tasks: Listing<ScheduledTask>,
        request: (UserId, Timestamp),
    ) -> Listing<TaskWithNextStart> {
        let starts = Arc::clone(self);
        Box::pin(tasks.then(move |part| {
            let starts = Arc::clone(&starts);
            async move {
                let rows = match part? {
                    Part::Rows(rows) => rows,
                    Part::Total(count) => return Ok(Part::Total(count)),
                };
                let mut items = Vec::with_capacity(rows.len());
                for task in rows {
                    let next_start_at = starts.find(&task, request).await?;
                    items.push(TaskWithNextStart { task, next_start_at });
                }
                Ok(Part::Rows(items))
            }
        }))
    }

    fn known(&self, key: CacheKey, now: Timestamp) -> Option<Option<Timestamp>> {
        let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let CachedStart { since, next } = *cache.get(&key)?;
        (since <= now && next.is_none_or(|next| now < next)).then_some(next)
    }

    fn insert(&self, key: CacheKey, start: CachedStart) {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.len() >= MAX_CACHED {
            cache.clear();
        }
        cache.insert(key, start);
    }

    fn hash(&self, schedule: &Schedule) -> u64 {
        let Schedule { time_zone, start, duration_minutes, rule, exdates, rdates, pauses } =
            schedule;
        let mut hasher = self.hasher.build_hasher();
        let rule = rule.as_ref().map(|rule| rule.text());
        (time_zone.name(), start, duration_minutes, rule, exdates, rdates).hash(&mut hasher);
        for Pause { from, to } in pauses {
            (from, to).hash(&mut hasher);
        }
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use patrol_domain::{
        Faults, Path, Versioned,
        ids::{LocationId, Uuid},
        schedule::{LocalDateTime, ScheduleDraft},
    };

    use super::*;
    use crate::tests::{self, Ports, TestServer};

    const USER: UserId = UserId(Uuid::from_u128(9));

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    /// A task with a round each day at 8:00.
    fn daily() -> ScheduledTask {
        let draft = ScheduleDraft {
            time_zone: Some("UTC".to_owned()),
            start: LocalDateTime::parse("2026-01-01T08:00:00"),
            duration_minutes: Some(60),
            rrule: Some("FREQ=DAILY".to_owned()),
            ..ScheduleDraft::default()
        };
        let schedule = draft.check(&mut Faults::new(), &Path::Root);
        let id = ScheduledTaskId(Uuid::from_u128(1));
        let location_id = Some(LocationId(Uuid::from_u128(2)));
        ScheduledTask { location_id, schedule, ..ScheduledTask::new(id, "Round") }
    }

    #[tokio::test]
    async fn a_next_start_is_remembered_until_it_comes_or_the_schedule_changes() {
        let starts = NextStarts::new();
        let task = daily();
        let (early, start) = (at("2026-01-02T07:00:00Z"), at("2026-01-02T08:00:00Z"));
        assert_eq!(starts.find(&task, (USER, early)).await, Ok(Some(start)));
        let key = (task.id, starts.hash(task.schedule.as_ref().unwrap()));
        assert_eq!(starts.known(key, early), Some(Some(start)));
        assert_eq!(starts.known(key, at("2026-01-02T07:59:59.999Z")), Some(Some(start)));
        // Not for times before, and not at the start itself.
        assert_eq!(starts.known(key, at("2026-01-02T06:59:59.999Z")), None);
        assert_eq!(starts.known(key, start), None);
        let next = Some(at("2026-01-03T08:00:00Z"));
        assert_eq!(starts.find(&task, (USER, start)).await, Ok(next));
        assert_eq!(starts.known(key, start), Some(next));

        let mut other = task.clone();
        let schedule = other.schedule.as_mut().unwrap();
        schedule.exdates = vec![LocalDateTime::parse("2026-01-03T08:00:00").unwrap()];
        let later = Some(at("2026-01-04T08:00:00Z"));
        assert_eq!(starts.find(&other, (USER, start)).await, Ok(later));
        let off = ScheduledTask { enabled: false, ..task };
        assert_eq!(starts.find(&off, (USER, start)).await, Ok(None));
    }

    #[tokio::test]
    async fn a_user_has_one_schedule_expanded_at_a_time_and_none_that_is_known() {
        let starts = NextStarts::new();
        let task = daily();
        let request = (USER, at("2026-01-02T07:00:00Z"));
        let permit = starts.running.acquire(USER).await;
        let mut waiting = Box::pin(starts.find(&task, request));
        assert_eq!(waiting.as_mut().now_or_never(), None);
        let other = UserId(Uuid::from_u128(8));
        let found = starts.find(&task, (other, request.1)).await;
        assert_eq!(found, Ok(Some(at("2026-01-02T08:00:00Z"))));
        // What is known is found without waiting.
        assert_eq!(starts.find(&task, request).await, found);
        drop(permit);
        assert_eq!(waiting.await, found);
        assert_eq!(starts.running.keys(), 0);
    }

    #[actix_web::test]
    async fn a_client_that_has_the_task_does_not_wait_for_its_next_start() {
        let (task, mut ports) = (daily(), Ports::default());
        let path = format!("GET /scheduled-tasks/{}", task.id);
        let found = Versioned::unversioned(task);
        let tag = format!("\"{}\"", found.version.0);
        ports.scheduled_tasks.expect_get().returning(move |_| Ok(Some(found.clone())));
        let server = TestServer::new(ports);
        let user = UserId(tests::USER.parse().unwrap());
        let _permit = server.shared().next_starts.running.acquire(user).await;
        let known = tests::request(&path, "").insert_header(("if-none-match", tag));
        let answer = Box::pin(server.send(known)).now_or_never().unwrap();
        assert_eq!(answer.status, 304);
    }

    #[test]
    fn the_memory_is_bounded() {
        let starts = NextStarts::new();
        let since = at("2026-01-02T07:00:00Z");
        for number in 0..=u64::try_from(MAX_CACHED).unwrap() {
            let key = (ScheduledTaskId(Uuid::from_u128(1)), number);
            starts.insert(key, CachedStart { since, next: None });
        }
        assert_eq!(starts.cache.lock().unwrap().len(), 1);
    }
}
