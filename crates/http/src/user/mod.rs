//! Users over HTTP.

mod draft;
mod list;
mod patch;
#[cfg(test)]
pub(crate) mod tests;

use patrol_application::{Operation, may_see_pin};
use patrol_domain::{
    Target,
    access::Caller,
    user::{self, BatchEntry, User, UserDraft, UserList, UserPatch},
};
use patrol_record::{UserRecord, value::Id};
use utoipa::OpenApi;

use crate::{
    dry_run,
    error::{ApiError, HandlerResult},
    list as lists,
    log::ChangedRecords,
    openapi::DocumentOf,
    reply,
    route::{Api, Call, Endpoint, Repeated, WithBody, api_resource},
};
use draft::UserPost;
use patch::{UserBatch, UserMembers};

/// Registers the resources of users.
pub(crate) fn configure(api: &mut Api<'_>) {
    let batch = Endpoint::from(Operation::Plan).parameters(dry_run::is_parameter);
    api.service(
        api_resource("/users")
            .no_store()
            .get(lists::endpoint::<UserList>(Operation::Read), list)
            .post(Operation::Plan, create, Repeated(created)),
    )
    .service(api_resource("/users/batch").no_store().post(
        batch,
        patch_batch,
        Repeated(patched_batch),
    ))
    .service(
        api_resource("/users/{id}")
            .no_store()
            .get(Operation::Read, get)
            .patch(Operation::ChangeUser, patch, Repeated(patched))
            .delete(Operation::DeleteUser, delete),
    )
    .service(api_resource("/me").no_store().get(Operation::Read, me));
}

/// The list in the API document.
type ListDocument = DocumentOf<UserList>;

/// The operations in the API document.
#[derive(OpenApi)]
#[openapi(
    paths(list, create, me, patch_batch, get, patch, delete),
    tags((name = "Users", description = "Users and their photos."))
)]
pub(crate) struct Description;

/// List users
///
/// Filters, sorts and pages. `employeePin` is null where the caller may not see it.
#[utoipa::path(
    get,
    path = "/users",
    operation_id = "getUsers",
    params(ListDocument),
    responses(
        (
            status = 200,
            description = "The users that match.",
            content((ListDocument = "application/json"), (String = "text/csv")),
        ),
    ),
)]
async fn list(call: Call) -> HandlerResult {
    let users = &call.services().users;
    lists::answer::<UserList>(&call, |query, ()| Ok(users.list(call.actor(), query)?)).await
}

/// Create a user
///
/// employeeNo and email share one space of names: no other user may have either. An EMPLOYEE may not
/// create users, a MANAGER no ADMIN.
#[utoipa::path(
    post,
    path = "/users",
    operation_id = "postUser",
    request_body = UserPost,
    responses((status = 201, description = "The user was created.", body = UserRecord<'_>)),
)]
async fn create(WithBody(call, draft): WithBody<UserDraft>) -> HandlerResult {
    let created = call.services().users.create(call.actor(), draft).await?;
    let answer = reply_created(&created, call.caller())?;
    Ok(reply::with_changed(answer, ChangedRecords::one(created.id.0)))
}

/// Answers a repeated POST with the record as it is now.
async fn created(call: Call) -> HandlerResult {
    let user = call.services().users.get(call.actor(), call.changed()?).await?;
    reply_created(&user.record, call.caller())
}

fn reply_created(user: &User, caller: Caller) -> HandlerResult {
    reply::created(&record(user, caller), "/users", user.id.0)
}

/// Read a user
///
/// `employeePin` is null where the caller may not see it.
#[utoipa::path(
    get,
    path = "/users/{id}",
    operation_id = "getUser",
    params(("id" = Id, Path, description = "The user."), ("If-None-Match", Header)),
    responses((status = 200, description = "The full record.", body = UserRecord<'_>)),
)]
async fn get(call: Call) -> HandlerResult {
    let found = call.services().users.get(call.actor(), call.id()).await?;
    reply::ok_or_not_modified(
        call.conditions(),
        found.version,
        &record(&found.record, call.caller()),
    )
}

/// Read the caller
///
/// The record of the user to whom the token belongs.
#[utoipa::path(
    get,
    path = "/me",
    operation_id = "getMe",
    responses((status = 200, description = "The full record.", body = UserRecord<'_>)),
)]
async fn me(call: Call) -> HandlerResult {
    let found = call.services().users.get(call.actor(), call.caller().user).await?;
    reply::ok(&record(&found.record, call.caller()))
}

