//! Points: their pages and their form. The page of their location lists them.

use actix_web::Error;
use patrol_application::RecordService;
use patrol_domain::{
    ids::LocationId,
    location::Location,
    point::{Point, PointDraft, PointSort},
};
use patrol_http::{PageError, Services};
use patrol_record::{json::fields::Fields, read_point};
use serde_json::{Value, json};

use super::{graphic_plans::plans_of, locations::COORDINATES};
use crate::{
    office::{
        content::{Facts, RecordContent, Section},
        form::{Kind, Label, Part, Rows, Sources},
        list::Address,
        record::{OfficeRecord, id_in},
        table::{Cell, Column, Table},
    },
    pages::choices,
    view::point_type,
    visit::SignedIn,
};

/// The types of points, by their names in the API.
const TYPES: &[(&str, Label)] = &[
    ("QR", |t| &t.qr_code),
    ("NFC", |t| &t.place_nfc),
    ("RFID", |t| &t.place_rfid),
    ("BLE", |t| &t.place_ble),
    ("VIRTUAL", |t| &t.place_virtual),
];

impl OfficeRecord for Point {
    const PATH: &'static str = "/points";
    const NEW_HEADING: Label = |t| &t.new_point;
    const DELETION_ABOUT: Option<Label> = Some(|t| &t.delete_point_about);
    const SERVICE: fn(&Services) -> &RecordService<Self> = |api| &api.points;
    const READ: fn(&mut Fields<'_>) -> PointDraft = read_point;
    const BY_NAME: PointSort = PointSort::Name;
    const FORM: &'static [Part] = &[
        Part::field("locationId", |t| &t.location, Kind::One("locations")).required(),
        Part::field("name", |t| &t.name, Kind::Line).required(),
        Part::field("type", |t| &t.kind, Kind::Choice(TYPES)).hint(|t| &t.place_kind_hint),
        Part::field("qrCode", |t| &t.qr_code, Kind::Line).hint(|t| &t.place_qr_code_hint),
        Part::field("rfidCode", |t| &t.place_rfid_code, Kind::Line),
        COORDINATES,
        Part::field("tags", |t| &t.tags, Kind::Lines).hint(|t| &t.one_a_line),
        Part::Rows(Rows {
            path: "graphicPlans",
            legend: |t| &t.place_on_plans,
            add: |t| &t.place_add,
            name: "id",
            parts: &[
                Part::field("id", |t| &t.place_plan, Kind::One("plans")).required(),
                Part::field("x", |t| &t.place_from_left, Kind::Number)
                    .hint(|t| &t.place_share_hint),
                Part::field("y", |t| &t.place_from_top, Kind::Number).hint(|t| &t.place_share_hint),
            ],
        }),
    ];

    fn name(&self) -> &str {
        &self.name
    }

    fn template(signed_in: &SignedIn) -> Value {
        match Address::of(&signed_in.visit).value("locationId") {
            "" => Value::Null,
            location => json!({ "locationId": location }),
        }
    }

    async fn sources(signed_in: &SignedIn, record: &Value) -> Result<Sources, Error> {
        let locations = choices::records::<Location>(signed_in, None).await?;
        let location = record["locationId"].as_str().and_then(patrol_domain::ids::parse);
        let plans = match location {
            Some(location) => plans_of(signed_in, LocationId(location)).await?.0,
            None => Vec::new(),
        };
        let plans = plans.into_iter().map(|plan| (plan.id.0.to_string(), plan.name)).collect();
        Ok(Sources::default().with("locations", locations).with("plans", plans))
    }

    fn parent(record: &Value) -> String {
        match record["locationId"].as_str().map(id_in::<LocationId>) {
            Some(Ok(location)) => format!("/locations/{}", location.0),
            _ => "/locations".to_owned(),
        }
    }

    async fn page<'a>(&'a self, signed_in: &'a SignedIn) -> Result<RecordContent<'a>, Error> {
        let t = &signed_in.visit.language().texts;
        let api = &signed_in.visit.site.api;
        let location = api.locations.get(signed_in.actor, self.location_id).await;
        let location = location.map_err(PageError::of)?.record;
        let (plans, _) = plans_of(signed_in, self.location_id).await?;
        let rows = plans.iter().map(|plan| {
            let place = self.graphic_plans.iter().find(|place| place.plan == plan.id);
            let page = format!("/graphic-plans/{}", plan.id.0);
            let choose = format!("{page}/place?pointId={}", self.id.0);
            let can_choose = signed_in.is_planner() && plan.picture.is_some();
            vec![
                Cell::link(page, &plan.name),
                Cell::percent(place.and_then(|place| place.x)),
                Cell::percent(place.and_then(|place| place.y)),
                if can_choose {
                    Cell::link(choose, t.place_choose_on.with(&plan.name))
                } else {
                    Cell::Empty
                },
            ]
        });
        let columns = [
            Column::new(&t.place_plan),
            Column::of_numbers(&t.place_from_left),
            Column::of_numbers(&t.place_from_top),
            Column::new(&t.place_choose),
        ];
        let places = Table::new(t, [&t.place_on_plans, &t.place_no_plans], columns, rows);
        Ok(RecordContent {
            facts: Facts(vec![
                (&t.location, Cell::link(format!("/locations/{}", location.id.0), &location.name)),
                (&t.kind, Cell::text(point_type(t, self.kind))),
                (&t.qr_code, self.qr_code.clone().into()),
                (&t.place_rfid_code, self.rfid_code.clone().into()),
                (&t.coordinates, Cell::position(self.position)),
                (&t.tags, Cell::joined(&self.tags)),
            ]),
            sections: vec![Section::new(&t.place_on_plans, places)?],
            actions: Vec::new(),
        })
    }
}
