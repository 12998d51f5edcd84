//! The forms of rounds: new, edit, this and the following, copy, delete.

use actix_web::{Error, http::StatusCode, web::Path};
use patrol_application::Failure;
use patrol_domain::{
    Fault, Refusal, Rule, Target, Version, Versioned,
    check_list::CheckList,
    ids::{CheckListId, TaskExecutionId, parse},
    scheduled_task::ScheduledTask,
    task_execution::TaskExecution,
};
use patrol_http::{PageError, read_execution, read_execution_patch, read_series_update};
use patrol_record::json::fields::Fields;
use serde_json::{Map, Value, json};

use super::{found, has_following, path_of};
use crate::{
    form::Form,
    office::{
        faults::FormFault,
        form::{Kind, Part, Rows, Sources, changed, elements, elements_mut, member, set},
        form_page::{FormPage, Refused},
        priority::{self, CRITICAL, MAJOR, MINOR, NORMAL},
        question::Question,
        record::{id_in, json_of, leave_out, read_body},
    },
    pages::{HandlerResult, choices, if_found, steps},
    shared::Shared,
    texts::Texts,
    view::{Frame, redirect},
    visit::{Planner, SignedIn},
};

/// The hidden field with a digest of what the form showed first.
const WAS: &str = "was";
/// The hidden field with the id of a new round, so that a form that is sent twice makes one round.
const ID: &str = "id";
const HOUR: i64 = 3_600_000;

const NAME: Part = Part::field("name", |t| &t.name, Kind::Line);
const DESCRIPTION: Part = Part::field("description", |t| &t.description, Kind::Paragraph);
const START_AT: &str = "startAt";
const START: Part = Part::field(START_AT, |t| &t.round_start, Kind::Instant).required();
const END: Part = Part::field("endAt", |t| &t.round_end, Kind::Instant);
const PEOPLE: Part =
    Part::field("assigneeIds", |t| &t.people, Kind::Many("people")).hint(|t| &t.people_hint);
const TAGS: Part = Part::field("tags", |t| &t.tags, Kind::Lines).hint(|t| &t.one_a_line);
const PUBLISHED: Part =
    Part::field("published", |t| &t.round_published, Kind::Flag).hint(|t| &t.round_published_hint);

const PRIORITY: Part = Part::field("priority", |t| &t.priority, Kind::Choice(&priority::CHOICES));

/// The members of a round that is not completed.
const EDIT: &[Part] =
    &[NAME.required(), DESCRIPTION, START, END.required(), PEOPLE, PRIORITY, TAGS, PUBLISHED];

/// What can still change once the round is completed.
const EDIT_COMPLETED: &[Part] = &[TAGS, PUBLISHED];

/// The members of a round and of those that follow in its series.
const EDIT_FOLLOWING: &[Part] =
    &[NAME.required(), DESCRIPTION, START, END.required(), PEOPLE, PRIORITY, TAGS];

/// A new round. With a plan, what is empty is taken from it.
const NEW: &[Part] = &[
    Part::field("scheduledTaskId", |t| &t.plan, Kind::One("plans")),
    NAME,
    START,
    END.hint(|t| &t.round_end_hint),
    Part::field("locationId", |t| &t.location, Kind::One("locations"))
        .hint(|t| &t.round_location_hint),
    Part::Button { action: steps::OFFER_POINTS, label: |t| &t.plan_offer_points },
    Part::Rows(Rows {
        path: "steps",
        legend: |t| &t.steps,
        add: |t| &t.add_step,
        name: "name",
        parts: &[
            Part::field("pointId", |t| &t.point, Kind::One("points")),
            Part::field("name", |t| &t.step_name, Kind::Line).hint(|t| &t.step_name_hint),
            Part::field("checkListId", |t| &t.check_list, Kind::One("checkLists")),
        ],
    }),
    Part::Button { action: steps::ADD_POINTS, label: |t| &t.plan_add_points },
    PEOPLE,
    DESCRIPTION,
    Part::field(
        "priority",
        |t| &t.priority,
        Kind::Choice(&[("", |t| &t.round_priority_default), MINOR, NORMAL, MAJOR, CRITICAL]),
    ),
    TAGS,
    PUBLISHED,
];

