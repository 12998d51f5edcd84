//! Records that are made from the lines of a file.

use crate::shared::{
    existing::{Existing, RecordId, References},
    fault::{Fault, Refusal},
    identified::Identified,
    ids::Uuid,
};

/// The record of each draft, or the faults of the draft. A draft may not have a unique value or the id of
/// an earlier one, even if that has faults. `references` and `make` are those of a single draft.
///
/// # Errors
/// A refusal of `make` that has no faults.
pub fn make_each<D, T: Identified<Id: RecordId>>(
    drafts: &[D],
    existing: &Existing,
    references: impl Fn(&D) -> References,
    make: impl Fn(&D, &Existing) -> Result<T, Refusal>,
) -> Result<Vec<Result<T, Vec<Fault>>>, Refusal> {
    let mut existing = existing.clone();
    let made = drafts.iter().map(|draft| {
        let made = match make(draft, &existing) {
            Err(Refusal::Invalid(faults)) => Err(faults),
            Err(refusal) => return Err(refusal),
            Ok(record) => Ok(record),
        };
        let References { records, values, .. } = references(draft);
        let own = records.into_iter().filter(|(kind, _)| *kind == T::Id::KIND);
        for id in own.flat_map(|(_, ids)| ids) {
            existing.records.insert((T::Id::KIND, id), None);
        }
        for (kind, values) in values {
            for value in values {
                existing.add_owner(kind, value, Uuid::nil());
            }
        }
        Ok(made)
    });
    made.collect()
}
