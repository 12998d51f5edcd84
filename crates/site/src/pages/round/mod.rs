//! The page of a round: what it is, what happened on it, and where.

mod flags;
mod forms;
mod media;
mod timeline;
mod words;

use std::collections::{BTreeSet, HashMap};

use actix_web::{Error, http::StatusCode, web::Path};
use askama::Template;
use futures_util::future::try_join5;
use patrol_domain::{
    Versioned,
    event::{Event, EventFilter, EventQuery},
    graphic_plan::GraphicPlan,
    ids::{GraphicPlanId, LocationId, PointId, TaskExecutionId},
    list::{Condition, Page, Query},
    point::{Point, PointFilter},
    report::Report,
    scheduled_task::ScheduledTask,
    task_execution::{Action, Moment, Outcome, State, Step, TaskExecution},
};
use patrol_http::PageError;

pub(crate) use forms::{
    ask, copy, copy_form, create, delete, edit, edit_following, new, save, save_following,
};
pub(crate) use media::show as medium;

use self::{
    media::{MediaView, Shown, results},
    timeline::{Line, Lines},
};
use super::{HandlerResult, choices, if_found, listed, names::Names};
use crate::{
    office::{
        list::{self, Address, Pager},
        map::{Fix, Map, MapFlag, PlanPicture, Stop, Walk},
        priority,
        record::{Facts, id_in, name_of},
        state::{Mark, StateLabel},
        table::Cell,
    },
    texts::{Text, Texts},
    times::Times,
    view::{self, Frame},
    visit::SignedIn,
};

/// The entries on one page of the timeline, which the map shows too.
const PAGE: u32 = 500;
/// The most events that a page of the timeline shows, besides the entries.
const MOST_EVENTS: usize = 1_000;
/// The events of one question to the log.
const EVENTS_AT_ONCE: u32 = 500;
/// The most graphic plans of a location that are looked at.
const PLANS: u32 = 100;
/// The most maps of a page.
const MAPS: usize = 8;

#[derive(Template)]
#[template(path = "office/round.html")]
struct RoundPage<'a> {
    frame: Frame<'a>,
    id: TaskExecutionId,
    has_following: bool,
    facts: Facts<'a>,
    round: &'a Round,
    maps: Vec<String>,
    /// The numbers of the steps on the maps.
    placed: BTreeSet<usize>,
    walk: &'a Walk,
    lines: Vec<Line>,
    has_more_events: bool,
    pager: Option<Pager>,
}

impl RoundPage<'_> {
    /// The texts of the flags of a step, or of those that belong to no step: each once, with how often it
    /// was raised.
    fn flags_of(&self, stop: Option<usize>) -> Vec<String> {
        let mut texts: Vec<(&str, usize)> = Vec::new();
        for flag in self.walk.flags.iter().filter(|flag| flag.stop == stop) {
            match texts.iter_mut().find(|(text, _)| *text == flag.text) {
                Some((_, count)) => *count = count.saturating_add(1),
                None => texts.push((&flag.text, 1)),
            }
        }
        let said = |(text, count): (&str, usize)| match count {
            1 => text.to_owned(),
            count => format!("{text} × {count}"),
        };
        texts.into_iter().map(said).collect()
    }
}

/// What the page is made from.
struct Round {
    record: TaskExecution,
    location: String,
    /// The name of the plan; `None` when it was deleted.
    plan: Option<String>,
    points: HashMap<PointId, Point>,
    graphic_plans: Vec<GraphicPlan>,
    entries: Vec<Report>,
    total: u64,
    events: Vec<Event>,
    /// Whether the page has more events than these.
    has_more_events: bool,
    names: Names,
    media: Shown,
}

