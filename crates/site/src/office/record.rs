//! The pages of records that are made from a draft: one record, its form, and the question before it is
//! deleted. A kind of record says what differs.

use std::future::Future;

use actix_web::{Error, HttpResponse, http::StatusCode, web::Path};
use askama::{Template, filters::HtmlSafe};
use patrol_application::{Failure, RecordService};
use patrol_domain::{Drafted, Refusal, Target, Version, Versioned, ids::Uuid, ids::parse};
use patrol_http::PageError;
use patrol_json::{document, fields};
use serde_json::Value;

use super::{
    faults::FormFault,
    form::{Entered, FormView, Part, Sources},
    table::{Cell, Table},
};
use crate::{
    form::Form,
    pages::HandlerResult,
    shared::SiteServices,
    texts::{Text, Texts},
    view::{self, Frame, redirect},
    visit::{Planner, SignedIn},
};

/// The deepest nesting of a record.
const MAX_DEPTH: usize = 16;

/// The hidden field with the version that the form was made from.
const VERSION: &str = "version";

/// A kind of record with pages.
pub(crate) trait OfficeRecord: Drafted + Clone {
    /// The path of the list of all, for example `/locations`.
    const PATH: &'static str;
    /// The form.
    const FORM: &'static [Part];

    /// The use cases.
    fn service(services: &SiteServices) -> &RecordService<Self>;

    /// The heading of the form of a new record.
    fn new_heading(t: &Texts) -> &Text;

    /// The id.
    fn id(&self) -> Self::Id;

    /// The name.
    fn name(&self) -> &str;

    /// The record as the API writes it.
    ///
    /// # Errors
    /// When it cannot be written, which is a defect.
    fn to_json(&self) -> serde_json::Result<Value>;

    /// Reads the body of the API.
    fn read(fields: &mut fields::Fields<'_>) -> Self::Draft;

    /// The record that the form of a new one shows. Parameters of the address may say where it belongs.
    fn template(_signed_in: &SignedIn) -> Value {
        Value::Null
    }

    /// The values of the form's sources. `record`: what the form shows.
    fn sources(
        _signed_in: &SignedIn,
        _record: &Value,
    ) -> impl Future<Output = Result<Sources, Error>> {
        std::future::ready(Ok(Sources::default()))
    }

    /// What the page of the record shows.
    fn page<'a>(
        &'a self,
        signed_in: &'a SignedIn,
    ) -> impl Future<Output = Result<RecordContent<'a>, Error>>;

    /// The page to go to after the record was deleted.
    fn after_delete(&self) -> String {
        Self::PATH.to_owned()
    }
}

/// What the page of a record shows besides its heading and its actions.
#[derive(Default)]
pub(crate) struct RecordContent<'a> {
    /// Labels and values.
    pub(crate) facts: Vec<(&'a Text, Cell)>,
    pub(crate) sections: Vec<Section<'a>>,
    /// Further actions: address and text.
    pub(crate) actions: Vec<(String, &'a Text)>,
}

/// A part of the page of a record, with what belongs to the record.
pub(crate) struct Section<'a> {
    pub(crate) heading: &'a Text,
    /// The link that makes one more: address and text.
    pub(crate) action: Option<(String, &'a Text)>,
    pub(crate) content: Content<'a>,
}

/// The content of a section.
pub(crate) enum Content<'a> {
    Table(Table<'a>),
    /// HTML that a template of this crate has made.
    Html(String),
}

impl std::fmt::Display for Content<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Table(table) => table.fmt(out),
            Self::Html(html) => out.write_str(html),
        }
    }
}

impl HtmlSafe for Content<'_> {}

#[derive(Template)]
#[template(path = "office/record.html")]
struct RecordPage<'a> {
    frame: Frame<'a>,
    content: RecordContent<'a>,
    edit: String,
    delete: String,
}

