//! The forms of rounds: edit, this and the following, copy, delete.

use actix_web::{Error, http::StatusCode, web::Path};
use patrol_application::Failure;
use patrol_domain::{Refusal, Target, Version, Versioned, task_execution::TaskExecution};
use patrol_http::{PageError, read_execution, read_execution_patch, read_series_update};
use patrol_record::json::fields::Fields;
use serde_json::{Value, json};

use super::{has_following, path_of, read::found};
use crate::{
    form::Form,
    office::{
        body::{json_of, leave_out, read_body},
        faults::FormFault,
        form::{Kind, Part, Sources, changed, elements, member, set},
        form_page::{FormPage, Refused},
        priority,
        question::Question,
        record::id_in,
    },
    pages::{HandlerResult, choices},
    shared::Shared,
    texts::Texts,
    view::{Frame, redirect},
    visit::{Planner, SignedIn},
};

/// The hidden field with a digest of what the form showed first.
const WAS: &str = "was";

pub(super) const NAME: Part = Part::field("name", |t| &t.name, Kind::Line);
pub(super) const DESCRIPTION: Part =
    Part::field("description", |t| &t.description, Kind::Paragraph);
pub(super) const START_AT: &str = "startAt";
pub(super) const START: Part = Part::field(START_AT, |t| &t.round_start, Kind::Instant).required();
pub(super) const END: Part = Part::field("endAt", |t| &t.round_end, Kind::Instant);
pub(super) const PEOPLE: Part =
    Part::field("assigneeIds", |t| &t.people, Kind::Many("people")).hint(|t| &t.people_hint);
pub(super) const TAGS: Part = Part::field("tags", |t| &t.tags, Kind::Lines).hint(|t| &t.one_a_line);
pub(super) const PUBLISHED: Part =
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
    if !refused.is_stale {
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
pub(super) async fn stored<D>(
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
}
