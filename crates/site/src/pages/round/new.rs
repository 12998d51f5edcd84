//! The form of a new round.

use actix_web::Error;
use patrol_application::Failure;
use patrol_domain::{
    Fault, Refusal, Rule,
    check_list::CheckList,
    ids::{CheckListId, TaskExecutionId, parse},
    scheduled_task::ScheduledTask,
};
use patrol_http::read_execution;
use serde_json::{Map, Value, json};

use super::{
    forms::{DESCRIPTION, END, NAME, PEOPLE, PUBLISHED, START, START_AT, TAGS, stored},
    path_of,
};
use crate::{
    form::Form,
    office::{
        body::json_of,
        faults::FormFault,
        form::{Kind, Part, Rows, elements_mut},
        form_page::{FormPage, Refused},
        list::Address,
        priority::{CRITICAL, MAJOR, MINOR, NORMAL},
        record::id_in,
    },
    pages::{HandlerResult, choices, if_found, steps},
    view::{Frame, redirect},
    visit::{Planner, SignedIn},
};

/// The hidden field with the id of a new round, so that a form that is sent twice makes one round.
const ID: &str = "id";
const HOUR: i64 = 3_600_000;

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

/// GET /rounds/new. Parameters of the address name the plan and the location.
pub(crate) async fn new(Planner(signed_in): Planner) -> HandlerResult {
    let id = TaskExecutionId(signed_in.visit.site.api.ids.next());
    new_form(&signed_in, id, &template(&signed_in), Refused::default(), None).await
}

/// The next full hour, published; the rest is empty.
fn template(signed_in: &SignedIn) -> Value {
    let address = Address::of(&signed_in.visit);
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
    let page = page.about(Some(&t.round_new_about)).hidden(ID, id).below(answer);
    page.answer(signed_in, (NEW, &sources), record, refused)
}

#[cfg(test)]
mod tests {
    use super::*;

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
