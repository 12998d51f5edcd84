//! Plans (scheduled tasks): their list, their pages and their form.

mod repeats;
mod rounds;
mod schedule;
mod words;

use std::collections::{HashMap, HashSet};

use actix_web::Error;
use patrol_application::RecordService;
use patrol_domain::{
    Target,
    check_list::{CheckList, CheckListFilter},
    ids::{CheckListId, LocationId, PointId, UserId, parse},
    location::Location,
    point::{Point, PointFilter},
    scheduled_task::{
        PlannedAction, ScheduledTask, ScheduledTaskDraft, ScheduledTaskFilter, ScheduledTaskSort,
    },
    user::UserFilter,
};
use patrol_http::Services;
use patrol_record::{json::fields::Fields, read_scheduled_task};
use serde_json::{Value, json};

use super::{
    HandlerResult,
    check_lists::{ACTIONS, action_type, bounds_of_no_number},
    choices, listed, steps,
};
use crate::{
    office::{
        body::json_of,
        content::{Facts, RecordContent, Section},
        faults::FormFault,
        form::{self, Kind, Label, Part, Rows, Sources},
        form_page::Refused,
        list::{self, Address},
        priority,
        record::{OfficeRecord, name_of},
        record_list::RecordList,
        table::{Cell, Column, Table},
    },
    texts::Texts,
    visit::SignedIn,
};

/// The button that shows the next occurrences.
const PREVIEW: &str = "preview";

/// GET /plans
pub(crate) async fn list(signed_in: SignedIn) -> HandlerResult {
    let visit = &signed_in.visit;
    let t = &visit.language().texts;
    let address = Address::of(visit);
    let sorts = [("name", ScheduledTaskSort::Name), ("priority", ScheduledTaskSort::Priority)];
    let place = parse(address.value("location")).map(LocationId);
    let here =
        place.map(|LocationId(id)| choices::is_one_of(ScheduledTaskFilter::Location, vec![id]));
    let query = list::query(visit, &address, &sorts, here.into_iter().collect());
    let (plans, total) =
        listed(visit.site.api.scheduled_tasks.list(signed_in.actor, query)).await?;
    let mut locations = HashMap::new();
    let places = plans.iter().filter_map(|plan| plan.location_id).chain(place);
    for id in places.collect::<HashSet<_>>() {
        locations.insert(id, name_of::<Location>(&signed_in, id).await?);
    }
    let mut rows = Vec::with_capacity(plans.len());
    let name_of = |id: Option<LocationId>| locations.get(&id?).cloned().flatten();
    for plan in &plans {
        let location = name_of(plan.location_id);
        rows.push(vec![
            Cell::link(format!("/plans/{}", plan.id.0), &plan.name),
            location.into(),
            Cell::text(priority::text(t, plan.priority)),
            next_start(&signed_in, plan).await?.unwrap_or_else(|| Cell::text(&t.plan_none_next)),
            Cell::joined(&plan.tags),
        ]);
    }
    let list = RecordList {
        heading: &t.plans,
        new: ("/plans/new", &t.plan_new),
        empty: &t.plan_none,
        columns: vec![
            Column::new(&t.name).sorted_by(&address, "name"),
            Column::new(&t.location),
            Column::new(&t.priority).sorted_by(&address, "priority"),
            Column::new(&t.plan_next_start),
            Column::new(&t.tags),
        ],
        only: place.map(|id| {
            let name = name_of(Some(id)).unwrap_or_else(|| "–".to_owned());
            (t.plan_only_of.with(&name), address.with("location", ""))
        }),
    };
    list.page(&signed_in, &address, rows, total)
}

/// When the next round starts, or why none is planned; `None` after the last one.
async fn next_start(signed_in: &SignedIn, plan: &ScheduledTask) -> Result<Option<Cell>, Error> {
    let visit = &signed_in.visit;
    let t = &visit.language().texts;
    if plan.schedule.is_none() {
        return Ok(Some(Cell::text(&t.plan_by_hand)));
    }
    if !plan.enabled {
        return Ok(Some(Cell::text(&t.plan_off)));
    }
    let (user, times) = (signed_in.session.user.id, visit.times());
    let next = visit.page.next_start(plan, user, times.now()).await?;
    Ok(times.optional(next).map(Cell::Time))
}

