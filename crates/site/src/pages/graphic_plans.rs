//! Graphic plans of locations: their pages with the points on the picture, the upload of the picture, and
//! the page on which a point is placed.

use actix_web::{Error, HttpResponse, http::StatusCode, web::Path};
use askama::{Template, filters::HtmlSafe};
use futures_util::StreamExt as _;
use patrol_application::NewGraphicPlan;
use patrol_domain::{
    Holder, Target, Versioned,
    graphic_plan::{GraphicPlan, GraphicPlanSort, Picture},
    ids::{GraphicPlanId, LocationId, PointId},
    list::{Condition, Page, Part as ListPart, Query},
    point::Point,
};
use patrol_http::PageError;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{HandlerResult, listed};
use crate::{
    form::{FILE, FileForm, Form},
    labels::points_to_label,
    office::{
        body::{json_of, read_body},
        faults::FormFault,
        form::{Kind, Part, Sources},
        form_page::{FormPage, Refused},
        list,
        question::Question,
        record::{OfficeRecord, id_in},
        table::{Cell, Column, Table},
    },
    view::{self, Frame, redirect},
    visit::{Planner, SignedIn},
};

const FORM: &[Part] = &[
    Part::field("name", |t| &t.name, Kind::Line).required(),
    Part::field(FILE, |t| &t.file, Kind::File).required().hint(|t| &t.place_picture_hint),
];

/// The most plans of a location, and the most points on a plan, that a page shows.
const MOST: u32 = 1_000;

/// The width in CSS pixels in which a picture is shown to place a point on it.
const PLACE_WIDTH: u32 = 960;

/// The graphic plans of a location by their names, and the number of all.
pub(super) async fn plans_of(
    signed_in: &SignedIn,
    location: LocationId,
) -> Result<(Vec<GraphicPlan>, u64), Error> {
    let api = &signed_in.visit.site.api;
    let all = Condition::All(Vec::new());
    let query = list::first(signed_in, all, Some(GraphicPlanSort::Name), MOST);
    listed(api.graphic_plans.list(signed_in.actor, location, query)).await
}

/// Where the form of a new plan belongs.
#[derive(Deserialize)]
pub(crate) struct OfLocation {
    #[serde(rename = "locationId")]
    location: String,
}

/// GET /graphic-plans/new
pub(crate) async fn new(Planner(signed_in): Planner) -> HandlerResult {
    let OfLocation { location } = signed_in.visit.parameters()?;
    let location = id_in(&location)?;
    upload_form(&signed_in, location, &Value::Null, Refused::default()).await
}

/// POST /graphic-plans/new
pub(crate) async fn create(form: FileForm<Planner>) -> HandlerResult {
    let FileForm { sender: Planner(signed_in), fields, file } = form;
    let name = fields.value("name");
    let OfLocation { location } = signed_in.visit.parameters()?;
    let location = id_in(&location)?;
    let new = NewGraphicPlan { id: None, name: Some(name.trim().to_owned()), image: file };
    let plans = &signed_in.visit.site.api.graphic_plans;
    match plans.create(signed_in.actor, location, new).await {
        Ok(made) => Ok(redirect(&signed_in.visit, &path_of(&made))),
        Err(failure) => {
            let mut refused = Refused::of(&signed_in.visit.language().texts, failure);
            refused.faults.iter_mut().for_each(name_the_file);
            upload_form(&signed_in, location, &json!({ "name": name }), refused).await
        }
    }
}

/// The picture is a member of the API, and a file of the form.
fn name_the_file(fault: &mut FormFault) {
    if fault.path == "image" {
        FILE.clone_into(&mut fault.path);
    }
}

async fn upload_form(
    signed_in: &SignedIn,
    location: LocationId,
    entered: &Value,
    refused: Refused,
) -> HandlerResult {
    let api = &signed_in.visit.site.api;
    let location = api.locations.get(signed_in.actor, location).await;
    let location = location.map_err(PageError::of)?.record;
    let t = &signed_in.visit.language().texts;
    let heading = t.place_new_plan_of.with(&location.name);
    let id = location.id.0;
    let frame = Frame::of_user(signed_in, &t.place_new_plan).headed(heading);
    let action = format!("/graphic-plans/new?locationId={id}");
    let page = FormPage::new(frame, action, format!("/locations/{id}")).with_file();
    page.answer(signed_in, (FORM, &Sources::default()), entered, refused)
}

