//! Tells open pages about changes of rounds, by Server-Sent Events. One task of the process follows the
//! log of changes, however many pages are open.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use patrol_application::{EventService, Failure, Operator, ReportService};
use patrol_domain::{
    Resource,
    event::{Event, EventFilter, EventQuery},
    ids::{UserId, Uuid},
    list::{Condition, Membership, Test},
    shared::text::fold,
};
use patrol_http::Stopping;
use tokio::{
    sync::broadcast::{self, Receiver, Sender},
    task::JoinHandle,
};

/// The pause between two looks at the log.
const POLL: Duration = Duration::from_millis(300);

/// The time between two heartbeats. A page is no longer live after 15 s without one.
const BEAT: Duration = Duration::from_secs(4);

/// The most streams of one user in this process, and of all users.
const MAX_OF_USER: usize = 200;
const MAX: usize = 2_000;

/// The most changes that one message names. A page that is not told which rounds have changed looks at
/// all that it shows.
const MAX_NAMED: usize = 200;

/// The most events that are read at once.
const MAX_EVENTS: u32 = 1_000;

/// The kinds of records that the board shows.
const OF_BOARD: [Resource; 4] =
    [Resource::TaskExecution, Resource::DataSet, Resource::Location, Resource::User];

/// The kinds of records that only the page of a round shows besides.
const OF_ROUND: [Resource; 3] = [Resource::Point, Resource::GraphicPlan, Resource::ScheduledTask];

/// The messages that a slow stream may be behind before it misses some.
const BEHIND: usize = 64;

/// What the streams are told.
#[derive(Clone, Debug)]
pub(crate) enum Message {
    /// The log was read.
    Beat,
    /// These rounds have changed; any, when it is `None`.
    Changed(Option<Arc<[Uuid]>>),
    /// A record has changed that only the page of a round shows.
    ChangedBeside,
    /// The process stops.
    Stop,
}

/// The streams of the process.
pub(crate) struct Live {
    events: EventService,
    reports: ReportService,
    sender: Sender<Message>,
    /// The task that follows the log while there are streams.
    follower: tokio::sync::Mutex<Option<JoinHandle<()>>>,
    streams: Mutex<Streams>,
}

/// The numbers of streams.
#[derive(Default)]
struct Streams {
    of_users: HashMap<UserId, usize>,
    /// Those of the pages of rounds.
    of_rounds: BTreeMap<Uuid, usize>,
}

/// A stream of a user; counted until it is dropped.
pub(crate) struct Counted {
    live: Arc<Live>,
    user: UserId,
    /// The round whose page it is.
    round: Option<Uuid>,
}

/// The rounds whose pages are open, and the number of their refused entries.
type Refused = (Vec<Uuid>, u64);

impl Live {
    pub(crate) fn new(events: EventService, reports: ReportService) -> Self {
        Self {
            events,
            reports,
            sender: broadcast::channel(BEHIND).0,
            follower: tokio::sync::Mutex::default(),
            streams: Mutex::default(),
        }
    }

    /// Counts a stream of this user, of the page of a round if it is one; `None` when there are too many.
    pub(crate) fn count(self: &Arc<Self>, user: UserId, round: Option<Uuid>) -> Option<Counted> {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = streams.of_users.values().sum();
        let of_user = streams.of_users.entry(user).or_default();
        if all >= MAX || *of_user >= MAX_OF_USER {
            return None;
        }
        *of_user = of_user.saturating_add(1);
        if let Some(round) = round {
            let of_round = streams.of_rounds.entry(round).or_default();
            *of_round = of_round.saturating_add(1);
        }
        Some(Counted { live: Arc::clone(self), user, round })
    }

