//! Locations: their list, their pages and their form.

use actix_web::Error;
use patrol_application::RecordService;
use patrol_domain::{
    Holder,
    graphic_plan::GraphicPlan,
    ids::LocationId,
    location::{Location, LocationDraft, LocationSort},
    point::{Point, PointFilter, PointSort},
    task_execution::{ExecutionFilter, ExecutionSort},
};
use patrol_http::Services;
use patrol_record::{json::fields::Fields, read_location};

use super::{HandlerResult, choices, graphic_plans::plans_of, listed};
use crate::{
    office::{
        content::{Facts, RecordContent, Section},
        form::{Kind, Label, Part},
        list::{self, Address},
        record::OfficeRecord,
        record_list::{RecordList, SearchedTable},
        table::{Cell, Column, Table},
    },
    view::point_type,
    visit::SignedIn,
};

/// GET /locations
pub(crate) async fn list(signed_in: SignedIn) -> HandlerResult {
    let t = &signed_in.visit.language().texts;
    let address = Address::of(&signed_in.visit);
    let sorts = [("name", LocationSort::Name), ("address", LocationSort::Address)];
    let query = list::query(&signed_in.visit, &address, &sorts, Vec::new());
    let locations = signed_in.visit.site.api.locations.list(signed_in.actor, query);
    let (locations, total) = listed(locations).await?;
    let columns = vec![
        Column::new(&t.name).sorted_by(&address, "name"),
        Column::new(&t.address).sorted_by(&address, "address"),
        Column::new(&t.tags),
    ];
    let row = |location: &Location| {
        vec![
            Cell::link(format!("/locations/{}", location.id.0), &location.name),
            Cell::text(&location.address),
            Cell::joined(&location.tags),
        ]
    };
    let list = RecordList {
        heading: &t.locations,
        new: ("/locations/new", &t.new_location),
        empty: &t.no_locations,
        columns,
        only: None,
    };
    list.page(&signed_in, &address, locations.iter().map(row), total)
}

/// The fields of a position.
pub(super) const COORDINATES: Part = Part::Group {
    legend: |t| &t.coordinates,
    parts: &[
        Part::field("latitude", |t| &t.latitude, Kind::Number).hint(|t| &t.latitude_hint),
        Part::field("longitude", |t| &t.longitude, Kind::Number).hint(|t| &t.longitude_hint),
    ],
};

impl OfficeRecord for Location {
    const PATH: &'static str = "/locations";
    const NEW_HEADING: Label = |t| &t.new_location;
    const SERVICE: fn(&Services) -> &RecordService<Self> = |api| &api.locations;
    const READ: fn(&mut Fields<'_>) -> LocationDraft = read_location;
    const BY_NAME: LocationSort = LocationSort::Name;
    const FORM: &'static [Part] = &[
        Part::field("name", |t| &t.name, Kind::Line).required(),
        Part::field("address", |t| &t.address, Kind::Paragraph),
        COORDINATES,
        Part::field("tags", |t| &t.tags, Kind::Lines).hint(|t| &t.one_a_line),
    ];

    fn name(&self) -> &str {
        &self.name
    }

    async fn holder_page(
        &self,
        signed_in: &SignedIn,
        holder: Holder,
    ) -> Result<Option<String>, Error> {
        Ok(Some(match holder {
            Holder::Points | Holder::GraphicPlans => format!("/locations/{}", self.id.0),
            Holder::TaskExecutions => {
                let day = day_of_a_round(signed_in, self.id).await?.unwrap_or_default();
                format!("/rounds?location={}&date={day}", self.id.0)
            }
            Holder::ScheduledTasks => format!("/plans?location={}", self.id.0),
            Holder::Users => "/people".to_owned(),
        }))
    }