/// GET /rounds/{id}
pub(crate) async fn show(signed_in: SignedIn, id: Path<String>) -> HandlerResult {
    let address = Address::of(&signed_in.visit);
    let offset = address.value("offset").parse().unwrap_or_default();
    let round = Round::read(&signed_in, id_in(&id)?, offset).await?;
    let t = &signed_in.visit.language().texts;
    let frame = Frame::of_user(&signed_in, &t.round).headed(&round.record.name);
    let frame = frame.with_zone_at(round.record.start_at);
    let copied = address.value("done") == "copied";
    let notice =
        copied.then(|| t.round_copied.with(frame.times.time(round.record.start_at).as_text()));
    let frame = Frame { notice: notice.or(frame.notice), ..frame };
    let tiles = signed_in.visit.site.settings.map_tiles.as_ref();
    let moment = signed_in.visit.site.api.punctuality.at(frame.times.now());
    let walk = round.walk(t);
    let (maps, placed) = round.maps(t, &walk, tiles).map_err(PageError::internal)?;
    let has_map = !maps.is_empty();
    let lines = Lines {
        t,
        times: &frame.times,
        round: &round.record,
        names: &round.names,
        media: &round.media,
    };
    let happenings = timeline::in_order(&round.entries, &round.events);
    let lines = happenings.iter().map(|happening| lines.line(happening)).collect();
    let is_paged = offset > 0 || round.total > u64::from(PAGE);
    let page = RoundPage {
        id: round.record.id,
        has_following: has_following(&round.record),
        facts: round.facts(t, &frame.times, moment),
        round: &round,
        walk: &walk,
        placed,
        maps,
        lines,
        has_more_events: round.has_more_events,
        pager: is_paged.then(|| address.pager_of(PAGE, round.entries.len(), round.total)),
        frame,
    };
    match tiles.filter(|_| has_map) {
        Some(tiles) => {
            view::page_with_pictures_of(&tiles.origin, &signed_in.visit, StatusCode::OK, &page)
        }
        None => view::page(&signed_in.visit, StatusCode::OK, &page),
    }
}

/// The address of a round.
fn path_of(id: TaskExecutionId) -> String {
    format!("/rounds/{id}")
}

/// Whether a round and those that follow in its series can be changed together.
fn has_following(round: &TaskExecution) -> bool {
    round.series_id.is_some() && round.progress.state() == State::Pending
}

async fn found(
    signed_in: &SignedIn,
    id: TaskExecutionId,
) -> Result<Versioned<TaskExecution>, Error> {
    signed_in.visit.page.has_room_for_answer()?;
    let executions = &signed_in.visit.site.api.executions;
    executions.get(signed_in.actor, id).await.map_err(PageError::of)
}

impl Round {
    async fn read(signed_in: &SignedIn, id: TaskExecutionId, offset: u64) -> Result<Self, Error> {
        let record = found(signed_in, id).await?.record;
        let (entries, total, next) = entries(signed_in, id, offset).await?;
        let first = entries.first().filter(|_| offset > 0).map(|entry| entry.received_at);
        let (events, has_more_events) =
            events(signed_in, id, timeline::events_on_page(first, next)).await?;
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

    fn facts<'a>(&self, t: &'a Texts, times: &Times<'_>, moment: Moment) -> Facts<'a> {
        let TaskExecution {
            id: _,
            scheduled_task_id,
            series_id,
            name: _,
            description,
            location_id,
            performer_id,
            assignee_ids,
            progress,
            published,
            start_at,
            end_at,
            priority,
            order_steps_required,
            strict_time_required,
            deadlined,
            edited,
            flag_count,
            tags,
            steps: _,
        } = &self.record;
        let plan = match (scheduled_task_id, &self.plan) {
            (None, _) => Cell::text(&t.round_by_hand),
            (Some(id), Some(name)) => Cell::link(format!("/plans/{id}"), name),
            (Some(_), None) => Cell::text(&t.round_plan_deleted),
        };
        let flags = u64::try_from(*flag_count).unwrap_or_default();
        let people: Vec<_> = assignee_ids.iter().map(|user| self.names.person(t, *user)).collect();
        let rules = [
            (*order_steps_required, &t.round_in_order),
            (*strict_time_required, &t.round_in_time),
            (*deadlined, &t.round_deadlined),
            (series_id.is_some(), &t.round_in_series),
            (*edited, &t.round_edited),
        ];
        let rules = rules.iter().filter(|(holds, _)| *holds).map(|(_, text)| text.to_string());
        let rules: Vec<_> = rules.collect();
        let status = self.record.status().map(|status| {
            let (text, class) = words::status(t, status);
            Cell::Html(format!("<span class=\"status {class}\">{text}</span>"))
        });
        let states = StateLabel::of_round(t, self.record.timing(), moment);
        let mut states: Vec<_> = states.map(Cell::State).collect();
        states.extend(status);
        states.extend((flags > 0).then(|| Cell::State(StateLabel::flags(flags, t))));
        Facts(vec![
            (&t.state, Cell::Several(states)),
            (&t.location, Cell::link(format!("/locations/{location_id}"), &self.location)),
            (&t.round_start, times.time(*start_at).into()),
            (&t.round_end, times.time(*end_at).into()),
            (&t.started, times.optional(progress.started_at()).into()),
            (&t.round_ended, times.optional(progress.ended_at()).into()),
            (&t.people, Cell::joined(&people)),
            (&t.round_performer, performer_id.map(|user| self.names.person(t, user)).into()),
            (&t.plan, plan),
            (&t.priority, Cell::text(priority::text(t, *priority))),
            (&t.round_published, Cell::text(view::yes_or_no(t, *published))),
            (&t.tags, Cell::joined(tags)),
            (&t.round_rules, Cell::joined(&rules)),
            (&t.description, description.clone().into()),
        ])
    }

    /// The point of a step.
    fn point_cell(&self, t: &Texts, step: &Step) -> Cell {
        match step.point_id.map(|id| (id, self.points.get(&id))) {
            None => Cell::Empty,
            Some((id, Some(point))) => Cell::link(format!("/points/{id}"), &point.name),
            Some((_, None)) => Cell::text(&t.round_point_deleted),
        }
    }

    fn media_of(&self, t: &Texts, action: &Action) -> Vec<MediaView> {
        match &action.outcome {
            Some(Outcome::Media(media)) => self.media.views(t, self.record.id, media, None),
            _ => Vec::new(),
        }
    }

    /// The word for the status of an action, and its class.
    fn status<'a>(&self, t: &'a Texts, action: &Action) -> Option<(&'a Text, &'static str)> {
        action.status(self.record.is_completed()).map(|status| words::status(t, status))
    }