/// `Pressure (number, required, from 1 to 3.5)`.
fn action(t: &Texts, action: &PlannedAction) -> String {
    let PlannedAction { name, kind, required, min_value, max_value, .. } = action;
    let bounds = match (min_value, max_value) {
        (None, None) => None,
        (Some(min), None) => Some(t.at_least.with(min)),
        (None, Some(max)) => Some(t.at_most.with(max)),
        (Some(min), Some(max)) => Some(format!("{min} … {max}")),
    };
    let required = required.then(|| t.required.to_string());
    let about = [Some(action_type(t, *kind).to_string()), required, bounds];
    format!("{name} ({})", about.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

/// The steps on the page of a plan.
async fn step_table<'a>(plan: &ScheduledTask, signed_in: &'a SignedIn) -> Result<Table<'a>, Error> {
    let t = &signed_in.visit.language().texts;
    let ids = plan.steps.iter().filter_map(|step| step.point_id.map(|PointId(id)| id));
    let used = choices::is_one_of(PointFilter::Id, ids.collect());
    let points = choices::records::<Point>(signed_in, Some(used)).await?;
    let ids = plan.check_list_ids().into_iter().map(|CheckListId(id)| id).collect();
    let used = choices::is_one_of(CheckListFilter::Id, ids);
    let lists = choices::records::<CheckList>(signed_in, Some(used)).await?;
    let rows = plan.steps.iter().enumerate().map(|(at, step)| {
        let actions: Vec<_> = step.actions.iter().map(|one| action(t, one)).collect();
        vec![
            Cell::text(format!("{}. {}", at.saturating_add(1), step.name)),
            step.point_id.and_then(|id| choices::link::<Point>(&points, id)).into(),
            step.check_list_id.and_then(|id| choices::link::<CheckList>(&lists, id)).into(),
            Cell::text(actions.join("; ")),
        ]
    });
    let columns = [&t.plan_step, &t.point, &t.check_list, &t.actions].map(Column::new);
    Ok(Table::new(t, [&t.steps, &t.plan_no_steps], columns, rows))
}

const STEPS: Rows = Rows {
    path: "steps",
    legend: |t| &t.steps,
    add: |t| &t.add_step,
    name: "name",
    parts: &[
        Part::field("pointId", |t| &t.point, Kind::One("points")),
        Part::field("name", |t| &t.step_name, Kind::Line).hint(|t| &t.step_name_hint),
        Part::field("checkListId", |t| &t.check_list, Kind::One("checkLists")),
        Part::Rows(ACTIONS),
    ],
};

const SCHEDULE: &[Part] = &[
    Part::field("schedule.timeZone", |t| &t.time_zone, Kind::One("zones")),
    Part::field("schedule.start", |t| &t.plan_first_start, Kind::LocalTime)
        .hint(|t| &t.plan_first_start_hint),
    Part::field("schedule.durationMinutes", |t| &t.plan_duration, Kind::Number)
        .hint(|t| &t.plan_duration_hint),
    Part::field(
        "schedule.repeats",
        |t| &t.plan_repeats,
        Kind::Choice(&[
            ("never", |t| &t.never),
            ("daily", |t| &t.plan_daily),
            ("weekly", |t| &t.plan_weekly),
            ("monthly", |t| &t.plan_monthly),
            ("yearly", |t| &t.plan_yearly),
            ("rule", |t| &t.plan_rule_by_hand),
        ]),
    ),
    Part::field(
        "schedule.days",
        |t| &t.plan_on_days,
        Kind::Boxes(&[
            ("MO", |t| &t.plan_monday),
            ("TU", |t| &t.plan_tuesday),
            ("WE", |t| &t.plan_wednesday),
            ("TH", |t| &t.plan_thursday),
            ("FR", |t| &t.plan_friday),
            ("SA", |t| &t.plan_saturday),
            ("SU", |t| &t.plan_sunday),
        ]),
    )
    .hint(|t| &t.plan_on_days_hint),
    Part::field("schedule.rrule", |t| &t.plan_rule, Kind::Line).hint(|t| &t.plan_rule_hint),
    Part::field(
        "schedule.ends",
        |t| &t.plan_ends,
        Kind::Choice(&[
            ("never", |t| &t.never),
            ("on", |t| &t.plan_on),
            ("after", |t| &t.plan_after),
        ]),
    ),
    Part::field("schedule.until", |t| &t.plan_on, Kind::Date).hint(|t| &t.plan_on_hint),
    Part::field("schedule.count", |t| &t.plan_after, Kind::Number).hint(|t| &t.plan_after_hint),
    Part::field("schedule.exdates", |t| &t.plan_exceptions, Kind::Lines)
        .hint(|t| &t.plan_exceptions_hint),
    Part::field("schedule.rdates", |t| &t.plan_additions, Kind::Lines)
        .hint(|t| &t.plan_additions_hint),
    Part::field("schedule.pauses", |t| &t.plan_pauses, Kind::Lines).hint(|t| &t.plan_pauses_hint),
    Part::Button { action: PREVIEW, label: |t| &t.plan_preview },
];

