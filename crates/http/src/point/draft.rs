//! The body of POST and PUT of a point.

use patrol_domain::point::PointDraft;
use patrol_record::{
    PlaceRecord,
    json::fields::Fields,
    read_point,
    value::{Id, PointType, Tags},
};

use crate::{
    route::JsonObject,
    schema::{Name, Text, body, inline_schema},
};

body! {
    /// The new content of a point. Members that are absent or null get their defaults.
    PointPut {
        location_id: Id,
        name: Name,
        r#type: PointType,
        /// Requires longitude.
        #[schema(minimum = -90, maximum = 90)]
        latitude: Option<f64>,
        /// Requires latitude.
        #[schema(minimum = -180, maximum = 180)]
        longitude: Option<f64>,
        graphic_plans: Option<GraphicPlans>,
        /// Unique among points that have one.
        rfid_code: Option<Text>,
        /// Unique among points that have one.
        qr_code: Option<Text>,
        tags: Option<Tags>,
    }
}

inline_schema! {
    /// Places on graphic plans.
    GraphicPlans = {"maxItems": "{limit_plan_places}"} of PlaceRecord<'_>;
}

impl JsonObject for PointDraft {
    fn read(fields: &mut Fields<'_>) -> Self {
        read_point(fields)
    }
}
