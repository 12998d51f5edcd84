//! The forms of rounds: new, edit, this and the following, copy, delete.

use actix_web::{Error, http::StatusCode, web::Path};
use patrol_application::Failure;
use patrol_domain::{
    Refusal, Rule, Target, Version, Versioned,
    check_list::CheckListSort,
    ids::{CheckListId, TaskExecutionId, UserId, parse},
    list::{Condition, Listed, Query},
    location::LocationSort,
    scheduled_task::ScheduledTaskSort,
    task_execution::TaskExecution,
    user::UserSort,
};
use patrol_http::{PageError, read_execution, read_execution_patch, read_series_update};
use patrol_record::{CheckListRecord, ExecutionRecord};
use serde_json::{Map, Value, json};

use super::{found, has_following, names::Names, path_of};
use crate::{
    form::Form,
    office::{
        faults::FormFault,
        form::{Entered, Field, Kind, Part, Rows, Sources, changed, member},
        form_page::{FormPage, Refused},
        list,
        priority::{self, CRITICAL, MAJOR, MINOR, NORMAL},
        record::{Question, id_in, read_body},
    },
    pages::{
        HandlerResult, listed,
        plans::{ADD_POINTS, OFFER_POINTS, complete_steps, offered_points},
    },
    shared::Shared,
    texts::Texts,
    view::{Frame, redirect},
    visit::{Planner, SignedIn},
};

/// The most values that a field offers.
const MOST: u32 = 1_000;
/// The hidden field with a digest of what the form showed first.
const WAS: &str = "was";
/// The hidden field with the id of a new round, so that a form that is sent twice makes one round.
const ID: &str = "id";
const HOUR: i64 = 3_600_000;

/// The fields of a form that was sent.
type Sent = Form<Planner, Vec<(String, String)>>;

const NAME: Field = Field::new("name", |t| &t.name, Kind::Line);
const DESCRIPTION: Part =
    Field::new("description", |t| &t.round_description, Kind::Paragraph).part();
const START: Field = Field::new("startAt", |t| &t.round_start, Kind::Instant).required();
const END: Field = Field::new("endAt", |t| &t.round_end, Kind::Instant);
const PEOPLE: Part = Field::new("assigneeIds", |t| &t.people, Kind::Many("people")).part();
const TAGS: Part = Field::new("tags", |t| &t.tags, Kind::Lines).hint(|t| &t.one_a_line).part();
const PUBLISHED: Part = Field::new("published", |t| &t.round_published, Kind::Flag)
    .hint(|t| &t.round_published_hint)
    .part();

const PRIORITY: Part =
    Field::new("priority", |t| &t.round_priority, Kind::Choice(&priority::CHOICES)).part();

/// The members of a round that is not completed.
const EDIT: &[Part] = &[
    NAME.required().part(),
    DESCRIPTION,
    START.part(),
    END.required().part(),
    PEOPLE,
    PRIORITY,
    TAGS,
    PUBLISHED,
];

/// What can still change once the round is completed.
const EDIT_COMPLETED: &[Part] = &[TAGS, PUBLISHED];

/// The members of a round and of those that follow in its series.
const EDIT_FOLLOWING: &[Part] = &[
    NAME.required().part(),
    DESCRIPTION,
    START.part(),
    END.required().part(),
    PEOPLE,
    PRIORITY,
    TAGS,
];

/// A new round. With a plan, what is empty is taken from it.
const NEW: &[Part] = &[
    Field::new("scheduledTaskId", |t| &t.round_plan, Kind::One("plans")).part(),
    NAME.part(),
    START.part(),
    END.hint(|t| &t.round_end_hint).part(),
    Field::new("locationId", |t| &t.round_location, Kind::One("locations"))
        .hint(|t| &t.round_location_hint)
        .part(),
    Part::Button { action: OFFER_POINTS, label: |t| &t.plan_offer_points },
    Part::Rows(Rows {
        path: "steps",
        legend: |t| &t.round_steps,
        add: |t| &t.round_add_step,
        name: "name",
        parts: &[
            Field::new("pointId", |t| &t.round_point, Kind::One("points")).part(),
            Field::new("name", |t| &t.round_step_name, Kind::Line)
                .hint(|t| &t.plan_step_name_hint)
                .part(),
            Field::new("checkListId", |t| &t.round_check_list, Kind::One("checkLists")).part(),
        ],
    }),
    Part::Button { action: ADD_POINTS, label: |t| &t.plan_add_points },
    PEOPLE,
    DESCRIPTION,
    Field::new(
        "priority",
        |t| &t.round_priority,
        Kind::Choice(&[("", |t| &t.round_priority_default), MINOR, NORMAL, MAJOR, CRITICAL]),
    )
    .part(),
    TAGS,
    PUBLISHED,
];