/// Change some members of a user
///
/// Absent members are unchanged; null clears middleName, employeeNo, employeePin, email and phone.
/// An EMPLOYEE may change only their own email, phone and language. A MANAGER may neither change an
/// ADMIN nor give the role ADMIN. The last ACTIVE ADMIN keeps role and status.
#[utoipa::path(
    patch,
    path = "/users/{id}",
    operation_id = "patchUser",
    params(("id" = Id, Path, description = "The user."), ("If-Match", Header)),
    request_body = UserMembers,
    responses((
        status = 200,
        description = "The full record after the change.",
        body = UserRecord<'_>,
    )),
)]
async fn patch(WithBody(call, patch): WithBody<UserPatch>) -> HandlerResult {
    let at = target(&call).await?;
    let user = call.services().users.patch(call.actor(), at, patch).await?;
    reply::versioned(&record(&user.record, call.caller()), user.version)
}

/// Delete a user
///
/// With photo, tokens and password. Assignees of PENDING executions lose the user; everything else
/// keeps the id. Only an ADMIN may delete users, and the last ACTIVE ADMIN stays.
#[utoipa::path(
    delete,
    path = "/users/{id}",
    operation_id = "deleteUser",
    params(("id" = Id, Path, description = "The user."), ("If-Match", Header)),
    responses((status = 204, description = "The user is deleted.")),
)]
async fn delete(call: Call) -> HandlerResult {
    let at = target(&call).await?;
    call.services().users.delete(call.actor(), at).await?;
    Ok(reply::no_content())
}

/// Change some members of many users
///
/// All or nothing; the records are returned in the order of the entries. Uniqueness is checked
/// after the whole batch, so that two users may swap numbers. An EMPLOYEE may not send a batch; a
/// MANAGER may neither change an ADMIN nor give the role ADMIN. With `dryRun=true` nothing is stored.
#[utoipa::path(
    post,
    path = "/users/batch",
    operation_id = "postUserBatch",
    params(("dryRun", Query)),
    request_body = UserBatch,
    responses(
        (
            status = 200,
            description = "The full records after the change.",
            body = Vec<UserRecord<'_>>,
            headers(("Patrol-Dry-Run")),
        ),
    ),
)]
async fn patch_batch(WithBody(call, entries): WithBody<Vec<BatchEntry>>) -> HandlerResult {
    let (caller, batch) = (call.caller(), user::UserBatch(entries));
    let records = |users: &[User]| {
        reply::ok(&users.iter().map(|user| record(user, caller)).collect::<Vec<_>>())
    };
    if call.is_dry_run()? {
        let users = call.services().users.dry_run_batch(call.actor(), batch).await?;
        return Ok(dry_run::mark(records(&users)?));
    }
    let users = call.services().users.patch_batch(call.actor(), batch).await?;
    let answer = records(&users)?;
    Ok(reply::with_changed(answer, ChangedRecords::all(users.iter().map(|user| user.id.0))))
}

/// Answers a repeated batch with the users as they are now.
async fn patched_batch(WithBody(call, entries): WithBody<Vec<BatchEntry>>) -> HandlerResult {
    // An empty patch changes nothing, but checks the same permission as the first request.
    let unchanged = |entry: BatchEntry| BatchEntry { patch: UserPatch::default(), ..entry };
    let entries = entries.into_iter().map(unchanged).collect();
    let users = call.services().users.patch_batch(call.actor(), user::UserBatch(entries)).await?;
    let records: Vec<_> = users.iter().map(|user| record(user, call.caller())).collect();
    reply::ok(&records)
}

/// Answers a repeated PATCH with the record as it is now.
async fn patched(call: Call) -> HandlerResult {
    // An empty patch changes nothing, but checks the same permission as the first request.
    let at = Target::any_version(call.id());
    let user = call.services().users.patch(call.actor(), at, UserPatch::default()).await?;
    reply::versioned(&record(&user.record, call.caller()), user.version)
}

/// The user in the path, with the expected version from `If-Match`.
async fn target(call: &Call) -> Result<Target<User>, ApiError> {
    let users = &call.services().users;
    call.target(|actor, id| users.get(actor, id)).await
}

/// The record of a user, without the members that `caller` may not see.
pub(crate) fn record(user: &User, caller: Caller) -> UserRecord<'_> {
    UserRecord::new(user, may_see_pin(caller, user))
}