    async fn page<'a>(&'a self, signed_in: &'a SignedIn) -> Result<RecordContent<'a>, Error> {
        let t = &signed_in.visit.language().texts;
        let id = self.id.0;
        let address = Address::of(&signed_in.visit);
        let points = points_of(signed_in, &address, self.id).await?;
        let (plans, _) = plans_of(signed_in, self.id).await?;
        let row = |plan: &GraphicPlan| {
            let size =
                plan.picture.map(|picture| format!("{} × {}", picture.width, picture.height));
            vec![Cell::link(format!("/graphic-plans/{}", plan.id.0), &plan.name), size.into()]
        };
        let columns = [Column::new(&t.name), Column::of_numbers(&t.place_pixels)];
        let labels = [&t.place_plans, &t.place_no_plans];
        let plans = Table::new(t, labels, columns, plans.iter().map(row));
        Ok(RecordContent {
            facts: Facts(vec![
                (&t.address, Cell::text(&self.address)),
                (&t.coordinates, Cell::position(self.position)),
                (&t.tags, Cell::joined(&self.tags)),
            ]),
            sections: vec![
                Section::new(&t.points, points)?
                    .with_action(format!("/points/new?locationId={id}"), &t.new_point),
                Section::new(&t.place_plans, plans)?
                    .with_action(format!("/graphic-plans/new?locationId={id}"), &t.place_new_plan),
            ],
            actions: if signed_in.is_planner() {
                vec![(format!("/locations/{id}/labels"), &t.labels)]
            } else {
                Vec::new()
            },
        })
    }
}

/// The day of the first round of a location: the board shows one day.
async fn day_of_a_round(
    signed_in: &SignedIn,
    location: LocationId,
) -> Result<Option<String>, Error> {
    let condition = choices::is_one_of(ExecutionFilter::Location, vec![location.0]);
    let query = list::first(signed_in, condition, Some(ExecutionSort::StartAt), 1);
    let executions = &signed_in.visit.site.api.executions;
    let (rounds, _) = listed(executions.list(signed_in.actor, query)).await?;
    let day = rounds.first().and_then(|round| signed_in.visit.times().day_of(round.start_at));
    Ok(day.map(|day| day.to_string()))
}

/// One page of the points of a location, with their search.
async fn points_of<'a>(
    signed_in: &'a SignedIn,
    address: &'a Address,
    location: LocationId,
) -> Result<SearchedTable<'a>, Error> {
    let visit = &signed_in.visit;
    let t = &visit.language().texts;
    let sorts = [
        ("name", PointSort::Name),
        ("type", PointSort::Type),
        ("qrCode", PointSort::QrCode),
        ("rfidCode", PointSort::RfidCode),
    ];
    let here = choices::is_one_of(PointFilter::Location, vec![location.0]);
    let query = list::query(visit, address, &sorts, vec![here]);
    let points = visit.site.api.points.list(signed_in.actor, query);
    let (points, total) = listed(points).await?;
    let row = |point: &Point| {
        vec![
            Cell::link(format!("/points/{}", point.id.0), &point.name),
            Cell::text(point_type(t, point.kind)),
            point.qr_code.clone().into(),
            point.rfid_code.clone().into(),
            Cell::position(point.position),
            Cell::Number(u64::try_from(point.graphic_plans.len()).unwrap_or(u64::MAX)),
            Cell::joined(&point.tags),
        ]
    };
    let is_searched = !address.value("search").is_empty();
    let columns = [
        Column::new(&t.name).sorted_by(address, "name"),
        Column::new(&t.kind).sorted_by(address, "type"),
        Column::new(&t.qr_code).sorted_by(address, "qrCode"),
        Column::new(&t.place_rfid_code).sorted_by(address, "rfidCode"),
        Column::new(&t.coordinates),
        Column::of_numbers(&t.place_on_plans),
        Column::new(&t.tags),
    ];
    let empty = if is_searched { &t.none_found } else { &t.no_points };
    let table = Table::new(t, [&t.points, empty], columns, points.iter().map(row));
    Ok(SearchedTable { t, address, table: table.page_of(address, total) })
}
