//! The steps of plans and rounds in their forms.

use std::collections::{HashMap, HashSet};

use actix_web::Error;
use askama::Template;
use patrol_domain::{
    check_list::CheckList,
    ids::parse,
    location::Location,
    point::{Point, PointFilter},
};
use patrol_http::PageError;
use serde_json::{Value, json};

use super::choices::{self, is_one_of};
use crate::{
    office::{
        faults::FormFault,
        form::{self, Sources},
    },
    texts::Text,
    visit::SignedIn,
};

/// The button that offers the points of the chosen location.
pub(super) const OFFER_POINTS: &str = "points";

/// The button that adds a step for each point of the location.
pub(super) const ADD_POINTS: &str = "all-points";

/// The points of the location in the form.
///
/// # Errors
/// When the points cannot be read.
async fn offered_points(
    signed_in: &SignedIn,
    record: &Value,
) -> Result<Vec<(String, String)>, Error> {
    match record["locationId"].as_str().and_then(parse) {
        None => Ok(Vec::new()),
        Some(location) => {
            let here = is_one_of(PointFilter::Location, vec![location]);
            choices::records::<Point>(signed_in, Some(here)).await
        }
    }
}

/// What the form of a plan or round chooses from. `record`: what the form shows.
///
/// # Errors
/// When the records cannot be read.
pub(super) async fn sources(signed_in: &SignedIn, record: &Value) -> Result<Sources, Error> {
    Ok(Sources::default()
        .with("locations", choices::records::<Location>(signed_in, None).await?)
        .with("points", offered_points(signed_in, record).await?)
        .with("checkLists", choices::records::<CheckList>(signed_in, None).await?)
        .with("people", choices::assignees(signed_in, record).await?))
}

/// What is wrong with the points of steps: those of another location. `before`: the record that the form was
/// made from. Points that it had are accepted while the location is the same. Without a location nothing is
/// said: that is a fault of its own, or a plan has the location.
///
/// # Errors
/// When the points cannot be read.
pub(super) async fn points_elsewhere(
    signed_in: &SignedIn,
    record: &Value,
    before: &Value,
) -> Result<Vec<FormFault>, Error> {
    let t = &signed_in.visit.language().texts;
    fn of(record: &Value) -> impl Iterator<Item = Option<&str>> {
        form::elements(&record["steps"]).iter().map(|step| step["pointId"].as_str())
    }
    if record["locationId"].is_null() {
        return Ok(Vec::new());
    }
    let is_moved = record["locationId"] != before["locationId"];
    let mut known: HashSet<_> =
        of(before).flatten().filter(|_| !is_moved).map(str::to_owned).collect();
    if of(record).flatten().all(|point| known.contains(point)) {
        return Ok(Vec::new());
    }
    known.extend(offered_points(signed_in, record).await?.into_iter().map(|(id, _)| id));
    let elsewhere = of(record)
        .enumerate()
        .filter(|(_, point)| point.is_some_and(|point| !known.contains(point)))
        .map(|(at, _)| FormFault::new(format!("steps[{at}].pointId"), &t.fault_other_location));
    Ok(elsewhere.collect())
}

/// Why the buttons for the points of the location have nothing to offer.
#[derive(Template)]
#[template(source = "<p class=\"fault\">{{ why }}</p>", ext = "html")]
struct NoPoints<'a> {
    why: &'a Text,
}

/// What stands below the button [`OFFER_POINTS`] or [`ADD_POINTS`] when it was pressed for nothing, as HTML.
///
/// # Errors
/// When the points cannot be read.
pub(super) async fn why_no_points(
    signed_in: &SignedIn,
    action: &str,
    record: &Value,
) -> Result<Option<String>, Error> {
    let t = &signed_in.visit.language().texts;
    if ![OFFER_POINTS, ADD_POINTS].contains(&action)
        || !offered_points(signed_in, record).await?.is_empty()
    {
        return Ok(None);
    }
    let has_location = !record["locationId"].is_null();
    let why = if has_location { &t.points_none } else { &t.points_no_location };
    let html = NoPoints { why }.render();
    html.map(Some).map_err(PageError::internal)
}

/// Does what the button [`ADD_POINTS`] says, and gives steps without a name that of their point.
///
/// # Errors
/// When the points cannot be read.
pub(super) async fn complete(
    signed_in: &SignedIn,
    action: &str,
    entered: &mut Value,
) -> Result<(), Error> {
    let is_nameless = |step: &Value| step["name"].is_null() && step["pointId"].is_string();
    let has_nameless =
        form::elements_mut(entered, "steps").is_some_and(|steps| steps.iter().any(is_nameless));
    if action != ADD_POINTS && !has_nameless {
        return Ok(());
    }
    let points = offered_points(signed_in, entered).await?;
    let Some(steps) = form::elements_mut(entered, "steps") else { return Ok(()) };
    if action == ADD_POINTS {
        let known: HashSet<_> =
            steps.iter().filter_map(|step| step["pointId"].as_str().map(str::to_owned)).collect();
        let new = points.iter().filter(|(id, _)| !known.contains(id));
        steps.extend(new.map(|(id, _)| json!({ "pointId": id })));
    }
    let names: HashMap<_, _> = points.iter().map(|(id, name)| (id.as_str(), name)).collect();
    for step in steps.iter_mut().filter(|step| is_nameless(step)) {
        let name = step["pointId"].as_str().and_then(|id| names.get(id).copied()).cloned();
        form::set(step, "name", name.into());
    }
    Ok(())
}
