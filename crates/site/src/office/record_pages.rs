//! The pages of records that are made from a draft: one record, its form, and the question before it is
//! deleted.

use actix_web::{Error, HttpResponse, http::StatusCode, web::Path};
use askama::Template;
use patrol_application::Failure;
use patrol_domain::{Held, Target, Version, Versioned};
use patrol_http::PageError;
use serde_json::Value;

use super::{
    body::{json_of, leave_out, read_body},
    content::RecordPage,
    faults::FormFault,
    form::{Entered, VERSION},
    form_page::{FormPage, Refused},
    question::Question,
    record::{OfficeRecord, id_in},
};
use crate::{
    form::Form,
    pages::HandlerResult,
    view::{self, Frame, redirect},
    visit::{Planner, SignedIn},
};

/// The hidden field of a form whose consequences were shown.
const CONFIRMED: &str = "confirmed";

/// The question before a record is saved. The fields of the form travel with it.
#[derive(Template)]
#[template(path = "office/confirm.html")]
struct ConfirmPage<'a> {
    frame: Frame<'a>,
    action: String,
    cancel: String,
    fields: &'a [(String, String)],
    html: String,
}

async fn found<T: OfficeRecord>(signed_in: &SignedIn, id: &str) -> Result<Versioned<T>, Error> {
    let service = T::SERVICE(&signed_in.visit.site.api);
    service.get(signed_in.actor, id_in(id)?).await.map_err(PageError::of)
}

fn path_of<T: OfficeRecord>(record: &T) -> String {
    format!("{}/{}", T::PATH, record.id())
}

/// GET the page of a record.
pub(crate) async fn show<T: OfficeRecord>(signed_in: SignedIn, id: Path<String>) -> HandlerResult {
    let Versioned { record, .. } = found::<T>(&signed_in, &id).await?;
    let content = record.page(&signed_in).await?;
    let t = &signed_in.visit.language().texts;
    let frame = Frame::of_user(&signed_in, &t.record).headed(record.name());
    let path = path_of(&record);
    let may_change = signed_in.is_planner();
    let edit = may_change.then(|| format!("{path}/edit"));
    let delete = may_change.then(|| format!("{path}/delete"));
    view::page(&signed_in.visit, StatusCode::OK, &RecordPage { frame, content, edit, delete })
}

/// GET the form of a new record.
pub(crate) async fn new<T: OfficeRecord>(Planner(signed_in): Planner) -> HandlerResult {
    let record = T::to_form(&signed_in, T::template(&signed_in));
    form::<T>(&signed_in, None, &record, Shown::default()).await
}

/// POST the form of a new record.
pub(crate) async fn create<T: OfficeRecord>(form: Form<Planner>) -> HandlerResult {
    let Form { sender: Planner(signed_in), fields: entered } = form;
    let before = T::template(&signed_in);
    let record = read::<T>(&signed_in, &entered, &before).await?;
    if entered.is_action() {
        return act::<T>(&signed_in, None, &entered, &record, &before).await;
    }
    let made = async {
        let draft = draft::<T>(&signed_in, None, &record, &before).await?;
        let made = T::SERVICE(&signed_in.visit.site.api).create(signed_in.actor, draft).await;
        made.map_err(|failure| Refused::of(&signed_in.visit.language().texts, failure))
    };
    match made.await {
        Ok(made) => Ok(redirect(&signed_in.visit, &path_of(&made))),
        Err(refused) => refuse::<T>(&signed_in, None, &record, refused).await,
    }
}

/// GET the form of a record.
pub(crate) async fn edit<T: OfficeRecord>(
    Planner(signed_in): Planner,
    id: Path<String>,
) -> HandlerResult {
    let found = found::<T>(&signed_in, &id).await?;
    let record = T::to_form(&signed_in, json_of(&found.record)?);
    form(&signed_in, Some(&found), &record, Shown::default()).await
}

