//! The body of POST and PUT of a point.

use patrol_domain::point::{PlanPlaceDraft, PointDraft};
use patrol_json::fields::Fields;

use crate::route::JsonObject;

impl JsonObject for PointDraft {
    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            location_id: fields.uuid("locationId"),
            name: fields.text("name"),
            kind: fields.text("type"),
            latitude: fields.number("latitude"),
            longitude: fields.number("longitude"),
            graphic_plans: fields.list("graphicPlans", place).unwrap_or_default(),
            rfid_code: fields.text("rfidCode"),
            qr_code: fields.text("qrCode"),
            tags: fields.texts("tags").unwrap_or_default(),
        }
    }
}

/// The body of a PUT, which may contain the id of the path.
pub(super) struct Replacement(pub(super) PointDraft);

impl JsonObject for Replacement {
    fn read(fields: &mut Fields<'_>) -> Self {
        fields.accept(&["id"]);
        Self(PointDraft::read(fields))
    }
}

fn place(fields: &mut Fields<'_>) -> PlanPlaceDraft {
    PlanPlaceDraft {
        id: fields.uuid("id"),
        x: fields.number("x"),
        y: fields.number("y"),
        further: fields.further(),
    }
}