fn path_of(plan: &GraphicPlan) -> String {
    format!("/graphic-plans/{}", plan.id.0)
}

async fn found(signed_in: &SignedIn, id: &str) -> Result<Versioned<GraphicPlan>, Error> {
    let plans = &signed_in.visit.site.api.graphic_plans;
    plans.get(signed_in.actor, id_in(id)?).await.map_err(PageError::of)
}

/// The picture of a plan with points on it.
#[derive(Template)]
#[template(path = "office/plan_picture.html")]
struct PlanPicture<'a> {
    plan: &'a GraphicPlan,
    picture: Picture,
    /// The points on the plan, by their numbers from 1.
    points: &'a [Point],
    /// Whether the picture itself is a part of the drawing.
    has_image: bool,
}

impl HtmlSafe for PlanPicture<'_> {}

impl PlanPicture<'_> {
    fn href(&self) -> String {
        format!("{}/image", path_of(self.plan))
    }

    /// The radius of a marker, in pixels of the picture.
    fn radius(&self) -> f64 {
        f64::from(self.picture.width.max(self.picture.height)) / 60.0
    }

    /// Where a point is, in pixels of the picture.
    fn place(&self, point: &Point) -> Option<(f64, f64)> {
        let place = point.graphic_plans.iter().find(|place| place.plan == self.plan.id)?;
        Some((place.x? * f64::from(self.picture.width), place.y? * f64::from(self.picture.height)))
    }
}

/// The points of a plan's location that are on the plan, by their names.
async fn points_on(signed_in: &SignedIn, plan: &GraphicPlan) -> Result<Vec<Point>, Error> {
    let api = &signed_in.visit.site.api;
    let user = signed_in.session.user.id;
    let _permit = signed_in.visit.page.begin_long_list(user).await?;
    let query = points_to_label(plan.location_id, Vec::new(), api.clock.now());
    let mut points = api.points.list(signed_in.actor, query).map_err(PageError::of)?;
    let is_on = |point: &Point| point.graphic_plans.iter().any(|place| place.plan == plan.id);
    let mut on_plan = Vec::new();
    let most = usize::try_from(MOST).unwrap_or(usize::MAX);
    while let Some(part) = points.next().await {
        if let ListPart::Rows(rows) = part.map_err(PageError::of)? {
            on_plan.extend(rows.into_iter().filter(is_on).take(most.saturating_sub(on_plan.len())));
        }
        if on_plan.len() == most {
            break;
        }
    }
    Ok(on_plan)
}

#[derive(Template)]
#[template(path = "graphic_plan.html")]
struct PlanPage<'a> {
    frame: Frame<'a>,
    path: String,
    location: Cell,
    picture: Option<PlanPicture<'a>>,
    points: Table<'a>,
    /// Points that can be placed: ids and names.
    choices: Vec<(String, String)>,
}

/// GET /graphic-plans/{id}
pub(crate) async fn show(signed_in: SignedIn, id: Path<String>) -> HandlerResult {
    let plan = found(&signed_in, &id).await?.record;
    let api = &signed_in.visit.site.api;
    let location = api.locations.get(signed_in.actor, plan.location_id).await;
    let location = location.map_err(PageError::of)?.record;
    let t = &signed_in.visit.language().texts;
    let points = points_on(&signed_in, &plan).await?;
    let rows = points.iter().enumerate().map(|(at, point)| {
        let place = point.graphic_plans.iter().find(|place| place.plan == plan.id);
        vec![
            Cell::link(format!("/points/{}", point.id.0), &point.name),
            Cell::Number(u64::try_from(at).map_or(0, |at| at.saturating_add(1))),
            Cell::percent(place.and_then(|place| place.x)),
            Cell::percent(place.and_then(|place| place.y)),
        ]
    });
    let numbers = [&t.place_number, &t.place_from_left, &t.place_from_top].map(Column::of_numbers);
    let columns = std::iter::once(Column::new(&t.name)).chain(numbers);
    let table = Table::new(t, [&t.points, &t.place_no_points], columns, rows);
    let choices = if signed_in.is_planner() && plan.picture.is_some() {
        let query = points_to_label(plan.location_id, Vec::new(), api.clock.now());
        let query = Query { page: Page { limit: MOST, offset: 0 }, in_parts: false, ..query };
        let (mut points, _) = listed(api.points.list(signed_in.actor, query)).await?;
        // The next one to place comes first.
        points.sort_by_key(|point| point.graphic_plans.iter().any(|place| place.plan == plan.id));
        points.into_iter().map(|point| (point.id.0.to_string(), point.name)).collect()
    } else {
        Vec::new()
    };
    let page = PlanPage {
        frame: Frame::of_user(&signed_in, &t.place_plan).headed(&plan.name),
        path: path_of(&plan),
        location: Cell::link(format!("/locations/{}", location.id.0), location.name),
        picture: plan.picture.map(|picture| PlanPicture {
            plan: &plan,
            picture,
            points: &points,
            has_image: true,
        }),
        points: table,
        choices,
    };
    view::page(&signed_in.visit, StatusCode::OK, &page)
}