const COPY: &[Part] = &[START.part()];

/// Which rounds a form changes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    One,
    Following,
}

impl Scope {
    fn parts(self, round: &TaskExecution) -> &'static [Part] {
        match self {
            Self::Following => EDIT_FOLLOWING,
            Self::One if round.is_completed() => EDIT_COMPLETED,
            Self::One => EDIT,
        }
    }

    /// The last part of the form's address.
    const fn name(self) -> &'static str {
        match self {
            Self::One => "edit",
            Self::Following => "following",
        }
    }
}

/// GET /rounds/{id}/edit
pub(crate) async fn edit(Planner(signed_in): Planner, id: Path<String>) -> HandlerResult {
    show(&signed_in, &id, Scope::One).await
}

/// GET /rounds/{id}/following
pub(crate) async fn edit_following(Planner(signed_in): Planner, id: Path<String>) -> HandlerResult {
    show(&signed_in, &id, Scope::Following).await
}

async fn show(signed_in: &SignedIn, id: &str, scope: Scope) -> HandlerResult {
    let found = found(signed_in, id_in(id)?).await?;
    if scope == Scope::Following && !has_following(&found.record) {
        return Err(PageError::new(StatusCode::NOT_FOUND).into());
    }
    let record = json_of(&found.record)?;
    form(signed_in, (&found.record, scope), &record, Refused::default()).await
}

/// POST /rounds/{id}/edit
pub(crate) async fn save(form: Sent, id: Path<String>) -> HandlerResult {
    change(form, &id, Scope::One).await
}

/// POST /rounds/{id}/following
pub(crate) async fn save_following(form: Sent, id: Path<String>) -> HandlerResult {
    change(form, &id, Scope::Following).await
}

async fn change(sent: Sent, id: &str, scope: Scope) -> HandlerResult {
    let Form { sender: Planner(signed_in), fields } = sent;
    let entered = Entered(fields);
    let found = found(&signed_in, id_in(id)?).await?;
    let present = json_of(&found.record)?;
    let parts = scope.parts(&found.record);
    let record = entered.record(parts, &present, &signed_in.visit.times());
    let t = &signed_in.visit.language().texts;
    // What guards report meanwhile changes the version, but nothing that the form shows.
    let is_same = entered.value(WAS) == digest(&signed_in.visit.site, parts, &present);
    let saved = if is_same {
        store(&signed_in, t, &found, scope, (&present, &record)).await?
    } else {
        Err(Refused::of(t, Failure::Stale))
    };
    let Err(refused) = saved else {
        return Ok(redirect(&signed_in.visit, &path_of(found.record.id)));
    };
    if !matches!(refused.failure, Some(Failure::Stale)) {
        return form(&signed_in, (&found.record, scope), &record, refused).await;
    }
    // The round as it is now is shown beside what was typed.
    let found = self::found(&signed_in, found.record.id).await?;
    let refused = Refused { present: Some(Box::new(json_of(&found.record)?)), ..refused };
    form(&signed_in, (&found.record, scope), &record, refused).await
}

/// Stores a change. `before` and `after`: the round as JSON.
async fn store(
    signed_in: &SignedIn,
    t: &Texts,
    found: &Versioned<TaskExecution>,
    scope: Scope,
    (before, after): (&Value, &Value),
) -> Result<Result<(), Refused>, Error> {
    let (services, actor) = (&signed_in.visit.site.services, signed_in.actor);
    let at = || Target { id: found.record.id, expected: Some(found.version) };
    let stored = match scope {
        Scope::One => match read_body(t, &changed(before, after).into(), read_execution_patch) {
            Ok(patch) => services.executions.patch(actor, at(), patch).await.map(drop),
            Err(faults) => return Ok(Err(Refused::with(t, faults))),
        },
        Scope::Following => match read_body(t, after, read_series_update) {
            Ok(draft) => {
                let caller = (actor, signed_in.session.user.id);
                let page = &signed_in.visit.page;
                page.update_series(&services.series, caller, at(), draft).await?.map(drop)
            }
            Err(faults) => return Ok(Err(Refused::with(t, faults))),
        },
    };
    Ok(stored.map_err(|failure| refused(t, failure)))
}

/// Why a round was not stored.
fn refused(t: &Texts, failure: Failure) -> Refused {
    let is_state = matches!(failure, Failure::Refused(Refusal::State(_)));
    let refused = Refused::of(t, failure);
    if is_state {
        return Refused { why: t.round_not_allowed.to_string(), ..refused };
    }
    refused
}