const COPY: &[Part] = &[START];

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
pub(crate) async fn save(form: Form<Planner>, id: Path<String>) -> HandlerResult {
    change(form, &id, Scope::One).await
}

/// POST /rounds/{id}/following
pub(crate) async fn save_following(form: Form<Planner>, id: Path<String>) -> HandlerResult {
    change(form, &id, Scope::Following).await
}

async fn change(sent: Form<Planner>, id: &str, scope: Scope) -> HandlerResult {
    let Form { sender: Planner(signed_in), fields: entered } = sent;
    let found = found(&signed_in, id_in(id)?).await?;
    let present = json_of(&found.record)?;
    let parts = scope.parts(&found.record);
    let record = entered.record(parts, &present, &signed_in.visit.times());
    let t = &signed_in.visit.language().texts;
    // What guards report meanwhile changes the version, but nothing that the form shows.
    let is_same = entered.value(WAS) == digest(&signed_in.visit.site, parts, &present);
    let saved = if is_same {
        store(&signed_in, t, &found, scope, (&present, &record)).await
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
) -> Result<(), Refused> {
    let (api, actor) = (&signed_in.visit.site.api, signed_in.actor);
    let at = || Target { id: found.record.id, expected: Some(found.version) };
    let has_start = !after[START_AT].is_null();
    match scope {
        Scope::One => {
            let patch = changed(before, after).into();
            stored(t, has_start, (patch, Vec::new()), read_execution_patch, async |patch| {
                Ok(api.executions.patch(actor, at(), patch).await.map(drop))
            })
            .await
        }
        Scope::Following => {
            let caller = (actor, signed_in.session.user.id);
            let page = &signed_in.visit.page;
            stored(t, has_start, (after.clone(), Vec::new()), read_series_update, async |draft| {
                let updated = page.update_series(&api.series, caller, at(), draft).await?;
                Ok(updated.map(drop))
            })
            .await
        }
    }
}

/// Stores what was entered, or says all that is wrong with it: `faults`, members of the wrong type, and the
/// broken rules of the others. `has_start`: whether a start was entered.
async fn stored<D>(
    t: &Texts,
    has_start: bool,
    (mut body, mut faults): (Value, Vec<FormFault>),
    mut read: impl FnMut(&mut Fields<'_>) -> D,
    store: impl AsyncFn(D) -> Result<Result<(), Failure>, Error>,
) -> Result<(), Refused> {
    match read_body(t, &body, &mut read) {
        Ok(draft) if faults.is_empty() => {
            return store(draft).await?.map_err(|failure| refused(t, failure));
        }
        Ok(_) => {}
        Err(wrong) => faults.extend(wrong),
    }
    faults.iter().for_each(|fault| leave_out(&mut body, &fault.path));
    // Every round needs a start: without one nothing is stored.
    set(&mut body, START_AT, Value::Null);
    if let Ok(draft) = read_body(t, &body, read)
        && let Err(failure) = store(draft).await?
    {
        let is_known = |path: &str| {
            (has_start && path == START_AT)
                || faults.iter().any(|fault| path.starts_with(&fault.path))
        };
        let rules = refused(t, failure).faults.into_iter();
        let rules: Vec<_> = rules.filter(|fault| !is_known(&fault.path)).collect();
        faults.extend(rules);
    }
    Err(Refused::with(t, faults))
}

/// Why a round was not stored.
fn refused(t: &Texts, failure: Failure) -> Refused {
    match failure {
        Failure::Refused(Refusal::State(_)) => {
            Refused { why: t.round_not_allowed.to_string(), ..Refused::default() }
        }
        failure => Refused::of(t, failure),
    }
}

/// A digest of what people change in a round: of what a form shows, and of what it leaves as it is. What guards
/// report changes nothing of it.
fn digest(site: &Shared, parts: &[Part], record: &Value) -> String {
    let shown = parts.iter().filter_map(|part| match part {
        Part::Field(field) => Some(member(record, field.path)),
        Part::Group { .. } | Part::Rows(_) | Part::Button { .. } => None,
    });
    let planned = members(record, &LEFT_AS_THEY_ARE);
    let steps = elements(&record["steps"]).iter().map(|step| {
        let actions = elements(&step["actions"]).iter().map(|action| members(action, &OF_ACTION));
        json!([members(step, &OF_STEP), actions.collect::<Value>()])
    });
    let steps = steps.collect::<Value>();
    site.form_token(&json!([shown.collect::<Vec<_>>(), planned, steps]).to_string())
}

/// The members of a round that only the API changes.
const LEFT_AS_THEY_ARE: [&str; 4] =
    ["locationId", "orderStepsRequired", "strictTimeRequired", "deadlined"];
/// The members of a step that are planned.
const OF_STEP: [&str; 3] = ["id", "name", "pointId"];
/// The members of an action that are planned.
const OF_ACTION: [&str; 6] = ["id", "name", "type", "required", "minValue", "maxValue"];

fn members(record: &Value, names: &[&str]) -> Value {
    names.iter().map(|name| record[*name].clone()).collect()
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
    let refused = refused.for_form()?;
    let parts = scope.parts(round);
    let was = digest(&signed_in.visit.site, parts, &json_of(round)?);
    let sources = Sources::default().with("people", choices::assignees(signed_in, record).await?);
    let frame = Frame::of_user(signed_in, &t.round).headed(heading).with_zone_at(round.start_at);
    let path = path_of(round.id);
    let page = FormPage::new(frame, format!("{path}/{}", scope.name()), path);
    let page = page.about(about).hidden(WAS, was);
    page.answer(signed_in, (parts, &sources), record, refused)
}

/// GET /rounds/new. Parameters of the address name the plan and the location.
pub(crate) async fn new(Planner(signed_in): Planner) -> HandlerResult {
    let id = TaskExecutionId(signed_in.visit.site.api.ids.next());
    new_form(&signed_in, id, &template(&signed_in), Refused::default(), None).await
}

/// The next full hour, published; the rest is empty.
fn template(signed_in: &SignedIn) -> Value {
    let address = crate::office::list::Address::of(&signed_in.visit);
    let now = signed_in.visit.site.api.clock.now();
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
pub(crate) async fn create(sent: Form<Planner>) -> HandlerResult {
    let Form { sender: Planner(signed_in), fields: entered } = sent;
    let id = id_in(entered.value(ID))?;
    let mut record = entered.record(NEW, &Value::Null, &signed_in.visit.times());
    steps::complete(&signed_in, entered.action(), &mut record).await?;
    if entered.is_action() {
        let action = entered.action();
        let answer =
            steps::why_no_points(&signed_in, action, &record).await?.map(|html| (action, html));
        return new_form(&signed_in, id, &record, Refused::default(), answer).await;
    }
    match make(&signed_in, id, &record).await {
        Ok(()) => Ok(redirect(&signed_in.visit, &path_of(id))),
        Err(refused) => new_form(&signed_in, id, &record, refused, None).await,
    }
}

/// Makes a round from what was entered. A round with the id was made when the form was sent before.
async fn make(signed_in: &SignedIn, id: TaskExecutionId, record: &Value) -> Result<(), Refused> {
    let t = &signed_in.visit.language().texts;
    let mut body = record.clone();
    let mut faults = read_check_lists(signed_in, &mut body).await?;
    faults.extend(steps::points_elsewhere(signed_in, record, &Value::Null).await?);
    if let Some(members) = body.as_object_mut() {
        if members.get("scheduledTaskId").is_some_and(|plan| !plan.is_null()) {
            members.retain(|_, value| !is_empty(value));
        }
        members.insert(ID.to_owned(), id.to_string().into());
    }
    let executions = &signed_in.visit.site.api.executions;
    let has_start = !record[START_AT].is_null();
    stored(t, has_start, (body, faults), read_execution, async |draft| {
        Ok(match executions.create(signed_in.actor, draft).await {
            Err(Failure::Refused(Refusal::Invalid(faults))) if faults.iter().any(is_made) => Ok(()),
            created => created.map(drop),
        })
    })
    .await
}

/// Whether a round with the id exists.
fn is_made(fault: &Fault) -> bool {
    fault.identifier == ID && fault.rule == Rule::Unique
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
    let (api, actor) = (&signed_in.visit.site.api, signed_in.actor);
    let t = &signed_in.visit.language().texts;
    let mut faults = Vec::new();
    for (at, step) in elements_mut(body, "steps").into_iter().flatten().enumerate() {
        let Some(step) = step.as_object_mut() else { continue };
        let list = step.remove("checkListId");
        if let Some(list) = list.as_ref().and_then(Value::as_str) {
            let found = match parse(list).map(CheckListId) {
                Some(list) => if_found(api.check_lists.get(actor, list).await)?,
                None => None,
            };
            if let Some(list) = found {
                step.insert("actions".to_owned(), actions_of(&list.record)?);
            } else {
                let path = format!("steps[{at}].checkListId");
                faults.push(FormFault::new(path, &t.fault_reference));
            }
        }
    }
    Ok(faults)
}

/// The actions of a check-list as a new round has them: without ids.
fn actions_of(list: &CheckList) -> Result<Value, Error> {
    let mut json = json_of(list)?;
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
    answer: Option<(&str, String)>,
) -> HandlerResult {
    let t = &signed_in.visit.language().texts;
    let refused = refused.for_form()?;
    let sources = steps::sources(signed_in, record).await?;
    let plans = choices::records::<ScheduledTask>(signed_in, None).await?;
    let sources = sources.with("plans", plans);
    let frame = Frame::of_user(signed_in, &t.new_round);
    let page = FormPage::new(frame, "/rounds/new".to_owned(), "/rounds".to_owned());
    let page = page.about(Some(&t.round_new_about)).hidden(ID, id);
    page.answer_with(signed_in, (NEW, &sources), record, refused, answer)
}

/// GET /rounds/{id}/copy
pub(crate) async fn copy_form(Planner(signed_in): Planner, id: Path<String>) -> HandlerResult {
    let round = found(&signed_in, id_in(&id)?).await?.record;
    let record = json_of(&round)?;
    copy_page(&signed_in, &round, &record, Refused::default())
}

/// POST /rounds/{id}/copy
pub(crate) async fn copy(sent: Form<Planner>, id: Path<String>) -> HandlerResult {
    let Form { sender: Planner(signed_in), fields } = sent;
    let round = found(&signed_in, id_in(&id)?).await?.record;
    let record = fields.record(COPY, &json_of(&round)?, &signed_in.visit.times());
    let t = &signed_in.visit.language().texts;
    let start = read_body(t, &record, |fields| read_execution(fields).content.start_at);
    let copied = async {
        let start = start.map_err(|faults| Refused::with(t, faults))?;
        let executions = &signed_in.visit.site.api.executions;
        let copied = executions.copy_to(signed_in.actor, round.id, start).await;
        copied.map_err(|failure| Refused::of(t, failure))
    };
    match copied.await {
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
    let heading = t.round_copy_name.with(&round.name);
    let frame = Frame::of_user(signed_in, &t.round).headed(heading).with_zone_at(round.start_at);
    let path = path_of(round.id);
    let page = FormPage::new(frame, format!("{path}/copy"), path);
    let page = page.about(Some(&t.round_copy_about)).saved_by(&t.copy);
    page.answer(signed_in, (COPY, &Sources::default()), record, refused)
}

/// GET /rounds/{id}/delete
pub(crate) async fn ask(Planner(signed_in): Planner, id: Path<String>) -> HandlerResult {
    question(&found(&signed_in, id_in(&id)?).await?).page(&signed_in, None)
}

/// POST /rounds/{id}/delete
pub(crate) async fn delete(sent: Form<Planner>, id: Path<String>) -> HandlerResult {
    let Form { sender: Planner(signed_in), fields } = sent;
    let found = found(&signed_in, id_in(&id)?).await?;
    let round = &found.record;
    let at = Target { id: round.id, expected: Some(fields.version().unwrap_or(Version(0))) };
    let deleted = signed_in.visit.site.api.executions.delete(signed_in.actor, at).await;
    let day = signed_in.visit.times().day_of(round.start_at);
    let day = day.map(|day| format!("?date={day}")).unwrap_or_default();
    question(&found).answer(&signed_in, deleted, &format!("/rounds{day}"))
}

fn question(found: &Versioned<TaskExecution>) -> Question<'static> {
    let Versioned { record, version } = found;
    let (name, path) = (record.name.clone(), path_of(record.id));
    Question { name, path, version: *version, about: None, pages: Vec::new() }
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