/// GET /graphic-plans/{id}/image
pub(crate) async fn image(signed_in: SignedIn, id: Path<String>) -> HandlerResult {
    let (visit, actor, id) = (&signed_in.visit, signed_in.actor, id_in(&id)?);
    let plans = &visit.site.api.graphic_plans;
    let answer = visit.page.image(plans.current_image(actor, id), plans.image(actor, id)).await?;
    Ok(secured(&signed_in, answer))
}

/// The answer with an image, with the headers of all answers of the site.
pub(super) fn secured(signed_in: &SignedIn, mut answer: HttpResponse) -> HttpResponse {
    view::secure(answer.headers_mut(), &signed_in.visit.site.settings.public_url);
    answer
}

/// GET /graphic-plans/{id}/delete
pub(crate) async fn ask(Planner(signed_in): Planner, id: Path<String>) -> HandlerResult {
    question(&found(&signed_in, &id).await?).page(&signed_in, None)
}

/// POST /graphic-plans/{id}/delete
pub(crate) async fn delete(form: Form<Planner>, id: Path<String>) -> HandlerResult {
    let Form { sender: Planner(signed_in), fields } = form;
    let found = found(&signed_in, &id).await?;
    let at = Target { id: found.record.id, expected: fields.version() };
    let deleted = signed_in.visit.site.api.graphic_plans.delete(signed_in.actor, at).await;
    let location = found.record.location_id.0;
    question(&found).answer(&signed_in, deleted, &format!("/locations/{location}"))
}

fn question(found: &Versioned<GraphicPlan>) -> Question<'static> {
    let Versioned { record, version } = found;
    // The page of the plan lists the points that are on it.
    let pages = vec![(Holder::Points, path_of(record))];
    let (name, path) = (record.name.clone(), path_of(record));
    Question { name, path, version: *version, about: None, pages }
}

/// The point that is placed.
#[derive(Deserialize)]
pub(crate) struct OfPoint {
    #[serde(rename = "pointId")]
    point: String,
}

#[derive(Template)]
#[template(path = "place.html")]
struct PlacePage<'a> {
    frame: Frame<'a>,
    path: String,
    point: &'a Point,
    picture: PlanPicture<'a>,
    width: u32,
    height: u32,
}

/// The plan with its picture, and the point of the same location that the address names.
async fn to_place(
    signed_in: &SignedIn,
    id: &str,
) -> Result<(GraphicPlan, Picture, Versioned<Point>), Error> {
    let plan = found(signed_in, id).await?.record;
    let OfPoint { point } = signed_in.visit.parameters()?;
    let point: PointId = id_in(&point)?;
    let api = &signed_in.visit.site.api;
    let point = api.points.get(signed_in.actor, point).await.map_err(PageError::of)?;
    match plan.picture {
        Some(picture) if point.record.location_id == plan.location_id => Ok((plan, picture, point)),
        _ => Err(PageError::new(StatusCode::NOT_FOUND).into()),
    }
}

/// The size in which a picture is shown to place a point on it, in CSS pixels.
fn shown_size(picture: Picture) -> (u32, u32) {
    let Picture { width, height, .. } = picture;
    let shown = width.clamp(1, PLACE_WIDTH);
    let high = u64::from(height).saturating_mul(u64::from(shown)) / u64::from(width.max(1));
    (shown, u32::try_from(high.max(1)).unwrap_or(u32::MAX))
}