#[derive(Template)]
#[template(path = "office/form.html")]
pub(crate) struct FormPage<'a> {
    pub(crate) frame: Frame<'a>,
    pub(crate) action: String,
    /// The address of the page without the form.
    pub(crate) cancel: String,
    pub(crate) version: Option<i64>,
    /// The path and the text of each fault.
    pub(crate) faults: Vec<(&'a str, String)>,
    /// The fields.
    pub(crate) html: String,
}

#[derive(Template)]
#[template(path = "office/delete.html")]
pub(crate) struct DeletePage<'a> {
    pub(crate) frame: Frame<'a>,
    pub(crate) action: String,
    /// The address of the record.
    pub(crate) cancel: String,
    pub(crate) version: i64,
}

/// The id in a path.
///
/// # Errors
/// 404 when it is none.
pub(crate) fn id_in<I: From<Uuid>>(text: &str) -> Result<I, Error> {
    parse(text).map(I::from).ok_or_else(|| PageError::new(StatusCode::NOT_FOUND).into())
}

async fn found<T: OfficeRecord<Id: From<Uuid>>>(
    signed_in: &SignedIn,
    id: &str,
) -> Result<Versioned<T>, Error> {
    let service = T::service(&signed_in.visit.site.services);
    service.get(signed_in.actor, id_in(id)?).await.map_err(PageError::of)
}

fn path_of<T: OfficeRecord>(record: &T) -> String {
    format!("{}/{}", T::PATH, record.id().into())
}

/// GET the page of a record.
pub(crate) async fn show<T: OfficeRecord<Id: From<Uuid>>>(
    signed_in: SignedIn,
    id: Path<String>,
) -> HandlerResult {
    let Versioned { record, .. } = found::<T>(&signed_in, &id).await?;
    let content = record.page(&signed_in).await?;
    let t = &signed_in.visit.language().texts;
    let frame = Frame::of_user(&signed_in, &t.record).headed(record.name());
    let path = path_of(&record);
    let (edit, delete) = (format!("{path}/edit"), format!("{path}/delete"));
    view::page(&signed_in.visit, StatusCode::OK, &RecordPage { frame, content, edit, delete })
}

/// GET the form of a new record.
pub(crate) async fn new<T: OfficeRecord>(Planner(signed_in): Planner) -> HandlerResult {
    let record = T::template(&signed_in);
    form::<T>(&signed_in, StatusCode::OK, None, &record, Refused::default()).await
}

/// POST the form of a new record.
pub(crate) async fn create<T: OfficeRecord>(
    form: Form<Planner, Vec<(String, String)>>,
) -> HandlerResult {
    let Form { sender: Planner(signed_in), fields } = form;
    let entered = Entered(fields);
    let times = signed_in.visit.times();
    let record = entered.record(T::FORM, &T::template(&signed_in), &times);
    if entered.is_action() {
        return self::form::<T>(&signed_in, StatusCode::OK, None, &record, Refused::default())
            .await;
    }
    let t = &signed_in.visit.language().texts;
    let made = match draft::<T>(t, &record) {
        Err(refused) => Err(refused),
        Ok(draft) => {
            let service = T::service(&signed_in.visit.site.services);
            let made = service.create(signed_in.actor, draft).await;
            made.map_err(|failure| Refused::of(t, failure))
        }
    };
    match made {
        Ok(made) => Ok(redirect(&signed_in.visit, &path_of(&made))),
        Err(refused) => refuse::<T>(&signed_in, None, &record, refused).await,
    }
}

/// GET the form of a record.
pub(crate) async fn edit<T: OfficeRecord<Id: From<Uuid>>>(
    Planner(signed_in): Planner,
    id: Path<String>,
) -> HandlerResult {
    let found = found::<T>(&signed_in, &id).await?;
    let record = found.record.to_json().map_err(defect)?;
    form(&signed_in, StatusCode::OK, Some(&found), &record, Refused::default()).await
}

