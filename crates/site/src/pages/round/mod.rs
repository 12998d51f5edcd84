//! The page of a round: what it is, what happened on it, and where.

mod flags;
mod forms;
mod media;
mod new;
mod read;
mod timeline;
mod words;

use std::collections::BTreeSet;

use actix_web::{http::StatusCode, web::Path};
use askama::Template;
use patrol_domain::{
    graphic_plan::GraphicPlan,
    ids::{GraphicPlanId, TaskExecutionId},
    point::Point,
    task_execution::{Action, Moment, Outcome, State, Step, TaskExecution},
};
use patrol_http::PageError;

pub(crate) use forms::{ask, copy, copy_form, delete, edit, edit_following, save, save_following};
pub(crate) use media::show as medium;
pub(crate) use new::{create, new};

use self::{
    media::MediaView,
    read::{PAGE, Round},
    timeline::{Line, Lines},
};
use super::HandlerResult;
use crate::{
    office::{
        content::Facts,
        list::{Address, Pager},
        map::{Fix, Map, MapFlag, PlanPicture, Stop, Walk},
        priority,
        record::id_in,
        state::{Mark, StateLabel},
        table::Cell,
    },
    texts::{Text, Texts},
    times::Times,
    view::{self, Frame},
    visit::SignedIn,
};

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

impl Round {
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