/// GET /graphic-plans/{id}/place
pub(crate) async fn place_form(Planner(signed_in): Planner, id: Path<String>) -> HandlerResult {
    let (plan, picture, Versioned { record: point, .. }) = to_place(&signed_in, &id).await?;
    let t = &signed_in.visit.language().texts;
    let (width, height) = shown_size(picture);
    let page = PlacePage {
        frame: Frame::of_user(&signed_in, &t.place_choose)
            .headed(t.place_point_on.with_each(&[point.name.clone(), plan.name.clone()])),
        path: path_of(&plan),
        picture: PlanPicture {
            plan: &plan,
            picture,
            points: std::slice::from_ref(&point),
            has_image: false,
        },
        point: &point,
        width,
        height,
    };
    view::page(&signed_in.visit, StatusCode::OK, &page)
}

/// Where the picture was clicked, in CSS pixels. A browser names both when the picture is pressed.
#[derive(Deserialize)]
pub(crate) struct Click {
    #[serde(rename = "at.x")]
    x: f64,
    #[serde(rename = "at.y")]
    y: f64,
}

/// POST /graphic-plans/{id}/place
pub(crate) async fn place(form: Form<Planner, Click>, id: Path<String>) -> HandlerResult {
    let Form { sender: Planner(signed_in), fields: Click { x, y } } = form;
    let (plan, picture, Versioned { record: point, version }) = to_place(&signed_in, &id).await?;
    let edit = format!("/points/{}/edit", point.id.0);
    if x == 0.0 && y == 0.0 {
        // The picture was pressed by the keyboard, which has no place: numbers say it.
        return Ok(redirect(&signed_in.visit, &edit));
    }
    let (width, height) = shown_size(picture);
    let mut record = json_of(&point)?;
    set_place(&mut record, plan.id, share(x, width), share(y, height));
    let t = &signed_in.visit.language().texts;
    let draft =
        read_body(t, &record, Point::READ).map_err(|_| PageError::new(StatusCode::BAD_REQUEST))?;
    let at = Target { id: point.id, expected: Some(version) };
    let points = &signed_in.visit.site.api.points;
    points.replace(signed_in.actor, at, draft).await.map_err(PageError::of)?;
    Ok(redirect(&signed_in.visit, &path_of(&plan)))
}

/// A place as a share of a length, to a ten-thousandth, from 0 to 1.
fn share(at: f64, length: u32) -> f64 {
    let share = (at / f64::from(length.max(1))).clamp(0.0, 1.0);
    (share * 10_000.0).round() / 10_000.0
}

/// Sets the place of a point, as the API writes it, on a plan. Further members of the place stay.
fn set_place(point: &mut Value, plan: GraphicPlanId, x: f64, y: f64) {
    let id = plan.0.to_string();
    let Some(places) = point["graphicPlans"].as_array_mut() else { return };
    match places.iter_mut().find(|place| place["id"] == id) {
        Some(place) => {
            place["x"] = json!(x);
            place["y"] = json!(y);
        }
        None => places.push(json!({ "id": id, "x": x, "y": y })),
    }
}

#[cfg(test)]
mod tests {
    use patrol_domain::{ids::Uuid, photo::ImageFormat};

    use super::*;

    #[test]
    fn a_click_becomes_a_share_of_the_picture() {
        assert_eq!(share(480.0, 960), 0.5);
        assert_eq!(share(1.0, 3), 0.3333);
        for (at, expected) in [(-5.0, 0.0), (0.0, 0.0), (961.0, 1.0), (f64::INFINITY, 1.0)] {
            assert_eq!(share(at, 960), expected, "{at}");
        }
    }

    #[test]
    fn a_place_is_changed_or_added_and_keeps_what_else_it_has() {
        let (one, other) = (GraphicPlanId(Uuid::nil()), GraphicPlanId(Uuid::max()));
        let mut point = json!({ "graphicPlans": [{ "id": one.0.to_string(), "colour": "red" }] });
        set_place(&mut point, one, 0.25, 0.5);
        set_place(&mut point, other, 0.0, 1.0);
        let expected = json!([
            { "id": one.0.to_string(), "colour": "red", "x": 0.25, "y": 0.5 },
            { "id": other.0.to_string(), "x": 0.0, "y": 1.0 },
        ]);
        assert_eq!(point["graphicPlans"], expected);
    }

    #[test]
    fn a_picture_is_shown_in_its_proportions() {
        let size = |width, height| {
            let image = patrol_domain::ids::MediaId(Uuid::nil());
            shown_size(Picture { image, format: ImageFormat::Png, width, height })
        };
        assert_eq!(size(640, 480), (640, 480));
        assert_eq!(size(4000, 1000), (960, 240));
        assert_eq!(size(25_000, 1), (960, 1));
    }
}
