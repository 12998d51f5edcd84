//! What the page of a round is made from.

use std::collections::{BTreeSet, HashMap};

use actix_web::Error;
use futures_util::future::try_join5;
use patrol_domain::{
    Timestamp, Versioned,
    event::{Event, EventFilter, EventQuery},
    graphic_plan::GraphicPlan,
    ids::{LocationId, PointId, TaskExecutionId},
    list::{Condition, Page, Query},
    point::{Point, PointFilter},
    report::Report,
    scheduled_task::ScheduledTask,
    task_execution::TaskExecution,
};
use patrol_http::PageError;

use super::{
    media::{Shown, results},
    timeline::events_on_page,
};
use crate::{
    office::{list, record::name_of},
    pages::{choices, if_found, listed, names::Names},
    visit::SignedIn,
};

/// The entries on one page of the timeline, which the map shows too.
pub(super) const PAGE: u32 = 500;
/// The most events that a page of the timeline shows, besides the entries.
const MOST_EVENTS: usize = 1_000;
/// The events of one question to the log.
const EVENTS_AT_ONCE: u32 = 500;
/// The most graphic plans of a location that are looked at.
const PLANS: u32 = 100;

/// What the page is made from.
pub(super) struct Round {
    pub(super) record: TaskExecution,
    pub(super) location: String,
    /// The name of the plan; `None` when it was deleted.
    pub(super) plan: Option<String>,
    pub(super) points: HashMap<PointId, Point>,
    pub(super) graphic_plans: Vec<GraphicPlan>,
    pub(super) entries: Vec<Report>,
    pub(super) total: u64,
    pub(super) events: Vec<Event>,
    /// Whether the page has more events than these.
    pub(super) has_more_events: bool,
    pub(super) names: Names,
    pub(super) media: Shown,
}

/// The round with this id.
///
/// # Errors
/// When it cannot be read, and when there is no room for the answer.
pub(super) async fn found(
    signed_in: &SignedIn,
    id: TaskExecutionId,
) -> Result<Versioned<TaskExecution>, Error> {
    signed_in.visit.page.has_room_for_answer()?;
    let executions = &signed_in.visit.site.api.executions;
    executions.get(signed_in.actor, id).await.map_err(PageError::of)
}

impl Round {
    /// Reads a round with the page of its timeline that begins with this entry.
    ///
    /// # Errors
    /// When something of it cannot be read.
    pub(super) async fn read(
        signed_in: &SignedIn,
        id: TaskExecutionId,
        offset: u64,
    ) -> Result<Self, Error> {
        let record = found(signed_in, id).await?.record;
        let (entries, total, next) = entries(signed_in, id, offset).await?;
        let first = entries.first().filter(|_| offset > 0).map(|entry| entry.received_at);
        let (events, has_more_events) = events(signed_in, id, events_on_page(first, next)).await?;
        let people = record
            .assignee_ids
            .iter()
            .copied()
            .chain(record.performer_id)
            .chain(
                entries
                    .iter()
                    .flat_map(|report| [report.user_id, report.entry.performer_id])
                    .flatten(),
            )
            .chain(events.iter().filter_map(|event| event.actor));
        let media =
            results(&record).chain(entries.iter().flat_map(|report| &report.entry.media_ids));
        let media: BTreeSet<_> = media.copied().collect();
        let (names, media, points, location, plan) = try_join5(
            Names::read(signed_in, people),
            Shown::read(signed_in, media),
            points(signed_in, &record),
            location(signed_in, record.location_id),
            plan(signed_in, &record),
        )
        .await?;
        let is_placed = points.values().any(|point| !point.graphic_plans.is_empty());
        let graphic_plans = if is_placed {
            graphic_plans(signed_in, record.location_id).await?
        } else {
            Vec::new()
        };
        Ok(Self {
            record,
            location,
            plan,
            points,
            graphic_plans,
            entries,
            total,
            events,
            has_more_events,
            names,
            media,
        })
    }
}

/// The entries of one page of the timeline, the number of all, and when the next page begins.
async fn entries(
    signed_in: &SignedIn,
    round: TaskExecutionId,
    offset: u64,
) -> Result<(Vec<Report>, u64, Option<Timestamp>), Error> {
    let api = &signed_in.visit.site.api;
    let first = list::first(signed_in, Condition::All(Vec::new()), None, PAGE);
    let page = Page { limit: PAGE.saturating_add(1), offset };
    let query = Query { page, in_parts: true, ..first };
    let _permit = signed_in.visit.page.begin_long_list(signed_in.session.user.id).await?;
    let listing = api.reports.list(signed_in.actor, round, query);
    let (mut entries, total) = listed(listing).await?;
    let most = usize::try_from(PAGE).unwrap_or(usize::MAX);
    let next = entries.get(most).map(|entry| entry.received_at);
    entries.truncate(most);
    Ok((entries, total, next))
}

/// The first events of a round with this condition, the oldest first, and whether there are more.
async fn events(
    signed_in: &SignedIn,
    round: TaskExecutionId,
    condition: Condition<EventFilter>,
) -> Result<(Vec<Event>, bool), Error> {
    let (api, actor) = (&signed_in.visit.site.api, signed_in.actor);
    let Some(record) = if_found(api.events.of_record(actor, round).await)? else {
        return Ok((Vec::new(), false));
    };
    let mut query = EventQuery { after: 0, limit: EVENTS_AT_ONCE, condition };
    let mut events = Vec::new();
    loop {
        let page = api.events.page_of(actor, &record, query.clone()).await;
        let page = page.map_err(PageError::of)?;
        events.extend(page.events);
        if !page.more || events.len() >= MOST_EVENTS {
            return Ok((events, page.more));
        }
        query.after = page.next;
    }
}

async fn points(
    signed_in: &SignedIn,
    round: &TaskExecution,
) -> Result<HashMap<PointId, Point>, Error> {
    let points = &signed_in.visit.site.api.points;
    let ids = round.steps.iter().filter_map(|step| step.point_id);
    let list = |query| points.list(signed_in.actor, query);
    let found = choices::by_ids(signed_in, PointFilter::Id, ids, list).await?;
    Ok(found.into_iter().map(|point| (point.id, point)).collect())
}

async fn location(signed_in: &SignedIn, id: LocationId) -> Result<String, Error> {
    let locations = &signed_in.visit.site.api.locations;
    let found = locations.get(signed_in.actor, id).await.map_err(PageError::of)?;
    Ok(found.record.name)
}

/// The name of the plan; `None` without one and when it was deleted.
async fn plan(signed_in: &SignedIn, round: &TaskExecution) -> Result<Option<String>, Error> {
    match round.scheduled_task_id {
        None => Ok(None),
        Some(id) => name_of::<ScheduledTask>(signed_in, id).await,
    }
}

async fn graphic_plans(
    signed_in: &SignedIn,
    location: LocationId,
) -> Result<Vec<GraphicPlan>, Error> {
    let api = &signed_in.visit.site.api;
    let query = list::first(signed_in, Condition::All(Vec::new()), None, PLANS);
    let plans = api.graphic_plans.list(signed_in.actor, location, query);
    Ok(listed(plans).await?.0)
}
