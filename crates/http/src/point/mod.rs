//! Points and their history over HTTP.

mod draft;
mod list;
#[cfg(test)]
pub(crate) mod tests;

use actix_web::http::StatusCode;
use patrol_domain::point::{HistoryList, PointDraft};
use patrol_record::PointRecord;

use crate::{
    list::{self as lists, List},
    log::Changed,
    reply,
    route::{Answer, Api, Call, Plan, Read, WithBody, resource},
};
use draft::Replacement;

/// Registers the resources of points.
pub(crate) fn configure(api: &mut Api<'_>) {
    api.service(resource("/locations/points").post(create))
        .service(resource("/locations/points/history").get(history))
        .service(resource("/locations/points/{id}").get(get).put(replace).delete(delete));
}

/// POST /locations/points.
async fn create(WithBody(call, draft): WithBody<Plan, PointDraft>) -> Answer {
    let created = call.services().points.create(call.actor(), draft).await?;
    let answer = reply::json(StatusCode::CREATED, &PointRecord::new(&created))?;
    Ok(reply::naming(answer, &Changed::one(created.id.0)))
}

/// GET /locations/points/{id}.
async fn get(call: Call<Read>) -> Answer {
    let found = call.services().points.get(call.actor(), call.id()).await?;
    reply::ok(&PointRecord::new(&found))
}

/// PUT /locations/points/{id}.
async fn replace(WithBody(call, Replacement(draft)): WithBody<Plan, Replacement>) -> Answer {
    let replaced = call.services().points.replace(call.actor(), call.id(), draft).await?;
    reply::ok(&PointRecord::new(&replaced))
}

/// DELETE /locations/points/{id}.
async fn delete(call: Call<Plan>) -> Answer {
    call.services().points.delete(call.actor(), call.id()).await?;
    Ok(reply::no_content())
}

/// GET /locations/points/history.
async fn history(call: Call<List<Read, HistoryList>>) -> Answer {
    let points = &call.services().points;
    lists::answer(&call, |query, ()| Ok(points.history(call.actor(), query)?)).await
}
