//! Points and their history over HTTP.

mod draft;
mod list;
#[cfg(test)]
pub(crate) mod tests;

use actix_web::http::{Method, StatusCode};
use patrol_application::Operation;
use patrol_domain::point::{HistoryList, PointDraft};
use patrol_record::PointRecord;

use crate::{
    list as lists,
    log::Changed,
    reply,
    route::{Answer, Call, FaultStyle, Route},
};

/// The routes of points.
pub(crate) fn routes() -> Vec<Route> {
    const ALL: &str = "/locations/points";
    const ONE: &str = "/locations/points/{id}";
    let (read, plan) = (Operation::Read, Operation::Plan);
    vec![
        Route::json(Method::POST, ALL, plan, FaultStyle::JSON, None, draft::read, create),
        Route::get("/locations/points/history", read, FaultStyle::PLAIN, history)
            .with_parameters(lists::knows::<HistoryList>),
        Route::get(ONE, read, FaultStyle::PLAIN, get),
        Route::json(Method::PUT, ONE, plan, FaultStyle::JSON, None, draft::replacement, replace),
        Route::delete(ONE, plan, FaultStyle::PLAIN, delete),
    ]
}

/// POST /locations/points.
async fn create(call: Call, draft: PointDraft) -> Answer {
    let created = call.services().points.create(call.actor(), draft).await?;
    let answer = reply::json(StatusCode::CREATED, &PointRecord::new(&created))?;
    Ok(reply::naming(answer, &Changed::one(created.id.0)))
}

/// GET /locations/points/{id}.
async fn get(call: Call) -> Answer {
    let found = call.services().points.get(call.actor(), call.id()).await?;
    reply::ok(&PointRecord::new(&found))
}

/// PUT /locations/points/{id}.
async fn replace(call: Call, draft: PointDraft) -> Answer {
    let replaced = call.services().points.replace(call.actor(), call.id(), draft).await?;
    reply::ok(&PointRecord::new(&replaced))
}

/// DELETE /locations/points/{id}.
async fn delete(call: Call) -> Answer {
    call.services().points.delete(call.actor(), call.id()).await?;
    Ok(reply::no_content())
}

/// GET /locations/points/history.
async fn history(call: Call) -> Answer {
    let points = &call.services().points;
    lists::answer::<HistoryList>(&call, |query, ()| Ok(points.history(call.actor(), query)?)).await
}
