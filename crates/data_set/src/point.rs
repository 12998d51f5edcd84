//! Points as lines of the data set.

use patrol_domain::{
    Faults, Path,
    ids::{PointId, Uuid},
    point::{Point, PointDraft},
    shared::check,
};
use patrol_record::{PointRecord, json::fields::Fields, read_point};

use crate::{
    line::{Context, Line},
    messages,
};

impl Line for Point {
    /// The id and the other members.
    type Draft = (Option<PointId>, PointDraft);
    type Form<'a> = PointRecord<'a>;

    fn read(fields: &mut Fields<'_>) -> Self::Draft {
        (fields.uuid("id"), read_point(fields))
    }

    fn check((id, draft): Self::Draft, context: &Context<'_>) -> Result<Self, Vec<String>> {
        let mut faults = Faults::new();
        let id = check::required(&mut faults, &Path::Root.field("id"), id);
        let id_faults = messages::rule_faults(&faults.into_vec());
        // If the id is missing, the other members are still checked, to report their faults.
        let id = id.unwrap_or(PointId(Uuid::nil()));
        match messages::checked(draft.check(id, None, context.rules)) {
            Ok(point) if id_faults.is_empty() => Ok(point),
            Ok(_) => Err(id_faults),
            Err(faults) => Err([id_faults, faults].concat()),
        }
    }

    fn form(&self) -> PointRecord<'_> {
        PointRecord::new(self)
    }
}
