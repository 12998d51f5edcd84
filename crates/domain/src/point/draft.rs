//! The content of a point in POST, PUT and the data set.

use super::{PlanPlace, Point, PointList};
use crate::{
    location::Position,
    shared::{
        check,
        drafted::{DraftContext, Drafted},
        existing::{Existing, References, UniqueValue},
        fault::{Faults, Path, Refusal, Rule},
        ids::{GraphicPlanId, LocationId, PointId},
        rules::{Limits, Rules},
    },
};

/// The body of POST and PUT, or a point of the data set: the JSON types are checked, the field rules
/// are not.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct PointDraft {
    pub location_id: Option<LocationId>,
    pub name: Option<String>,
    pub kind: Option<String>,
    pub latitude: Option<f64>,
    pub longitude: Option<f64>,
    pub graphic_plans: Vec<PlanPlaceDraft>,
    pub rfid_code: Option<String>,
    pub qr_code: Option<String>,
    pub tags: Vec<String>,
}

/// A place on a graphic plan, in a [`PointDraft`].
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct PlanPlaceDraft {
    pub id: Option<GraphicPlanId>,
    pub x: Option<f64>,
    pub y: Option<f64>,
    pub further: Vec<(String, String)>,
}

/// RFID codes and printed codes MUST each be unique in a store, also under concurrent changes. Steps that
/// refer to a deleted point keep its id.
impl Drafted for Point {
    type Draft = PointDraft;
    type List = PointList;

    /// A list longer than its bound is a fault, so only its first elements are included.
    fn references(draft: &PointDraft, limits: &Limits) -> References {
        let places = draft.graphic_plans.iter().take(limits.plan_places);
        References::default()
            .with(draft.location_id)
            .with(places.filter_map(|place| place.id))
            .with_values(UniqueValue::QrCode, draft.qr_code.clone())
            .with_values(UniqueValue::RfidCode, draft.rfid_code.clone())
    }

    fn create(draft: &PointDraft, context: DraftContext<'_>) -> Result<Self, Refusal> {
        draft.check(PointId(context.ids.next()), Some(context.existing), context.rules)
    }

    /// A PUT without a difference is a change too: the history has a record of every PUT.
    fn replace(
        &self,
        draft: &PointDraft,
        context: DraftContext<'_>,
    ) -> Result<Option<Self>, Refusal> {
        draft.check(self.id, Some(context.existing), context.rules).map(Some)
    }
}

impl PointDraft {
    /// The point `id` with this content. Absent optional members become null or empty. `existing` is
    /// `None` for a record of the data set, because the store checks the references of an import.
    ///
    /// # Errors
    /// `Invalid` with the faults of the members, in their order.
    pub fn check(
        &self,
        id: PointId,
        existing: Option<&Existing>,
        rules: &Rules,
    ) -> Result<Point, Refusal> {
        Faults::checked(|faults| {
            let limits = &rules.limits;
            let at = |name| Path::Root.field(name);
            let location_id = check::required(faults, &at("locationId"), self.location_id);
            if let (Some(location), Some(existing)) = (location_id, existing)
                && !existing.has(location)
            {
                faults.push(&at("locationId"), Rule::Reference);
            }
            let name = check::name(faults, &at("name"), self.name.as_deref(), limits);
            let kind = check::required(faults, &at("type"), self.kind.as_deref())
                .and_then(|kind| check::enum_value(faults, &at("type"), kind));
            let position = Position::check(faults, self.latitude, self.longitude);
            let plans = at("graphicPlans");
            check::list_length(faults, &plans, self.graphic_plans.len(), limits.plan_places);
            let places = self.graphic_plans.iter().enumerate().take(limits.plan_places);
            let graphic_plans: Vec<_> = places
                .map(|(at, place)| {
                    let path = plans.index(at);
                    place.checked(faults, &path, location_id, existing, limits)
                })
                .collect();
            let codes = [
                ("rfidCode", &self.rfid_code, UniqueValue::RfidCode),
                ("qrCode", &self.qr_code, UniqueValue::QrCode),
            ];
            for (name, code, kind) in codes {
                let Some(code) = code else { continue };
                check::text(faults, &at(name), code, 1, limits.text);
                let has_other =
                    |existing: &Existing| existing.owners(kind, code).any(|owner| owner != id.0);
                if existing.is_some_and(has_other) {
                    faults.push(&at(name), Rule::Unique);
                }
            }
            let tags = check::tags(faults, &at("tags"), &self.tags, limits);
            Some(Point {
                id,
                location_id: location_id?,
                name: name?,
                kind: kind?,
                position,
                graphic_plans: graphic_plans.into_iter().collect::<Option<_>>()?,
                rfid_code: self.rfid_code.clone(),
                qr_code: self.qr_code.clone(),
                tags,
            })
        })
    }
}