impl OfficeRecord for ScheduledTask {
    const PATH: &'static str = "/plans";
    const NEW_HEADING: Label = |t| &t.plan_new;
    const DELETION_ABOUT: Option<Label> = Some(|t| &t.delete_plan_about);
    const SERVICE: fn(&Services) -> &RecordService<Self> = |api| &api.scheduled_tasks;
    const READ: fn(&mut Fields<'_>) -> ScheduledTaskDraft = read_scheduled_task;
    const BY_NAME: ScheduledTaskSort = ScheduledTaskSort::Name;
    const FORM: &'static [Part] = &[
        Part::field("name", |t| &t.name, Kind::Line).required(),
        Part::field("description", |t| &t.description, Kind::Paragraph),
        Part::field("locationId", |t| &t.location, Kind::One("locations")).required(),
        Part::Button { action: steps::OFFER_POINTS, label: |t| &t.plan_offer_points },
        Part::Rows(STEPS),
        Part::Button { action: steps::ADD_POINTS, label: |t| &t.plan_add_points },
        Part::Group { legend: |t| &t.plan_schedule, parts: SCHEDULE },
        Part::field("assigneeIds", |t| &t.people, Kind::Many("people")).hint(|t| &t.people_hint),
        Part::field("priority", |t| &t.priority, Kind::Choice(&priority::CHOICES)),
        Part::field("tags", |t| &t.tags, Kind::Lines).hint(|t| &t.one_a_line),
        Part::field("orderStepsRequired", |t| &t.plan_in_order, Kind::Flag),
        Part::field("strictTimeRequired", |t| &t.plan_in_time, Kind::Flag),
        Part::field("deadlined", |t| &t.plan_deadlined, Kind::Flag),
        Part::field("published", |t| &t.plan_published, Kind::Flag),
        Part::field("enabled", |t| &t.plan_enabled, Kind::Flag),
    ];

    fn name(&self) -> &str {
        &self.name
    }

    fn template(signed_in: &SignedIn) -> Value {
        let location = Address::of(&signed_in.visit);
        let location = Some(location.value("locationId")).filter(|id| !id.is_empty());
        json!({
            "locationId": location, "priority": "NORMAL", "published": true, "enabled": true,
            "schedule": null,
        })
    }

    fn to_form(signed_in: &SignedIn, mut record: Value) -> Value {
        let zone = signed_in.visit.zone();
        let schedule = schedule::to_form(form::member(&record, "schedule"), zone.name());
        form::set(&mut record, "schedule", schedule);
        record
    }

    fn from_form(signed_in: &SignedIn, entered: &Value, before: &Value) -> (Value, Vec<FormFault>) {
        let t = &signed_in.visit.language().texts;
        let mut record = entered.clone();
        let (schedule, fault) = schedule::from_form(t, &entered["schedule"], &before["schedule"]);
        form::set(&mut record, "schedule", schedule);
        if let Some(steps) = form::elements_mut(&mut record, "steps") {
            form::keep_order(steps);
            let actions = steps.iter_mut().filter_map(|step| form::elements_mut(step, "actions"));
            actions.for_each(|actions| form::keep_order(actions));
        }
        (record, fault.into_iter().collect())
    }

