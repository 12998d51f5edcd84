//! Users over HTTP.

mod patch;
#[cfg(test)]
pub(crate) mod tests;

use patrol_application::may_see_pin;
use patrol_domain::{
    access::Caller,
    user::{BatchEntry, User, UserBatch, UserPatch},
};
use patrol_record::UserRecord;

use crate::{
    log::Changed,
    reply,
    route::{Answer, Api, ChangeUser, Plan, WithBody, resource},
};

/// Registers the resources of users.
pub(crate) fn configure(api: &mut Api<'_>) {
    api.service(resource("/users/batch").no_store().post(patch_batch))
        .service(resource("/users/{id}").no_store().patch(patch));
}

/// PATCH /users/{id}.
async fn patch(WithBody(call, patch): WithBody<ChangeUser, UserPatch>) -> Answer {
    let user = call.services().users.patch(call.actor(), call.id(), patch).await?;
    reply::ok(&record(&user, call.caller()))
}

/// POST /users/batch.
async fn patch_batch(WithBody(call, entries): WithBody<Plan, Vec<BatchEntry>>) -> Answer {
    let caller = call.caller();
    let users = call.services().users.patch_batch(call.actor(), UserBatch(entries)).await?;
    let records: Vec<_> = users.iter().map(|user| record(user, caller)).collect();
    let answer = reply::ok(&records)?;
    Ok(reply::naming(answer, &Changed::all(users.iter().map(|user| user.id.0))))
}

/// The record of a user as `caller` may see it.
pub(crate) fn record(user: &User, caller: Caller) -> UserRecord<'_> {
    UserRecord::new(user, may_see_pin(caller, user))
}