impl PlanPlaceDraft {
    fn checked(
        &self,
        faults: &mut Faults,
        path: &Path<'_>,
        location: Option<LocationId>,
        existing: Option<&Existing>,
        limits: &Limits,
    ) -> Option<PlanPlace> {
        if self.json_size() > limits.plan_place {
            faults.push(path, Rule::Length { min: 0, max: limits.plan_place });
        }
        let plan = check::required(faults, &path.field("id"), self.id);
        if let (Some(plan), Some(existing)) = (plan, existing) {
            let plan_location = existing.location_of(plan);
            // The plan has to belong to the location of the point. Without a location, only the
            // existence of the plan can be checked.
            let is_valid = plan_location
                .is_some_and(|known| location.is_none_or(|location| location == known));
            if !is_valid {
                faults.push(&path.field("id"), Rule::Reference);
            }
        }
        for (name, share) in [("x", self.x), ("y", self.y)] {
            if share.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
                faults.push(&path.field(name), Rule::Range { min: 0, max: 1 });
            }
        }
        Some(PlanPlace { plan: plan?, x: self.x, y: self.y, further: self.further.clone() })
    }

    /// The size of the place as compact JSON, in bytes. Includes the further members; an absent x or
    /// y takes no bytes.
    fn json_size(&self) -> usize {
        let Self { id: _, x, y, further } = self;
        // The id takes 36 characters and two quotation marks.
        let id = 38 + member_size("id");
        let shares = [("x", x), ("y", y)].into_iter().filter_map(|(name, share)| {
            let text = format!("{:?}", (*share)?);
            Some(member_size(name) + text.trim_end_matches(".0").len())
        });
        let further = further.iter().map(|(name, value)| member_size(name) + value.len());
        // 1 for the opening brace. Each member counts a comma; the last one stands for the closing
        // brace.
        1 + id + shares.sum::<usize>() + further.sum::<usize>()
    }
}

/// Bytes of a JSON member without its value: the quoted name, the colon, and the comma or brace
/// after the value.
fn member_size(name: &str) -> usize {
    let escaped = name.chars().map(|letter| match letter {
        '"' | '\\' | '\u{8}' | '\u{c}' | '\n' | '\r' | '\t' => 2,
        '\0'..='\u{1f}' => 6,
        other => other.len_utf8(),
    });
    escaped.sum::<usize>() + 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Uuid;

    #[test]
    fn the_size_of_a_place_is_the_length_of_its_compact_json() {
        let size = |x, y, further: &[(&str, &str)]| {
            let further = further.iter().map(|(name, value)| (name.to_string(), value.to_string()));
            let id = Some(GraphicPlanId(Uuid::nil()));
            PlanPlaceDraft { id, x, y, further: further.collect() }.json_size()
        };
        let id = r#"{"id":"00000000-0000-0000-0000-000000000000"}"#.len();
        assert_eq!(size(None, None, &[]), id);
        assert_eq!(size(Some(0.25), Some(1.0), &[]), id + r#","x":0.25,"y":1"#.len());
        let escaped = r#","a\"\n\u0001Ё":{"b":[1,2]}"#;
        assert_eq!(size(None, None, &[("a\"\n\u{1}Ё", r#"{"b":[1,2]}"#)]), id + escaped.len());
    }
}
