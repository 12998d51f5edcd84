//! The labels of the points of a location, to be printed.

use actix_web::{
    http::StatusCode,
    web::{self, Path},
};
use askama::Template;
use futures_util::TryStreamExt as _;
use patrol_domain::ids::{Uuid, parse};
use patrol_http::PageError;

use super::HandlerResult;
use crate::{
    labels::{LabelWriter, defect, document, points_to_label, some_at_a_time},
    office::record::id_in,
    texts::Text,
    view::{self, Frame},
    visit::Planner,
};

#[derive(Template)]
#[template(path = "labels.html")]
struct Page<'a> {
    frame: Frame<'a>,
    has_labels: bool,
    /// What is said without labels.
    none: &'a Text,
}

/// GET /locations/{id}/labels
pub(crate) async fn show(Planner(signed_in): Planner, id: Path<String>) -> HandlerResult {
    let (visit, actor) = (&signed_in.visit, signed_in.actor);
    let api = &visit.site.api;
    let id = id_in(&id)?;
    // The parameter may be repeated.
    let parameters: Vec<(String, String)> = visit.parameters()?;
    let chosen = parameters.iter().filter(|(name, _)| name == "pointId").map(|(_, id)| parse(id));
    let chosen: Option<Vec<Uuid>> = chosen.collect();
    let chosen = chosen.ok_or(PageError::new(StatusCode::BAD_REQUEST))?;
    let is_chosen = !chosen.is_empty();
    let location = api.locations.get(actor, id).await.map_err(PageError::of)?.record;
    let permit = visit.page.begin_long_list(signed_in.session.user.id).await?;
    let query = points_to_label(id, chosen, api.clock.now());
    let points = api.points.list(actor, query).map_err(PageError::of)?;
    let t = &visit.language().texts;
    let none = if is_chosen { &t.no_labels_chosen } else { &t.no_labels };
    let writer = LabelWriter::new(&visit.site.settings.public_url, t);
    // Not on a thread that answers requests, because QR codes take long.
    let labels = some_at_a_time(points, permit).and_then(move |points| {
        let writer = writer.clone();
        async move {
            let written = web::block(move || writer.write(&points)).await;
            written.map_err(defect)?
        }
    });
    let heading = t.labels_of.with(&location.name);
    let frame = Frame::of_user(&signed_in, &t.labels_of).headed(heading);
    let document = document(labels, |has_labels| Page { frame, has_labels, none }).await;
    Ok(view::streamed(visit, document.map_err(PageError::of)?.map_err(PageError::of)))
}
