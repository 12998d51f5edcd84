//! The body of POST and PUT of a point.

use patrol_domain::point::{PlanPlaceDraft, PointDraft};
use patrol_json::fields::Fields;

/// Reads the body of a PUT, which may contain the id of the path.
pub(crate) fn replacement(fields: &mut Fields<'_>) -> PointDraft {
    fields.accept(&["id"]);
    read(fields)
}

/// Reads a point.
pub(crate) fn read(fields: &mut Fields<'_>) -> PointDraft {
    PointDraft {
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

fn place(fields: &mut Fields<'_>) -> PlanPlaceDraft {
    PlanPlaceDraft {
        id: fields.uuid("id"),
        x: fields.number("x"),
        y: fields.number("y"),
        further: fields.further(),
    }
}