    async fn check(
        signed_in: &SignedIn,
        entered: &Value,
        before: &Value,
    ) -> Result<Vec<FormFault>, Error> {
        let t = &signed_in.visit.language().texts;
        let mut faults = steps::points_elsewhere(signed_in, entered, before).await?;
        for (at, step) in form::elements(&entered["steps"]).iter().enumerate() {
            faults.extend(bounds_of_no_number(t, &format!("steps[{at}]."), step));
        }
        Ok(faults)
    }

    async fn complete(
        signed_in: &SignedIn,
        action: &str,
        entered: &mut Value,
    ) -> Result<(), Error> {
        steps::complete(signed_in, action, entered).await
    }

    async fn answer(
        signed_in: &SignedIn,
        action: &str,
        (record, mut faults): (Value, Vec<FormFault>),
    ) -> Result<Option<String>, Refused> {
        if action != PREVIEW {
            return Ok(steps::why_no_points(signed_in, action, &record).await?);
        }
        let t = &signed_in.visit.language().texts;
        let schedule = form::member(&record, "schedule");
        if schedule.is_null() {
            faults.push(FormFault::new("schedule.start", &t.fault_required));
        }
        if !faults.is_empty() {
            return Err(Refused::with(t, faults));
        }
        Ok(Some(rounds::preview(signed_in, schedule).await??.to_string()))
    }

    async fn consequences(
        signed_in: &SignedIn,
        at: Target<Self>,
        draft: ScheduledTaskDraft,
    ) -> Result<Option<String>, Refused> {
        rounds::dry_run(signed_in, at, draft).await
    }

    async fn sources(signed_in: &SignedIn, record: &Value) -> Result<Sources, Error> {
        let zones = crate::times::ZONES.iter().map(|zone| (zone.clone(), zone.clone()));
        Ok(steps::sources(signed_in, record).await?.with("zones", zones.collect()))
    }

    async fn page<'a>(&'a self, signed_in: &'a SignedIn) -> Result<RecordContent<'a>, Error> {
        let visit = &signed_in.visit;
        let (t, times) = (&visit.language().texts, visit.times());
        let location = match self.location_id {
            None => None,
            Some(id) => name_of::<Location>(signed_in, id)
                .await?
                .map(|name| Cell::link(format!("/locations/{}", id.0), name)),
        };
        let assignees = self.assignee_ids.iter().map(|UserId(id)| *id).collect();
        let assignees =
            choices::people(signed_in, choices::is_one_of(UserFilter::Id, assignees)).await?;
        let assignees: Vec<_> = assignees.into_iter().map(|(_, name)| name).collect();
        let next = next_start(signed_in, self).await?;
        let flags = [
            (self.order_steps_required, &t.plan_in_order),
            (self.strict_time_required, &t.plan_in_time),
            (self.deadlined, &t.plan_deadlined),
            (self.published, &t.plan_published),
            (self.enabled, &t.plan_enabled),
        ];
        let flags = flags.into_iter().filter(|(is_set, _)| *is_set);
        let flags: Vec<_> = flags.map(|(_, text)| text.to_string()).collect();
        let facts = vec![
            (&t.location, location.unwrap_or(Cell::Empty)),
            (&t.plan_next_start, next.unwrap_or_else(|| Cell::text(&t.plan_none_next))),
            (
                &t.people,
                if assignees.is_empty() {
                    Cell::text(&t.plan_everybody)
                } else {
                    Cell::joined(&assignees)
                },
            ),
            (&t.priority, Cell::text(priority::text(t, self.priority))),
            (&t.description, self.description.clone().into()),
            (&t.tags, Cell::joined(&self.tags)),
            (&t.plan_options, Cell::text(flags.join("\n"))),
        ];
        let mut sections = vec![Section::new(&t.steps, step_table(self, signed_in).await?)?];
        if let Some(schedule) = &self.schedule {
            sections.push(Section::new(&t.plan_schedule, words::facts(t, &times, schedule))?);
        }
        if self.active_schedule().is_some() {
            let record = json_of(self)?;
            // A stored schedule is never refused.
            if let Ok(table) = rounds::preview(signed_in, form::member(&record, "schedule")).await?
            {
                sections.push(Section::new(&t.plan_next_rounds, table)?);
            }
        }
        Ok(RecordContent { facts: Facts(facts), sections, actions: Vec::new() })
    }
}
