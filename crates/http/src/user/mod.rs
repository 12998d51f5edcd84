//! Users over HTTP.

mod patch;
#[cfg(test)]
pub(crate) mod tests;

use actix_web::http::Method;
use patrol_application::{Operation, may_see_pin};
use patrol_domain::{
    access::Caller,
    user::{BatchEntry, MOST_USERS, User, UserBatch, UserPatch},
};
use patrol_record::UserRecord;

use crate::{
    log::Changed,
    reply,
    route::{Answer, Call, FaultStyle, Route},
};

/// The routes of users.
pub(crate) fn routes() -> Vec<Route> {
    let (change, plan) = (Operation::ChangeUser, Operation::Plan);
    let style = FaultStyle { no_store: true, ..FaultStyle::JSON };
    vec![
        Route::json(
            Method::PATCH,
            "/users/{id}",
            change,
            style,
            Some(patch::is_allowed),
            patch::read,
            patch,
        ),
        Route::batch(
            "/users/batch",
            plan,
            style,
            MOST_USERS,
            Some(patch::is_allowed_in_all),
            patch::read_entry,
            patch_batch,
        ),
    ]
}

/// PATCH /users/{id}.
async fn patch(call: Call, patch: UserPatch) -> Answer {
    let user = call.services().users.patch(call.actor(), call.id(), patch).await?;
    reply::ok(&record(&user, call.caller()))
}

/// POST /users/batch.
async fn patch_batch(call: Call, entries: Vec<BatchEntry>) -> Answer {
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
