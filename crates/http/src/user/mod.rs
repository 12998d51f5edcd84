//! Users over HTTP (interface 4.2, decisions 6).

mod patch;
mod record;
#[cfg(test)]
pub(crate) mod tests;

use actix_web::http::Method;
use patrol_application::Operation;
use patrol_domain::user::{BatchEntry, MOST_USERS, UserBatch, UserPatch};

pub(crate) use record::UserRecord;

use crate::{
    reply,
    route::{Answer, Call, Manners, Route},
};

/// The routes of users.
pub(crate) fn routes() -> Vec<Route> {
    let (change, plan) = (Operation::ChangeUser, Operation::Plan);
    vec![
        Route::json(
            Method::PATCH,
            "/users/{id}",
            change,
            Manners::JSON,
            Some(patch::is_allowed),
            patch::read,
            patch,
        ),
        Route::batch(
            "/users/batch",
            plan,
            Manners::JSON,
            MOST_USERS,
            Some(patch::is_allowed_in_all),
            patch::read_entry,
            patch_batch,
        ),
    ]
}

/// PATCH /users/{id}.
async fn patch(call: Call, patch: UserPatch) -> Answer {
    let user = call.services().users.patch(call.caller(), call.id(), patch).await?;
    reply::ok(&UserRecord::new(&user))
}

/// POST /users/batch.
async fn patch_batch(call: Call, entries: Vec<BatchEntry>) -> Answer {
    let users = call.services().users.patch_batch(call.caller(), UserBatch(entries)).await?;
    let records: Vec<_> = users.iter().map(UserRecord::new).collect();
    reply::ok(&records)
}