/// A digest of the members that a form shows.
fn digest(site: &Shared, parts: &[Part], record: &Value) -> String {
    let shown = parts.iter().filter_map(|part| match part {
        Part::Field(field) => Some(member(record, field.path)),
        Part::Group { .. } | Part::Rows(_) | Part::Button { .. } => None,
    });
    site.form_token(&Value::Array(shown.cloned().collect()).to_string())
}

fn json_of(round: &TaskExecution) -> Result<Value, Error> {
    let json = serde_json::to_value(ExecutionRecord::new(round));
    json.map_err(|error| PageError::internal(error.to_string()))
}

/// The page of a form that changes a round.
async fn form(
    signed_in: &SignedIn,
    (round, scope): (&TaskExecution, Scope),
    record: &Value,
    refused: Refused,
) -> HandlerResult {
    let t = &signed_in.visit.language().texts;
    let (heading, about) = match scope {
        Scope::Following => {
            (t.round_edit_following_name.with(&round.name), Some(&t.round_following_about))
        }
        Scope::One => {
            let about = round.is_completed().then_some(&t.round_is_completed);
            (t.edit_name.with(&round.name), about)
        }
    };
    let parts = scope.parts(round);
    let was = digest(&signed_in.visit.site, parts, &json_of(round)?);
    let sources = Sources::default().with("people", people(signed_in, record).await?);
    let frame = Frame::of_user(signed_in, &t.round_page).headed(heading);
    let path = path_of(round.id);
    let page = FormPage::new(frame, format!("{path}/{}", scope.name()), path);
    let page = page.about(about).hidden(WAS, was);
    page.answer(signed_in, (parts, &sources), record, refused)
}

/// GET /rounds/new. Parameters of the address name the plan and the location.
pub(crate) async fn new(Planner(signed_in): Planner) -> HandlerResult {
    let id = TaskExecutionId(signed_in.visit.site.services.ids.next());
    new_form(&signed_in, id, &template(&signed_in), Refused::default()).await
}

/// The next full hour, published; the rest is empty.
fn template(signed_in: &SignedIn) -> Value {
    let address = crate::office::list::Address::of(&signed_in.visit);
    let now = signed_in.visit.site.services.clock.now();
    let wait = HOUR.saturating_sub(now.millis().rem_euclid(HOUR));
    let start = now.shifted(wait).map(|at| at.to_string());
    let id = |name| parse(address.value(name)).map(|id| id.to_string());
    json!({
        "scheduledTaskId": id("planId"),
        "locationId": id("locationId"),
        "startAt": start,
        "published": true,
    })
}

/// POST /rounds/new
pub(crate) async fn create(sent: Sent) -> HandlerResult {
    let Form { sender: Planner(signed_in), fields } = sent;
    let entered = Entered(fields);
    let id = id_in(entered.value(ID))?;
    let mut record = entered.record(NEW, &Value::Null, &signed_in.visit.times());
    complete_steps(&signed_in, entered.action(), &mut record).await?;
    if entered.is_action() {
        return new_form(&signed_in, id, &record, Refused::default()).await;
    }
    match make(&signed_in, id, &record).await? {
        Ok(()) => Ok(redirect(&signed_in.visit, &path_of(id))),
        Err(refused) => new_form(&signed_in, id, &record, refused).await,
    }
}

/// Makes a round from what was entered. A round with the id was made when the form was sent before.
async fn make(
    signed_in: &SignedIn,
    id: TaskExecutionId,
    record: &Value,
) -> Result<Result<(), Refused>, Error> {
    let t = &signed_in.visit.language().texts;
    let mut body = record.clone();
    let faults = read_check_lists(signed_in, &mut body).await?;
    if !faults.is_empty() {
        return Ok(Err(Refused::with(t, faults)));
    }
    if let Some(members) = body.as_object_mut() {
        if members.get("scheduledTaskId").is_some_and(|plan| !plan.is_null()) {
            members.retain(|_, value| !is_empty(value));
        }
        members.insert(ID.to_owned(), id.to_string().into());
    }
    let draft = match read_body(t, &body, read_execution) {
        Ok(draft) => draft,
        Err(faults) => return Ok(Err(Refused::with(t, faults))),
    };
    let executions = &signed_in.visit.site.services.executions;
    Ok(match executions.create(signed_in.actor, draft).await {
        Ok(_) => Ok(()),
        Err(Failure::Refused(Refusal::Invalid(faults)))
            if faults.iter().any(|fault| fault.identifier == ID && fault.rule == Rule::Unique) =>
        {
            Ok(())
        }
        Err(failure) => Err(refused(t, failure)),
    })
}

