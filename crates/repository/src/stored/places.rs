//! The places of a point on graphic plans: a JSON array. Further members are stored as pairs of
//! name and JSON text, so that they are returned unchanged.

use patrol_domain::point::PlanPlace;
use serde::{Deserialize, Serialize};

use crate::stored::{Error, member::Id};

/// The stored form of `places`, in order.
///
/// # Errors
/// Never: any place can be written. The serializer's interface requires a result.
pub fn write(places: &[PlanPlace]) -> Result<String, Error> {
    let places: Vec<_> = places.iter().map(written).collect();
    Ok(serde_json::to_string(&places)?)
}

/// The places in `stored`.
///
/// # Errors
/// When it does not have the form that [`write`] produces.
pub fn read(stored: &[u8]) -> Result<Vec<PlanPlace>, Error> {
    let places: Vec<PlaceRow> = serde_json::from_slice(stored)?;
    Ok(places.into_iter().map(place_read).collect())
}

#[derive(Serialize)]
struct PlaceColumns<'a> {
    id: Id,
    #[serde(skip_serializing_if = "Option::is_none")]
    x: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    y: Option<f64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    further: &'a [(String, String)],
}

fn written(place: &PlanPlace) -> PlaceColumns<'_> {
    let PlanPlace { plan, x, y, further } = place;
    PlaceColumns { id: Id(plan.0), x: *x, y: *y, further }
}

#[derive(Deserialize)]
struct PlaceRow {
    id: Id,
    x: Option<f64>,
    y: Option<f64>,
    #[serde(default)]
    further: Vec<(String, String)>,
}

fn place_read(place: PlaceRow) -> PlanPlace {
    let PlaceRow { id, x, y, further } = place;
    PlanPlace { plan: id.0.into(), x, y, further }
}

#[cfg(test)]
mod tests {
    use patrol_domain::ids::{GraphicPlanId, Uuid};

    use super::*;

    #[test]
    fn further_members_are_returned_unchanged_and_in_order() {
        let further = [("zoom", "1.50e1"), ("at", r#"{"b":1,"a":[null,"\u0041"]}"#), ("zoom", "2")];
        let places = vec![
            PlanPlace {
                plan: GraphicPlanId(Uuid::from_u128(7)),
                x: Some(0.1),
                y: None,
                further: further.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            },
            PlanPlace {
                plan: GraphicPlanId(Uuid::from_u128(8)),
                x: None,
                y: Some(1.0),
                further: Vec::new(),
            },
        ];
        assert_eq!(read(write(&places).unwrap().as_bytes()), Ok(places));
    }

    #[test]
    fn rows_of_the_first_version_are_read() {
        let stored = r#"[{"id":"00000000000000000000000000000007","x":0.25}]"#;
        let place = PlanPlace {
            plan: GraphicPlanId(Uuid::from_u128(7)),
            x: Some(0.25),
            y: None,
            further: Vec::new(),
        };
        assert_eq!(read(stored.as_bytes()), Ok(vec![place]));
    }
}