/// POST the form of a record.
pub(crate) async fn save<T: OfficeRecord>(form: Form<Planner>, id: Path<String>) -> HandlerResult {
    let Form { sender: Planner(signed_in), fields: entered } = form;
    let found = found::<T>(&signed_in, &id).await?;
    let before = json_of(&found.record)?;
    let record = read::<T>(&signed_in, &entered, &before).await?;
    if entered.is_action() {
        return act(&signed_in, Some(&found), &entered, &record, &before).await;
    }
    match store(&signed_in, &found, &entered, (&before, &record)).await {
        Ok(answer) => Ok(answer),
        Err(refused) => refuse(&signed_in, Some(&found), &record, refused).await,
    }
}

/// Stores a changed record. Asks first when that has consequences.
async fn store<T: OfficeRecord>(
    signed_in: &SignedIn,
    found: &Versioned<T>,
    entered: &Entered,
    (before, record): (&Value, &Value),
) -> Result<HttpResponse, Refused> {
    let t = &signed_in.visit.language().texts;
    let expected = entered.version();
    if expected != Some(found.version) {
        return Err(Refused::changed(t, T::to_form(signed_in, before.clone())));
    }
    let at = || Target { id: found.record.id().into(), expected };
    let draft = || draft(signed_in, Some(at()), record, before);
    if entered.value(CONFIRMED).is_empty()
        && let Some(html) = T::consequences(signed_in, at(), draft().await?).await?
    {
        return Ok(confirm(signed_in, found, entered, html)?);
    }
    let service = T::SERVICE(&signed_in.visit.site.api);
    let saved = service.replace(signed_in.actor, at(), draft().await?).await;
    let saved = saved.map_err(|failure| Refused::of(t, failure))?;
    Ok(redirect(&signed_in.visit, &path_of(&saved.record)))
}

/// What was entered, in the form of the form.
async fn read<T: OfficeRecord>(
    signed_in: &SignedIn,
    entered: &Entered,
    before: &Value,
) -> Result<Value, Error> {
    let base = T::to_form(signed_in, before.clone());
    let mut record = entered.record(T::FORM, &base, &signed_in.visit.times());
    T::complete(signed_in, entered.action(), &mut record).await?;
    Ok(record)
}

/// The form again, after a button that saves nothing.
async fn act<T: OfficeRecord>(
    signed_in: &SignedIn,
    found: Option<&Versioned<T>>,
    entered: &Entered,
    record: &Value,
    before: &Value,
) -> HandlerResult {
    let action = entered.action();
    let api = T::from_form(signed_in, record, before);
    let (answer, refused) = match T::answer(signed_in, action, api).await {
        Err(refused) => (None, refused),
        Ok(html) => (html.map(|html| (action, html)), Refused::default()),
    };
    let shown = Shown { refused, answer, expected: entered.version() };
    form(signed_in, found, record, shown).await
}

/// Shows what saving would do, and asks.
fn confirm<T: OfficeRecord>(
    signed_in: &SignedIn,
    found: &Versioned<T>,
    entered: &Entered,
    html: String,
) -> HandlerResult {
    let t = &signed_in.visit.language().texts;
    let cancel = path_of(&found.record);
    let frame =
        Frame::of_user(signed_in, &t.save).headed(t.save_question.with(found.record.name()));
    let fields: Vec<_> = entered
        .0
        .iter()
        .filter(|(name, _)| name != "token" && name != CONFIRMED)
        .cloned()
        .collect();
    let page =
        ConfirmPage { frame, action: format!("{cancel}/edit"), cancel, fields: &fields, html };
    view::page(&signed_in.visit, StatusCode::OK, &page)
}

/// GET the question before a record is deleted.
pub(crate) async fn ask<T: OfficeRecord>(
    Planner(signed_in): Planner,
    id: Path<String>,
) -> HandlerResult {
    let found = found::<T>(&signed_in, &id).await?;
    question(&signed_in, &found, &[]).await?.page(&signed_in, None)
}