/// POST the form of a record.
pub(crate) async fn save<T: OfficeRecord<Id: From<Uuid>>>(
    form: Form<Planner, Vec<(String, String)>>,
    id: Path<String>,
) -> HandlerResult {
    let Form { sender: Planner(signed_in), fields } = form;
    let entered = Entered(fields);
    let found = found::<T>(&signed_in, &id).await?;
    let present = found.record.to_json().map_err(defect)?;
    let record = entered.record(T::FORM, &present, &signed_in.visit.times());
    if entered.is_action() {
        return self::form(&signed_in, StatusCode::OK, Some(&found), &record, Refused::default())
            .await;
    }
    let t = &signed_in.visit.language().texts;
    let expected = entered.value(VERSION).parse().ok().map(Version);
    if expected != Some(found.version) {
        let refused = Refused {
            why: t.changed_meanwhile.to_string(),
            present: Some(present),
            ..Refused::default()
        };
        return refuse(&signed_in, Some(&found), &record, refused).await;
    }
    let saved = match draft::<T>(t, &record) {
        Err(refused) => Err(refused),
        Ok(draft) => {
            let service = T::service(&signed_in.visit.site.services);
            let at = Target { id: found.record.id(), expected };
            let saved = service.replace(signed_in.actor, at, draft).await;
            saved.map_err(|failure| Refused::of(t, failure))
        }
    };
    match saved {
        Ok(saved) => Ok(redirect(&signed_in.visit, &path_of(&saved.record))),
        Err(refused) => refuse(&signed_in, Some(&found), &record, refused).await,
    }
}

/// GET the question before a record is deleted.
pub(crate) async fn ask<T: OfficeRecord<Id: From<Uuid>>>(
    Planner(signed_in): Planner,
    id: Path<String>,
) -> HandlerResult {
    let found = found::<T>(&signed_in, &id).await?;
    question(&signed_in, StatusCode::OK, &found, None)
}

/// POST: deletes a record, unless others need it.
pub(crate) async fn delete<T: OfficeRecord<Id: From<Uuid>>>(
    form: Form<Planner, Vec<(String, String)>>,
    id: Path<String>,
) -> HandlerResult {
    let Form { sender: Planner(signed_in), fields } = form;
    let found = found::<T>(&signed_in, &id).await?;
    let t = &signed_in.visit.language().texts;
    let expected = Entered(fields).value(VERSION).parse().ok().map(Version);
    let at = Target { id: found.record.id(), expected };
    let deleted = T::service(&signed_in.visit.site.services).delete(signed_in.actor, at).await;
    match deleted {
        Ok(()) => Ok(redirect(&signed_in.visit, &found.record.after_delete())),
        Err(failure @ (Failure::InUse(_) | Failure::Stale)) => {
            let why = Refused::of(t, failure).why;
            question(&signed_in, StatusCode::CONFLICT, &found, Some(why))
        }
        Err(failure) => Err(PageError::of(failure)),
    }
}

fn question<T: OfficeRecord>(
    signed_in: &SignedIn,
    status: StatusCode,
    found: &Versioned<T>,
    why: Option<String>,
) -> HandlerResult {
    let t = &signed_in.visit.language().texts;
    let cancel = path_of(&found.record);
    let action = format!("{cancel}/delete");
    let frame =
        Frame::of_user(signed_in, &t.delete).headed(t.delete_question.with(found.record.name()));
    let frame = Frame { alert: why, ..frame };
    view::page(
        &signed_in.visit,
        status,
        &DeletePage { frame, action, cancel, version: found.version.0 },
    )
}

/// Why a form was not saved.
#[derive(Default)]
pub(crate) struct Refused {
    pub(crate) why: String,
    pub(crate) faults: Vec<FormFault>,
    /// The record as somebody else has saved it meanwhile.
    pub(crate) present: Option<Value>,
    /// The error that is no fault of the form.
    pub(crate) failure: Option<Failure>,
}

