//! The resources of records that are created from a draft: the handlers that all of them share, and their
//! description.

mod document;

pub(crate) use document::RecordTexts;
pub(super) use document::{RecordDocument, document};

use std::future::{Future, ready};

use patrol_application::{Operation, RecordService};
use patrol_domain::{Drafted, Target};
use patrol_record::{Recorded, json::fields::Fields};
use utoipa::ToSchema;

use crate::{
    error::{ApiError, HandlerResult},
    list::{self as lists, ListDeclaration},
    log::ChangedRecords,
    reply,
    route::{ApiResource, Call, JsonObject, Repeated, WithBody, api_resource},
    services::Services,
};

/// A kind of record that is created from a draft. Register it with [`collection`] and [`item`]. A kind with
/// a handler of its own registers the handlers of this module one by one.
pub(crate) trait RecordResource:
    Drafted<Draft: JsonObject, Id: From<patrol_domain::ids::Uuid>> + Recorded<Form<'static>: ToSchema>
{
    /// The path of the list below `/v1`, for example `/locations`.
    const PATH: &'static str;
    /// The members of the record that a PUT may contain although it cannot change them.
    const UNCHANGEABLE: &'static [&'static str] = &["id"];
    /// What the API document says.
    const TEXTS: RecordTexts;

    /// The list, with what the API adds to the items of the store.
    type Listing: ListDeclaration;
    /// The body of a POST in the API document.
    type Post: ToSchema;
    /// The body of a PUT in the API document.
    type Put: ToSchema;

    /// The use cases.
    fn service(services: &Services) -> &RecordService<Self>;

    /// Reads the body of a PUT: all members but the unchangeable ones.
    fn read_content(fields: &mut Fields<'_>) -> Self::Draft;

    /// The record of an answer.
    fn answer<'a>(
        &'a self,
        _call: &'a Call,
    ) -> impl Future<Output = Result<Self::Form<'a>, ApiError>> {
        ready(Ok(self.form()))
    }
}

/// The body of a PUT.
pub(crate) struct Replacement<T: RecordResource>(pub(crate) T::Draft);

impl<T: RecordResource> JsonObject for Replacement<T> {
    fn read(fields: &mut Fields<'_>) -> Self {
        fields.accept(T::UNCHANGEABLE);
        Self(T::read_content(fields))
    }
}

/// The resource of all records.
pub(crate) fn collection<T>() -> ApiResource
where
    T: RecordResource<List: ListDeclaration<Options = ()>>,
{
    api_resource(T::PATH).get(lists::endpoint::<T::List>(Operation::Read), list::<T>).post(
        Operation::Plan,
        create::<T>,
        Repeated(created::<T>),
    )
}

/// The resource of one record.
pub(crate) fn item<T: RecordResource>() -> ApiResource {
    api_resource(item_path::<T>())
        .get(Operation::Read, get::<T>)
        .put(Operation::Plan, replace::<T>, Repeated(replaced::<T>))
        .delete(Operation::Plan, delete::<T>)
}

/// The path of one record.
pub(crate) fn item_path<T: RecordResource>() -> String {
    format!("{}/{{id}}", T::PATH)
}

/// Answers GET of the list.
async fn list<T>(call: Call) -> HandlerResult
where
    T: RecordResource<List: ListDeclaration<Options = ()>>,
{
    let service = T::service(call.services());
    lists::answer::<T::List>(&call, |query, ()| Ok(service.list(call.actor(), query)?)).await
}

/// Answers POST.
pub(crate) async fn create<T: RecordResource>(
    WithBody(call, draft): WithBody<T::Draft>,
) -> HandlerResult {
    let created = T::service(call.services()).create(call.actor(), draft).await?;
    let answer = reply_created(&call, &created).await?;
    Ok(reply::with_changed(answer, ChangedRecords::one(created.id())))
}

/// Answers a repeated POST with the record as it is now.
pub(crate) async fn created<T: RecordResource>(call: Call) -> HandlerResult {
    let found = T::service(call.services()).get(call.actor(), call.changed()?).await?;
    reply_created(&call, &found.record).await
}

async fn reply_created<T: RecordResource>(call: &Call, record: &T) -> HandlerResult {
    reply::created(&record.answer(call).await?, T::PATH, record.id())
}

/// Answers GET of one record.
pub(crate) async fn get<T: RecordResource>(call: Call) -> HandlerResult {
    let found = T::service(call.services()).get(call.actor(), call.id()).await?;
    // The record is made only if it is sent: the next start of a task may take long to find.
    match reply::unchanged(call.conditions(), found.version) {
        Some(answer) => Ok(answer),
        None => reply::versioned(&found.record.answer(&call).await?, found.version),
    }
}

/// Answers PUT.
async fn replace<T: RecordResource>(
    WithBody(call, Replacement(draft)): WithBody<Replacement<T>>,
) -> HandlerResult {
    let at = target::<T>(&call).await?;
    let replaced = T::service(call.services()).replace(call.actor(), at, draft).await?;
    reply::versioned(&replaced.record.answer(&call).await?, replaced.version)
}

/// Answers a repeated PUT with the record as it is now.
async fn replaced<T: RecordResource>(call: Call) -> HandlerResult {
    reply_current::<T>(&call).await
}

/// Answers with the record in the path as it is now.
pub(crate) async fn reply_current<T: RecordResource>(call: &Call) -> HandlerResult {
    let found = T::service(call.services()).get(call.actor(), call.id()).await?;
    reply::versioned(&found.record.answer(call).await?, found.version)
}

/// Answers DELETE.
pub(crate) async fn delete<T: RecordResource>(call: Call) -> HandlerResult {
    let at = target::<T>(&call).await?;
    T::service(call.services()).delete(call.actor(), at).await?;
    Ok(reply::no_content())
}

/// The record in the path, with the expected version from `If-Match`.
pub(crate) async fn target<T: RecordResource>(call: &Call) -> Result<Target<T>, ApiError> {
    let service = T::service(call.services());
    call.target(|actor, id| service.get(actor, id)).await
}