/// POST: deletes a record, unless others need it.
pub(crate) async fn delete<T: OfficeRecord>(
    form: Form<Planner>,
    id: Path<String>,
) -> HandlerResult {
    let Form { sender: Planner(signed_in), fields } = form;
    let found = found::<T>(&signed_in, &id).await?;
    let at = Target { id: found.record.id().into(), expected: fields.version() };
    let deleted = T::SERVICE(&signed_in.visit.site.api).delete(signed_in.actor, at).await;
    let held = match &deleted {
        Err(Failure::InUse(held)) => held.as_slice(),
        _ => &[],
    };
    let question = question(&signed_in, &found, held).await?;
    question.answer(&signed_in, deleted, &T::parent(&json_of(&found.record)?))
}

/// The question before a record is deleted, which others may hold.
async fn question<'a, T: OfficeRecord>(
    signed_in: &'a SignedIn,
    found: &Versioned<T>,
    held: &[Held],
) -> Result<Question<'a>, Error> {
    let Versioned { record, version } = found;
    let mut pages = Vec::new();
    for Held { by, .. } in held {
        let page = record.holder_page(signed_in, *by).await?;
        pages.extend(page.map(|page| (*by, page)));
    }
    let (name, path) = (record.name().to_owned(), path_of(record));
    let about = T::DELETION_ABOUT.map(|about| about(&signed_in.visit.language().texts));
    Ok(Question { name, path, version: *version, about, pages })
}

/// The draft of an entered record, or all that is wrong with it: members of the wrong type, and the broken rules
/// of the others. `at`: the record that is changed.
async fn draft<T: OfficeRecord>(
    signed_in: &SignedIn,
    at: Option<Target<T>>,
    record: &Value,
    before: &Value,
) -> Result<T::Draft, Refused> {
    let t = &signed_in.visit.language().texts;
    let mut faults = T::check(signed_in, record, before).await?;
    let (mut record, of_form) = T::from_form(signed_in, record, before);
    faults.extend(of_form);
    let draft = read_body(t, &record, T::READ).map_err(|wrong| faults.extend(wrong));
    if let Some(draft) = draft.ok().filter(|_| faults.is_empty()) {
        return Ok(draft);
    }
    faults.iter().for_each(|fault| leave_out(&mut record, &fault.path));
    if let Ok(draft) = read_body(t, &record, T::READ) {
        let service = T::SERVICE(&signed_in.visit.site.api);
        // Without an answer of the store what is known is said.
        let rules = service.faults(signed_in.actor, at, draft).await.unwrap_or_default();
        let is_known = |path: &str| faults.iter().any(|fault| path.starts_with(&fault.path));
        let others = rules.iter().filter(|fault| !is_known(&fault.identifier));
        let others: Vec<_> = others.map(|fault| FormFault::of_rule(t, fault)).collect();
        faults.extend(others);
    }
    Err(Refused::with(t, faults))
}

/// The form again, and why it was not saved.
async fn refuse<T: OfficeRecord>(
    signed_in: &SignedIn,
    found: Option<&Versioned<T>>,
    record: &Value,
    refused: Refused,
) -> HandlerResult {
    form(signed_in, found, record, Shown { refused, ..Shown::default() }).await
}

/// What a form shows besides the record.
#[derive(Default)]
struct Shown<'a> {
    refused: Refused,
    /// What stands below a button.
    answer: Option<(&'a str, String)>,
    /// The version that was edited; by default the present one.
    expected: Option<Version>,
}

async fn form<T: OfficeRecord>(
    signed_in: &SignedIn,
    found: Option<&Versioned<T>>,
    record: &Value,
    shown: Shown<'_>,
) -> HandlerResult {
    let t = &signed_in.visit.language().texts;
    let Shown { refused, answer, expected } = shown;
    let refused = refused.for_form()?;
    let sources = T::sources(signed_in, record).await?;
    let frame = Frame::of_user(signed_in, T::NEW_HEADING(t));
    let page = match found {
        None => FormPage::new(frame, format!("{}/new", T::PATH), T::parent(record)),
        Some(Versioned { record, version }) => {
            let path = path_of(record);
            let frame = frame.headed(t.edit_name.with(record.name()));
            let page = FormPage::new(frame, format!("{path}/edit"), path);
            page.hidden(VERSION, expected.unwrap_or(*version).0)
        }
    };
    page.below(answer).answer(signed_in, (T::FORM, &sources), record, refused)
}
