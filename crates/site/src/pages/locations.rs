//! Locations: their list, their pages and their form.

use actix_web::Error;
use patrol_application::RecordService;
use patrol_domain::{
    ids::LocationId,
    location::{Location, LocationDraft, LocationSort},
};
use patrol_json::fields::Fields;
use patrol_record::{LocationRecord, read_location};
use serde_json::Value;

use super::HandlerResult;
use crate::{
    labels::points_to_label,
    office::{
        form::{Field, Kind, Part},
        list::{self, Address, RecordList},
        record::{Content, Facts, OfficeRecord, RecordContent, Section},
        table::{Cell, Column, Table},
    },
    shared::SiteServices,
    texts::{Text, Texts},
    visit::SignedIn,
};

/// GET /locations
pub(crate) async fn list(signed_in: SignedIn) -> HandlerResult {
    let t = &signed_in.visit.language().texts;
    let address = Address::of(&signed_in.visit);
    let sorts = [("name", LocationSort::Name), ("address", LocationSort::Address)];
    let query = list::query(&signed_in.visit, &address, &sorts, Vec::new());
    let locations = signed_in.visit.site.services.locations.list(signed_in.actor, query);
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
        new: Some(("/locations/new".to_owned(), &t.new_location)),
        empty: &t.no_locations,
        columns,
    };
    list.page(&signed_in, &address, locations, row).await
}

impl OfficeRecord for Location {
    const PATH: &'static str = "/locations";
    const FORM: &'static [Part] = &[
        Field::new("name", |t| &t.name, Kind::Line).required().part(),
        Field::new("address", |t| &t.address, Kind::Paragraph).part(),
        Part::Group {
            legend: |t| &t.coordinates,
            parts: &[
                Field::new("latitude", |t| &t.latitude, Kind::Number)
                    .hint(|t| &t.latitude_hint)
                    .part(),
                Field::new("longitude", |t| &t.longitude, Kind::Number)
                    .hint(|t| &t.longitude_hint)
                    .part(),
            ],
        },
        Field::new("tags", |t| &t.tags, Kind::Lines).hint(|t| &t.one_a_line).part(),
    ];

    fn service(services: &SiteServices) -> &RecordService<Self> {
        &services.locations
    }

    fn new_heading(t: &Texts) -> &Text {
        &t.new_location
    }

    fn id(&self) -> LocationId {
        self.id
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn to_json(&self) -> serde_json::Result<Value> {
        serde_json::to_value(LocationRecord::new(self))
    }

    fn read(fields: &mut Fields<'_>) -> LocationDraft {
        read_location(fields)
    }

    async fn page<'a>(&'a self, signed_in: &'a SignedIn) -> Result<RecordContent<'a>, Error> {
        let t = &signed_in.visit.language().texts;
        let services = &signed_in.visit.site.services;
        let query = points_to_label(self.id, Vec::new(), services.clock.now());
        let points = super::listed(services.points.list(signed_in.actor, query)).await?.0;
        let rows = points.iter().map(|point| {
            vec![
                Cell::link(format!("/points/{}", point.id.0), &point.name),
                Cell::text(point.qr_code.as_deref().unwrap_or_default()),
            ]
        });
        let points = Table {
            label: t.points.to_string(),
            columns: vec![Column::new(&t.name), Column::new(&t.qr_code)],
            rows: rows.collect(),
            empty: t.no_points.to_string(),
            pager: None,
            t,
        };
        let position = self.position.map(|at| format!("{}, {}", at.latitude, at.longitude));
        Ok(RecordContent {
            facts: Facts(vec![
                (&t.address, Cell::text(&self.address)),
                (&t.coordinates, position.into()),
                (&t.tags, Cell::joined(&self.tags)),
            ]),
            sections: vec![Section {
                heading: &t.points,
                action: Some((format!("/points/new?locationId={}", self.id.0), &t.new_point)),
                content: Content::Table(points),
            }],
            actions: vec![(format!("/locations/{}/labels", self.id.0), &t.labels)],
        })
    }
}