/// Whether a member is taken from the plan.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(values) => values.is_empty(),
        _ => false,
    }
}

/// Gives the steps the actions of their check-lists. Returns what is wrong.
async fn read_check_lists(signed_in: &SignedIn, body: &mut Value) -> Result<Vec<FormFault>, Error> {
    let (services, actor) = (&signed_in.visit.site.services, signed_in.actor);
    let t = &signed_in.visit.language().texts;
    let mut faults = Vec::new();
    let steps = body.get_mut("steps").and_then(Value::as_array_mut);
    for (at, step) in steps.into_iter().flatten().enumerate() {
        let Some(step) = step.as_object_mut() else { continue };
        let list = step.remove("checkListId");
        if let Some(list) = list.as_ref().and_then(Value::as_str) {
            let found = match parse(list).map(CheckListId) {
                Some(list) => services.check_lists.get(actor, list).await,
                None => Err(Failure::NotFound),
            };
            match found {
                Ok(list) => {
                    step.insert("actions".to_owned(), actions_of(&list.record)?);
                }
                Err(Failure::NotFound) => {
                    let path = format!("steps[{at}].checkListId");
                    faults.push(FormFault::new(path, &t.fault_reference));
                }
                Err(failure) => return Err(PageError::of(failure)),
            }
        }
    }
    Ok(faults)
}

/// The actions of a check-list as a new round has them: without ids.
fn actions_of(list: &patrol_domain::check_list::CheckList) -> Result<Value, Error> {
    let json = serde_json::to_value(CheckListRecord::new(list));
    let mut json = json.map_err(|error| PageError::internal(error.to_string()))?;
    let actions = json.as_object_mut().and_then(|members| members.remove("actions"));
    let mut actions = actions.unwrap_or_default();
    for action in actions.as_array_mut().into_iter().flatten() {
        action.as_object_mut().map(|members: &mut Map<_, _>| members.remove(ID));
    }
    Ok(actions)
}

async fn new_form(
    signed_in: &SignedIn,
    id: TaskExecutionId,
    record: &Value,
    refused: Refused,
) -> HandlerResult {
    let t = &signed_in.visit.language().texts;
    let services = &signed_in.visit.site.services;
    let actor = signed_in.actor;
    let plans = by_name(signed_in, ScheduledTaskSort::Name, Condition::All(Vec::new()));
    let plans = listed(services.plans.list(actor, plans)).await?.0;
    let locations = by_name(signed_in, LocationSort::Name, Condition::All(Vec::new()));
    let locations = listed(services.locations.list(actor, locations)).await?.0;
    let lists = by_name(signed_in, CheckListSort::Name, Condition::All(Vec::new()));
    let lists = listed(services.check_lists.list(actor, lists)).await?.0;
    let points = offered_points(signed_in, record).await?;
    let sources = Sources::default()
        .with("plans", plans.into_iter().map(|plan| (plan.id.to_string(), plan.name)).collect())
        .with("locations", locations.into_iter().map(|at| (at.id.to_string(), at.name)).collect())
        .with("points", points.into_iter().map(|(id, name)| (id.to_string(), name)).collect())
        .with(
            "checkLists",
            lists.into_iter().map(|list| (list.id.to_string(), list.name)).collect(),
        )
        .with("people", people(signed_in, record).await?);
    let frame = Frame::of_user(signed_in, &t.round_new);
    let page = FormPage::new(frame, "/rounds/new".to_owned(), "/rounds".to_owned());
    let page = page.about(Some(&t.round_new_about)).hidden(ID, id);
    page.answer(signed_in, (NEW, &sources), record, refused)
}

/// The first records in the order of their names.
fn by_name<L: Listed>(
    signed_in: &SignedIn,
    name: L::Sort,
    condition: Condition<L::Filter>,
) -> Query<L> {
    Query { in_parts: true, ..list::first(signed_in, condition, Some(name), MOST) }
}

/// The people to choose from: the first by name, and those who are chosen.
async fn people(signed_in: &SignedIn, record: &Value) -> Result<Vec<(String, String)>, Error> {
    let t = &signed_in.visit.language().texts;
    let users = by_name(signed_in, UserSort::LastName, Condition::All(Vec::new()));
    let users = &listed(signed_in.visit.site.services.users.list(signed_in.actor, users)).await?.0;
    let chosen = record["assigneeIds"].as_array().into_iter().flatten();
    let chosen = chosen.filter_map(Value::as_str).filter_map(parse).map(UserId);
    let further: Vec<_> =
        chosen.filter(|chosen| users.iter().all(|user| user.id != *chosen)).collect();
    let names = Names::read(signed_in, further.iter().copied().collect()).await?;
    let listed = users.iter().map(|user| (user.id.to_string(), user.full_name()));
    let further = further.into_iter().map(|user| (user.to_string(), names.person(t, user)));
    Ok(listed.chain(further).collect())
}