    /// What the maps show.
    fn walk(&self, t: &Texts) -> Walk {
        let steps = &self.record.steps;
        let stops = steps.iter().zip(1..).map(|(step, number)| Stop {
            number,
            name: step.name.clone(),
            state: step.state,
            position: self.point_of(step).and_then(|point| point.position),
            place: None,
        });
        let accepted = || self.entries.iter().filter(|report| report.is_accepted());
        let mut placed: Vec<_> = accepted().map(|report| &report.entry).collect();
        placed.sort_by_key(|entry| entry.at);
        let fix = |position: patrol_domain::report::ReportPosition| Fix {
            position: position.position,
            accuracy: position.accuracy,
        };
        let fixes = placed.iter().filter_map(|entry| entry.position.map(fix));
        let flags = accepted().flat_map(|report| {
            let stop =
                steps.iter().zip(1..).find(|(step, _)| Some(step.id) == report.entry.step_id);
            let stop = stop.map(|(_, number)| number);
            let position = report.entry.position.map(|device| device.position);
            report.verdicts().iter().map(move |verdict| MapFlag {
                text: flags::flag(t, verdict),
                position,
                stop,
            })
        });
        Walk { stops: stops.collect(), fixes: fixes.collect(), flags: flags.collect() }
    }

    /// The maps as HTML: one for each graphic plan with points of the round, and one by coordinates when
    /// the device had positions, or no point is on a plan; and the numbers of the steps that are on them.
    fn maps(
        &self,
        t: &Texts,
        walk: &Walk,
        tiles: Option<&crate::MapTiles>,
    ) -> askama::Result<(Vec<String>, BTreeSet<usize>)> {
        let (mut maps, mut numbers) = (Vec::new(), BTreeSet::new());
        let mut add = |map: Map<'_>| {
            numbers.extend(map.numbers());
            map.render()
        };
        for plan in &self.graphic_plans {
            let Some(picture) = picture_of(plan) else { continue };
            let stops = self.record.steps.iter().zip(&walk.stops).map(|(step, stop)| Stop {
                place: self.point_of(step).and_then(|point| place_on(point, plan.id)),
                ..stop.clone()
            });
            let walk =
                Walk { stops: stops.collect(), fixes: Vec::new(), flags: walk.flags.clone() };
            if let Some(map) = Map::on_picture(t, picture, &walk) {
                maps.push(add(map)?);
            }
            if maps.len() == MAPS {
                break;
            }
        }
        if (maps.is_empty() || !walk.fixes.is_empty())
            && let Some(map) = Map::by_coordinates(t, walk, tiles)
        {
            maps.push(add(map)?);
        }
        Ok((maps, numbers))
    }

    fn point_of(&self, step: &Step) -> Option<&Point> {
        self.points.get(&step.point_id?)
    }
}

/// The place of a point on a plan.
fn place_on(point: &Point, plan: GraphicPlanId) -> Option<(f64, f64)> {
    let place = point.graphic_plans.iter().find(|place| place.plan == plan)?;
    place.x.zip(place.y)
}

/// The picture of a plan, if it has one.
fn picture_of(plan: &GraphicPlan) -> Option<PlanPicture> {
    plan.picture.map(|picture| PlanPicture {
        name: plan.name.clone(),
        address: format!("/graphic-plans/{}/image", plan.id),
        width: picture.width,
        height: picture.height,
    })
}

/// The entries of one page of the timeline, the number of all, and when the next page begins.
async fn entries(
    signed_in: &SignedIn,
    round: TaskExecutionId,
    offset: u64,
) -> Result<(Vec<Report>, u64, Option<patrol_domain::Timestamp>), Error> {
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