    /// Subscribes to the messages about all later changes.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(crate) async fn subscribe(
        self: &Arc<Self>,
        stopping: Stopping,
    ) -> Result<Receiver<Message>, Failure> {
        let mut follower = self.follower.lock().await;
        let receiver = self.sender.subscribe();
        if follower.as_ref().is_none_or(JoinHandle::is_finished) {
            let newest = self.events.newest(Operator.into()).await?;
            *follower = Some(tokio::spawn(Arc::clone(self).follow(newest, stopping)));
        }
        Ok(receiver)
    }

    /// Follows the log after this position, until there are no streams or the process stops.
    async fn follow(self: Arc<Self>, mut after: i64, stopping: Stopping) {
        let (mut beat_at, mut refused) = (Instant::now(), None);
        loop {
            tokio::time::sleep(POLL).await;
            {
                let mut follower = self.follower.lock().await;
                if stopping.is_stopping() {
                    let _ = self.sender.send(Message::Stop);
                }
                if stopping.is_stopping() || self.sender.receiver_count() == 0 {
                    *follower = None;
                    return;
                }
            }
            // Without heartbeats pages show that they are not live: they are not while the log cannot
            // be read.
            let Ok(mut changed) = self.changes(&mut after).await else { continue };
            let Ok(is_refused) = self.is_refused(&mut refused).await else { continue };
            changed.extend(is_refused.then_some(Message::ChangedBeside));
            let now = Instant::now();
            let beat = (now >= beat_at).then_some(Message::Beat);
            if beat.is_some() {
                beat_at = now + BEAT;
            }
            for message in changed.into_iter().chain(beat) {
                // Without a receiver the next round of the loop ends.
                let _ = self.sender.send(message);
            }
        }
    }

    /// Whether an entry of a round whose page is open was refused since `before`, which moves on.
    async fn is_refused(&self, before: &mut Option<Refused>) -> Result<bool, Failure> {
        let rounds: Vec<_> = {
            let streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
            streams.of_rounds.keys().copied().take(MAX_NAMED).collect()
        };
        if rounds.is_empty() {
            *before = None;
            return Ok(false);
        }
        let count = self.reports.refused(Operator.into(), rounds.clone()).await?;
        let is_more = before.as_ref().is_some_and(|(of, had)| *of == rounds && *had != count);
        *before = Some((rounds, count));
        Ok(is_more)
    }

    /// What has changed after the position, which moves on.
    async fn changes(&self, after: &mut i64) -> Result<Vec<Message>, Failure> {
        if self.events.newest(Operator.into()).await? <= *after {
            return Ok(Vec::new());
        }
        let kinds = OF_BOARD.iter().chain(&OF_ROUND).map(|kind| fold(kind.name())).collect();
        let condition = Condition::Is(EventFilter::Resource, Test::Text(Membership::Any, kinds));
        let query = EventQuery { after: *after, limit: MAX_EVENTS, condition };
        let page = self.events.page(Operator.into(), query).await?;
        *after = page.next;
        let is_beside = |event: &&Event| OF_ROUND.iter().any(|kind| kind.name() == event.resource);
        let (beside, of_board): (Vec<_>, Vec<_>) = page.events.iter().partition(is_beside);
        let beside = (!beside.is_empty()).then_some(Message::ChangedBeside);
        let changed = (!of_board.is_empty()).then(|| {
            let named = rounds(&of_board).filter(|_| !page.more);
            Message::Changed(named.filter(|ids| ids.len() <= MAX_NAMED).map(Arc::from))
        });
        Ok(beside.into_iter().chain(changed).collect())
    }
}

/// The rounds that these events are about; `None` when one is about another record, whose name may stand
/// at any round.
fn rounds(events: &[&Event]) -> Option<Vec<Uuid>> {
    let round = Resource::TaskExecution.name();
    let id = |event: &&Event| event.resource_id.filter(|_| event.resource == round);
    let mut ids: Vec<_> = events.iter().map(id).collect::<Option<_>>()?;
    ids.sort_unstable();
    ids.dedup();
    Some(ids)
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut streams = self.live.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let Streams { of_users, of_rounds } = &mut *streams;
        if let Some(count) = of_users.get_mut(&self.user) {
            *count = count.saturating_sub(1);
        }
        of_users.retain(|_, count| *count > 0);
        if let Some(count) = self.round.and_then(|round| of_rounds.get_mut(&round)) {
            *count = count.saturating_sub(1);
        }
        of_rounds.retain(|_, count| *count > 0);
    }
}