/// GET /rounds/{id}/copy
pub(crate) async fn copy_form(Planner(signed_in): Planner, id: Path<String>) -> HandlerResult {
    let round = found(&signed_in, id_in(&id)?).await?.record;
    let record = json_of(&round)?;
    copy_page(&signed_in, &round, &record, Refused::default())
}

/// POST /rounds/{id}/copy
pub(crate) async fn copy(sent: Sent, id: Path<String>) -> HandlerResult {
    let Form { sender: Planner(signed_in), fields } = sent;
    let round = found(&signed_in, id_in(&id)?).await?.record;
    let record = Entered(fields).record(COPY, &json_of(&round)?, &signed_in.visit.times());
    let t = &signed_in.visit.language().texts;
    let start = read_body(t, &record, |fields| {
        let start = fields.timestamp("startAt");
        read_execution(fields);
        start
    });
    let copied = match start {
        Ok(start) => {
            let executions = &signed_in.visit.site.services.executions;
            let copied = executions.copy_to(signed_in.actor, round.id, start).await;
            copied.map_err(|failure| Refused::of(t, failure))
        }
        Err(faults) => Err(Refused::with(t, faults)),
    };
    match copied {
        Ok(copy) => Ok(redirect(&signed_in.visit, &format!("{}?done=copied", path_of(copy.id)))),
        Err(refused) => copy_page(&signed_in, &round, &record, refused),
    }
}

fn copy_page(
    signed_in: &SignedIn,
    round: &TaskExecution,
    record: &Value,
    refused: Refused,
) -> HandlerResult {
    let t = &signed_in.visit.language().texts;
    let frame =
        Frame::of_user(signed_in, &t.round_page).headed(t.round_copy_name.with(&round.name));
    let path = path_of(round.id);
    let page = FormPage::new(frame, format!("{path}/copy"), path);
    let page = page.about(Some(&t.round_copy_about)).saved_by(&t.round_copy);
    page.answer(signed_in, (COPY, &Sources::default()), record, refused)
}

/// GET /rounds/{id}/delete
pub(crate) async fn ask(Planner(signed_in): Planner, id: Path<String>) -> HandlerResult {
    let found = found(&signed_in, id_in(&id)?).await?;
    question(&signed_in, &found, None)
}

/// POST /rounds/{id}/delete
pub(crate) async fn delete(sent: Sent, id: Path<String>) -> HandlerResult {
    let Form { sender: Planner(signed_in), fields } = sent;
    let found = found(&signed_in, id_in(&id)?).await?;
    let round = &found.record;
    let expected = Entered(fields).version();
    let at = Target { id: round.id, expected: Some(expected.unwrap_or(Version(0))) };
    match signed_in.visit.site.services.executions.delete(signed_in.actor, at).await {
        Ok(()) => {
            let day = signed_in.visit.times().day_of(round.start_at);
            let day = day.map(|day| format!("?date={day}")).unwrap_or_default();
            Ok(redirect(&signed_in.visit, &format!("/rounds{day}")))
        }
        Err(failure @ Failure::Stale) => {
            let refused = Refused::of(&signed_in.visit.language().texts, failure);
            question(&signed_in, &found, Some(refused))
        }
        Err(failure) => Err(PageError::of(failure)),
    }
}

fn question(
    signed_in: &SignedIn,
    found: &Versioned<TaskExecution>,
    refused: Option<Refused>,
) -> HandlerResult {
    let Versioned { record, version } = found;
    let (name, path) = (record.name.as_str(), path_of(record.id));
    Question { name, path, version: *version, about: None, page_of: |_| None }
        .page(signed_in, refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_has_only_what_was_changed() {
        let before = json!({"name": "a", "tags": [], "startAt": "x", "steps": [1]});
        let after = json!({"name": "b", "tags": [], "startAt": "x", "steps": [1]});
        assert_eq!(Value::from(changed(&before, &after)), json!({"name": "b"}));
    }

    #[test]
    fn what_is_empty_is_taken_from_the_plan() {
        for empty in [json!(null), json!([])] {
            assert!(is_empty(&empty), "{empty}");
        }
        for given in [json!("a"), json!(false), json!([1]), json!(0)] {
            assert!(!is_empty(&given), "{given}");
        }
    }
}
