//! Users over HTTP.

mod patch;
#[cfg(test)]
pub(crate) mod tests;

use patrol_application::may_see_pin;
use patrol_domain::{
    access::Caller,
    user::{self, BatchEntry, User, UserPatch},
};
use patrol_record::{UserRecord, value::Id};
use utoipa::OpenApi;

use crate::{
    log::Changed,
    openapi::Part,
    reply,
    route::{Answer, Api, Call, ChangeUser, Plan, WithBody, resource},
};
use patch::{UserBatch, UserMembers};

/// Registers the resources of users.
pub(crate) fn configure(api: &mut Api<'_>) {
    api.service(resource("/users/batch").no_store().post(patch_batch, patched_batch))
        .service(resource("/users/{id}").no_store().patch(patch, patched));
}

/// The operations in the API document.
#[derive(OpenApi)]
#[openapi(
    paths(patch_batch, patch),
    tags((name = "Users", description = "Users and their photos."))
)]
struct Description;

/// The part of the API document about users.
pub(crate) fn part() -> Part {
    Part::of::<Description>(include_str!("examples.json"))
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
    params(("id" = Id, Path, description = "The user.")),
    request_body = UserMembers,
    responses(
        (status = 200, description = "The full record after the change.", body = UserRecord<'_>),
    ),
)]
async fn patch(WithBody(call, patch): WithBody<ChangeUser, UserPatch>) -> Answer {
    let user = call.services().users.patch(call.actor(), call.id(), patch).await?;
    reply::ok(&record(&user, call.caller()))
}

/// Change some members of many users
///
/// All or nothing; the records are returned in the order of the entries. Uniqueness is checked
/// after the whole batch, so that two users may swap numbers. An EMPLOYEE may not send a batch; a
/// MANAGER may neither change an ADMIN nor give the role ADMIN.
#[utoipa::path(
    post,
    path = "/users/batch",
    operation_id = "postUserBatch",
    request_body = UserBatch,
    responses(
        (
            status = 200,
            description = "The full records after the change.",
            body = Vec<UserRecord<'_>>,
        ),
    ),
)]
async fn patch_batch(WithBody(call, entries): WithBody<Plan, Vec<BatchEntry>>) -> Answer {
    let caller = call.caller();
    let users = call.services().users.patch_batch(call.actor(), user::UserBatch(entries)).await?;
    let records: Vec<_> = users.iter().map(|user| record(user, caller)).collect();
    let answer = reply::ok(&records)?;
    Ok(reply::with_changed(answer, &Changed::all(users.iter().map(|user| user.id.0))))
}

/// A batch that is repeated.
async fn patched_batch(WithBody(call, entries): WithBody<Plan, Vec<BatchEntry>>) -> Answer {
    let unchanged = |entry: BatchEntry| BatchEntry { patch: UserPatch::default(), ..entry };
    let entries = entries.into_iter().map(unchanged).collect();
    let users = call.services().users.patch_batch(call.actor(), user::UserBatch(entries)).await?;
    let records: Vec<_> = users.iter().map(|user| record(user, call.caller())).collect();
    reply::ok(&records)
}

/// PATCH, or a photo, that is repeated.
pub(crate) async fn patched(call: Call<ChangeUser>) -> Answer {
    let user = call.services().users.patch(call.actor(), call.id(), UserPatch::default()).await?;
    reply::ok(&record(&user, call.caller()))
}

/// The record of a user, without the members that `caller` may not see.
pub(crate) fn record(user: &User, caller: Caller) -> UserRecord<'_> {
    UserRecord::new(user, may_see_pin(caller, user))
}