impl Refused {
    /// The failure of a use case.
    pub(crate) fn of(t: &Texts, failure: Failure) -> Self {
        let why = match &failure {
            Failure::Refused(Refusal::Invalid(faults)) => {
                let faults = faults.iter().map(|fault| FormFault::of_rule(t, fault)).collect();
                return Self { why: t.form_refused.to_string(), faults, ..Self::default() };
            }
            Failure::InUse(held) => {
                let kinds = held
                    .iter()
                    .map(|held| format!("{} ({})", view::holder(t, held.by), held.count));
                t.in_use.with(&kinds.collect::<Vec<_>>().join(", "))
            }
            Failure::Stale => t.changed_meanwhile.to_string(),
            _ => String::new(),
        };
        Self { why, failure: Some(failure), ..Self::default() }
    }

    /// What is wrong with the types of the members.
    fn of_types(t: &Texts, faults: Vec<fields::TypeFault>) -> Self {
        let faults = faults.into_iter().map(|fault| FormFault::of_type(t, fault)).collect();
        Self { why: t.form_refused.to_string(), faults, ..Self::default() }
    }
}

/// The draft of an entered record.
fn draft<T: OfficeRecord>(t: &Texts, record: &Value) -> Result<T::Draft, Refused> {
    draft_of(t, record, T::read)
}

/// What the reader of a body of the API makes of an entered record.
///
/// # Errors
/// What is wrong with the types of its members.
pub(crate) fn draft_of<D>(
    t: &Texts,
    record: &Value,
    read: impl FnMut(&mut fields::Fields<'_>) -> D,
) -> Result<D, Refused> {
    let body = record.to_string();
    let wrong = || Refused { why: t.form_refused.to_string(), ..Refused::default() };
    let json = document::parse(body.as_bytes(), MAX_DEPTH).map_err(|_| wrong())?;
    fields::object(&json, read).map_err(|faults| Refused::of_types(t, faults))
}

async fn refuse<T: OfficeRecord>(
    signed_in: &SignedIn,
    found: Option<&Versioned<T>>,
    record: &Value,
    refused: Refused,
) -> HandlerResult {
    match refused.failure {
        Some(failure) if refused.why.is_empty() => Err(PageError::of(failure)),
        _ => form(signed_in, StatusCode::UNPROCESSABLE_ENTITY, found, record, refused).await,
    }
}

async fn form<T: OfficeRecord>(
    signed_in: &SignedIn,
    status: StatusCode,
    found: Option<&Versioned<T>>,
    record: &Value,
    refused: Refused,
) -> Result<HttpResponse, Error> {
    let visit = &signed_in.visit;
    let t = &visit.language().texts;
    let sources = T::sources(signed_in, record).await?;
    let Refused { why, faults, present, .. } = refused;
    let times = visit.times();
    let frame = Frame::of_user(signed_in, T::new_heading(t));
    let alert = (!why.is_empty()).then_some(why);
    let frame = Frame { alert, ..frame };
    let view = FormView {
        t,
        times: &times,
        sources: &sources,
        faults: &faults,
        changed: present.as_ref(),
    };
    let html =
        view.html(T::FORM, record).map_err(|error| PageError::internal(error.to_string()))?;
    let faults = view.summary(T::FORM);
    let page = match found {
        None => FormPage {
            action: format!("{}/new", T::PATH),
            cancel: T::PATH.to_owned(),
            version: None,
            faults,
            html,
            frame,
        },
        Some(found) => {
            let path = path_of(&found.record);
            FormPage {
                action: format!("{path}/edit"),
                cancel: path,
                version: Some(found.version.0),
                faults,
                html,
                frame: frame.headed(t.edit_name.with(found.record.name())),
            }
        }
    };
    view::page(visit, status, &page)
}

fn defect(error: serde_json::Error) -> Error {
    PageError::internal(error.to_string())
}
